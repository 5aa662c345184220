package fp

// Bit patterns of f64.
const (
	invalidNaN64 = 0xfff8000000000000 // result of an invalid f64 operation
	quiet64      = 0x0008000000000000
	infinity64   = 0x7ff0000000000000
	one64        = 0x3ff0000000000000
	sign64       = 0x8000000000000000
)

func isNaN64(x uint64) bool { return x&^sign64 > infinity64 }

// propagated64 returns the first NaN among the operands, quieted, or zero if there is none: the operation passes it on.
func propagated64(operands ...uint64) uint64 {
	for _, x := range operands {
		if isNaN64(x) {
			return x | quiet64
		}
	}
	return 0
}

func double(x uint64) Number { return Double.Unpack(x) }

func result64(n Number, r Rounding) uint64 {
	if n.Class == NaN {
		return invalidNaN64
	}
	return Double.Pack(n, r)
}

// Add64 computes add.f64. Of two NaN operands the second is passed on, quieted.
func Add64(a, b uint64, c Control) uint64 {
	if p := propagated64(b, a); p != 0 {
		return p
	}
	return result64(Sum(double(a), double(b), c.Rounding), c.Rounding)
}

// Sub64 computes sub.f64. A NaN operand keeps its sign.
func Sub64(a, b uint64, c Control) uint64 {
	if p := propagated64(b, a); p != 0 {
		return p
	}
	return result64(Sum(double(a), Negated(double(b)), c.Rounding), c.Rounding)
}

// Mul64 computes mul.f64.
func Mul64(a, b uint64, c Control) uint64 {
	if p := propagated64(b, a); p != 0 {
		return p
	}
	return result64(Product(double(a), double(b)), c.Rounding)
}

// FMA64 computes fma.f64 and mad.f64. Of several NaN operands it passes on the second, else the third, else the first.
func FMA64(a, b, d uint64, c Control) uint64 {
	if p := propagated64(b, d, a); p != 0 {
		return p
	}
	return result64(Sum(Product(double(a), double(b)), double(d), c.Rounding), c.Rounding)
}

// Div64 computes div.f64. Of two NaN operands the first is passed on.
func Div64(a, b uint64, c Control) uint64 {
	if p := propagated64(a, b); p != 0 {
		return p
	}
	return result64(Quotient(double(a), double(b)), c.Rounding)
}

// Rcp64 computes rcp.f64 with a rounding mode.
func Rcp64(a uint64, c Control) uint64 { return Div64(one64, a, c) }

// Sqrt64 computes sqrt.f64.
func Sqrt64(a uint64, c Control) uint64 {
	if p := propagated64(a); p != 0 {
		return p
	}
	return result64(SquareRoot(double(a)), c.Rounding)
}

// Abs64 computes abs.f64. A NaN keeps its sign and is quieted.
func Abs64(a uint64, _ Control) uint64 {
	if p := propagated64(a); p != 0 {
		return p
	}
	return a &^ sign64
}

// Neg64 computes neg.f64. A NaN keeps its sign and is quieted.
func Neg64(a uint64, _ Control) uint64 {
	if p := propagated64(a); p != 0 {
		return p
	}
	return a ^ sign64
}

// Copysign64 computes copysign.f64: b with the sign of a.
func Copysign64(a, b uint64, _ Control) uint64 { return a&sign64 | b&^sign64 }

// order64 maps f64 patterns, except NaNs, to integers in the same order, with -0 below +0.
func order64(x uint64) int64 { return int64(x ^ uint64(int64(x)>>63)>>1) }

// Min64 computes min.f64: a number wins against a NaN, -0 is below +0. Of two NaNs the result is the second, quieted.
func Min64(a, b uint64, _ Control) uint64 {
	return extreme64(a, b, func(a, b int64) bool { return a < b })
}

// Max64 computes max.f64: a number wins against a NaN, -0 is below +0. Of two NaNs the result is the second, quieted.
func Max64(a, b uint64, _ Control) uint64 {
	return extreme64(a, b, func(a, b int64) bool { return a > b })
}

func extreme64(a, b uint64, better func(a, b int64) bool) uint64 {
	switch {
	case isNaN64(a) && isNaN64(b):
		return b | quiet64
	case isNaN64(a):
		return b
	case isNaN64(b) || better(order64(a), order64(b)):
		return a
	}
	return b
}
