package debug

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"sync"
	"time"

	"github.com/google/go-dap"

	"github.com/keplersim/keplersim/internal/access"
	"github.com/keplersim/keplersim/sim/observe"
)

// Launch are the arguments of the protocol's launch request.
type Launch struct {
	// Program is the kernel or workload to debug.
	Program string `json:"program"`
	// Config is the chip or board. Kernel selects one of several kernels in the file.
	Config string `json:"config"`
	Kernel string `json:"kernel"`
	// Grid and Block are the launch's extents, as in 16,16, and Args its arguments, for a file without a workload.
	Grid  string   `json:"grid"`
	Block string   `json:"block"`
	Args  []string `json:"args"`
	// DeviceDebug compiles without optimisation, so that all variables are available.
	DeviceDebug bool `json:"deviceDebug"`
	// Timed runs with timing.
	Timed bool `json:"timed"`
	// StopOnEntry stops at the first operation.
	StopOnEntry bool `json:"stopOnEntry"`
	// Token is the port's token; standard input and output need none.
	Token string `json:"token"`
}

// Serve speaks the Debug Adapter Protocol on in and out until the client disconnects. options turns a launch into the session's options.
func Serve(ctx context.Context, in io.Reader, out io.Writer, options func(Launch) (Options, error)) error {
	return newServer(in, out, options).serve(ctx)
}

// Limits for a client before its launch, which carries the token: time, and bytes that it may send.
const (
	unauthenticatedTime  = 10 * time.Second
	unauthenticatedBytes = 64 << 10
)

var errWrongToken = errors.New(`launch: "token" is not that of this port, which was printed when the debugger began to listen`)

// ServeAt serves the first client at a port whose launch has the port's token. It disconnects others.
func ServeAt(ctx context.Context, port *access.Port, options func(Launch) (Options, error)) error {
	stop := context.AfterFunc(ctx, func() { port.Close() })
	defer stop()
	for {
		client, err := port.Accept()
		if err != nil {
			return errors.Join(context.Cause(ctx), err)
		}
		_ = client.SetDeadline(time.Now().Add(unauthenticatedTime)) // a closed connection shows when it is read
		said := &io.LimitedReader{R: client, N: unauthenticatedBytes}
		s := newServer(said, client, func(l Launch) (Options, error) {
			if !port.Knows(l.Token) {
				return Options{}, errWrongToken
			}
			said.N = 1 << 62
			return options(l)
		})
		s.welcome = func() error { return client.SetDeadline(time.Time{}) }
		err = s.serve(ctx)
		client.Close()
		if s.session != nil {
			return err
		}
	}
}

// server is the adapter for one client.
type server struct {
	in       *bufio.Reader
	out      io.Writer
	options  func(Launch) (Options, error)
	session  *Session
	launch   Launch
	lock     sync.Mutex // guards out, sequence and running
	sequence int
	running  bool
	lines    map[string][]*Breakpoint // by source file
	others   []*Breakpoint            // for functions and for the hazard filter
	welcome  func() error             // called after a launch; nil for nothing
	handles  []func() []dap.Variable  // the parts of variables, by reference - 1; invalid once the program moves
}

func newServer(in io.Reader, out io.Writer, options func(Launch) (Options, error)) *server {
	return &server{in: bufio.NewReader(in), out: out, options: options, lines: map[string][]*Breakpoint{}}
}

var errDisconnected = errors.New("disconnected")

func (s *server) serve(ctx context.Context) error {
	defer func() {
		if s.session != nil && !s.busy() {
			s.session.Close()
		}
	}()
	for {
		message, err := dap.ReadProtocolMessage(s.in)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("debug adapter protocol: %w", err)
		}
		request, ok := message.(dap.RequestMessage)
		if !ok {
			continue
		}
		if err := s.answer(ctx, request); errors.Is(err, errDisconnected) {
			return nil
		} else if err != nil {
			s.refuse(request.GetRequest(), err)
			if errors.Is(err, errWrongToken) {
				return err
			}
		}
	}
}

func (s *server) busy() bool {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.running
}

// send writes a response or event.
func (s *server) send(m dap.Message) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.sequence++
	switch m := m.(type) {
	case dap.ResponseMessage:
		m.GetResponse().Seq = s.sequence
	case dap.EventMessage:
		m.GetEvent().Seq = s.sequence
	}
	_ = dap.WriteProtocolMessage(s.out, m) // a closed connection shows when it is read
}

