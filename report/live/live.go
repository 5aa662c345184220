// Package live shows a run over HTTP while it goes: a page, Prometheus metrics, health and, on request, Go's profiles of the simulator
// itself. It only reads: no request changes the run.
package live

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/pprof"
	"sync"
	"time"

	"github.com/keplersim/keplersim/internal/access"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/sim/stats"
)

//go:embed live.html
var livePage []byte

// Server serves the state of a run.
type Server struct {
	metrics *metrics
	port    *access.Port
	end     func()
	ended   chan struct{} // closed when no connection is left; err is then set
	err     error

	lock  sync.Mutex
	state State
	begun time.Time
}

// State is the progress of the run, as in /state.json.
type State struct {
	Workload string `json:"workload"`
	Config   string `json:"config"`
	// Running says that the run continues; Failure says why it ended early.
	Running bool   `json:"running"`
	Failure string `json:"failure,omitempty"`
	// Seconds is the host's time since the run began.
	Seconds float64 `json:"seconds"`
	// The running launch.
	Kernel           string `json:"kernel"`
	Cycles           int64  `json:"cycles"`
	WarpInstructions uint64 `json:"warp_instructions"`
	BlocksDone       uint64 `json:"blocks_done"`
	BlocksRunning    uint64 `json:"blocks_running"`
	BlocksTotal      uint64 `json:"blocks_total"`
	// Launches are the last launches that ended, at most MostLaunches, the latest last.
	Launches []Launch `json:"launches"`
	// Ended is the number of all launches that ended, KernelsUS the sum of their times.
	Ended     int     `json:"ended"`
	KernelsUS float64 `json:"kernels_us"`
}

// Launch is a launch that has ended.
type Launch struct {
	Kernel    string  `json:"kernel"`
	TimeUS    float64 `json:"time_us"`
	Cycles    uint64  `json:"cycles"`
	IPC       float64 `json:"ipc"`
	Occupancy float64 `json:"achieved_occupancy"`
}

// MostLaunches is the most ended launches that the page lists.
const MostLaunches = 50

// Listen makes a server and starts to serve. profiles adds Go's profiles of the simulator, which slow it down.
func Listen(address string, profiles bool, warnings io.Writer) (*Server, error) {
	port, err := access.Listen(address, warnings)
	if err != nil {
		return nil, err
	}
	s := &Server{metrics: newMetrics(), begun: time.Now(), port: port, ended: make(chan struct{})}
	ctx, end := context.WithCancel(context.Background())
	s.end = end
	go func() {
		s.err = port.Serve(ctx, s.handler(profiles))
		close(s.ended)
	}()
	return s, nil
}

// URL returns the address of the page, with the token.
func (s *Server) URL() string { return s.port.URL() }

// Close ends the server and its connections.
func (s *Server) Close() error {
	s.end()
	<-s.ended
	return s.err
}

// handler returns the handler of all requests.
func (s *Server) handler(profiles bool) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		s.lock.Lock()
		text := s.metrics.text() // so that a slow reader does not hold the lock, and the run
		s.lock.Unlock()
		_, _ = w.Write(text) // the client may have gone
	})
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /state.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "no-store")
		_ = json.NewEncoder(w).Encode(s.State()) // the client may have gone
	})
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy",
			"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'")
		_, _ = w.Write(livePage)
	})
	if profiles {
		mux.HandleFunc("GET /debug/pprof/", pprof.Index)
		mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
		mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
		mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	}
	return mux
}

// Begin records which run began.
func (s *Server) Begin(workload, config string) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.state.Workload, s.state.Config, s.state.Running = workload, config, true
	s.metrics.info.set(label("config", config, "workload", workload), 1)
	s.metrics.running.set("", 1)
}

// Progress records a launch's progress; it is a sim.Options.Progress.
func (s *Server) Progress(p sim.Progress) {
	s.lock.Lock()
	defer s.lock.Unlock()
	x := &s.state
	if p.Title != x.Kernel || p.WarpInstructions < x.WarpInstructions {
		x.WarpInstructions = 0
	}
	s.metrics.instructionsNow.set("", float64(p.WarpInstructions))
	s.metrics.blocks.set(label("state", "done"), float64(p.BlocksDone))
	s.metrics.blocks.set(label("state", "running"), float64(p.BlocksRunning))
	s.metrics.blocks.set(label("state", "waiting"), float64(p.BlocksTotal-p.BlocksDone-p.BlocksRunning))
	x.Kernel, x.Cycles, x.WarpInstructions = p.Title, p.Cycles, p.WarpInstructions
	x.BlocksDone, x.BlocksRunning, x.BlocksTotal = p.BlocksDone, p.BlocksRunning, p.BlocksTotal
}

// Finished records a launch that ended; it is a sim.Options.Finished.
func (s *Server) Finished(l *stats.Launch) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.metrics.launch(l)
	s.state.Ended++
	s.state.KernelsUS += l.TimeUS
	s.state.Launches = append(s.state.Launches, Launch{Kernel: l.DisplayName(), TimeUS: l.TimeUS, Cycles: l.Cycles,
		IPC: metric(l, "ipc"), Occupancy: metric(l, "achieved_occupancy")})
	if n := len(s.state.Launches); n > MostLaunches {
		s.state.Launches = s.state.Launches[n-MostLaunches:]
	}
}

// metric returns a launch's metric by name. It panics if there is no such metric.
func metric(l *stats.Launch, name string) float64 {
	d, ok := stats.Find(name)
	if !ok {
		panic("live: no metric " + name)
	}
	return d.Value(l)
}

// End records the end of the run, and why it failed if it did.
func (s *Server) End(err error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.state.Running = false
	s.state.Seconds = time.Since(s.begun).Seconds()
	s.metrics.running.set("", 0)
	if err != nil {
		s.state.Failure = err.Error()
	}
}

// State returns the progress of the run.
func (s *Server) State() State {
	s.lock.Lock()
	defer s.lock.Unlock()
	x := s.state
	if x.Running {
		x.Seconds = time.Since(s.begun).Seconds()
	}
	x.Launches = append([]Launch{}, x.Launches...)
	return x
}
