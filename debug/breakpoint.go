package debug

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/observe"
)

// Breakpoint is a set of conditions. A run stops where all of them hold.
type Breakpoint struct {
	Number int
	// Kernel is a kernel's symbol or name; "" for any.
	Kernel string
	// File and Line are a line of the source or of the PTX; File "" for the source's in any file, Line 0 for any.
	File string
	Line int
	// Block and Warp limit it to a block of the grid and to a warp of its block; nil for any.
	Block *[3]uint32
	Warp  *int
	// Cycle is the earliest cycle to stop at; 0 for any. The run stops there once.
	Cycle engine.Cycle
	// Condition must hold for at least one active lane; nil for none.
	Condition *Expression
	// Watch stops after accesses of this memory; nil for none.
	Watch *Watch
	// Hazard stops after the first mistake that the checks find.
	Hazard   bool
	Disabled bool
	// Hits counts the stops.
	Hits int
	// Unknown counts the lanes for which the condition could not be evaluated; Why is the reason for the first.
	Unknown int
	Why     string
}

// Watch is a range of watched memory.
type Watch struct {
	Space          isa.Space
	Address, Bytes uint64
	Reads          bool // also stop after loads
}

// stopsAt tells whether to stop before an operation.
func (b *Breakpoint) stopsAt(w *watcher, e *observe.Issue) bool {
	if b.Disabled || b.Watch != nil || b.Hazard {
		return false
	}
	if b.Cycle > 0 && (e.Cycle < b.Cycle || b.Hits > 0) {
		return false
	}
	block := e.Warp.Block
	if b.Block != nil && *b.Block != block.At || b.Warp != nil && *b.Warp != e.Warp.Index {
		return false
	}
	if machine := block.Grid.Machine; b.Kernel != "" && !b.isKernel(machine.Program, machine.Kernel.Name) {
		return false
	}
	switch {
	case b.Line > 0:
		if !b.isLine(e.Warp, e.Op) || !w.session.beginsLine(e.Warp, e.Op) {
			return false
		}
	case b.Cycle == 0 && b.Condition == nil && e.Op != 0:
		return false // only the start of a kernel, block or warp counts
	}
	return b.holds(w, e, -1)
}

// isLine tells whether an operation belongs to the breakpoint's line.
func (b *Breakpoint) isLine(w *observe.Warp, op int32) bool {
	p := w.Block.Grid.Machine.Program
	line := w.Operation(op).Line
	if line <= 0 || int(line) >= len(p.Lines) {
		return false
	}
	return b.isRow(p, &p.Lines[line])
}

// isRow tells whether a row of a program's line table matches the breakpoint's line.
func (b *Breakpoint) isRow(p *isa.Program, row *isa.SourceLine) bool {
	matches := func(file int32, number int32) bool {
		return file >= 0 && int(file) < len(p.Files) && int(number) == b.Line && (b.File == "" || sameFile(p.Files[file], b.File))
	}
	return matches(row.File, row.Line) || matches(row.PTXFile, row.PTXLine) && (b.File != "" || row.File < 0)
}

// holds tells whether the condition holds in a lane, or in any active lane.
func (b *Breakpoint) holds(w *watcher, e *observe.Issue, lane int) bool {
	if b.Condition == nil {
		return true
	}
	for l := range 32 {
		if e.Active>>l&1 == 0 || lane >= 0 && l != lane {
			continue
		}
		v, err := b.Condition.Value(&scope{w: w, issue: e, lane: l})
		if err == nil && v.true() {
			return true
		}
		if err != nil && b.Unknown == 0 {
			b.Why = err.Error()
		}
		if err != nil {
			b.Unknown++
		}
	}
	return false
}

// BreakpointWarnings lists breakpoints whose condition could not be evaluated, with the reason (they did not stop there), and breakpoints
// at lines without code.
func (s *Session) BreakpointWarnings() (notes []string) {
	for _, b := range s.Breakpoints {
		switch {
		case b.Line == 0 || b.Hits > 0 || len(s.programs) == 0:
		case !s.hasLine(b):
			notes = append(notes, fmt.Sprintf("breakpoint %d: there is no code at %s", b.Number, b.place()))
		case s.Ended() && b.Condition == nil && b.Block == nil && b.Warp == nil && !s.options.DeviceDebug:
			notes = append(notes, fmt.Sprintf("breakpoint %d: no warp came to %s; optimised code joins lines, and with "+
				"--device-debug each has its own", b.Number, b.place()))
		}
		if b.Kernel != "" && b.Hits == 0 && len(s.programs) > 0 && !s.hasKernel(b) {
			notes = append(notes, fmt.Sprintf("breakpoint %d: no kernel %s has been loaded", b.Number, b.Kernel))
		}
		if b.Unknown > 0 {
			notes = append(notes, fmt.Sprintf("breakpoint %d: in %d lanes its condition could not be evaluated: %s",
				b.Number, b.Unknown, b.Why))
		}
	}
	return notes
}