func response(r *dap.Request) dap.Response {
	return dap.Response{ProtocolMessage: dap.ProtocolMessage{Type: "response"}, Command: r.Command, RequestSeq: r.Seq, Success: true}
}

func event(name string) dap.Event {
	return dap.Event{ProtocolMessage: dap.ProtocolMessage{Type: "event"}, Event: name}
}

func (s *server) refuse(r *dap.Request, err error) {
	answer := response(r)
	answer.Success, answer.Message = false, err.Error()
	s.send(&dap.ErrorResponse{Response: answer, Body: dap.ErrorResponseBody{Error: &dap.ErrorMessage{Id: 1, Format: err.Error(),
		ShowUser: true}}})
}

var errRunning = errors.New("the program runs: pause it first")

// answer executes a request.
func (s *server) answer(ctx context.Context, message dap.RequestMessage) error {
	if s.busy() {
		switch m := message.(type) {
		case *dap.PauseRequest:
			s.session.Pause()
			s.send(&dap.PauseResponse{Response: response(&m.Request)})
			return nil
		case *dap.DisconnectRequest:
			s.session.Pause()
			s.send(&dap.DisconnectResponse{Response: response(&m.Request)})
			return errDisconnected
		}
		return errRunning
	}
	switch m := message.(type) {
	case *dap.InitializeRequest:
		return s.initialize(m)
	case *dap.LaunchRequest:
		return s.begin(m)
	case *dap.DisconnectRequest:
		s.send(&dap.DisconnectResponse{Response: response(&m.Request)})
		return errDisconnected
	}
	if s.session == nil {
		return errors.New("launch comes first")
	}
	switch m := message.(type) {
	case *dap.SetBreakpointsRequest:
		return s.setBreakpoints(m)
	case *dap.SetFunctionBreakpointsRequest:
		return s.setFunctions(m)
	case *dap.SetExceptionBreakpointsRequest:
		return s.setFilters(m)
	case *dap.ConfigurationDoneRequest:
		s.send(&dap.ConfigurationDoneResponse{Response: response(&m.Request)})
		if s.launch.StopOnEntry {
			s.runAsync(func() (Stop, error) { return s.session.Start(ctx) })
		} else {
			s.runAsync(func() (Stop, error) { return s.session.Continue(ctx) })
		}
		return nil
	case *dap.ThreadsRequest:
		s.send(&dap.ThreadsResponse{Response: response(&m.Request), Body: dap.ThreadsResponseBody{Threads: s.threads()}})
		return nil
	case *dap.StackTraceRequest:
		return s.stack(m)
	case *dap.ScopesRequest:
		return s.scopes(m)
	case *dap.VariablesRequest:
		return s.variables(m)
	case *dap.EvaluateRequest:
		return s.evaluate(ctx, m)
	case *dap.PauseRequest:
		s.send(&dap.PauseResponse{Response: response(&m.Request)})
		return nil
	}
	return s.move(ctx, message)
}

// move executes a request that moves the program.
func (s *server) move(ctx context.Context, message dap.RequestMessage) error {
	unit := func(granularity dap.SteppingGranularity, line Unit) Unit {
		if granularity == "instruction" {
			return Instruction
		}
		return line
	}
	var do func() (Stop, error)
	switch m := message.(type) {
	case *dap.ContinueRequest:
		s.send(&dap.ContinueResponse{Response: response(&m.Request), Body: dap.ContinueResponseBody{AllThreadsContinued: true}})
		do = func() (Stop, error) { return s.session.Continue(ctx) }
	case *dap.NextRequest:
		s.send(&dap.NextResponse{Response: response(&m.Request)})
		do = s.step(ctx, m.Arguments.ThreadId, unit(m.Arguments.Granularity, Over))
	case *dap.StepInRequest:
		s.send(&dap.StepInResponse{Response: response(&m.Request)})
		do = s.step(ctx, m.Arguments.ThreadId, unit(m.Arguments.Granularity, Line))
	case *dap.StepOutRequest:
		s.send(&dap.StepOutResponse{Response: response(&m.Request)})
		do = s.step(ctx, m.Arguments.ThreadId, unit(m.Arguments.Granularity, Out))
	case *dap.StepBackRequest:
		s.send(&dap.StepBackResponse{Response: response(&m.Request)})
		do = func() (Stop, error) { return s.session.Back(ctx, unit(m.Arguments.Granularity, Line), 1) }
	case *dap.ReverseContinueRequest:
		s.send(&dap.ReverseContinueResponse{Response: response(&m.Request)})
		do = func() (Stop, error) { return s.session.BackToBreakpoint(ctx) }
	default:
		return fmt.Errorf("%s is not supported", message.GetRequest().Command)
	}
	s.runAsync(do)
	return nil
}

