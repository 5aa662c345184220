package exec

import (
	"errors"
	"fmt"

	"github.com/keplersim/keplersim/isa"
)

// Kind says which methods carry out a Bound.
type Kind uint8

// Kinds of Bound.
const (
	KindNone    Kind = iota // timing only
	KindData                // Run does all
	KindMemory              // Access and Complete
	KindControl             // the SMX executes it, with help from Barrier, Index, or Run for a condition
)

// Code is a machine program bound to Go functions. It is immutable after Bind, and launches may share it.
type Code struct {
	Ops       []Bound // parallel to MachineProgram.Ops
	program   *isa.Program
	constants []constant
}

// Bound is one machine operation, ready to run.
type Bound struct {
	Kind  Kind
	Guard isa.Guard
	run   func(b *Bound, w *Warp, active uint32)
	operation
	destination [2]slot // low and high word
	source      [8]slot // low and high word of each of four operands
	special     [2]isa.SpecialRegister
	predicates  predicateOperands
	memory      *boundMemory
	image       *boundImage // textures and surfaces
	detail      *detail
	effect      *isa.Instruction
	slow        *slowProbe
}

// operation is the function of an operation: at most one field is set, and its name says the operands' shape. A function computes at least
// the active lanes and may write anything to others. It reads all sources of a lane before it writes that lane.
type operation struct {
	unary32      func(d, a *isa.Lanes32, active uint32)
	binary32     func(d, a, b *isa.Lanes32, active uint32)
	ternary32    func(d, a, b, c *isa.Lanes32, active uint32)
	quaternary32 func(d, a, b, c, e *isa.Lanes32, active uint32)
	// planar has a low and a high word for each value; words says how many each value really has, the result first. A fourth operand is in
	// cHigh.
	planar  func(d, dHigh, a, aHigh, b, bHigh, c, cHigh *isa.Lanes32, active uint32)
	compare func(a, aHigh, b, bHigh *isa.Lanes32, active uint32) uint32
	words   [5]uint8
}

// ErrUnsupported is wrapped by Bind's errors about instructions without an implementation here.
var ErrUnsupported = errors.New("instruction has no implementation")

// Bind chooses the function and resolves the operands of every operation. An error names the operation's index, PTX opcode and line.
func Bind(mp *isa.MachineProgram) (*Code, error) {
	code := &Code{Ops: make([]Bound, len(mp.Ops)), program: mp.Program}
	if code.program == nil {
		code.program = &isa.Program{}
	}
	b := &binder{code: code, known: map[constant]slot{}}
	b.constant(constant{}) // slotZero
	for i := range mp.Ops {
		op := &mp.Ops[i]
		bound := &code.Ops[i]
		bound.Guard = op.Guard
		if op.Slow != nil {
			probe, err := b.probe(op.Slow)
			if err != nil {
				return nil, fmt.Errorf("slow path of operation %d (%s): %w", i, op.Mnemonic, err)
			}
			bound.slow = probe
		}
		if op.Effect == nil {
			if op.Control != isa.ControlNone {
				bound.Kind = KindControl
			}
			continue
		}
		if err := b.bind(bound, op); err != nil {
			return nil, fmt.Errorf("operation %d (%s), PTX %s.%s%s: %w", i, op.Mnemonic, op.Effect.Op, op.Effect.Type,
				position(code.program, op.Effect.Line), err)
		}
	}
	return code, nil
}

func position(p *isa.Program, line isa.LineIndex) string {
	if line <= 0 || int(line) >= len(p.Lines) {
		return ""
	}
	l := p.Lines[line]
	name := "PTX"
	if int(l.PTXFile) >= 0 && int(l.PTXFile) < len(p.Files) {
		name = p.Files[l.PTXFile]
	}
	return fmt.Sprintf(" at %s:%d", name, l.PTXLine)
}

// binder resolves operands and collects constants.
type binder struct {
	code  *Code
	known map[constant]slot
}

func (b *binder) constant(c constant) slot {
	s, ok := b.known[c]
	if !ok {
		s = slotConstants - slot(len(b.code.constants))
		b.code.constants = append(b.code.constants, c)
		b.known[c] = s
	}
	return s
}

// immediate returns the slot of a 32-bit number that all lanes share.
func (b *binder) immediate(value uint32) slot {
	if value == 0 {
		return slotZero
	}
	return b.constant(constant{value: uint64(value)})
}

