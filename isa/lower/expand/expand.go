package expand

import (
	"math/bits"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/machine"
	"github.com/keplersim/keplersim/isa/lower/value"
	"github.com/keplersim/keplersim/isa/lower/virtual"
)

// expander turns a block's instructions into operations.
type expander struct {
	machine.Builder
	tables        *tables
	numbers       map[isa.Register]uint64 // constants that legalising put into registers
	slowRegisters map[slowRegister]isa.Register
	rows          registerRows // of the block's texture operations so far
	// For the instruction that the table is expanding.
	temporaries map[reference]isa.Register
	named       []isa.Register
}

// Operations turns every instruction into the generation's operations. The instructions become the operations' effects, so v must not be
// used afterwards.
func Operations(v *value.Function) (*machine.Function, error) {
	f := &machine.Function{Function: v.Function, ByID: make([]*machine.Block, len(v.ByID)), LiteralBytes: v.LiteralBytes()}
	x := &expander{
		Builder: machine.Builder{Function: f}, tables: tablesOf(v.Options.Generation()), numbers: v.Numbers,
		slowRegisters: map[slowRegister]isa.Register{},
		temporaries:   map[reference]isa.Register{},
	}
	var written []isa.Register
	for _, from := range v.Blocks {
		x.Out, x.rows = make([]*machine.Operation, 0, len(from.Instructions)), registerRows{}
		for _, i := range from.Instructions {
			written = virtual.AppendDefinitions(written[:0], i) // expansion may change the instruction
			if err := x.instruction(i); err != nil {
				return nil, err
			}
			x.rows.forget(written)
		}
		b := &machine.Block{Block: from.Block, Operations: x.Out}
		f.Blocks, f.ByID[b.ID] = append(f.Blocks, b), b
	}
	return f, nil
}

// expanders are the functions for the kinds of expansion.
var expanders [isa.ExpansionCount]func(*expander, *isa.Instruction) error

func init() {
	expanders = [isa.ExpansionCount]func(*expander, *isa.Instruction) error{
		isa.ExpandByTable: (*expander).table, isa.ExpandMove: (*expander).move, isa.ExpandConvert: (*expander).convert,
		isa.ExpandAddress: (*expander).convertAddress, isa.ExpandWordwise: (*expander).wordwise, isa.ExpandLoad: (*expander).load,
		isa.ExpandStore: (*expander).store, isa.ExpandAtomic: (*expander).atomic, isa.ExpandImage: (*expander).texture,
		isa.ExpandPrefetch: (*expander).prefetch, isa.ExpandBranch: (*expander).branch, isa.ExpandExit: (*expander).exit,
		isa.ExpandCall: (*expander).call,
	}
}

func (x *expander) instruction(i *isa.Instruction) error {
	expand := expanders[i.Op.Facts().Lowering.By]
	before, after := orderFences(i)
	if before {
		x.fence(i)
	}
	first := len(x.Out)
	split := false
	if x.Options.Encodable {
		var err error
		if split, err = x.split(i); err != nil {
			return err
		}
	}
	if !split {
		if err := expand(x, i); err != nil {
			return err
		}
	}
	if x.Options.Encodable {
		if err := x.encodable(i, first); err != nil {
			return err
		}
	}
	for _, op := range x.Out[first:] {
		op.Origin = i
	}
	if after {
		x.fence(i)
	}
	return nil
}

// table expands an instruction by its row of the table.
func (x *expander) table(i *isa.Instruction) error {
	e, name := x.form(i)
	if e == nil {
		return x.ErrorAt(i.Line, "no %s operations are known for %s", x.tables.generation.Name, name)
	}
	x.slowPathRegisters(e)
	var slow *machine.SlowPath
	for n := range e.steps {
		s := &e.steps[n]
		op := x.Emit(i, s.mnemonic, s.class)
		op.Effect, op.PTXCount = nil, 0
		if i.Mod.Select != isa.BarWarp {
			op.Control = i.Op.Facts().Lowering.Control
		}
		op.ReadsCarry, op.WritesCarry = s.readsCarry, s.writesCarry
		x.named = x.named[:0]
		for _, r := range s.writes {
			x.resolve(i, r, op, true)
		}
		op.Defines = x.Keep(x.named)
		x.named = x.named[:0]
		for _, r := range s.reads {
			x.resolve(i, r, op, false)
		}
		op.Uses = x.Keep(x.named)
		if s.slowFirst {
			slow = &machine.SlowPath{Path: isa.SlowPath{Probe: i, Kind: s.slow}}
		}
		if s.slow != isa.SlowNever {
			op.Path = slow
			slow.Path.Length++
		}
		if s.carrier {
			op.Effect, op.PTXCount = i, 1
			op.ReadsCarry = op.ReadsCarry || virtual.ReadsCarry(i)
			op.WritesCarry = op.WritesCarry || virtual.WritesCarry(i)
			if virtual.WritesCarry(i) && op.Class == isa.ClassInteger {
				op.Class = isa.ClassIntegerCarry
			}
		}
	}
	return nil
}

