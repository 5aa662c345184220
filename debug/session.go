package debug

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	"github.com/keplersim/keplersim/code/sources"
	"github.com/keplersim/keplersim/host"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/sim/check/finding"
	"github.com/keplersim/keplersim/sim/observe"
)

// Options say what to debug.
type Options struct {
	// File is a kernel or a workload; Host says how to run it. It runs on one host thread.
	File string
	Host host.Options
	// DeviceDebug compiles CUDA C without optimisation, and executes each PTX instruction in its place, as nvcc -G. All source variables
	// are then available at each line.
	DeviceDebug bool
}

// Session is a program being debugged.
type Session struct {
	options Options
	// Breakpoints are the session's breakpoints; the first has number 1.
	Breakpoints []*Breakpoint

	run         *run // the current or last run; nil before the first
	stop        Stop
	lane        int // the lane whose values are shown
	callerDepth int // the function whose values are shown, as a number of callers up
	next        int // number of the next breakpoint

	lines    map[*isa.MachineProgram]lineStarts
	states   stateList
	hazards  hazardBounds
	modules  []*module // texts of programs that have run
	programs map[*isa.Program]*symbols
}

// New returns a session that has not started.
func New(o Options) *Session {
	o.Host.Simulator.Threads = 1
	o.Host.Code.Compile.Variables = true
	if o.Host.Code.Memo == nil {
		o.Host.Code.Memo = &sources.Memo{} // going back compiles nothing again
	}
	if o.DeviceDebug {
		o.Host.Code.Compile.Level, o.Host.Simulator.Unoptimised = "0", true
	}
	return &Session{options: o, next: 1, lines: map[*isa.MachineProgram]lineStarts{}, programs: map[*isa.Program]*symbols{}}
}

// Reason says why a run has stopped.
type Reason string

// The reasons for a stop.
const (
	AtBreakpoint Reason = "breakpoint"
	AtWatchpoint Reason = "watchpoint"
	AtHazard     Reason = "hazard"
	AtStep       Reason = "step"
	AtEntry      Reason = "entry"
	AtEnd        Reason = "end"
	AtPause      Reason = "pause"
)

// Stop is a point at which a run waits.
type Stop struct {
	Reason Reason
	// Breakpoint is the breakpoint hit, nil for other reasons.
	Breakpoint *Breakpoint
	// Number counts the operations executed by all warps, from 1. It identifies the point in every run.
	Number uint64
	// Issue is the next operation. Its warp is nil at the end.
	Issue observe.Issue
	// Detail is the finding, the access, or the error that ended the run.
	Detail string
}

// String describes the stop.
func (s Stop) String() string {
	var b strings.Builder
	switch s.Reason {
	case AtEnd:
		fmt.Fprintf(&b, "the program has ended after %d operations", s.Number)
	case AtBreakpoint:
		fmt.Fprintf(&b, "breakpoint %d (%s)", s.Breakpoint.Number, s.Breakpoint)
	default:
		b.WriteString(string(s.Reason))
	}
	if s.Detail != "" {
		b.WriteString(": " + s.Detail)
	}
	if w := s.Issue.Warp; w != nil {
		m := w.Block.Grid.Machine
		fmt.Fprintf(&b, "\n#%d cycle %d: %s, %s, warp %d, lanes %#08x\n  %s: %s", s.Number, s.Issue.Cycle, m.Program.Title(m.Kernel.Name),
			w.Block, w.Index, s.Issue.Active, w.Where(s.Issue.Op), m.Text(s.Issue.Op))
	}
	return b.String()
}

// Warp is the current warp, nil at the end.
func (s *Session) Warp() *observe.Warp { return s.stop.Issue.Warp }

// Stopped is the current stop.
func (s *Session) Stopped() Stop { return s.stop }

// Ended tells whether the run has ended.
func (s *Session) Ended() bool { return s.stop.Reason == AtEnd }

