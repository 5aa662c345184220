package access_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/internal/access"
)

func served(t *testing.T) *access.Port {
	t.Helper()
	p, err := access.Listen(":0", t.Output())
	require.NoError(t, err)
	ctx, end := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		ended <- p.Serve(ctx, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(w, r.Body)
			_, _ = io.WriteString(w, "inside")
		}))
	}()
	t.Cleanup(func() {
		end()
		assert.NoError(t, <-ended)
	})
	return p
}

// Access by what a request has: token, cookie, host and origin.
func TestGuard(t *testing.T) {
	t.Parallel()
	p := served(t)
	own, cookie := "http://"+p.Addr().String(), "keplersim-"+p.Addr().String()[len("127.0.0.1:"):]+"="
	type headers map[string]string
	for name, test := range map[string]struct {
		method, path string
		headers      headers
		want         int
	}{
		"nothing":                     {"GET", "/", nil, 403},
		"the token":                   {"GET", "/?token=" + p.Token, nil, 200},
		"a part of it":                {"GET", "/?token=" + p.Token[1:], nil, 403},
		"an empty token":              {"GET", "/?token=", nil, 403},
		"the cookie":                  {"GET", "/a/b", headers{"Cookie": cookie + p.Token}, 200},
		"a cookie of another server":  {"GET", "/", headers{"Cookie": "keplersim-1=" + p.Token}, 403},
		"a wrong cookie":              {"GET", "/", headers{"Cookie": cookie + "x"}, 403},
		"a program's header":          {"GET", "/", headers{"Authorization": "Bearer " + p.Token}, 200},
		"another scheme":              {"GET", "/", headers{"Authorization": "Basic " + p.Token}, 403},
		"an empty header":             {"GET", "/", headers{"Authorization": "Bearer "}, 403},
		"localhost, by a tunnel":      {"GET", "/?token=" + p.Token, headers{"Host": "localhost:1"}, 200},
		"a name that leads here":      {"GET", "/?token=" + p.Token, headers{"Host": "evil.example"}, 403},
		"its address as a name":       {"GET", "/?token=" + p.Token, headers{"Host": "127.0.0.1.evil.example"}, 403},
		"another page's GET":          {"GET", "/", headers{"Cookie": cookie + p.Token, "Origin": "http://localhost:1"}, 403},
		"another page's POST":         {"POST", "/", headers{"Cookie": cookie + p.Token, "Origin": "http://evil.example"}, 403},
		"a form of no page":           {"POST", "/", headers{"Cookie": cookie + p.Token, "Origin": "null"}, 403},
		"a POST that hides its page":  {"POST", "/", headers{"Cookie": cookie + p.Token}, 403},
		"our page's POST":             {"POST", "/", headers{"Cookie": cookie + p.Token, "Origin": own}, 200},
		"our page's POST, no token":   {"POST", "/", headers{"Origin": own}, 403},
		"a browser, which goes on":    {"GET", "/a?token=" + p.Token, headers{"Accept": "text/html"}, 303},
		"a path that leads elsewhere": {"GET", "//evil.example/?token=" + p.Token, headers{"Accept": "text/html"}, 303},
	} {
		q, err := http.NewRequest(test.method, own+test.path, nil)
		require.NoError(t, err)
		for k, v := range test.headers {
			q.Header.Set(k, v)
		}
		q.Host = test.headers["Host"]
		r, err := http.DefaultTransport.RoundTrip(q)
		require.NoError(t, err, name)
		text, err := io.ReadAll(r.Body)
		require.NoError(t, err)
		r.Body.Close()
		assert.Equal(t, test.want, r.StatusCode, name)
		assert.Equal(t, test.want == 200, string(text) == "inside", name)
		if to := r.Header.Get("Location"); to != "" {
			assert.True(t, strings.HasPrefix(to, "/") && !strings.HasPrefix(to, "//"), "%s: %s", name, to)
			assert.NotContains(t, to, p.Token)
		}
		for _, c := range r.Cookies() {
			assert.True(t, c.HttpOnly && c.SameSite == http.SameSiteStrictMode, name)
		}
	}
}

// A browser opens the printed address once; afterwards its cookie is enough.
func TestCookieAfterTheFirstRequest(t *testing.T) {
	t.Parallel()
	p := served(t)
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	c := &http.Client{Jar: jar}
	for _, address := range []string{p.URL(), p.Address("more")} {
		q, err := http.NewRequest(http.MethodGet, address, nil)
		require.NoError(t, err)
		q.Header.Set("Accept", "text/html")
		r, err := c.Do(q)
		require.NoError(t, err)
		r.Body.Close()
		assert.Equal(t, http.StatusOK, r.StatusCode, address)
		assert.Empty(t, r.Request.URL.Query().Get("token"))
	}
}

