package value

import (
	"math"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/fp"
	"github.com/keplersim/keplersim/isa/lower/virtual"
)

// knownNumbers are the constants that registers hold; a predicate is 0 or 1.
type knownNumbers map[isa.Register]uint64

// bitsOf returns the low bits of a number that a type has.
func bitsOf(n uint64, t isa.Type) uint64 {
	unused := 64 - 8*t.Bytes()
	return n << unused >> unused
}

// extended returns a number of a type, extended to 64 bits.
func extended(n uint64, t isa.Type) uint64 {
	unused := 64 - 8*t.Bytes()
	if t.Signed() {
		return uint64(int64(n<<unused) >> unused)
	}
	return n << unused >> unused
}

// source returns the constant that an operand is.
func (k knownNumbers) source(o *isa.Operand) (n uint64, ok bool) {
	switch o.Kind {
	case isa.OperandImmediate:
		return o.Immediate, !o.Negate
	case isa.OperandRegister:
		n, ok = k[o.Register]
		return n, ok && !o.Negate
	case isa.OperandPredicate:
		n, ok = k[o.Register]
		if o.Negate {
			n ^= 1
		}
		return n, ok
	}
	return 0, false
}

// guard returns whether an instruction runs, and whether that is known.
func (k knownNumbers) guard(i *isa.Instruction) (runs, known bool) {
	if !i.Guard.Present {
		return true, true
	}
	n, ok := k[i.Guard.Register]
	return (n != 0) != i.Guard.Negate, ok
}

// visit records what an instruction writes.
func (k knownNumbers) visit(i *isa.Instruction) {
	runs, known := k.guard(i)
	if known && !runs {
		return
	}
	n, ok := k.result(i)
	for d := range i.Dst {
		if virtual.IsRegister(&i.Dst[d]) {
			delete(k, virtual.Whole(i.Dst[d].Register))
		}
	}
	if ok && known {
		k[i.Dst[0].Register] = n
	}
}

// fold visits an instruction, and turns it into a move if its result is a constant.
func (k knownNumbers) fold(i *isa.Instruction) (folded bool) {
	n, ok := k.result(i)
	k.visit(i)
	if ok && !i.Guard.Present && i.Dst[0].Kind == isa.OperandRegister {
		t := i.Dst[0].Type
		folded = i.Op != isa.OpMov || i.Src[0].Kind != isa.OperandImmediate
		i.Op, i.Type, i.From, i.Mod, i.Src = isa.OpMov, t, isa.TypeNone, isa.Modifiers{}, []isa.Operand{isa.Imm(n, t)}
	}
	return folded
}

// result returns the constant that an instruction computes if it runs.
func (k knownNumbers) result(i *isa.Instruction) (uint64, bool) {
	if len(i.Dst) != 1 || len(i.Src) == 0 || len(i.Src) > 3 || i.Memory != nil || i.Mod.CarryOut || virtual.ReadsCarry(i) ||
		!virtual.IsRegister(&i.Dst[0]) || i.Dst[0].Register != virtual.Whole(i.Dst[0].Register) {
		return 0, false
	}
	d := &i.Dst[0]
	if d.Kind == isa.OperandPredicate != (i.Op == isa.OpSetp) ||
		d.Kind == isa.OperandRegister && d.Type.Bytes() != 4 && d.Type.Bytes() != 8 {
		return 0, false
	}
	var s [3]uint64
	for n := range i.Src {
		var ok bool
		if s[n], ok = k.source(&i.Src[n]); !ok {
			return 0, false
		}
	}
	n, ok := uint64(0), false
	switch {
	case i.Op == isa.OpMov && len(i.Src) == 1:
		n, ok = s[0], true
	case i.Op == isa.OpMov && len(i.Src) == 2 && d.Type.Bytes() == 8:
		n, ok = bitsOf(s[0], isa.U32)|s[1]<<32, true
	case i.Op == isa.OpSelp && s[2] != 0:
		n, ok = s[0], true
	case i.Op == isa.OpSelp:
		n, ok = s[1], true
	case i.Op == isa.OpCvt || i.Type.Float():
		n, ok = floating(i, s)
	case i.Type.Bytes() == 4 || i.Type.Bytes() == 8:
		n, ok = whole(i, s)
	}
	if d.Kind == isa.OperandRegister {
		n = bitsOf(n, d.Type)
	}
	return n, ok
}

