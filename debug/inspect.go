package debug

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/observe"
)

// Console commands that show the state at the current stop.

// currentScope is the scope for expressions.
func (c *Console) currentScope() (*scope, error) {
	if c.run == nil {
		return nil, errors.New("the program has not begun: start, or continue")
	}
	return &scope{w: &c.run.watcher, issue: &c.stop.Issue, lane: c.lane, frame: c.callerDepth}, nil
}

// value evaluates an expression in the lane. Numbers need no run.
func (c *Console) value(text string) (value, *scope, error) {
	x, err := ParseExpression(text)
	if err != nil {
		return value{}, nil, err
	}
	s, err := c.currentScope()
	if err != nil {
		s = &scope{w: &watcher{}, issue: &observe.Issue{}}
		if v, failed := x.Value(s); failed == nil {
			return v, s, nil
		}
		return value{}, nil, err
	}
	v, err := x.Value(s)
	return v, s, err
}

// evaluate evaluates a number, or an address in the lane, where pointers count bytes.
func (c *Console) evaluate(text string) (uint64, error) {
	if n, err := strconv.ParseUint(text, 0, 64); err == nil {
		return n, nil
	}
	x, err := ParseExpression(text)
	if err != nil {
		return 0, err
	}
	s, err := c.currentScope()
	if err != nil {
		s = &scope{w: &watcher{}, issue: &observe.Issue{}}
	}
	s.bytes = true
	v, failed := x.Value(s)
	switch {
	case failed != nil && err != nil:
		return 0, err
	case failed != nil:
		return 0, failed
	}
	return v.number()
}

func (c *Console) print(_ context.Context, rest string) error {
	v, s, err := c.value(rest)
	if why := unavailable(""); err == nil || errors.As(err, &why) {
		fmt.Fprintf(c.out, "%s = %s\n", rest, s.formatOr(v, err, mostDepth))
		return nil
	}
	return err
}

func (c *Console) lanes(_ context.Context, rest string) error {
	x, err := ParseExpression(rest)
	if err != nil {
		return err
	}
	s, err := c.currentScope()
	if err != nil {
		return err
	}
	for lane := range 32 {
		if s.issue.Active>>lane&1 == 0 {
			continue
		}
		s.lane = lane
		v, err := x.Value(s)
		if why := unavailable(""); err != nil && !errors.As(err, &why) {
			return err
		}
		fmt.Fprintf(c.out, "%2d: %s\n", lane, s.formatOr(v, err, mostDepth))
	}
	return nil
}

func (c *Console) locals(context.Context, string) error {
	s, err := c.currentScope()
	if err != nil {
		return err
	}
	groups, err := s.groups()
	if err != nil {
		return err
	}
	lost := false
	for _, g := range groups {
		title := g.function
		if g.inlined {
			title += ", inlined"
		}
		fmt.Fprintln(c.out, title)
		for _, v := range slices.Concat(g.parameters, g.variables) {
			fmt.Fprintf(c.out, "  %s = %s\n", v.name, s.formatOr(v.value, v.err, mostDepth))
			lost = lost || errors.Is(v.err, optimizedOut)
		}
	}
	switch {
	case len(groups) == 0:
		fmt.Fprintln(c.out, "no variables are known at this operation")
	case lost:
		fmt.Fprintln(c.out, "what is optimized out is there with --device-debug")
	}
	return nil
}

func (c *Console) globals(context.Context, string) error {
	s, err := c.currentScope()
	if err != nil {
		return err
	}
	list := s.globals()
	for _, v := range list {
		fmt.Fprintf(c.out, "%s = %s\n", v.name, s.formatOr(v.value, v.err, mostDepth))
	}
	if len(list) == 0 {
		fmt.Fprintln(c.out, "no variables outside functions are known at this operation")
	}
	return nil
}

func (c *Console) chooseFrame(_ context.Context, rest string) error {
	n, err := strconv.Atoi(rest)
	if err != nil || n < 0 {
		return errors.New("a frame is a number of 0 or more")
	}
	s, err := c.currentScope()
	if err != nil {
		return err
	}
	s.frame = n
	f, err := s.function()
	if err != nil {
		return err
	}
	c.callerDepth = n
	machine := s.issue.Warp.Block.Grid.Machine
	op := f.Op
	if n == 0 {
		op = s.issue.Op
	}
	fmt.Fprintf(c.out, "%s, %s\n", machine.Program.Title(f.function.Name), s.issue.Warp.Where(op))
	return nil
}

// state is the state of the current warp.
func (c *Console) state() (observe.State, error) {
	if w := c.Warp(); c.run != nil && w != nil && w.State != nil {
		return w.State, nil
	}
	return nil, errNoWarp
}

func (c *Console) registers(context.Context, string) error {
	state, err := c.state()
	if err != nil {
		return err
	}
	for n := range state.RegisterCount() {
		o := isa.Reg(isa.Register(n), isa.U32)
		if v, ok := state.Operand(&o, c.lane); ok {
			fmt.Fprintf(c.out, "R%-3d %s\n", n, show(v))
		}
	}
	for n := range 7 {
		o := isa.Predicate(isa.Register(n), false)
		v, _ := state.Operand(&o, c.lane)
		fmt.Fprintf(c.out, "P%d   %d\n", n, v)
	}
	return nil
}