// pair returns the slots of an operand's low and high word. The high word of a 32-bit register reads as zero.
func (b *binder) pair(bound *Bound, o isa.Operand) ([2]slot, error) {
	switch o.Kind {
	case isa.OperandRegister:
		if o.Register == isa.RZ {
			return [2]slot{slotZero, slotZero}, nil
		}
		if o.Type.Registers() > 1 {
			return [2]slot{slot(o.Register), slot(o.Register) + 1}, nil
		}
		return [2]slot{slot(o.Register), slotZero}, nil
	case isa.OperandImmediate:
		return [2]slot{b.immediate(uint32(o.Immediate)), b.immediate(uint32(o.Immediate >> 32))}, nil
	case isa.OperandConstant:
		c := constant{kind: constantBank, bank: o.Bank, offset: o.Offset, t: o.Type}
		high := c
		high.high = true
		return [2]slot{b.constant(c), b.constant(high)}, nil
	case isa.OperandSymbol, isa.OperandFunction:
		c := constant{kind: constantSymbol, index: o.Symbol, value: o.Immediate}
		if o.Kind == isa.OperandFunction {
			c.kind = constantFunction
		}
		high := c
		high.high = true
		return [2]slot{b.constant(c), b.constant(high)}, nil
	case isa.OperandSpecial:
		if bound.special[0] != isa.SpecialNone && bound.special[0] != o.Special {
			return [2]slot{}, fmt.Errorf("two special registers in one instruction: %w", ErrUnsupported)
		}
		bound.special[0] = o.Special
		return [2]slot{slotSpecial, slotSpecialHigh}, nil
	case isa.OperandNone:
		return [2]slot{slotZero, slotZero}, nil
	}
	return [2]slot{}, fmt.Errorf("operand of kind %d where a value is read: %w", o.Kind, ErrUnsupported)
}

// sources resolves up to four value operands.
func (b *binder) sources(bound *Bound, operands []isa.Operand) error {
	if len(operands) > 4 {
		return fmt.Errorf("%d source operands: %w", len(operands), ErrUnsupported)
	}
	for i := range bound.source {
		bound.source[i] = slotZero
	}
	for i, o := range operands {
		p, err := b.pair(bound, o)
		if err != nil {
			return err
		}
		bound.source[2*i], bound.source[2*i+1] = p[0], p[1]
	}
	return nil
}

// target resolves a destination of one or two words.
func target(o isa.Operand) ([2]slot, error) {
	switch o.Kind {
	case isa.OperandSink, isa.OperandNone:
		return [2]slot{slotSink, slotSink}, nil
	case isa.OperandRegister:
		if o.Register == isa.RZ {
			return [2]slot{slotSink, slotSink}, nil
		}
		if o.Type.Registers() > 1 {
			return [2]slot{slot(o.Register), slot(o.Register) + 1}, nil
		}
		return [2]slot{slot(o.Register), slotSink}, nil
	}
	return [2]slot{}, fmt.Errorf("destination of kind %d: %w", o.Kind, ErrUnsupported)
}

// operands resolves up to four value operands and a destination.
func (b *binder) operands(bound *Bound, sources []isa.Operand, destination isa.Operand) (err error) {
	if err = b.sources(bound, sources); err == nil {
		bound.destination, err = target(destination)
	}
	return err
}

// bind chooses the function of an operation's effect.
func (b *binder) bind(bound *Bound, op *isa.MachineOp) error {
	i := op.Effect
	bound.effect = i
	bound.Kind = KindData
	for n := range bound.source {
		bound.source[n] = slotZero
	}
	bound.destination = [2]slot{slotSink, slotSink}
	bind := binders[i.Op.Facts().Effect]
	if bind == nil {
		return ErrUnsupported
	}
	if err := bind(b, bound, i); err != nil {
		return err
	}
	if op.Control != isa.ControlNone {
		bound.Kind = KindControl
	}
	if bound.special[0] != isa.SpecialNone && bound.run != nil {
		inner := bound.run
		bound.run = func(b *Bound, w *Warp, active uint32) {
			w.readSpecial(b.special[0])
			inner(b, w, active)
		}
	}
	return nil
}

// Run performs an operation's data effect on the active lanes; an operation without one does nothing. Memory and control operations have
// their own methods.
func (b *Bound) Run(w *Warp, active uint32) {
	if b.run == nil || active == 0 {
		return
	}
	if w.Scratch == nil {
		w.Scratch = new(Scratch)
	}
	b.run(b, w, active)
}

// GuardMask returns the active lanes in which the guard is true.
func (b *Bound) GuardMask(w *Warp, active uint32) uint32 {
	if !b.Guard.Present {
		return active
	}
	p := w.Predicates[b.Guard.Register&7]
	if b.Guard.Negate {
		p = ^p
	}
	return active & p
}
