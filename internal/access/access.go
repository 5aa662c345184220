// Package access decides who may talk to a port of ours: the lab, a served run, a debugger. Every user of a machine can reach its loopback
// interface, and so can every page in their browsers. So clients have to know the port's token.
package access

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"
)

// TokenVariable is the environment variable with the token; without it each port makes its own token.
const TokenVariable = "KEPLERSIM_TOKEN"

// Limits of a port. A request whose body does not arrive in time, and a connection that stays silent, is closed.
const (
	MostConnections = 64
	headerBytes     = 64 << 10
)

// times are the timeouts; tests shorten them.
var times = struct{ Header, Request, Answer, Idle time.Duration }{
	10 * time.Second, 30 * time.Second, 10 * time.Minute, // 10 minutes: the lab's longest work, and Go's longest profile
	time.Minute,
}

// Port is a listening address that answers clients who know its token.
type Port struct {
	net.Listener
	Token string
	name  string // the host that the user named
	local bool   // the loopback interface
}

// Listen opens HOST:PORT, or :PORT on the loopback interface. It warns about any other interface.
func Listen(address string, warnings io.Writer) (*Port, error) {
	host, number, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("%q is no address: give :PORT, or HOST:PORT for other machines to reach it", address)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	p := &Port{Token: os.Getenv(TokenVariable), name: host}
	if p.Token == "" {
		p.Token = rand.Text()
	} else if len(p.Token) < 16 {
		return nil, fmt.Errorf("the token in %s has fewer than 16 characters", TokenVariable)
	}
	if p.Listener, err = net.Listen("tcp", net.JoinHostPort(host, number)); err != nil {
		return nil, fmt.Errorf("nothing can listen at %s: %w", address, err)
	}
	p.Listener = &limited{Listener: p.Listener, free: make(chan struct{}, MostConnections), closed: make(chan struct{})}
	if p.local = p.Addr().(*net.TCPAddr).IP.IsLoopback(); !p.local {
		fmt.Fprintf(warnings, "warning: other machines reach %s; the token and all else goes there unencrypted\n", p.Addr())
	}
	return p, nil
}

// URL returns the address of the port's page for a browser, with the token.
func (p *Port) URL() string { return p.Address("") + "?token=" + url.QueryEscape(p.Token) }

// Address returns the address of a path, without the token.
func (p *Port) Address(path string) string { return "http://" + p.Addr().String() + "/" + path }

// Knows reports whether a text is the token. It takes the same time for every wrong text of that length.
func (p *Port) Knows(token string) bool {
	return subtle.ConstantTimeCompare([]byte(token), []byte(p.Token)) == 1
}

// Serve answers requests until the context ends. When it returns, all connections are closed.
func (p *Port) Serve(ctx context.Context, handler http.Handler) error {
	s := &http.Server{Handler: p.Guard(handler), ReadHeaderTimeout: times.Header, ReadTimeout: times.Request, WriteTimeout: times.Answer,
		IdleTimeout: times.Idle, MaxHeaderBytes: headerBytes}
	closed := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		_ = s.Close()
		close(closed)
	})
	err := s.Serve(p)
	if !stop() {
		<-closed
	}
	if !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// Guard passes on requests that know the token: from the address (a cookie then keeps it), or from a header, as programs send it. It
// refuses requests for a host name that is not this machine's, and requests by other pages.
func (p *Port) Guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		if !p.ourName(r.Host) {
			http.Error(w, "ask for localhost, or by the name or address that the server was given", http.StatusForbidden)
			return
		}
		reads := r.Method == http.MethodGet || r.Method == http.MethodHead
		if origin := r.Header.Get("Origin"); origin != "http://"+r.Host && (origin != "" || !reads) {
			http.Error(w, "only pages of this server may ask", http.StatusForbidden)
			return
		}
		cookie, err := r.Cookie(p.cookie())
		bearer, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !(err == nil && p.Knows(cookie.Value)) && !p.Knows(bearer) {
			query := r.URL.Query()
			if !p.Knows(query.Get("token")) {
				http.Error(w, "open the address that was printed when the server began: it ends in ?token=...", http.StatusForbidden)
				return
			}
			http.SetCookie(w, &http.Cookie{Name: p.cookie(), Value: p.Token, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
		}
		if query := r.URL.Query(); reads && query.Has("token") && strings.Contains(r.Header.Get("Accept"), "text/html") {
			query.Del("token") // so that the browser neither shows nor remembers the token
			to := url.URL{Path: "/" + strings.TrimLeft(r.URL.Path, `/\`), RawQuery: query.Encode()}
			http.Redirect(w, r, to.String(), http.StatusSeeOther)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// cookie returns the cookie's name. It has the port's number because all ports of a host share cookies.
func (p *Port) cookie() string { return fmt.Sprintf("keplersim-%d", p.Addr().(*net.TCPAddr).Port) }

// ourName reports whether the Host of a request is this machine. A page elsewhere could let its own name point to our address.
func (p *Port) ourName(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	if p.local || ip != nil {
		return host == "localhost" || ip != nil && (!p.local || ip.IsLoopback())
	}
	machine, err := os.Hostname()
	return host == "localhost" || strings.EqualFold(host, p.name) || err == nil && strings.EqualFold(host, machine)
}

// limited is a listener with a bounded number of open connections; further ones wait.
type limited struct {
	net.Listener
	free   chan struct{}
	closed chan struct{}
	once   sync.Once
}

func (l *limited) Accept() (net.Conn, error) {
	select {
	case l.free <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.free
		return nil, err
	}
	return &counted{Conn: c, done: sync.OnceFunc(func() { <-l.free })}, nil
}

func (l *limited) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// counted is a connection that frees its place when it is closed.
type counted struct {
	net.Conn
	done func()
}

func (c *counted) Close() error {
	defer c.done()
	return c.Conn.Close()
}
