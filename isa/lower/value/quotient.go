package value

import "github.com/keplersim/keplersim/isa"

// isQuotient reports an f32 instruction that ends with a multiplication by a reciprocal from the SFU: div.approx, div.full, and rcp.approx
// without .ftz. Each first scales operands that the SFU cannot handle.
func isQuotient(i *isa.Instruction) bool {
	switch {
	case i.Type != isa.F32:
		return false
	case i.Op == isa.OpDiv:
		return i.Mod.Approx || i.Mod.Full
	}
	return i.Op == isa.OpRcp && i.Mod.Approx && !i.Mod.Flush
}

// The scales of quotients, and the thresholds of the divisor, as f32.
const (
	quotientOne       = 0x3f800000
	quotientQuarter   = 0x3e800000 // for divisors above 2^126
	quotientTwoTo24   = 0x4b800000 // for subnormal divisors
	quotientTwoTo126  = 0x7e800000
	quotientMinNormal = 0x00800000
)

// quotientFactors inserts the steps of a quotient before its last multiplication, and returns the factors of that: the scaled dividend (1
// for a reciprocal) and the reciprocal of the scaled divisor.
func (c *contraction) quotientFactors(i *isa.Instruction) [2]isa.Operand {
	number := func(bits uint64) isa.Operand { return isa.Imm(bits, isa.F32) }
	dividend, divisor := number(quotientOne), i.Src[len(i.Src)-1]
	if i.Op == isa.OpDiv {
		dividend = i.Src[0]
	}
	rounded := isa.Modifiers{Rounding: isa.RoundNearest, Flush: i.Mod.Flush}
	magnitude, scale := isa.Operand{}, number(quotientOne)
	for _, s := range []struct {
		used          bool
		compare       isa.Compare
		bound, number uint64
	}{
		{i.Op == isa.OpRcp || i.Mod.Full, isa.GT, quotientTwoTo126, quotientQuarter},
		{!i.Mod.Flush, isa.LT, quotientMinNormal, quotientTwoTo24},
	} {
		if !s.used {
			continue
		}
		if magnitude.Kind == isa.OperandNone {
			magnitude = c.insert(i, isa.OpAbs, isa.Modifiers{}, isa.F32, divisor)
		}
		holds := c.insert(i, isa.OpSetp, isa.Modifiers{Compare: s.compare}, isa.Pred, magnitude, number(s.bound))
		scale = c.insert(i, isa.OpSelp, isa.Modifiers{}, isa.F32, number(s.number), scale, holds)
	}
	if scale.Kind == isa.OperandRegister {
		divisor = c.insert(i, isa.OpMul, rounded, isa.F32, divisor, scale)
		if dividend.Kind == isa.OperandImmediate {
			dividend = scale
		} else {
			dividend = c.insert(i, isa.OpMul, rounded, isa.F32, dividend, scale)
		}
	}
	return [2]isa.Operand{dividend, c.insert(i, isa.OpRcp, isa.Modifiers{Approx: true, Flush: true}, isa.F32, divisor)}
}
