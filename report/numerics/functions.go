package numerics

import "math/big"

// The elementary functions with at least some 300 correct bits, for comparison. Nothing simulated depends on them.

const working = 1400 // bits, enough for the whole range of f64 angles

func fresh() *big.Float              { return new(big.Float).SetPrec(working) }
func integer(n int64) *big.Float     { return fresh().SetInt64(n) }
func add(a, b *big.Float) *big.Float { return fresh().Add(a, b) }
func sub(a, b *big.Float) *big.Float { return fresh().Sub(a, b) }
func mul(a, b *big.Float) *big.Float { return fresh().Mul(a, b) }
func quo(a, b *big.Float) *big.Float { return fresh().Quo(a, b) }
func negligible(term, total *big.Float) bool {
	return term.Sign() == 0 || total.Sign() != 0 && term.MantExp(nil) < total.MantExp(nil)-working
}

// arctanInverse returns arctan(1/n), or artanh(1/n) if hyperbolic.
func arctanInverse(n int64, hyperbolic bool) *big.Float {
	power, square, total := quo(integer(1), integer(n)), integer(n*n), fresh()
	for k := int64(1); ; k += 2 {
		term := quo(power, integer(k))
		if negligible(term, total) {
			return total
		}
		if !hyperbolic && k%4 == 3 {
			term.Neg(term)
		}
		total.Add(total, term)
		power.Quo(power, square)
	}
}

// Pi returns π by Machin's formula.
func Pi() *big.Float {
	return sub(mul(integer(16), arctanInverse(5, false)), mul(integer(4), arctanInverse(239, false)))
}

func ln2() *big.Float { return mul(integer(2), arctanInverse(3, true)) }

// series sums first and the terms after it: each is the previous one times -square / (n (n+1)), and n grows by 2. These are the tails of
// sine and cosine.
func series(first, square *big.Float, n int64) *big.Float {
	total, term := fresh().Set(first), fresh().Set(first)
	for {
		term = quo(mul(term, square), integer(n*(n+1)))
		term.Neg(term)
		if negligible(term, total) {
			return total
		}
		total.Add(total, term)
		n += 2
	}
}

// Cos returns the cosine of x radians.
func Cos(x *big.Float) *big.Float { return Sin(add(x, quo(Pi(), integer(2)))) }

// Sin returns the sine of x radians.
func Sin(x *big.Float) *big.Float {
	half := Pi()
	turns, _ := quo(x, half).Int(nil)
	r := sub(x, mul(fresh().SetInt(turns), half))
	y := series(r, mul(r, r), 2)
	if turns.Bit(0) == 1 {
		y.Neg(y)
	}
	return y
}

// Exp2 returns 2^x, for |x| below 2^20.
func Exp2(x *big.Float) *big.Float {
	whole, _ := x.Int64()
	r := mul(sub(x, integer(whole)), ln2())
	total, term := integer(1), integer(1)
	for n := int64(1); ; n++ {
		term = quo(mul(term, r), integer(n))
		if negligible(term, total) {
			return total.SetMantExp(total, int(whole))
		}
		total.Add(total, term)
	}
}

// Log2 returns the logarithm of x > 0 to base 2.
func Log2(x *big.Float) *big.Float {
	m := fresh()
	e := x.MantExp(m)
	if m.Cmp(big.NewFloat(0.7)) < 0 {
		m.Mul(m, integer(2))
		e--
	}
	z := quo(sub(m, integer(1)), add(m, integer(1)))
	power, square, total := fresh().Set(z), mul(z, z), fresh()
	for k := int64(1); ; k += 2 {
		term := quo(power, integer(k))
		if negligible(term, total) {
			break
		}
		total.Add(total, term)
		power.Mul(power, square)
	}
	return add(integer(int64(e)), quo(mul(total, integer(2)), ln2()))
}
