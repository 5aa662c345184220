package translate

import (
	"encoding/binary"
	"fmt"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/sass"
)

// builder translates one operation into its effect.
type builder struct {
	*translator
	*word
	op  *isa.MachineOp
	err error // the first problem
}

// fail records that the operation is not supported; the first message counts.
func (b *builder) fail(format string, arguments ...any) {
	if b.err == nil {
		b.err = b.refuse(format, arguments...)
	}
}

// first adds an instruction before the operation's own, if one instruction is not enough.
func (b *builder) first(i *isa.Instruction) { b.effectsBefore = append(b.effectsBefore, i) }

// has reports a sign of operand n, in text order.
func (b *builder) has(n, sign int) bool { return b.Operands()[n].Has(b.Word, sign) }

// is reports whether a modifier has a text.
func (b *builder) is(name, text string) bool { return b.Modifier(name) == text }

// only fails if a modifier is set.
func (b *builder) only(names ...string) {
	for _, name := range names {
		if text := b.Modifier(name); text != "" {
			b.fail("%s is not simulated here", text)
		}
	}
}

// plain fails if an operand has a sign.
func (b *builder) plain(operands ...int) {
	for _, n := range operands {
		for sign := range 3 {
			if b.has(n, sign) {
				b.fail("the sign of operand %d is not simulated here", n+1)
			}
		}
	}
}

// operand returns operand n as a value of type t.
func (b *builder) operand(n int, t isa.Type) isa.Operand { return b.value(b.Operands()[n], t) }

// value returns an operand as a value of type t. Signs of floats are included; those of integers are up to the caller.
func (b *builder) value(f *sass.Field, t isa.Type) isa.Operand {
	v := f.Value(b.Word)
	o := isa.Operand{}
	switch f.Name {
	case "r":
		o = isa.Reg(isa.Register(v), t)
		if n := t.Registers(); n > 1 && v != uint64(isa.RZ) && v%2 != 0 {
			b.fail("R%d is no pair of registers", v)
		}
	case "p", "barp":
		return isa.Predicate(isa.Register(v), f.Has(b.Word, sass.Complemented))
	case "const", "spaced":
		bank, offset := f.Constant(b.Word)
		o = b.constant(bank, offset, t)
	case "s":
		o = isa.Imm(uint64(f.Signed(b.Word))&widthMask(t), t)
	case "x":
		o = isa.Imm(v, t)
	case "f", "float", "double":
		bits := f.Float(b.Word)
		sign := uint64(1) << (8*t.Bytes() - 1)
		if f.Has(b.Word, sass.Absolute) {
			bits &^= sign
		}
		if f.Has(b.Word, sass.Negated) {
			bits ^= sign
		}
		return isa.Imm(bits, t)
	default:
		b.fail("operand %s is not simulated", f.Name)
	}
	if t.Float() {
		o.Negate, o.Absolute = f.Has(b.Word, sass.Negated), f.Has(b.Word, sass.Absolute)
		if o.Kind == isa.OperandImmediate { // of constant bank 2
			sign := uint64(1) << (8*t.Bytes() - 1)
			if o.Absolute {
				o.Immediate &^= sign
			}
			if o.Negate {
				o.Immediate ^= sign
			}
			o.Negate, o.Absolute = false, false
		}
	}
	return o
}

func widthMask(t isa.Type) uint64 {
	if t.Bytes() >= 8 {
		return ^uint64(0)
	}
	return 1<<(8*t.Bytes()) - 1
}

// Constant bank 0 before the parameters, as the driver fills it: generic windows of shared and local memory, sizes of blocks and grids, the
// stack's end.
const (
	constantShared = 0x20
	constantLocal  = 0x24
	constantBlock  = 0x28 // x, y, z
	constantGrid   = 0x34
	constantStack  = 0x44
)

