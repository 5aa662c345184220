package debug

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/go-dap"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/debuginfo"
	"github.com/keplersim/keplersim/sim/observe"
)

// The protocol's view of a thread's calls and variables.

// A frame's number is its thread plus frameStep for each call above it. Inlined calls are labels on the frame that contains them.
const (
	frameStep  = 100
	labelStep  = 100 * mostFrames
	mostFrames = 1000
	mostLabels = 16
)

func (s *server) stack(m *dap.StackTraceRequest) error {
	w, op, err := s.warp(m.Arguments.ThreadId)
	if err != nil {
		return err
	}
	machine := w.Block.Grid.Machine
	var frames []dap.StackFrame
	calls := w.State.Frames()
	for i, f := range calls[:min(len(calls), mostFrames)] {
		at := op
		if i > 0 {
			at = f.Op
		}
		line := w.Operation(at).Line
		file, number := machine.Program.Place(line)
		if full, err := filepath.Abs(file); err == nil && file != "" {
			file = full
		}
		name := machine.Kernel.Name
		if f.Section > 0 {
			name = machine.Program.Functions[machine.Stack[f.Section].Function].Name
		}
		id := m.Arguments.ThreadId + frameStep*i
		frames = append(frames, dap.StackFrame{Id: id, Name: machine.Program.Title(name), Line: number,
			Source: &dap.Source{Name: filepath.Base(file), Path: file}})
		for label, call := range s.session.inlined(machine, at) {
			frames = append(frames, dap.StackFrame{Id: id + labelStep*(label+1), Name: call, PresentationHint: "label"})
		}
	}
	s.send(&dap.StackTraceResponse{Response: response(&m.Request), Body: dap.StackTraceResponseBody{StackFrames: frames,
		TotalFrames: len(frames)}})
	return nil
}

// inlined lists the calls inlined at an operation, innermost first. They come from the operation's line, or else from the debug
// information.
func (s *Session) inlined(machine *isa.MachineProgram, op int32) (labels []string) {
	p, line := machine.Program, machine.Ops[op].Line
	for site := range p.Calls(line) {
		if len(labels) < mostLabels {
			labels = append(labels, fmt.Sprintf("%s inlined at %s", p.Title(p.Lines[line].Function), p.Where(site)))
		}
		line = site
	}
	if at := s.siteOf(machine, op); len(labels) == 0 && at != nil {
		for _, scope := range at.chain {
			if scope.Inlined && len(labels) < mostLabels {
				labels = append(labels, fmt.Sprintf("%s inlined at %s:%d", scope.Name, scope.Path, scope.Line))
			}
		}
	}
	return labels
}

// frameScope is the scope of a frame: its values in the session's lane.
func (s *server) frameScope(frame int) (*scope, error) {
	thread := frame % frameStep
	w, op, err := s.warp(thread)
	if err != nil {
		return nil, err
	}
	issue := s.session.Stopped().Issue
	if w.Index != issue.Warp.Index {
		issue.Warp, issue.Op, issue.Active = w, op, w.State.Paths()[0].Lanes
	}
	return &scope{w: &s.session.run.watcher, issue: &issue, lane: s.session.lane, frame: frame % labelStep / frameStep}, nil
}

// handle returns a number by which a client can ask for a value's parts.
func (s *server) handle(list func() []dap.Variable) int {
	s.handles = append(s.handles, list)
	return len(s.handles)
}

// tell describes a variable, with a handle if it has parts. name is an expression for it, "" for none.
func (s *server) tell(at *scope, v named, name string) dap.Variable {
	told := dap.Variable{Name: v.name, Value: at.formatOr(v.value, v.err, mostDepth), EvaluateName: name}
	if v.value.typ != nil {
		told.Type = v.value.typ.Name
	}
	if v.err == nil && composed(v.value) {
		told.VariablesReference = s.handle(func() (list []dap.Variable) {
			for _, part := range at.parts(v.value) {
				list = append(list, s.tell(at, part, partName(name, v.value, part.name)))
			}
			return list
		})
	}
	return told
}

// partName is an expression for a part of the value that an expression gives.
func partName(of string, v value, part string) string {
	switch {
	case of == "":
		return ""
	case v.kind() == debuginfo.TypePointer:
		return "*" + of
	case v.kind() == debuginfo.TypeArray:
		return of + part
	}
	return of + "." + part
}

// tellAll describes a list of source variables.
func (s *server) tellAll(at *scope, list []named) []dap.Variable {
	told := make([]dap.Variable, len(list))
	for i, v := range list {
		told[i] = s.tell(at, v, v.name)
	}
	return told
}

func (s *server) scopes(m *dap.ScopesRequest) error {
	at, err := s.frameScope(m.Arguments.FrameId)
	if err != nil {
		return err
	}
	var list []dap.Scope
	add := func(name, hint string, of func() []dap.Variable) {
		list = append(list, dap.Scope{Name: name, PresentationHint: hint, VariablesReference: s.handle(of)})
	}
	groups, _ := at.groups()
	for i, g := range groups {
		behind := fmt.Sprintf(" of lane %d", at.lane)
		if i > 0 {
			behind += ", " + g.function
		}
		if len(g.parameters) > 0 {
			add("Arguments"+behind, "arguments", func() []dap.Variable { return s.tellAll(at, g.parameters) })
		}
		if len(g.variables) > 0 {
			add("Locals"+behind, "locals", func() []dap.Variable { return s.tellAll(at, g.variables) })
		}
	}
	if globals := at.globals(); len(globals) > 0 {
		add("Globals", "", func() []dap.Variable { return s.tellAll(at, globals) })
	}
	add(fmt.Sprintf("Lane %d", at.lane), "registers", func() []dap.Variable { return registersOf(at) })
	add("Across the warp", "", func() []dap.Variable { return s.across(at, groups) })
	add("Warp", "", func() []dap.Variable { return s.ofWarp(at.issue) })
	s.send(&dap.ScopesResponse{Response: response(&m.Request), Body: dap.ScopesResponseBody{Scopes: list}})
	return nil
}