// runAsync lets the program run, and reports its stop.
func (s *server) runAsync(do func() (Stop, error)) {
	s.lock.Lock()
	s.running, s.handles = true, nil
	s.lock.Unlock()
	go func() {
		stop, err := do()
		s.lock.Lock()
		s.running = false
		s.lock.Unlock()
		if err != nil {
			s.send(&dap.OutputEvent{Event: event("output"), Body: dap.OutputEventBody{Category: "stderr", Output: err.Error() + "\n"}})
		}
		if stop.Reason == AtEnd || stop.Reason == "" {
			if stop.Detail != "" {
				s.send(&dap.OutputEvent{Event: event("output"), Body: dap.OutputEventBody{Category: "stdout", Output: stop.Detail + "\n"}})
			}
			for _, note := range s.session.BreakpointWarnings() {
				s.send(&dap.OutputEvent{Event: event("output"), Body: dap.OutputEventBody{Category: "stdout", Output: note + "\n"}})
			}
			s.send(&dap.TerminatedEvent{Event: event("terminated")})
			return
		}
		reason := map[Reason]string{AtBreakpoint: "breakpoint", AtWatchpoint: "data breakpoint", AtHazard: "exception", AtEntry: "entry",
			AtPause: "pause"}[stop.Reason]
		if reason == "" {
			reason = "step"
		}
		body := dap.StoppedEventBody{Reason: reason, Description: stop.String(), Text: stop.Detail, ThreadId: threadOf(stop.Issue.Warp),
			AllThreadsStopped: true}
		if b := stop.Breakpoint; b != nil {
			body.HitBreakpointIds = []int{b.Number}
		}
		s.send(&dap.StoppedEvent{Event: event("stopped"), Body: body})
	}()
}

// threadOf is a warp's thread number in the protocol. The threads are the warps of the current block.
func threadOf(w *observe.Warp) int {
	if w == nil {
		return 1
	}
	return w.Index + 1
}

func (s *server) initialize(m *dap.InitializeRequest) error {
	s.send(&dap.InitializeResponse{Response: response(&m.Request), Body: dap.Capabilities{
		SupportsConfigurationDoneRequest: true, SupportsFunctionBreakpoints: true, SupportsConditionalBreakpoints: true,
		SupportsStepBack:            true,
		SupportsSteppingGranularity: true, SupportsEvaluateForHovers: true,
		ExceptionBreakpointFilters: []dap.ExceptionBreakpointsFilter{{Filter: "hazard", Label: "Hazards",
			Description: "stop at the first race, unset memory, access out of bounds or divergent barrier"}},
	}})
	return nil
}

func (s *server) begin(m *dap.LaunchRequest) error {
	if err := json.Unmarshal(m.Arguments, &s.launch); err != nil {
		return fmt.Errorf("launch: %w", err)
	}
	if s.launch.Program == "" {
		return errors.New(`launch: "program" names no kernel or workload`)
	}
	o, err := s.options(s.launch)
	if err != nil {
		return err
	}
	s.session = New(o)
	if s.welcome != nil {
		if err := s.welcome(); err != nil {
			return err
		}
	}
	s.send(&dap.LaunchResponse{Response: response(&m.Request)})
	s.send(&dap.InitializedEvent{Event: event("initialized")})
	return nil
}

// mergeBreakpoints sets the session's breakpoints to those of the client.
func (s *server) mergeBreakpoints() {
	s.session.Breakpoints = append([]*Breakpoint(nil), s.others...)
	for _, list := range s.lines {
		s.session.Breakpoints = append(s.session.Breakpoints, list...)
	}
}