// hasLine tells whether a loaded program has a breakpoint's line.
func (s *Session) hasLine(b *Breakpoint) bool {
	for p := range s.programs {
		for i := range p.Lines {
			if b.isRow(p, &p.Lines[i]) {
				return true
			}
		}
	}
	return false
}

// hasKernel tells whether a loaded program has a breakpoint's kernel.
func (s *Session) hasKernel(b *Breakpoint) bool {
	for p := range s.programs {
		for _, k := range p.Kernels() {
			if b.isKernel(p, k.Name) {
				return true
			}
		}
	}
	return false
}

// isKernel tells whether a kernel of a program is the breakpoint's, by its symbol or by its name with or without parameters.
func (b *Breakpoint) isKernel(p *isa.Program, symbol string) bool {
	title := p.Title(symbol)
	short, _, _ := strings.Cut(title, "(")
	return b.Kernel == symbol || b.Kernel == title || b.Kernel == short
}

// place is the breakpoint's line, with its file if one was given.
func (b *Breakpoint) place() string {
	if b.File == "" {
		return fmt.Sprintf("line %d", b.Line)
	}
	return fmt.Sprintf("%s:%d", b.File, b.Line)
}

// String is the breakpoint in the break command's syntax.
func (b *Breakpoint) String() string {
	var words []string
	if b.Kernel != "" {
		words = append(words, b.Kernel)
	}
	if b.Line > 0 {
		words = append(words, strings.TrimPrefix(b.place(), "line "))
	}
	if b.Block != nil {
		words = append(words, fmt.Sprintf("block %d,%d,%d", b.Block[0], b.Block[1], b.Block[2]))
	}
	if b.Warp != nil {
		words = append(words, fmt.Sprintf("warp %d", *b.Warp))
	}
	if b.Cycle > 0 {
		words = append(words, fmt.Sprintf("cycle %d", b.Cycle))
	}
	if b.Watch != nil {
		words = append(words, fmt.Sprintf("watch %s %#x, %d bytes", b.Watch.Space, b.Watch.Address, b.Watch.Bytes))
	}
	if b.Hazard {
		words = append(words, "hazard")
	}
	if b.Condition != nil {
		words = append(words, "if "+b.Condition.text)
	}
	if b.Disabled {
		words = append(words, "(off)")
	}
	return strings.Join(words, " ")
}

// ParseBreakpoint reads the arguments of the break command.
func ParseBreakpoint(text string) (*Breakpoint, error) {
	b := &Breakpoint{}
	text, condition, conditional := strings.Cut(" "+text+" ", " if ")
	if conditional {
		var err error
		if b.Condition, err = ParseExpression(strings.TrimSpace(condition)); err != nil {
			return nil, err
		}
	}
	words := strings.Fields(text)
	for i := 0; i < len(words); i++ {
		next := func() string {
			if i++; i < len(words) {
				return words[i]
			}
			return ""
		}
		var err error
		switch word := words[i]; word {
		case "block":
			b.Block, err = parseBlock(next())
		case "warp":
			b.Warp = new(int)
			*b.Warp, err = strconv.Atoi(next())
		case "cycle":
			var v int64
			v, err = strconv.ParseInt(next(), 10, 64)
			b.Cycle = engine.Cycle(v)
		default:
			if colon := strings.LastIndexByte(word, ':'); colon > 0 {
				b.File = word[:colon]
				b.Line, err = strconv.Atoi(word[colon+1:])
			} else if line, failed := strconv.Atoi(word); failed == nil {
				b.Line = line
			} else {
				b.Kernel = word
			}
		}
		if err != nil {
			return nil, fmt.Errorf("break: %w", err)
		}
	}
	if b.Kernel == "" && b.Line == 0 && b.Block == nil && b.Warp == nil && b.Cycle == 0 && b.Condition == nil {
		return nil, errors.New("break where? A kernel, LINE, FILE:LINE, block X,Y,Z, warp N, cycle N, if CONDITION")
	}
	return b, nil
}

// parseBlock reads X, X,Y or X,Y,Z.
func parseBlock(text string) (*[3]uint32, error) {
	var at [3]uint32
	words := strings.Split(text, ",")
	if len(words) > len(at) {
		return nil, fmt.Errorf("block %s: a block has three coordinates", text)
	}
	for axis, word := range words {
		n, err := strconv.ParseUint(word, 10, 32)
		if err != nil {
			return nil, err
		}
		at[axis] = uint32(n)
	}
	return &at, nil
}

// Add adds a breakpoint and numbers it.
func (s *Session) Add(b *Breakpoint) *Breakpoint {
	b.Number = s.next
	s.next++
	s.Breakpoints = append(s.Breakpoints, b)
	return b
}

// Remove removes a breakpoint by its number, and tells whether it existed.
func (s *Session) Remove(number int) bool {
	for i, b := range s.Breakpoints {
		if b.Number == number {
			s.Breakpoints = append(s.Breakpoints[:i:i], s.Breakpoints[i+1:]...)
			return true
		}
	}
	return false
}
