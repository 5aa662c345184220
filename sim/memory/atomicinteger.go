package memory

import (
	"math"

	"github.com/keplersim/keplersim/isa"
)

// atomicInteger is an atomic operation on 32- or 64-bit words.
func atomicInteger(op isa.Sub, t isa.Type, old, operand, compare uint64) uint64 {
	wide := t.Bytes() == 8
	signedOld, signedOperand := int64(old), int64(operand)
	if !wide {
		signedOld, signedOperand = int64(int32(old)), int64(int32(operand))
	}
	switch op {
	case isa.AtomicAdd:
		if t == isa.F32 {
			return uint64(math.Float32bits(math.Float32frombits(uint32(old)) + math.Float32frombits(uint32(operand))))
		}
		return old + operand
	case isa.AtomicMin:
		if t.Signed() {
			return uint64(min(signedOld, signedOperand))
		}
		return min(old, operand)
	case isa.AtomicMax:
		if t.Signed() {
			return uint64(max(signedOld, signedOperand))
		}
		return max(old, operand)
	case isa.AtomicAnd:
		return old & operand
	case isa.AtomicOr:
		return old | operand
	case isa.AtomicXor:
		return old ^ operand
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
	case isa.AtomicExch:
		return operand
	case isa.AtomicCas:
		if old == compare {
			return operand
		}
		return old
	}
	return old
}