// run is one run of the program, which waits at every stop.
type run struct {
	watcher
	job       *host.Job
	cancel    context.CancelFunc
	stopped   chan Stop
	resume    chan aim
	result    *host.Result
	lock      sync.Mutex
	pause     bool
	checked   bool // with checks for hazards
	faulty    bool // a hazard was found
	leftClean bool // it has reached operations that are not known to be clean
}

// aim says how far a run continues.
type aim struct {
	// until tells at each operation whether to stop; nil for breakpoints only.
	until func(w *watcher, e *observe.Issue) bool
	// ignoreBreakpoints lets the run pass breakpoints.
	ignoreBreakpoints bool
	// quit runs to the end without reporting.
	quit bool
	// to is an operation before which the run surely stops, 0 if unknown.
	to uint64
}

// begin opens the program and runs it to an aim, from a state or, for nil, from the beginning. If the program has changed and cannot
// continue from the state, it starts at the beginning.
func (s *Session) begin(ctx context.Context, a aim, from *state) (Stop, error) {
	if s.mustCheck(a) {
		from = nil
	}
	stop, err := s.open(ctx, a, from)
	if err == nil && from != nil && !s.run.loaded {
		s.states.forget()
		s.hazards = hazardBounds{}
		return s.open(ctx, a, nil)
	}
	if from != nil {
		s.states.restores++
	}
	return stop, err
}

// open is begin without a second try.
func (s *Session) open(ctx context.Context, a aim, from *state) (Stop, error) {
	s.endRun()
	r := &run{stopped: make(chan Stop), resume: make(chan aim)}
	r.watcher = watcher{session: s, run: r, requests: map[requestKey]observe.Request{}, aim: a}
	clear(s.programs)
	o := s.options.Host
	o.Loaded = s.loaded
	o.Simulator.Observer = &r.watcher
	if r.checked = s.mustCheck(a); r.checked {
		o.Simulator.Check = finding.All
		o.Simulator.Found = r.watcher.found
	} else {
		o.InMemory = r.inMemory(from)
	}
	job, err := host.Open(ctx, s.options.File, o)
	if err != nil {
		return Stop{}, err
	}
	r.job = job
	ctx, r.cancel = context.WithCancel(context.WithoutCancel(ctx))
	clear(s.lines)
	s.run, s.callerDepth = r, 0
	go func() {
		result, err := job.Run(ctx)
		r.result = result
		end := Stop{Reason: AtEnd, Number: r.number}
		switch {
		case r.aim.quit:
			close(r.stopped)
			return
		case r.checked && !r.faulty:
			s.hazards.clean = max(s.hazards.clean, r.number)
		}
		switch {
		case err != nil:
			end.Detail = err.Error()
		case len(result.Mismatches) > 0:
			end.Detail = result.Mismatches[0].String()
		}
		r.stopped <- end
		close(r.stopped)
	}()
	s.stop = <-r.stopped
	return s.stop, nil
}

// endRun ends the current run.
func (s *Session) endRun() {
	if s.run == nil {
		return
	}
	r := s.run
	s.run = nil
	r.cancel()
	if s.stop.Reason != AtEnd {
		r.resume <- aim{quit: true}
	}
	for range r.stopped { // until it has ended
	}
	s.stop = Stop{}
}

// Close ends the session.
func (s *Session) Close() { s.endRun() }

// runTo continues the run to an aim.
func (s *Session) runTo(ctx context.Context, a aim) (Stop, error) {
	switch {
	case s.run == nil:
		return s.begin(ctx, a, nil)
	case s.Ended():
		return s.stop, fmt.Errorf("the program has ended; start runs it again, and back goes back")
	}
	if s.wantsHazards() && !s.run.checked {
		if s.stop.Number <= s.hazards.clean {
			if stop := s.resume(s.limitToClean(a)); !s.run.leftClean {
				return stop, nil
			}
		}
		if _, err := s.begin(ctx, s.untilNumber(s.stop.Number), nil); err != nil {
			return s.stop, err
		}
	}
	return s.resume(a), nil
}