// constant returns a value in a constant bank.
func (b *builder) constant(bank, offset uint64, t isa.Type) isa.Operand {
	b.op.ReadsConstant, b.op.ConstantAddress = true, uint32(bank<<16|offset)
	f := b.translator.function
	switch {
	case bank == 0 && offset >= isa.ParameterBase:
		if f.Base != 0 && f.Base != isa.ParameterBase {
			b.fail("parameters from c[0x0][0x%x] on", f.Base)
		}
		return isa.Operand{Kind: isa.OperandConstant, Type: t, Offset: uint32(offset)}
	case bank == isa.ConstantBankUser:
		return isa.Operand{Kind: isa.OperandConstant, Type: t, Bank: isa.ConstantBankUser, Offset: uint32(offset)}
	case bank == isa.ConstantBankLiterals && offset+uint64(t.Bytes()) <= uint64(len(f.Literals)):
		var bytes [8]byte
		copy(bytes[:t.Bytes()], f.Literals[offset:])
		return isa.Imm(binary.LittleEndian.Uint64(bytes[:]), t)
	case bank == 0 && offset >= constantBlock && offset < constantBlock+12 && t.Bytes() == 4:
		return isa.Operand{Kind: isa.OperandSpecial, Special: isa.NtidX + isa.SpecialRegister(offset-constantBlock)/4, Type: t}
	case bank == 0 && offset >= constantGrid && offset < constantGrid+12 && t.Bytes() == 4:
		return isa.Operand{Kind: isa.OperandSpecial, Special: isa.NctaidX + isa.SpecialRegister(offset-constantGrid)/4, Type: t}
	case bank == 0 && offset == constantShared:
		return isa.Imm(isa.SharedWindow, t)
	case bank == 0 && offset == constantLocal:
		return isa.Imm(isa.LocalWindow, t)
	case bank == 0 && offset == constantStack:
		return isa.Imm(uint64(b.stack), t)
	}
	if bank != 0 || offset >= isa.ParameterBase {
		b.fail("there is nothing in c[0x%x][0x%x]", bank, offset)
	}
	b.program.Notes = append(b.program.Notes, isa.Note{Line: b.word.line,
		Message: fmt.Sprintf("what the driver leaves in c[0x0][0x%x] is not known: it is "+
			"read as zero", offset)})
	return isa.Imm(0, t)
}

// address returns the memory operand of a space.
func (b *builder) address(space isa.Space) *isa.Memory {
	f := b.Field("m")
	wide := b.is("e", ".E")
	if f == nil {
		f = b.Field("ldg")
	}
	register, offset := f.Memory(b.Word)
	t := isa.U32
	if wide {
		t = isa.U64
	}
	m := &isa.Memory{Space: space, Base: isa.Reg(isa.Register(register), t), Offset: offset}
	if wide && register != uint64(isa.RZ) && register%2 != 0 {
		b.fail("R%d is no pair of registers", register)
	}
	if register == uint64(isa.RZ) {
		m.Base = isa.Imm(uint64(offset)&widthMask(t), t)
		m.Offset = 0
	}
	return m
}

// data returns the type in memory, the number of components, and the registers of a load or store of some size.
func (b *builder) data(size string, register isa.Register) (t isa.Type, vector uint8, list []isa.Operand) {
	narrow := map[string][2]isa.Type{".U8": {isa.U8, isa.U32}, ".S8": {isa.S8, isa.S32}, ".U16": {isa.U16, isa.U32}, ".S16": {isa.S16,
		isa.S32},
		"": {isa.B32, isa.B32}, ".64": {isa.B64, isa.B64}}
	if types, ok := narrow[size]; ok {
		return types[0], 1, []isa.Operand{isa.Reg(register, types[1])}
	}
	if size != ".128" && size != ".U.128" {
		b.fail("%s is no size", size)
	}
	for n := range isa.Register(4) {
		r := register
		if r != isa.RZ {
			r += n
		}
		list = append(list, isa.Reg(r, isa.B32))
	}
	return isa.B32, 4, list
}

// make returns an instruction with one destination, the first operand.
func (b *builder) make(op isa.Opcode, t isa.Type, mod isa.Modifiers, operands ...isa.Operand) *isa.Instruction {
	return &isa.Instruction{Op: op, Type: t, Mod: mod, Dst: operands[:1], Src: operands[1:]}
}

// carries records whether the operation reads or writes the condition code, and returns that.
func (b *builder) carries() (reads, writes bool) {
	reads, writes = b.is("carry", ".X"), b.is("cc", ".CC")
	b.op.ReadsCarry, b.op.WritesCarry = reads, writes
	if writes && b.op.Class == isa.ClassInteger {
		b.op.Class = isa.ClassIntegerCarry
	}
	return reads, writes
}

// boolOps are the operations on predicates.
var boolOps = map[string]isa.BoolOp{".AND": isa.BoolAnd, ".OR": isa.BoolOr, ".XOR": isa.BoolXor}

// combined adds the third operand to a comparison, unless it has no effect.
func (b *builder) combined(i *isa.Instruction, p isa.Operand) *isa.Instruction {
	op := boolOps[b.Modifier("bool")]
	if op == isa.BoolNone {
		b.fail("%s is no operation of predicates", b.Modifier("bool"))
	}
	if op == isa.BoolAnd && p.Register == isa.PT && !p.Negate {
		return i
	}
	i.Mod.Bool = op
	i.Src = append(i.Src, p)
	return i
}
