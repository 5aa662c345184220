package live_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/report/live"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/sim/stats"
)

func get(t *testing.T, s *live.Server, path, host string) (int, string) {
	t.Helper()
	request, err := http.NewRequest(http.MethodGet, strings.Replace(s.URL(), "?", path+"?", 1), nil)
	require.NoError(t, err)
	if host != "" {
		request.Host = host
	}
	response, err := (&http.Client{Timeout: 10 * time.Second}).Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, string(text)
}

// served returns a server of a run with one ended and one running launch.
func served(t *testing.T) *live.Server { return servedWith(t, false) }

func servedWith(t *testing.T, profiles bool) *live.Server {
	t.Helper()
	s, err := live.Listen(":0", profiles, t.Output())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	config, err := configs.Load("gk110", nil)
	require.NoError(t, err)
	s.Begin("stencil", "gk110")
	l := &stats.Launch{Kernel: "stencil5", Cycles: 1000, TimeUS: 2.5, Chip: stats.NewChip(config)}
	l.Total.InstExecuted, l.Total.Stalls[stats.StallSync] = 77, 5
	l.Memory.DRAMReadSectors = 3
	s.Finished(l)
	s.Progress(sim.Progress{Kernel: "stencil5", Title: "stencil5", Cycles: 10, WarpInstructions: 20, BlocksDone: 3,
		BlocksRunning: 2, BlocksTotal: 9})
	return s
}

// Closing a port that is already closed, as the server's own end may do at any moment, is no error.
func TestClosingTwiceIsNoError(t *testing.T) {
	s, err := live.Listen(":0", false, io.Discard)
	require.NoError(t, err)
	require.NoError(t, s.Close())
	require.NoError(t, s.Close())
}

// Metrics have their values.
func TestMetrics(t *testing.T) {
	s := served(t)
	code, text := get(t, s, "metrics", "")
	require.Equal(t, http.StatusOK, code)
	for _, line := range []string{
		`keplersim_run_info{config="gk110",workload="stencil"} 1`, `keplersim_running 1`,
		`keplersim_launches_total{kernel="stencil5"} 1`,
		`keplersim_warp_instructions_total{kernel="stencil5"} 77`, `keplersim_stalled_warp_cycles_total{reason="sync"} 5`,
		`keplersim_dram_bytes_total{operation="read"} 96`, `keplersim_launch_blocks{state="waiting"} 4`,
		`keplersim_simulated_seconds_total{kernel="stencil5"} 2.5e-06`,
	} {
		assert.Contains(t, text, line+"\n")
	}
}

// The page, its state and health answer. Requests for other host names are refused. Profiles of the simulator exist only if asked for.
func TestPages(t *testing.T) {
	s := served(t)
	code, _ := get(t, s, "debug/pprof/", "")
	assert.Equal(t, http.StatusNotFound, code)
	s = servedWith(t, true)
	for _, path := range []string{"", "healthz", "state.json", "metrics", "debug/pprof/"} {
		code, _ := get(t, s, path, "")
		assert.Equal(t, http.StatusOK, code, path)
		code, _ = get(t, s, path, "localhost:9090")
		assert.Equal(t, http.StatusOK, code, path)
		code, _ = get(t, s, path, "evil.example")
		assert.Equal(t, http.StatusForbidden, code, path)
	}
	code, _ = get(t, s, "etc/passwd", "")
	assert.Equal(t, http.StatusNotFound, code)
	_, text := get(t, s, "state.json", "")
	var state live.State
	require.NoError(t, json.Unmarshal([]byte(text), &state))
	assert.True(t, state.Running)
	assert.Equal(t, uint64(3), state.BlocksDone)
	require.Len(t, state.Launches, 1)
	assert.Equal(t, 2.5, state.Launches[0].TimeUS)
	assert.Equal(t, 2.5, state.KernelsUS)
	s.End(errors.New("too long"))
	assert.Equal(t, "too long", s.State().Failure)
	assert.False(t, s.State().Running)
}

// The dashboard in the documentation uses existing metrics.
func TestDashboardAsksForWhatThereIs(t *testing.T) {
	text, err := os.ReadFile("../../docs/grafana-dashboard.json")
	require.NoError(t, err)
	require.True(t, json.Valid(text))
	_, metrics := get(t, served(t), "metrics", "")
	names := regexp.MustCompile(`keplersim_[a-z0-9_]+`).FindAllString(string(text), -1)
	require.NotEmpty(t, names)
	for _, name := range names {
		assert.Contains(t, metrics, "# TYPE "+name+" ", name)
	}
}