// whole evaluates an integer operation.
func whole(i *isa.Instruction, s [3]uint64) (uint64, bool) {
	t := i.Type
	a, b := extended(s[0], t), extended(s[1], t)
	less := a < b
	if t.Signed() {
		less = int64(a) < int64(b)
	}
	bits, count := uint64(8*t.Bytes()), uint64(uint32(s[1]))
	switch {
	case i.Mod.Saturate || i.Mod.Bool != isa.BoolNone:
		return 0, false
	case i.Op == isa.OpSetp:
		return compared(i.Mod.Compare, less, a == b)
	case i.Op == isa.OpAdd:
		return a + b, true
	case i.Op == isa.OpSub:
		return a - b, true
	case i.Op == isa.OpMul && i.Mod.Half != isa.Hi:
		return a * b, true
	case i.Op == isa.OpMad && i.Mod.Half != isa.Hi:
		return a*b + s[2], true
	case i.Op == isa.OpShl:
		return a << min(count, 64), true
	case i.Op == isa.OpShr && t.Signed():
		return uint64(int64(a) >> min(count, 63)), true
	case i.Op == isa.OpShr:
		return bitsOf(a, t) >> min(count, bits), true
	case i.Op == isa.OpAnd:
		return a & b, true
	case i.Op == isa.OpOr:
		return a | b, true
	case i.Op == isa.OpXor:
		return a ^ b, true
	case i.Op == isa.OpNot:
		return ^a, true
	case i.Op == isa.OpNeg:
		return -a, true
	case i.Op == isa.OpMin && less, i.Op == isa.OpMax && !less:
		return a, true
	case i.Op == isa.OpMin, i.Op == isa.OpMax:
		return b, true
	case (i.Op == isa.OpDiv || i.Op == isa.OpRem) && b != 0 && (!t.Signed() || b != math.MaxUint64):
		q := a / b
		if t.Signed() {
			q = uint64(int64(a) / int64(b))
		}
		if i.Op == isa.OpRem {
			return a - q*b, true
		}
		return q, true
	}
	return 0, false
}

// compared evaluates an integer comparison from two facts: a < b, and a = b.
func compared(by isa.Compare, less, equal bool) (uint64, bool) {
	holds := false
	switch by {
	case isa.EQ:
		holds = equal
	case isa.NE:
		holds = !equal
	case isa.LT, isa.LO:
		holds = less
	case isa.LE, isa.LS:
		holds = less || equal
	case isa.GT, isa.HI:
		holds = !less && !equal
	case isa.GE, isa.HS:
		holds = !less
	default:
		return 0, false
	}
	if holds {
		return 1, true
	}
	return 0, true
}

// floating evaluates float arithmetic or a conversion with the functions of execution, so results are the same to the bit.
func floating(i *isa.Instruction, s [3]uint64) (uint64, bool) {
	operation, ok := fp.Find(i.FloatKey())
	if !ok || i.Mod.Bool != isa.BoolNone || i.Op == isa.OpSet || i.Op == isa.OpSlct || i.Op == isa.OpTestp {
		return 0, false
	}
	narrow := [3]fp.Lanes32{{uint32(s[0])}, {uint32(s[1])}, {uint32(s[2])}}
	wide := [3]fp.Lanes64{{s[0]}, {s[1]}, {s[2]}}
	n := len(i.Src)
	switch {
	case operation.Unary32 != nil && n == 1:
		operation.Unary32(&narrow[0], &narrow[0], 1)
	case operation.Binary32 != nil && n == 2:
		operation.Binary32(&narrow[0], &narrow[0], &narrow[1], 1)
	case operation.Ternary32 != nil && n == 3:
		operation.Ternary32(&narrow[0], &narrow[0], &narrow[1], &narrow[2], 1)
	case operation.Narrow != nil && n == 1:
		operation.Narrow(&narrow[0], &wide[0], 1)
	case operation.Compare32 != nil && n == 2:
		narrow[0][0] = operation.Compare32(&narrow[0], &narrow[1], 1) & 1
	case operation.Compare64 != nil && n == 2:
		narrow[0][0] = operation.Compare64(&wide[0], &wide[1], 1) & 1
	case operation.Unary64 != nil && n == 1:
		operation.Unary64(&wide[0], &wide[0], 1)
		return wide[0][0], true
	case operation.Binary64 != nil && n == 2:
		operation.Binary64(&wide[0], &wide[0], &wide[1], 1)
		return wide[0][0], true
	case operation.Ternary64 != nil && n == 3:
		operation.Ternary64(&wide[0], &wide[0], &wide[1], &wide[2], 1)
		return wide[0][0], true
	case operation.Widen != nil && n == 1:
		operation.Widen(&wide[0], &narrow[0], 1)
		return wide[0][0], true
	default:
		return 0, false
	}
	return uint64(narrow[0][0]), true
}
