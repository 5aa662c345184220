package exec

import (
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/fp"
)

// atomic returns the new value after an atomic operation. operand is b (the new value of exch and cas), compare the comparand of cas.
// 32-bit operands and results are in the low word. With flush, an f32 sum flushes subnormal operands and results to zero, as PTX requires
// for global memory; in shared memory it does not.
func atomic(op isa.Sub, t isa.Type, old, operand, compare uint64, flush bool) uint64 {
	if op == isa.AtomicAdd && t.Float() {
		c := fp.Control{Rounding: fp.RoundNearest}
		if t == isa.F64 {
			return fp.Add64(old, operand, c)
		}
		c.Flush = flush
		return uint64(fp.Add32(uint32(old), uint32(operand), c))
	}
	if width := 8 * t.Bytes(); width < 64 {
		mask := uint64(1)<<width - 1
		return integerAtomic(op, t, old&mask, operand&mask, compare&mask) & mask
	}
	return integerAtomic(op, t, old, operand, compare)
}

func integerAtomic(op isa.Sub, t isa.Type, old, operand, compare uint64) uint64 {
	switch op {
	case isa.AtomicAdd:
		return old + operand
	case isa.AtomicAnd:
		return old & operand
	case isa.AtomicOr:
		return old | operand
	case isa.AtomicXor:
		return old ^ operand
	case isa.AtomicExch:
		return operand
	case isa.AtomicCas:
		if old == compare {
			return operand
		}
		return old
	case isa.AtomicInc:
		if old >= operand {
			return 0
		}
		return old + 1
	case isa.AtomicDec:
		if old == 0 || old > operand {
			return operand
		}
		return old - 1
	}
	less := old < operand
	if t.Signed() {
		less = int64(extendTo64(old, t)) < int64(extendTo64(operand, t))
	}
	if less == (op == isa.AtomicMin) {
		return old
	}
	return operand
}

// atomicExists reports an operation that is implemented for a type.
func atomicExists(op isa.Sub, t isa.Type) bool {
	if t.Bytes() == 2 {
		return op == isa.AtomicCas && t == isa.B16
	}
	if op < isa.AtomicAdd || op > isa.AtomicCas || t.Bytes() != 4 && t.Bytes() != 8 || t == isa.F16x2 {
		return false
	}
	if t.Float() {
		return op == isa.AtomicAdd || op == isa.AtomicExch
	}
	return true
}
