package lower

import (
	"context"
	"fmt"
	"slices"

	"github.com/keplersim/keplersim/isa"
)

// function is one kernel on its way from PTX to the machine program. Before expansion its blocks hold instructions, after
// it operations; both name virtual registers.
type function struct {
	ctx       context.Context
	program   *isa.Program
	kernel    *isa.Function
	options   Options
	registers []isa.VirtualRegister // the kernel's, then those that passes add
	blocks    []*block              // in layout order; block ids stay those of the kernel
	byID      []*block              // by id; nil for blocks that were dropped

	frameBytes    int // local memory of the frame; spill slots follow
	spills        spillCounts
	literals      literalPool
	numbers       map[isa.Register]uint64 // that registers hold which legalising made
	contracted    map[*isa.Instruction]bool
	slowRegisters map[slowRegister]isa.Register
	colours       []isa.Register // by virtual register, after allocation
	graph         *graph         // of the blocks as they are; nil until asked for
}

// flow is the function's control flow, analysed once as long as no pass changes it.
func (f *function) flow() *graph {
	if f.graph == nil {
		f.graph = f.newGraph()
	}
	return f.graph
}

// stopped says why lowering must end before it is done: nobody wants its result any more.
func (f *function) stopped() error { return f.ctx.Err() }

// spillCounts is what register allocation had to spill.
type spillCounts struct{ loads, stores, bytes int }

// block is a basic block.
type block struct {
	id           isa.BlockID
	instructions []*isa.Instruction
	operations   []*operation
	successors   []isa.BlockID // branch target first, fall-through last
	predecessors []isa.BlockID
	reconverge   isa.BlockID
	depth        int // loops around the block
}

// operation is a machine operation over virtual registers.
type operation struct {
	isa.MachineOp
	// reads and writes are what the hardware's operation touches, as virtual registers or parts of them; Effect has its own.
	reads, writes []isa.Register
	constants     []uint32 // constant addresses read
	slow          *slowGroup
	local         bool             // everything it writes is read only under its own guard
	origin        *isa.Instruction // the instruction whose expansion the operation belongs to
	targets       []isa.BlockID
	reconverge    isa.BlockID
}

// slowGroup ties the operations of one slow path together.
type slowGroup struct {
	path isa.SlowPath
}

// overwrites reports an operation that leaves nothing of its destinations' old values that anything could read.
func (op *operation) overwrites() bool { return !op.Guard.Present || op.local }

// noBlock stands where there is no block.
const noBlock isa.BlockID = -1

// A virtual register's 32-bit words are named by parts: the register with the word's number plus one above partShift. A
// part with a 64-bit operand type is two words from there.
const (
	partShift    = 24
	registerMask = 1<<partShift - 1
)

func part(r isa.Register, word int) isa.Register {
	return r&registerMask | isa.Register(word+1)<<partShift
}

func whole(r isa.Register) isa.Register { return r & registerMask }

// word is the number of the first word that r names; all reports that it names the register as a whole.
func word(r isa.Register) (first int, all bool) {
	if r>>partShift == 0 {
		return 0, true
	}
	return int(r>>partShift) - 1, false
}

// words is how many 32-bit words a virtual register has; a predicate has one in its own file.
func (f *function) words(r isa.Register) int {
	t := f.registers[whole(r)].Type
	if t == isa.Pred {
		return 1
	}
	return max(t.Registers(), 1)
}

func (f *function) predicate(r isa.Register) bool { return f.registers[whole(r)].Type == isa.Pred }

// temporary adds a virtual register.
func (f *function) temporary(t isa.Type) isa.Register {
	f.registers = append(f.registers, isa.VirtualRegister{Name: fmt.Sprintf("t%d", len(f.registers)), Type: t})
	return isa.Register(len(f.registers) - 1)
}

func (f *function) errorAt(line isa.LineIndex, format string, args ...any) error {
	e := &Error{Kernel: f.program.Title(f.kernel.Name), Message: fmt.Sprintf(format, args...)}
	if int(line) < len(f.program.Lines) && line > 0 {
		e.Line = f.program.Lines[line]
		if n := int(e.Line.PTXFile); n >= 0 && n < len(f.program.Files) {
			e.File = f.program.Files[n]
		}
	}
	return e
}

// newFunction copies a kernel so that passes may change it.
func newFunction(ctx context.Context, p *isa.Program, kernel *isa.Function, literals int, o Options) *function {
	f := &function{
		ctx: ctx, program: p, kernel: kernel, options: o, registers: slices.Clone(kernel.Registers), frameBytes: kernel.FrameBytes,
		literals: literalPool{bytes: uint32(literals)}, byID: make([]*block, len(kernel.Blocks), len(kernel.Blocks)+1),
		slowRegisters: map[slowRegister]isa.Register{}, contracted: map[*isa.Instruction]bool{},
	}
	for _, b := range kernel.Blocks {
		copied := &block{id: b.ID, successors: slices.Clone(b.Successors), predecessors: slices.Clone(b.Predecessors), reconverge: b.Reconverge}
		for _, i := range b.Instructions {
			copied.instructions = append(copied.instructions, cloneInstruction(i))
		}
		f.blocks = append(f.blocks, copied)
		f.byID[b.ID] = copied
	}
	f.prepareCalls()
	return f
}

// cloneInstruction copies an instruction with everything that a pass changes.
func cloneInstruction(i *isa.Instruction) *isa.Instruction {
	c := *i
	c.Dst, c.Src = slices.Clone(i.Dst), slices.Clone(i.Src)
	c.Targets = slices.Clone(i.Targets)
	if i.Memory != nil {
		m := *i.Memory
		if m.Texture != nil {
			t := *m.Texture
			t.Coordinates, t.Gradient = slices.Clone(t.Coordinates), slices.Clone(t.Gradient)
			m.Texture = &t
		}
		c.Memory = &m
	}
	if i.Call != nil {
		call := *i.Call
		call.Arguments, call.Returns = slices.Clone(call.Arguments), slices.Clone(call.Returns)
		c.Call = &call
	}
	return &c
}

// register reports an operand that names a register or predicate.
func register(o *isa.Operand) bool {
	return o.Kind == isa.OperandRegister || o.Kind == isa.OperandPredicate
}

// uses calls visit for every register that the instruction reads, with the width in words when it names a part.
func (f *function) uses(i *isa.Instruction, visit func(r isa.Register, words int)) {
	if i.Guard.Present {
		visit(i.Guard.Register, 1)
	}
	i.Sources(func(o *isa.Operand) {
		if register(o) {
			visit(o.Register, f.operandWords(o))
		}
	})
}

// definitions calls visit for every register that the instruction writes.
func (f *function) definitions(i *isa.Instruction, visit func(r isa.Register, words int)) {
	for n := range i.Dst {
		if register(&i.Dst[n]) {
			visit(i.Dst[n].Register, f.operandWords(&i.Dst[n]))
		}
	}
}

func (f *function) operandWords(o *isa.Operand) int {
	if _, all := word(o.Register); all {
		return f.words(o.Register)
	}
	return max(o.Type.Registers(), 1)
}

// readsCarry and writesCarry report the use of the condition code that PTX shows.
func readsCarry(i *isa.Instruction) bool {
	return i.Op == isa.OpAddc || i.Op == isa.OpSubc || i.Op == isa.OpMadc
}

func writesCarry(i *isa.Instruction) bool { return i.Mod.CarryOut }