// temporaryTypes are the types of an expansion's temporaries, by letter.
var temporaryTypes = map[byte]isa.Type{'t': isa.B32, 'w': isa.B64, 'p': isa.Pred}

// form finds an instruction's expansion. From cc 3.5 on nvcc adds the low word of a product by a power of two as a shifted value, at twice
// the rate of a multiplication. (Source: c cuobjdump of nvcc's code for sm_35: ISCADD.CC, IMAD.HI.X.) Division by a constant needs no
// reciprocal.
func (x *expander) form(i *isa.Instruction) (*expansion, string) {
	if len(i.Src) > 1 && virtual.IsRegister(&i.Src[1]) && !i.Type.Float() && i.Type.Bytes() == 4 {
		name := ""
		switch n, known := x.numbers[virtual.Whole(i.Src[1].Register)]; {
		case !known:
		case i.Op == isa.OpMad && i.Mod.Half == isa.Wide && x.Options.Abilities().ShiftedProducts && bits.OnesCount64(n) == 1:
			name = "mad.wide.i32.shift"
		case i.Op == isa.OpDiv || i.Op == isa.OpRem:
			name = formOf(i) + ".known"
		}
		if f := x.tables.forms()[name]; f != nil {
			return f.parse(), name
		}
	}
	return x.tables.findForm(i)
}

// resolve appends to named the registers, or parts of them, that a reference of the table means in this instruction.
func (x *expander) resolve(i *isa.Instruction, r reference, op *machine.Operation, write bool) {
	var o *isa.Operand
	switch r.kind {
	case 'd':
		if r.n < len(i.Dst) {
			o = &i.Dst[r.n]
		}
	case 's':
		if r.n < len(i.Src) {
			o = &i.Src[r.n]
		}
	default:
		key := r.temporary()
		t, ok := x.temporaries[key]
		if !ok {
			t = x.Temporary(temporaryTypes[r.kind])
			x.temporaries[key] = t
		}
		if r.word >= 0 {
			t = virtual.Part(t, int(r.word))
		}
		x.named = append(x.named, t)
		return
	}
	switch {
	case o == nil:
	case virtual.IsRegister(o):
		switch {
		case r.word < 0:
			x.named = append(x.named, o.Register)
		case int(r.word) < x.OperandWords(o):
			first, _ := virtual.Word(o.Register)
			x.named = append(x.named, virtual.Part(o.Register, first+int(r.word)))
		}
	case !write:
		op.ReadConstant(o, int(max(r.word, 0)))
	}
}

// moveWord appends a 32-bit move from one operand to another that does not count as a PTX instruction.
func (x *expander) moveWord(like *isa.Instruction, d, s isa.Operand) {
	d.Type, s.Type = isa.B32, isa.B32
	i := &isa.Instruction{Op: isa.OpMov, Type: isa.B32, Guard: like.Guard, Dst: []isa.Operand{d}, Src: []isa.Operand{s}, Line: like.Line}
	mnemonic := "MOV"
	if s.Kind == isa.OperandImmediate && s.Immediate != 0 {
		mnemonic = "MOV32I"
	}
	x.Simple(i, mnemonic, isa.ClassMove).PTXCount = 0
}

// wordOf returns one 32-bit word of an operand.
func (x *expander) wordOf(o isa.Operand, n int) isa.Operand {
	switch o.Kind {
	case isa.OperandRegister:
		first, all := virtual.Word(o.Register)
		if !all || x.Words(o.Register) > 1 {
			o.Register = virtual.Part(o.Register, first+n)
		}
	case isa.OperandImmediate:
		o.Immediate = o.Immediate >> (32 * n) & 0xffffffff
		if o.Bank == isa.ConstantBankLiterals {
			o.Offset += uint32(4 * n)
		}
	case isa.OperandConstant:
		o.Offset += uint32(4 * n)
	}
	o.Type = isa.B32
	return o
}

