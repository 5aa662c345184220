package access

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pace is how much faster than for users the limits of time are in tests.
const pace = 50

// A connection that drips headers or a body, or stays silent between requests is closed at its time, and not before.
func TestTimes(t *testing.T) {
	t.Parallel()
	p, err := Listen(":0", t.Output())
	require.NoError(t, err)
	p.pace = pace
	ctx, end := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		ended <- p.Serve(ctx, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) }))
	}()
	defer func() {
		end()
		assert.NoError(t, <-ended)
	}()
	get := fmt.Sprintf("GET / HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n", p.Addr(), p.Token)
	post := strings.Replace(get, "GET", "POST", 1) + fmt.Sprintf("Origin: http://%s\r\nContent-Length: 1000000\r\n\r\n", p.Addr())
	var all sync.WaitGroup
	for name, test := range map[string]struct {
		begin, drip string
		limit       time.Duration
	}{
		"nothing": {"", "", headerTime}, "half a line": {"GET", "", headerTime}, "headers": {get, "a: b\r\n", headerTime},
		"a silent body": {post, "", requestTime}, "a dripping body": {post, "x", requestTime}, "idle": {get + "\r\n", "", idleTime},
	} {
		all.Go(func() {
			c, err := net.Dial("tcp", p.Addr().String())
			if !assert.NoError(t, err) {
				return
			}
			defer c.Close()
			began := time.Now()
			_, _ = io.WriteString(c, test.begin)
			gone := make(chan struct{})
			go func() {
				_, _ = io.Copy(io.Discard, bufio.NewReader(c))
				close(gone)
			}()
			for open := true; open; {
				select {
				case <-gone:
					open = false
				case <-time.After(20 * time.Millisecond):
					_, _ = io.WriteString(c, test.drip)
				}
				if time.Since(began) > 10*time.Second {
					assert.Fail(t, "still open", name)
					return
				}
			}
			took := time.Since(began)
			assert.GreaterOrEqual(t, took, test.limit/pace-10*time.Millisecond, name)
			assert.Less(t, took, test.limit/pace+5*time.Second, name) // a busy machine
		})
	}
	all.Wait()
}

// Headers have a size, too.
func TestHeadersAreBounded(t *testing.T) {
	t.Parallel()
	p, err := Listen(":0", t.Output())
	require.NoError(t, err)
	ctx, end := context.WithCancel(context.Background())
	defer end()
	go func() { _ = p.Serve(ctx, http.NotFoundHandler()) }()
	q, err := http.NewRequest(http.MethodGet, p.URL(), nil)
	require.NoError(t, err)
	q.Header.Set("X", strings.Repeat("x", headerBytes+8<<10))
	r, err := http.DefaultTransport.RoundTrip(q)
	require.NoError(t, err)
	r.Body.Close()
	assert.Equal(t, http.StatusRequestHeaderFieldsTooLarge, r.StatusCode)
}