func (s *server) variables(m *dap.VariablesRequest) error {
	n := m.Arguments.VariablesReference
	if n < 1 || n > len(s.handles) {
		return fmt.Errorf("there are no variables of number %d here", n)
	}
	list := s.handles[n-1]()
	if list == nil {
		list = []dap.Variable{}
	}
	s.send(&dap.VariablesResponse{Response: response(&m.Request), Body: dap.VariablesResponseBody{Variables: list}})
	return nil
}

// register formats a register's value in a lane.
func register(w *observe.Warp, n, lane int) string {
	o := isa.Reg(isa.Register(n), isa.U32)
	v, _ := w.State.Operand(&o, lane)
	return show(v)
}

// registersOf lists the registers and predicates of a lane.
func registersOf(at *scope) (list []dap.Variable) {
	w := at.issue.Warp
	add := func(name, value string) {
		list = append(list, dap.Variable{Name: name, Value: value, EvaluateName: "$" + name})
	}
	for n := range w.State.RegisterCount() {
		add(fmt.Sprintf("R%d", n), register(w, n, at.lane))
	}
	for n := range 7 {
		o := isa.Predicate(isa.Register(n), false)
		v, _ := w.State.Operand(&o, at.lane)
		add(fmt.Sprintf("P%d", n), fmt.Sprint(v))
	}
	return list
}

// across lists variables and registers with their values in each lane.
func (s *server) across(at *scope, groups []group) (list []dap.Variable) {
	shown := map[string]bool{}
	for _, g := range groups {
		for _, v := range slices.Concat(g.parameters, g.variables) {
			x, err := ParseExpression(v.name)
			if shown[v.name] || err != nil {
				continue
			}
			shown[v.name] = true
			list = append(list, dap.Variable{Name: v.name, Value: at.formatOr(v.value, v.err, mostDepth) + " …", EvaluateName: v.name,
				VariablesReference: s.handle(func() []dap.Variable { return s.lanes(at, x) })})
		}
	}
	w := at.issue.Warp
	for n := range w.State.RegisterCount() {
		list = append(list, dap.Variable{Name: fmt.Sprintf("R%d", n), Value: register(w, n, at.lane) + " …",
			VariablesReference: s.handle(func() (all []dap.Variable) {
				for lane := range 32 {
					all = append(all, dap.Variable{Name: fmt.Sprintf("lane %d", lane), Value: register(w, n, lane)})
				}
				return all
			})})
	}
	return list
}

// lanes lists an expression's values in all lanes.
func (s *server) lanes(at *scope, x *Expression) (list []dap.Variable) {
	for lane := range 32 {
		own := *at
		own.lane = lane
		v, err := x.Value(&own)
		list = append(list, s.tell(&own, named{fmt.Sprintf("lane %d", lane), v, err}, ""))
	}
	return list
}

// ofWarp describes the warp's position.
func (s *server) ofWarp(issue *observe.Issue) (list []dap.Variable) {
	w := issue.Warp
	add := func(name, value string) {
		list = append(list, dap.Variable{Name: name, Value: value, EvaluateName: name})
	}
	add("block", w.Block.String())
	add("warp", fmt.Sprint(w.Index))
	add("cycle", fmt.Sprint(issue.Cycle))
	add("operation", fmt.Sprint(s.session.Stopped().Number))
	for i, p := range w.State.Paths() {
		add(fmt.Sprintf("path %d", i), fmt.Sprintf("lanes %#08x at %d", p.Lanes, p.Op))
	}
	for _, p := range w.State.Pending() {
		add("waits "+p.Entry.String(), p.Why.String())
	}
	return list
}

// readOnlyCommands are the commands allowed in a client's console: they show state and do not move the program.
var readOnlyCommands = []string{"print", "p", "lanes", "locals", "globals", "registers", "memory", "x", "where", "bt", "paths", "warps",
	"scoreboard", "requests", "lane", "watch", "breakpoints", "help"}

// evaluate answers with an expression's value. In the console it also executes commands that only show.
func (s *server) evaluate(ctx context.Context, m *dap.EvaluateRequest) error {
	text := m.Arguments.Expression
	word, _, _ := strings.Cut(text, " ")
	if m.Arguments.Context == "repl" && slices.Contains(readOnlyCommands, word) {
		var said bytes.Buffer
		if err := NewConsole(s.session, &said).Do(ctx, text); err != nil {
			return err
		}
		if b := s.session.Breakpoints; word == "watch" && len(b) > 0 {
			s.others = append(s.others, b[len(b)-1])
		}
		s.send(&dap.EvaluateResponse{Response: response(&m.Request),
			Body: dap.EvaluateResponseBody{Result: strings.TrimRight(said.String(), "\n")}})
		return nil
	}
	x, err := ParseExpression(text)
	if err != nil {
		return err
	}
	frame := m.Arguments.FrameId
	if frame == 0 {
		frame = threadOf(s.session.Warp())
	}
	at, err := s.frameScope(frame)
	if err != nil {
		return err
	}
	v, err := x.Value(at)
	if err != nil {
		return err
	}
	told := s.tell(at, named{text, v, nil}, text)
	s.send(&dap.EvaluateResponse{Response: response(&m.Request), Body: dap.EvaluateResponseBody{Result: told.Value, Type: told.Type,
		VariablesReference: told.VariablesReference}})
	return nil
}