// move expands mov: registers, immediates and constants word by word, special registers and addresses as a whole.
func (x *expander) move(i *isa.Instruction) error {
	switch s := &i.Src[0]; {
	case len(i.Src) > 1 || len(i.Dst) > 1:
		return x.pack(i)
	case i.Type == isa.Pred || i.Dst[0].Type == isa.Pred:
		x.Simple(i, "PSETP", isa.ClassCompare)
	case s.Kind == isa.OperandSpecial:
		x.special(i)
	case s.Kind == isa.OperandSymbol || s.Kind == isa.OperandFunction:
		if x.OperandWords(&i.Dst[0]) == 2 {
			x.partial(i, "MOV32I", isa.ClassMove, 0)
			x.partial(i, "MOV32I", isa.ClassMove, 1)
			x.carry(i)
		} else {
			x.Simple(i, "MOV32I", isa.ClassMove)
		}
	case i.Dst[0].Kind == isa.OperandSink:
		x.Emit(i, "NOP", isa.ClassNop).Effect = nil
	default:
		n := x.OperandWords(&i.Dst[0])
		for k := range n {
			x.moveWord(i, x.wordOf(i.Dst[0], k), x.wordOf(*s, k))
		}
		x.counted()
	}
	return nil
}

// partial appends an operation that writes one word of the destination and has no effect yet.
func (x *expander) partial(i *isa.Instruction, mnemonic string, class isa.Class, n int) {
	op := x.Emit(i, mnemonic, class)
	op.Effect, op.PTXCount = nil, 0
	if i.Dst[0].Kind == isa.OperandRegister {
		op.Defines = []isa.Register{x.wordOf(i.Dst[0], n).Register}
	}
}

// carry makes the last operation the instruction's carrier.
func (x *expander) carry(i *isa.Instruction) {
	op := x.Out[len(x.Out)-1]
	op.Effect, op.PTXCount = i, 1
}

// counted makes the last operation complete a PTX instruction.
func (x *expander) counted() { x.Out[len(x.Out)-1].PTXCount++ }

// pack expands mov between a vector and a wider register.
func (x *expander) pack(i *isa.Instruction) error {
	registersOf := func(list []isa.Operand) bool {
		for k := range list {
			if o := &list[k]; o.Kind == isa.OperandSink || o.Kind != isa.OperandImmediate && x.OperandWords(o) != 1 || o.Type.Bytes() < 4 {
				return false
			}
		}
		return true
	}
	switch {
	case len(i.Dst) == len(i.Src):
		for k := range i.Dst {
			if i.Dst[k].Kind == isa.OperandRegister {
				for w := range x.OperandWords(&i.Dst[k]) {
					x.moveWord(i, x.wordOf(i.Dst[k], w), x.wordOf(i.Src[k], w))
				}
			}
		}
		x.counted()
	case len(i.Dst) == 1 && len(i.Src) == 2 && i.Dst[0].Type.Bytes() == 8 && registersOf(i.Src):
		for k := range 2 {
			x.moveWord(i, x.wordOf(i.Dst[0], k), x.wordOf(i.Src[k], 0))
		}
		x.counted()
	case len(i.Src) == 1 && len(i.Dst) == 2 && i.Src[0].Type.Bytes() == 8 && i.Src[0].Kind != isa.OperandSymbol:
		moved := false
		for k := range 2 {
			if i.Dst[k].Kind == isa.OperandRegister && i.Dst[k].Type.Bytes() == 4 {
				x.moveWord(i, i.Dst[k], x.wordOf(i.Src[0], k))
				moved = true
			}
		}
		if !moved {
			x.Emit(i, "NOP", isa.ClassNop).Effect = nil
			return nil
		}
		x.counted()
	default: // 16-bit elements
		for k := 1; k < max(len(i.Dst), len(i.Src))-1; k++ {
			op := x.Emit(i, "PRMT", isa.ClassBits)
			op.Effect, op.PTXCount = nil, 0
			op.Defines = []isa.Register{x.Temporary(isa.B32)}
		}
		x.Simple(i, "PRMT", isa.ClassBits)
	}
	return nil
}

// special expands a read of a special register.
func (x *expander) special(i *isa.Instruction) {
	s := i.Src[0].Special
	if s == isa.FrameAddress {
		x.Simple(i, "MOV", isa.ClassMove)
		return
	}
	if _, ok := virtual.LaunchConstants[s]; ok {
		x.Simple(i, "MOV", isa.ClassMove)
		return
	}
	if i.Dst[0].Kind == isa.OperandRegister && x.OperandWords(&i.Dst[0]) == 2 {
		x.partial(i, "S2R", isa.ClassSpecial, 0)
		x.partial(i, "S2R", isa.ClassSpecial, 1)
		x.carry(i)
		return
	}
	x.Simple(i, "S2R", isa.ClassSpecial)
}

