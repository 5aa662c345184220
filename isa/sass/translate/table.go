package translate

import (
	"encoding/binary"
	"slices"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/sass"
)

// Branches by a table. nvcc compiles a switch to a BRX after an LDC that reads the address of a case from the literals, at an index that an
// IMNMX has limited. The file contains the table, so the targets are known.

// tableReach is the most operations between a BRX and those that it depends on.
const tableReach = 16

// table returns the possible values of a BRX's register, with the operation that each leads to.
func (l *layout) table(n node) (values []uint32, targets []node, err error) {
	w := &l.code[n.at]
	load := l.writer(n.at, w.Field("r").Value(w.Word))
	if load == nil || load.Name != "LDC" || load.Modifier("ldsize") != "" {
		return nil, nil, w.refuse("no LDC of its target precedes it")
	}
	bank, offset, register := load.Field("k").Indexed(load.Word)
	if bank != isa.ConstantBankLiterals {
		return nil, nil, w.refuse("a table in constant bank %d is not simulated", bank)
	}
	most := l.entries(load.index, register)
	data := w.function.Literals
	for at := int(offset); at >= 0 && at+4 <= len(data) && len(values) < most; at += 4 {
		value := binary.LittleEndian.Uint32(data[at:])
		address := uint64(uint32(int64(w.at)+sass.WordBytes+w.Field("disp").Signed(w.Word)) + value)
		target, ok := l.position(w, address)
		if !ok || address%sass.WordBytes != 0 {
			break
		}
		if !slices.Contains(values, value) {
			values, targets = append(values, value), append(targets, node{n.call, target})
		}
	}
	if len(values) == 0 {
		return nil, nil, w.refuse("its table has no address of an operation")
	}
	return values, targets, nil
}

// entries returns how many entries of a table an index can reach, from the IMNMX that limits it and the SHL that scales it to bytes.
func (l *layout) entries(before int, register uint64) int {
	const unbounded = 1 << 16
	shift := l.writer(before, register)
	if shift == nil || shift.Name != "SHL" || shift.Operands()[1].Name != "r" {
		return unbounded
	}
	bound := l.writer(shift.index, shift.Operands()[1].Value(shift.Word))
	if bound == nil || bound.Name != "IMNMX" || bound.Modifier("u") != ".U32" || bound.Operands()[2].Name != "s" ||
		bound.Operands()[3].Has(bound.Word, sass.Complemented) {
		return unbounded
	}
	return int(bound.Operands()[2].Signed(bound.Word)) + 1
}

// writer returns the last operation that wrote a register, in straight-line code before a position; nil if unknown.
func (l *layout) writer(before int, register uint64) *word {
	for k := before - 1; k >= max(0, before-tableReach); k-- {
		w := &l.code[k]
		if w.err != nil || w.Class == isa.ClassBranch && !w.pushes() || w.Meets() {
			return nil
		}
		if w.register() == register {
			return w
		}
	}
	return nil
}

// indexedBranch translates a BRX: a choice by the value of its register.
func indexedBranch(b *builder) (*isa.Instruction, error) {
	l := &layout{translator: b.translator}
	values, _, err := l.table(node{nil, b.index})
	if err != nil {
		return nil, err
	}
	b.op.Control = isa.ControlIndex
	i := &isa.Instruction{Op: isa.OpBrx, Type: isa.U32, Src: []isa.Operand{isa.Reg(b.register(), isa.U32)}}
	for _, v := range values {
		i.Src = append(i.Src, isa.Imm(uint64(v), isa.U32))
	}
	return i, nil
}