func (c *Console) memory(_ context.Context, rest string) error {
	words := strings.Fields(rest)
	if len(words) < 2 || spaces[words[0]] == isa.SpaceNone {
		return errors.New("memory SPACE ADDRESS [BYTES], as in memory shared 0 64")
	}
	address, err := c.evaluate(words[1])
	if err != nil {
		return err
	}
	bytes := uint64(64)
	if len(words) > 2 {
		if bytes, err = strconv.ParseUint(words[2], 0, 20); err != nil {
			return err
		}
	}
	data := make([]byte, bytes)
	s, err := c.currentScope()
	if err != nil {
		return err
	}
	space := spaces[words[0]]
	if address >= windows[space] { // a C pointer
		address -= windows[space]
	}
	if err := s.fetch(storage{space, address}, data); err != nil {
		return err
	}
	fmt.Fprint(c.out, hex.Dump(data))
	return nil
}

func (c *Console) where(context.Context, string) error {
	if _, err := c.currentScope(); err != nil {
		return err
	}
	fmt.Fprintln(c.out, c.stop.String())
	if state, err := c.state(); err == nil {
		w := c.Warp()
		calls := state.Calls(c.stop.Issue.Op)
		if len(w.State.Frames()) == 1 { // there are only inlined calls
			calls = c.inlined(w.Block.Grid.Machine, c.stop.Issue.Op)
		}
		for _, call := range calls {
			fmt.Fprintln(c.out, "  "+call)
		}
	}
	return nil
}

func (c *Console) paths(context.Context, string) error {
	state, err := c.state()
	if err != nil {
		return err
	}
	w := c.Warp()
	place := func(op int32) string {
		if op < 0 {
			return "nowhere"
		}
		return w.Where(op)
	}
	for i, p := range state.Paths() {
		does := "waits at"
		if i == 0 {
			does = "runs at"
		}
		fmt.Fprintf(c.out, "lanes %#08x %s %s, meets others at %s, call depth %d\n", p.Lanes, does, place(p.Op), place(p.Reconverge),
			p.Depth)
	}
	return nil
}

func (c *Console) warps(context.Context, string) error {
	w := c.Warp()
	if w == nil {
		return errNoWarp
	}
	for i := range w.Block.Warps {
		other := &w.Block.Warps[i]
		here := " "
		if i == w.Index {
			here = "*"
		}
		paths := other.State.Paths()
		if len(paths) == 0 || paths[0].Lanes == 0 || paths[0].Op < 0 {
			fmt.Fprintf(c.out, "%s warp %d has ended\n", here, i)
			continue
		}
		fmt.Fprintf(c.out, "%s warp %d, lanes %#08x, at %s\n", here, i, paths[0].Lanes, other.Where(paths[0].Op))
	}
	return nil
}

func (c *Console) scoreboard(context.Context, string) error {
	state, err := c.state()
	if err != nil {
		return err
	}
	pending := state.Pending()
	for _, p := range pending {
		ready := fmt.Sprintf("ready in cycle %d", p.Ready)
		if p.Ready == engine.Never {
			ready = "waits for memory"
		}
		fmt.Fprintf(c.out, "%-4s %s (%s)\n", p.Entry, ready, p.Why)
	}
	if len(pending) == 0 {
		fmt.Fprintln(c.out, "nothing is pending")
	}
	return nil
}

func (c *Console) requests(context.Context, string) error {
	if c.run == nil {
		return errNoWarp
	}
	var list []observe.Request
	for _, r := range c.run.watcher.requests {
		list = append(list, r)
	}
	sort.Slice(list, func(i, k int) bool {
		a, b := &list[i], &list[k]
		return a.Cycle < b.Cycle || a.Cycle == b.Cycle && (a.SMX < b.SMX || a.SMX == b.SMX && a.Line < b.Line)
	})
	for _, r := range list {
		fmt.Fprintf(c.out, "SMX %d, since cycle %d: %s of line %#x, sectors %04b, lanes %#08x\n", r.SMX, r.Cycle, r.Kind, r.Line,
			r.Sectors, r.Lanes)
	}
	if len(list) == 0 {
		fmt.Fprintln(c.out, "no request is in flight")
	}
	return nil
}

// around is the number of source lines that list shows before and after.
const around = 5

func (c *Console) list(context.Context, string) error {
	if c.Warp() == nil {
		return errNoWarp
	}
	at := lineAt(&c.stop.Issue)
	if at.file == "" {
		return errors.New("no line of the source belongs to this operation: step goes to one")
	}
	text, err := os.ReadFile(at.file)
	if err != nil {
		return err
	}
	lines := strings.Split(string(text), "\n")
	for n := max(at.line-around, 1); n <= min(at.line+around, len(lines)); n++ {
		mark := "  "
		if n == at.line {
			mark = "=>"
		}
		fmt.Fprintf(c.out, "%s %4d  %s\n", mark, n, lines[n-1])
	}
	return nil
}