// convert expands cvt: a conversion that changes no bits of 32-bit words is a move.
func (x *expander) convert(i *isa.Instruction) error {
	if i.Src[0].Kind == isa.OperandSpecial {
		x.special(i)
		return nil
	}
	integers := !i.Type.Float() && !i.From.Float() && !i.Mod.Saturate
	to, from := i.Type.Bytes(), i.From.Bytes()
	if !integers || from < 4 || to < 2 || i.Dst[0].Kind != isa.OperandRegister || i.Src[0].Kind == isa.OperandImmediate {
		return x.table(i)
	}
	d, s := i.Dst[0], i.Src[0]
	wide := x.OperandWords(&d) == 2
	switch {
	case to == 2 && (d.Type.Bytes() != 2 || wide):
		return x.table(i)
	case !wide && to <= 4:
		x.moveWord(i, d, x.wordOf(s, 0))
	case wide && to == 4:
		return x.table(i)
	default:
		x.moveWord(i, x.wordOf(d, 0), x.wordOf(s, 0))
		high := x.wordOf(d, 1)
		switch {
		case from == 8:
			x.moveWord(i, high, x.wordOf(s, 1))
		case i.From.Signed():
			low := x.wordOf(s, 0)
			low.Type = isa.S32
			sign := &isa.Instruction{Op: isa.OpShr, Type: isa.S32, Guard: i.Guard, Line: i.Line, Dst: []isa.Operand{high},
				Src: []isa.Operand{low, isa.Imm(31, isa.U32)}}
			x.Simple(sign, "SHR", isa.ClassShift).PTXCount = 0
		default:
			x.moveWord(i, high, isa.Imm(0, isa.B32))
		}
	}
	x.counted()
	return nil
}

// convertAddress expands cvta: a global address is its own generic address, others are in a window.
func (x *expander) convertAddress(i *isa.Instruction) error {
	if m := i.Memory; m != nil && (m.Space == isa.SpaceGlobal || m.Space == isa.SpaceConst) && i.Src[0].Kind == isa.OperandRegister &&
		i.Dst[0].Kind == isa.OperandRegister {
		if m.Space == isa.SpaceGlobal {
			copied := *i
			copied.Op, copied.Memory, copied.Mod = isa.OpMov, nil, isa.Modifiers{}
			return x.move(&copied)
		}
	}
	if x.OperandWords(&i.Dst[0]) == 1 {
		x.Simple(i, "IADD", isa.ClassInteger)
		return nil
	}
	low, high := x.Emit(i, "IADD", isa.ClassIntegerCarry), x.Emit(i, "IADD.X", isa.ClassInteger)
	low.Effect, low.PTXCount = nil, 0
	low.WritesCarry, high.ReadsCarry = true, true
	for k, op := range []*machine.Operation{low, high} {
		op.Defines = []isa.Register{x.wordOf(i.Dst[0], k).Register}
		if i.Src[0].Kind == isa.OperandRegister {
			op.Uses = []isa.Register{x.wordOf(i.Src[0], k).Register}
		}
	}
	return nil
}

// wordwise expands a 64-bit logic operation or selection as two independent operations.
func (x *expander) wordwise(i *isa.Instruction) error {
	if i.Type.Bytes() != 8 || i.Dst[0].Kind != isa.OperandRegister {
		return x.table(i)
	}
	for k := range 2 {
		half := *i
		half.Type = isa.B32
		half.Dst = []isa.Operand{x.wordOf(i.Dst[0], k)}
		half.Src = make([]isa.Operand, len(i.Src))
		for n, s := range i.Src {
			if half.Src[n] = s; s.Kind != isa.OperandPredicate {
				half.Src[n] = x.wordOf(s, k)
			}
		}
		if err := x.table(&half); err != nil {
			return err
		}
		x.Out[len(x.Out)-1].PTXCount = uint8(k)
	}
	return nil
}

// branch expands bra and brx.
func (x *expander) branch(i *isa.Instruction) error {
	op := x.Emit(i, "BRA", isa.ClassBranch)
	op.Control, op.Ways = isa.ControlBranch, i.Targets
	if i.Op == isa.OpBrx {
		op.Mnemonic, op.Control = "BRX", isa.ControlIndex
		x.Touch(op, i)
	} else {
		op.Effect = nil
	}
	return nil
}

func (x *expander) exit(i *isa.Instruction) error {
	if i.Op == isa.OpRet && !x.Kernel.Kernel {
		op := x.Simple(i, "RET", isa.ClassBranch)
		op.Control = isa.ControlReturn
		return nil
	}
	op := x.Emit(i, "EXIT", isa.ClassBranch)
	op.Control, op.Effect = isa.ControlExit, nil
	return nil
}
