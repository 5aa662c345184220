package fp

import "math"

// This file has the instruction sequences that the assembler emits for approximate PTX instructions around the SFU, read from its machine
// code. Without .ftz they scale operands that the SFU would flush and results that it could not represent.

// Turn is 1/2π as f32 has it: sines are of arguments in turns.
const Turn = 0x1.45f306p-3

var (
	twoTo24      = math.Float32bits(1 << 24)
	twoTo12      = math.Float32bits(1 << 12)
	twoToMinus12 = math.Float32bits(1.0 / (1 << 12))
	quarter32    = math.Float32bits(0.25)
	half32       = math.Float32bits(0.5)
	minus24      = math.Float32bits(-24)
	minus126     = math.Float32bits(-126)
	twoTo126     = uint32(253 << 23)
	turn32       = math.Float32bits(Turn)
	nearest      = Control{Rounding: RoundNearest}
)

func isSubnormal32(x uint32) bool { return x&^sign32 < leastNormal32 }

// RcpApprox32 computes rcp.approx.f32.
func RcpApprox32(a uint32, c Control) uint32 {
	if c.Flush {
		return unitRcp(a)
	}
	scale := uint32(one32)
	switch magnitude := a &^ sign32; {
	case magnitude < leastNormal32:
		scale = twoTo24
	case magnitude > twoTo126 && magnitude <= infinity32:
		scale = quarter32
	default:
		return unitRcp(a)
	}
	return Mul32(scale, unitRcp(Mul32(a, scale, nearest)), nearest)
}

// scaled applies an SFU function: to a subnormal operand after multiplication by 2^24, with a correction of the result.
func scaled(a uint32, c Control, unit func(uint32) uint32, correct func(uint32) uint32) uint32 {
	if c.Flush || !isSubnormal32(a) {
		return unit(a)
	}
	return correct(unit(Mul32(a, twoTo24, nearest)))
}

// RsqrtApprox32 computes rsqrt.approx.f32.
func RsqrtApprox32(a uint32, c Control) uint32 {
	return scaled(a, c, unitRsqrt, func(y uint32) uint32 { return Mul32(y, twoTo12, nearest) })
}

// SqrtApprox32 computes sqrt.approx.f32.
func SqrtApprox32(a uint32, c Control) uint32 {
	return scaled(a, c, unitSqrt, func(y uint32) uint32 { return Mul32(y, twoToMinus12, nearest) })
}

// Lg2Approx32 computes lg2.approx.f32.
func Lg2Approx32(a uint32, c Control) uint32 {
	return scaled(a, c, unitLg2, func(y uint32) uint32 { return Add32(y, minus24, nearest) })
}

// Ex2Approx32 computes ex2.approx.f32. Without .ftz, a power that would be subnormal is the square of another.
func Ex2Approx32(a uint32, c Control) uint32 {
	if c.Flush || !LT.Holds32(a, minus126, false) {
		return unitEx2(a)
	}
	y := unitEx2(Mul32(a, half32, nearest))
	return Mul32(y, y, nearest)
}

// SinApprox32 computes sin.approx.f32: the SFU's sine of the argument in turns.
func SinApprox32(a uint32, _ Control) uint32 { return unitSin(turns(a)) }

// CosApprox32 computes cos.approx.f32.
func CosApprox32(a uint32, _ Control) uint32 { return unitCos(turns(a)) }

// turns multiplies by 1/2π and rounds to zero. The product is exact in f64, so truncation rounds it.
func turns(a uint32) uint32 {
	p := float64(f32(a)) * float64(f32(turn32))
	if pattern := math.Float64bits(p); pattern&^sign64-leastNormalAsF64 < infinity64-leastNormalAsF64 {
		return math.Float32bits(float32(math.Float64frombits(pattern &^ cutBits)))
	}
	return Mul32(a, turn32, Control{Rounding: RoundZero})
}

// DivApprox32 computes div.approx.f32: multiplication by the approximate reciprocal.
func DivApprox32(a, b uint32, c Control) uint32 {
	if !c.Flush && isSubnormal32(b) {
		a, b = Mul32(a, twoTo24, nearest), Mul32(b, twoTo24, nearest)
	}
	return Mul32(a, unitRcp(b), Control{Rounding: RoundNearest, Flush: c.Flush})
}

// DivFull32 computes div.full.f32: div.approx, with large divisors scaled too.
func DivFull32(a, b uint32, c Control) uint32 {
	if b&^sign32 > twoTo126 && !isNaN32(b) {
		m := Control{Rounding: RoundNearest, Flush: c.Flush}
		a, b = Mul32(a, quarter32, m), Mul32(b, quarter32, m)
	}
	return DivApprox32(a, b, c)
}