// resume continues the waiting run.
func (s *Session) resume(a aim) Stop {
	s.run.leftClean = false
	s.run.resume <- a
	s.callerDepth = 0
	s.stop = <-s.run.stopped
	return s.stop
}

// Start runs the program from the beginning to its first operation.
func (s *Session) Start(ctx context.Context) (Stop, error) {
	s.states.forget()
	s.hazards = hazardBounds{}
	s.options.Host.Code.Memo.Forget()
	stop, err := s.begin(ctx, aim{until: func(*watcher, *observe.Issue) bool { return true }, ignoreBreakpoints: true}, nil)
	if stop.Reason == AtStep {
		s.stop.Reason = AtEntry
	}
	return s.stop, err
}

// Continue runs to the next breakpoint or to the end.
func (s *Session) Continue(ctx context.Context) (Stop, error) { return s.runTo(ctx, aim{}) }

// Pause stops a run at its next operation. It may be called from another goroutine.
func (s *Session) Pause() {
	if r := s.run; r != nil {
		r.lock.Lock()
		r.pause = true
		r.lock.Unlock()
	}
}

// Unit is the length of a step.
type Unit string

// Units: the warp's next operation or next source line; that line not in a function called, or where the function has returned; the next
// cycle; the next warp that issues.
const (
	Instruction Unit = "instruction"
	Line        Unit = "line"
	Over        Unit = "over"
	Out         Unit = "out"
	Cycle       Unit = "cycle"
	OtherWarp   Unit = "warp"
)

// Step steps forwards by a unit, several times. Breakpoints stop it on the way.
func (s *Session) Step(ctx context.Context, unit Unit, times int) (stop Stop, err error) {
	for range max(times, 1) {
		if s.run == nil {
			if stop, err = s.Start(ctx); err != nil {
				return stop, err
			}
			continue
		}
		if stop, err = s.StepFrom(ctx, unit, &s.stop.Issue); err != nil || stop.Reason != AtStep {
			return stop, err
		}
	}
	return stop, err
}

// StepFrom is a step of the warp of an operation that is about to run.
func (s *Session) StepFrom(ctx context.Context, unit Unit, from *observe.Issue) (Stop, error) {
	depth := 0
	if from.Warp != nil && (unit == Over || unit == Out) {
		depth = s.depth(from)
	}
	if unit == Out && depth == 1 {
		return s.stop, errors.New("the warp runs the kernel itself: continue, or back to where it was")
	}
	return s.runTo(ctx, aim{until: stepped(unit, from, depth)})
}

// depth is how many functions are active at an operation, inlined ones included.
func (s *Session) depth(e *observe.Issue) int {
	return len(e.Warp.State.Frames()) + len(s.inlined(e.Warp.Block.Grid.Machine, e.Op))
}

// stepped returns a function that tells when a step from an operation at a depth of calls has ended.
func stepped(unit Unit, from *observe.Issue, depth int) func(*watcher, *observe.Issue) bool {
	warp, cycle, line := nameOf(from.Warp), from.Cycle, lineAt(from) // by name, as the run may be a different one at the end of the step
	return func(w *watcher, e *observe.Issue) bool {
		switch unit {
		case Cycle:
			return e.Cycle > cycle
		case OtherWarp:
			return nameOf(e.Warp) != warp
		case Line, Over:
			return nameOf(e.Warp) == warp && w.session.beginsLine(e.Warp, e.Op) && lineAt(e) != line &&
				(unit == Line || w.session.depth(e) <= depth)
		case Out:
			return nameOf(e.Warp) == warp && w.session.depth(e) < depth
		}
		return nameOf(e.Warp) == warp
	}
}

// Goto runs the program again to the operation with this number, from the last state before it.
func (s *Session) Goto(ctx context.Context, number uint64) (Stop, error) {
	a := s.untilNumber(number)
	a.to = number
	return s.begin(ctx, a, s.states.before(number))
}

