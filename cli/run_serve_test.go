package cli

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/internal/access"
)

// watchedOutput is standard error while a command runs.
type watchedOutput struct {
	sync.Mutex
	bytes.Buffer
}

func (w *watchedOutput) Write(p []byte) (int, error) {
	w.Lock()
	defer w.Unlock()
	return w.Buffer.Write(p)
}

func (w *watchedOutput) text() string {
	w.Lock()
	defer w.Unlock()
	return w.String()
}

// A run is served while it runs and as long after it as asked, and ends with the context.
func TestServeARun(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	root := newRootCommand()
	errOut := &watchedOutput{}
	root.SetArgs([]string{"run", "../workloads/vectoradd/vectoradd.yaml", "--serve", ":0", "--serve-for", "1m"})
	root.SetOut(io.Discard)
	root.SetErr(errOut)
	ended := make(chan error)
	go func() { ended <- root.ExecuteContext(ctx) }()
	url := regexp.MustCompile(`http://127\.0\.0\.1:\d+/\?token=\w+`)
	require.Eventually(t, func() bool { return url.MatchString(errOut.text()) }, 20*time.Second, 10*time.Millisecond)
	address := url.FindString(errOut.text())
	text := ""
	require.Eventually(t, func() bool {
		response, err := http.Get(strings.Replace(address, "?", "metrics?", 1))
		if err != nil {
			return false
		}
		defer response.Body.Close()
		all, err := io.ReadAll(response.Body)
		text = string(all)
		over := strings.Contains(text, "keplersim_running 0") && strings.Contains(text, "keplersim_run_info")
		return err == nil && over
	}, 30*time.Second, 50*time.Millisecond)
	assert.Contains(t, text, `keplersim_launches_total{kernel="vectoradd"} 1`)
	cancel()
	select {
	case err := <-ended:
		assert.NoError(t, err)
	case <-time.After(20 * time.Second):
		require.Fail(t, "the command does not end")
	}
	_, err := http.Get(address)
	assert.Error(t, err, "the server has ended")
}

// Flags that cannot be served are errors before anything runs.
func TestServeIsChecked(t *testing.T) {
	for says, args := range map[string][]string{
		"give :PORT":            {"--serve", "9090"},
		"say where with":        {"--serve-for", "1m"},
		"--serve-pprof adds":    {"--serve-pprof"},
		"0 or more":             {"--serve", ":0", "--serve-for", "-1s"},
		"nothing can listen at": {"--serve", "192.0.2.1:1"},
	} {
		code, _, errOut := keplersim(t, append([]string{"run", "../workloads/vectoradd/vectoradd.yaml"}, args...)...)
		assert.Equal(t, 2, code, "%v", args)
		assert.Contains(t, errOut, says, "%v", args)
	}
}

// A client that holds all connections of the lab or of a served run in silence blocks others only until the header timeout. A dripping body
// ends as well.
func TestPortsOutlastSilentClients(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for the limits of time")
	}
	for name, args := range map[string][]string{
		"lab":   {"lab", "--no-browser"},
		"serve": {"run", "../workloads/vectoradd/vectoradd.yaml", "--serve", ":0", "--serve-for", "2m"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(context.Background())
			root, out := newRootCommand(), &watchedOutput{}
			root.SetArgs(args)
			root.SetOut(out)
			root.SetErr(out)
			ended := make(chan error, 1)
			go func() { ended <- root.ExecuteContext(ctx) }()
			defer func() {
				cancel()
				assert.NoError(t, <-ended)
			}()
			address := regexp.MustCompile(`http://(127\.0\.0\.1:\d+)/\?token=\w+`)
			require.Eventually(t, func() bool { return address.MatchString(out.text()) }, 20*time.Second, 10*time.Millisecond)
			found := address.FindStringSubmatch(out.text())
			began := time.Now()
			for i := range access.MostConnections {
				c, err := net.Dial("tcp", found[1])
				require.NoError(t, err)
				defer c.Close()
				if i%2 == 1 {
					_, err = io.WriteString(c, "POST / HTTP/1.1\r\n")
					require.NoError(t, err)
				}
			}
			time.Sleep(100 * time.Millisecond) // until they are accepted
			ask := func(timeout time.Duration) error {
				r, err := (&http.Client{Timeout: timeout, Transport: &http.Transport{}}).Get(found[0])
				if err == nil {
					r.Body.Close()
				}
				return err
			}
			assert.Error(t, ask(time.Second), "all connections are taken")
			assert.NoError(t, ask(30*time.Second))
			assert.Greater(t, time.Since(began), 5*time.Second)
		})
	}
}