// Without a host only the loopback interface is open; for any other host there is a warning.
func TestListen(t *testing.T) {
	for address, warned := range map[string]bool{":0": false, "localhost:0": false, "[::1]:0": false, "0.0.0.0:0": true} {
		var said strings.Builder
		p, err := access.Listen(address, &said)
		if strings.Contains(address, "::1") && err != nil {
			continue // a machine without IPv6
		}
		require.NoError(t, err)
		assert.Equal(t, warned, said.Len() > 0, "%s: %s", address, said.String())
		assert.Equal(t, !warned, p.Addr().(*net.TCPAddr).IP.IsLoopback(), address)
		assert.GreaterOrEqual(t, len(p.Token), 26, "128 bits")
		require.NoError(t, p.Close())
	}
	_, err := access.Listen("9090", io.Discard)
	assert.ErrorContains(t, err, "give :PORT")
	t.Setenv(access.TokenVariable, "0123456789abcdef")
	p, err := access.Listen(":0", io.Discard)
	require.NoError(t, err)
	defer p.Close()
	assert.Equal(t, "0123456789abcdef", p.Token)
	t.Setenv(access.TokenVariable, "short")
	_, err = access.Listen(":0", io.Discard)
	assert.ErrorContains(t, err, "fewer than 16")
}

// Connections beyond the limit wait until another ends.
func TestConnectionsAreLimited(t *testing.T) {
	t.Parallel()
	p := served(t)
	var silent []net.Conn
	for range access.MostConnections {
		c, err := net.Dial("tcp", p.Addr().String())
		require.NoError(t, err)
		defer c.Close()
		silent = append(silent, c)
	}
	more := func(timeout time.Duration) error {
		r, err := (&http.Client{Timeout: timeout, Transport: &http.Transport{}}).Get(p.URL())
		if err == nil {
			r.Body.Close()
		}
		return err
	}
	time.Sleep(50 * time.Millisecond) // until the server has accepted them
	assert.Error(t, more(200*time.Millisecond))
	for _, c := range silent {
		c.Close()
	}
	assert.NoError(t, more(10*time.Second))
}

// Slow clients are disconnected: 10 s for a header, 30 s for a body, a minute without a request. Headers of 100 KB are refused. The test
// shortens these times to a tenth.
func TestSlowClientsAreEnded(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for the times")
	}
	const part = 10
	whole := *access.Times
	said := []time.Duration{10 * time.Second, 30 * time.Second, time.Minute}
	assert.Equal(t, said, []time.Duration{whole.Header, whole.Request, whole.Idle})
	access.Times.Header, access.Times.Request, access.Times.Idle = whole.Header/part, whole.Request/part, whole.Idle/part
	t.Cleanup(func() { *access.Times = whole })
	p := served(t)
	head := "POST /?token=" + p.Token + " HTTP/1.1\r\nHost: " + p.Addr().String() + "\r\nOrigin: http://" + p.Addr().String() + "\r\n"
	for name, c := range map[string]struct {
		first, drip string
		within      [2]time.Duration
	}{
		"header": {head, "X: y\r\n", [2]time.Duration{8 * time.Second, 20 * time.Second}},
		"body":   {head + "Content-Length: 1000000\r\n\r\n", "b", [2]time.Duration{25 * time.Second, 45 * time.Second}},
		"idle":   {head + "Content-Length: 0\r\n\r\n", "", [2]time.Duration{50 * time.Second, 90 * time.Second}},
		"long":   {head + "X: " + strings.Repeat("x", 100<<10), "x", [2]time.Duration{0, 8 * time.Second}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			connection, err := net.Dial("tcp", p.Addr().String())
			require.NoError(t, err)
			defer connection.Close()
			began := time.Now()
			_, _ = io.WriteString(connection, c.first) // the server may refuse it before it has read it
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				_, _ = io.Copy(io.Discard, connection) // until the server closes it
			}()
			for open := true; open && time.Since(began) < 20*time.Second; {
				select {
				case <-ended:
					open = false
				case <-time.After(20 * time.Millisecond):
					_, _ = io.WriteString(connection, c.drip) // the server may have closed it
				}
			}
			assert.GreaterOrEqual(t, part*time.Since(began), c.within[0])
			assert.LessOrEqual(t, part*time.Since(began), c.within[1])
		})
	}
}