// Back steps backwards by a unit, several times: to the same warp's previous operation or previous source line, to the last operation of
// the cycle before, or to that of another warp.
func (s *Session) Back(ctx context.Context, unit Unit, times int) (stop Stop, err error) {
	for range max(times, 1) {
		from := s.stop
		if s.run == nil || from.Number <= 1 {
			return from, fmt.Errorf("this is the beginning")
		}
		ended := s.Ended()
		key, cycle, line := nameOf(from.Issue.Warp), from.Issue.Cycle, lineAt(&from.Issue)
		before := func(e *observe.Issue) bool {
			switch {
			case ended:
				return true
			case unit == Cycle:
				return e.Cycle < cycle
			case unit == OtherWarp:
				return nameOf(e.Warp) != key
			case unit == Line:
				return nameOf(e.Warp) == key && s.beginsLine(e.Warp, e.Op) && lineAt(e) != line
			}
			return nameOf(e.Warp) == key
		}
		last, err := s.last(ctx, from.Number, ended, func(_ *watcher, e *observe.Issue) bool { return before(e) })
		if err != nil {
			return s.stop, err
		}
		if last == 0 {
			_, _ = s.Goto(ctx, from.Number)
			return s.stop, fmt.Errorf("there is nothing before")
		}
		if stop, err = s.Goto(ctx, last); err != nil {
			return stop, err
		}
	}
	return stop, nil
}

// last returns the number of the last operation before an operation, or before the end, for which holds is true; 0 for none. It runs the
// program again from the last state before, and from earlier states until it finds one.
func (s *Session) last(ctx context.Context, to uint64, end bool, holds func(*watcher, *observe.Issue) bool) (last uint64, err error) {
	for {
		from := s.states.last()
		if !end {
			from = s.states.before(to - 1) // a state with at least one operation after it and before to
		}
		a := aim{ignoreBreakpoints: true, to: to - 1, until: func(w *watcher, e *observe.Issue) bool {
			if (end || w.number < to) && holds(w, e) {
				last = w.number
			}
			return !end && w.number+1 >= to
		}}
		if end {
			a.to = to + 1
		}
		_, err := s.begin(ctx, a, from)
		if err != nil || last > 0 || from == nil {
			return last, err
		}
		to, end = from.number+1, false
	}
}

// BackToBreakpoint goes back to the last hit of a breakpoint.
func (s *Session) BackToBreakpoint(ctx context.Context) (Stop, error) {
	from, ended := s.stop, s.Ended()
	var hit *Breakpoint
	last, err := s.last(ctx, from.Number, ended, func(w *watcher, e *observe.Issue) bool {
		b := w.hit(e)
		if b != nil {
			hit = b
		}
		return b != nil
	})
	if err != nil {
		return s.stop, err
	}
	if last == 0 {
		stop, err := s.Start(ctx)
		if err != nil {
			return stop, err
		}
		return stop, fmt.Errorf("no breakpoint was hit before; this is the beginning")
	}
	if _, err = s.Goto(ctx, last); err == nil {
		s.stop.Reason, s.stop.Breakpoint = AtBreakpoint, hit
	}
	return s.stop, err
}

// warpName identifies a warp in every run of the program.
type warpName struct {
	grid, block uint64
	warp        int
}

func nameOf(w *observe.Warp) warpName {
	if w == nil {
		return warpName{}
	}
	return warpName{w.Block.Grid.ID, w.Block.Number, w.Index}
}

// sourceLine is a line of the source, or of the PTX if the source is unknown.
type sourceLine struct {
	file string
	line int
}

func lineAt(e *observe.Issue) (l sourceLine) {
	if e.Warp != nil {
		l.file, l.line = e.Warp.Block.Grid.Machine.Program.Place(e.Warp.Operation(e.Op).Line)
	}
	return l
}

// sameFile tells whether two names mean one file; one may lack folders.
func sameFile(a, b string) bool {
	a, b = filepath.ToSlash(filepath.Clean(a)), filepath.ToSlash(filepath.Clean(b))
	return a == b || strings.HasSuffix(a, "/"+b) || strings.HasSuffix(b, "/"+a)
}