// number gives a breakpoint a number.
func (s *server) number(b *Breakpoint) *Breakpoint {
	s.session.Add(b)
	return b
}

func (s *server) setBreakpoints(m *dap.SetBreakpointsRequest) error {
	path := m.Arguments.Source.Path
	if path == "" {
		path = m.Arguments.Source.Name
	}
	var list []*Breakpoint
	var told []dap.Breakpoint
	for _, line := range m.Arguments.Breakpoints {
		b := &Breakpoint{File: path, Line: line.Line}
		one := dap.Breakpoint{Verified: true, Line: line.Line, Source: &dap.Source{Name: filepath.Base(path), Path: path}}
		if line.Condition != "" {
			var err error
			if b.Condition, err = ParseExpression(line.Condition); err != nil {
				one.Verified, one.Message = false, err.Error()
			}
		}
		if one.Verified {
			list = append(list, s.number(b))
			one.Id = b.Number
		}
		told = append(told, one)
	}
	s.lines[path] = list
	s.mergeBreakpoints()
	s.send(&dap.SetBreakpointsResponse{Response: response(&m.Request), Body: dap.SetBreakpointsResponseBody{Breakpoints: told}})
	return nil
}

// keep keeps those of the other breakpoints that which selects.
func (s *server) keep(which func(*Breakpoint) bool) {
	var kept []*Breakpoint
	for _, b := range s.others {
		if which(b) {
			kept = append(kept, b)
		}
	}
	s.others = kept
}

func (s *server) setFunctions(m *dap.SetFunctionBreakpointsRequest) error {
	s.keep(func(b *Breakpoint) bool { return b.Hazard })
	told := []dap.Breakpoint{}
	for _, f := range m.Arguments.Breakpoints {
		text := f.Name
		if f.Condition != "" {
			text += " if " + f.Condition
		}
		b, err := ParseBreakpoint(text)
		if err != nil {
			told = append(told, dap.Breakpoint{Message: err.Error()})
			continue
		}
		s.others = append(s.others, s.number(b))
		told = append(told, dap.Breakpoint{Id: b.Number, Verified: true})
	}
	s.mergeBreakpoints()
	s.send(&dap.SetFunctionBreakpointsResponse{Response: response(&m.Request),
		Body: dap.SetFunctionBreakpointsResponseBody{Breakpoints: told}})
	return nil
}

func (s *server) setFilters(m *dap.SetExceptionBreakpointsRequest) error {
	s.keep(func(b *Breakpoint) bool { return !b.Hazard })
	for _, filter := range m.Arguments.Filters {
		if filter == "hazard" {
			s.others = append(s.others, s.number(&Breakpoint{Hazard: true}))
		}
	}
	s.mergeBreakpoints()
	s.send(&dap.SetExceptionBreakpointsResponse{Response: response(&m.Request)})
	return nil
}

// threads are the warps of the current block.
func (s *server) threads() []dap.Thread {
	w := s.session.Warp()
	if w == nil {
		return []dap.Thread{{Id: 1, Name: "no warp"}}
	}
	var list []dap.Thread
	for i := range w.Block.Warps {
		list = append(list, dap.Thread{Id: i + 1, Name: fmt.Sprintf("%s, warp %d", w.Block, i)})
	}
	return list
}

// step is a step of a thread's warp.
func (s *server) step(ctx context.Context, thread int, unit Unit) func() (Stop, error) {
	return func() (Stop, error) {
		from := s.session.Stopped().Issue
		w, op, err := s.warp(thread)
		if err != nil {
			return s.session.Stopped(), err
		}
		from.Warp, from.Op = w, op
		return s.session.StepFrom(ctx, unit, &from)
	}
}

// warp returns a thread's warp and its next operation.
func (s *server) warp(thread int) (*observe.Warp, int32, error) {
	here := s.session.Warp()
	if here == nil || thread < 1 || thread > len(here.Block.Warps) {
		return nil, 0, errNoWarp
	}
	w := &here.Block.Warps[thread-1]
	if w.Index == here.Index {
		return w, s.session.Stopped().Issue.Op, nil
	}
	if paths := w.State.Paths(); len(paths) > 0 && paths[0].Op >= 0 {
		return w, paths[0].Op, nil
	}
	return nil, 0, fmt.Errorf("warp %d has ended", w.Index)
}
