package fp

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// The tests of this file check exactly rounded arithmetic against math/big. The exact result is computed with enough bits, or as a rational
// number, and rounded here by plain arithmetic on integers that shares nothing with the package.

// exactRound rounds an exact finite value to a format by scaling it to an integer number of units in the last place.
func exactRound(f *Format, x *big.Rat, zeroNegative bool, r Rounding) uint64 {
	if x.Sign() == 0 {
		if zeroNegative {
			return f.signBit()
		}
		return 0
	}
	magnitude := new(big.Rat).Abs(x)
	// The exponent e with 2^e <= magnitude < 2^(e+1).
	e := magnitude.Num().BitLen() - magnitude.Denom().BitLen()
	if magnitude.Cmp(power(e)) < 0 {
		e--
	}
	e = max(e, int(1-f.MaxExp))
	unit := power(e - int(f.Precision) + 1)
	quotient := new(big.Rat).Quo(magnitude, unit)
	whole := new(big.Int).Quo(quotient.Num(), quotient.Denom())
	rest := new(big.Rat).Sub(quotient, new(big.Rat).SetInt(whole))
	away := false
	switch r {
	case RoundNearest:
		c := rest.Cmp(big.NewRat(1, 2))
		away = c > 0 || c == 0 && whole.Bit(0) == 1
	case RoundMinus:
		away = x.Sign() < 0 && rest.Sign() != 0
	case RoundPlus:
		away = x.Sign() > 0 && rest.Sign() != 0
	}
	if away {
		whole.Add(whole, big.NewInt(1))
	}
	sign := uint64(0)
	if x.Sign() < 0 {
		sign = f.signBit()
	}
	value := new(big.Rat).Mul(new(big.Rat).SetInt(whole), unit)
	if value.Cmp(power(int(f.MaxExp)+1)) >= 0 {
		if r == RoundZero || r == RoundMinus && sign == 0 || r == RoundPlus && sign != 0 {
			return sign | f.infinity() - 1
		}
		return sign | f.infinity()
	}
	if f == &Single {
		v, exact := value.Float32()
		if !exact {
			panic("not an f32")
		}
		return sign | uint64(math.Float32bits(v))
	}
	v, exact := value.Float64()
	if !exact {
		panic("not an f64")
	}
	return sign | math.Float64bits(v)
}

func power(e int) *big.Rat {
	if e >= 0 {
		return new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(e)))
	}
	return new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), uint(-e)))
}

// operand draws a finite value that is not zero: any pattern, or one near in exponent to others so that sums cancel, or subnormal, or with
// few bits.
func operand(random *rand.Rand, f *Format) uint64 {
	for {
		x := random.Uint64() & (f.signBit()<<1 - 1)
		low := uint64(1)<<f.fraction() - 1
		switch random.IntN(5) {
		case 0:
		case 1:
			x = x&(f.signBit()|low) | uint64(f.MaxExp-2+random.Int32N(5))<<f.fraction()
		case 2:
			x &= f.signBit() | low
		case 3:
			x &^= low >> 8
		case 4:
			x = x&(f.signBit()|low) | uint64(f.MaxExp-int32(f.Precision)-2+random.Int32N(2*int32(f.Precision)+4))<<f.fraction()
		}
		if x&^f.signBit() != 0 && x&^f.signBit() < f.infinity() {
			return x
		}
	}
}

func rational(f *Format, x uint64) *big.Rat {
	if f == &Single {
		return new(big.Rat).SetFloat64(float64(f32(uint32(x))))
	}
	return new(big.Rat).SetFloat64(f64(x))
}

// rootOf returns a rational that rounds as √x does: 140 bits of the root, and one more bit that says that they are not exact.
func rootOf(x *big.Rat) *big.Rat {
	scaled := new(big.Rat).Mul(x, power(2*1300))
	n := new(big.Int).Quo(scaled.Num(), scaled.Denom())
	s := new(big.Int).Sqrt(n)
	root := new(big.Rat).Mul(new(big.Rat).SetInt(s), power(-1300))
	if new(big.Rat).Mul(root, root).Cmp(x) != 0 {
		root.Add(root, power(-1302))
	}
	return root
}

func TestAgainstArbitraryPrecision(t *testing.T) {
	const rounds = 1500
	for _, f := range []*Format{&Single, &Double} {
		for _, r := range []Rounding{RoundNearest, RoundZero, RoundMinus, RoundPlus} {
			t.Run(fmt.Sprintf("%s %s", f.Name, r), func(t *testing.T) {
				random := rand.New(rand.NewPCG(uint64(f.Precision), uint64(r)))
				c := Control{Rounding: r}
				for range rounds {
					a, b, d := operand(random, f), operand(random, f), operand(random, f)
					if random.IntN(4) == 0 { // make a×b+d cancel almost
						d = f.Pack(Negated(Product(f.Unpack(a), f.Unpack(b))), RoundNearest)
						if d&^f.signBit() == 0 || d&^f.signBit() >= f.infinity() {
							continue
						}
					}
					x, y, z := rational(f, a), rational(f, b), rational(f, d)
					down := r == RoundMinus // the sign of an exact zero of a sum of unlike signs
					sum := new(big.Rat).Add(x, y)
					difference := new(big.Rat).Sub(x, y)
					multiplied := new(big.Rat).Mul(x, y)
					fused := new(big.Rat).Add(multiplied, z)
					quotient := new(big.Rat).Quo(x, y)
					root := rootOf(new(big.Rat).Abs(x))
					inverse := new(big.Rat).Inv(x)
					var got [7]uint64
					if f == &Single {
						a, b, d := uint32(a), uint32(b), uint32(d)
						for i, v := range []uint32{Add32(a, b, c), Sub32(a, b, c), Mul32(a, b, c), FMA32(a, b, d, c), Div32(a, b, c),
							Sqrt32(a&^sign32, c), Rcp32(a, c)} {
							got[i] = uint64(v)
						}
					} else {
						got = [7]uint64{Add64(a, b, c), Sub64(a, b, c), Mul64(a, b, c), FMA64(a, b, d, c), Div64(a, b, c),
							Sqrt64(a&^sign64, c), Rcp64(a, c)}
					}
					for i, exact := range []*big.Rat{sum, difference, multiplied, fused, quotient, root, inverse} {
						name := []string{"add", "sub", "mul", "fma", "div", "sqrt", "rcp"}[i]
						if want := exactRound(f, exact, down, r); want != got[i] {
							require.Failf(t, "rounded wrongly", "%s.%s.%s of %x %x %x: %x, want %x", name, r, f.Name, a, b, d, got[i], want)
						}
					}
				}
			})
		}
	}
}

// A result has enough bits to be rounded once to up to 64.
func TestExtendedPrecision(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 4))
	wide := func() *big.Float { return new(big.Float).SetPrec(64) }
	for range 300 {
		x, y := 1+random.Float64(), 1+random.Float64()
		a, b, exactA, exactB := double(math.Float64bits(x)), double(math.Float64bits(y)), big.NewFloat(x), big.NewFloat(y)
		for name, test := range map[string]struct {
			got  Number
			want *big.Float
		}{
			"sum": {Sum(a, b, RoundNearest), wide().Add(exactA, exactB)}, "product": {Product(a, b), wide().Mul(exactA, exactB)},
			"quotient": {Quotient(a, b), wide().Quo(exactA, exactB)}, "root": {SquareRoot(a), wide().Sqrt(exactA)},
		} {
			significand := new(big.Float)
			exponent := test.want.MantExp(significand)
			whole, _ := significand.SetMantExp(significand, 64).Uint64()
			want := Rounded{Exp: int32(exponent) - 1, Significand: whole}
			require.Equal(t, want, Extended.Round(test.got, RoundNearest), "%s of %v and %v", name, x, y)
		}
	}
}

// The f32 functions compute in f64. The generic core must give the same results, flushed and saturated too.
func TestOddAgreesWithCore(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 5))
	for range 200000 {
		c := Control{Rounding: Rounding(1 + random.IntN(4)), Flush: random.IntN(2) == 0, Saturate: random.IntN(4) == 0}
		a, b, d := uint32(operand(random, &Single)), uint32(operand(random, &Single)), uint32(operand(random, &Single))
		if random.IntN(8) == 0 {
			a = [...]uint32{0, sign32, infinity32, infinity32 | sign32, canonicalNaN32, 1, leastNormal32}[random.IntN(7)]
		}
		if random.IntN(8) == 0 {
			b, d = one32-1, leastNormal32
		}
		x, y, z := c.unpacked(a), c.unpacked(b), c.unpacked(d)
		require.Equal(t, c.result32(Sum(x, y, c.Rounding)), Add32(a, b, c), "add %x %x %+v", a, b, c)
		require.Equal(t, c.result32(Sum(x, Negated(y), c.Rounding)), Sub32(a, b, c), "sub %x %x %+v", a, b, c)
		require.Equal(t, c.result32(Product(x, y)), Mul32(a, b, c), "mul %x %x %+v", a, b, c)
		require.Equal(t, c.result32(Sum(Product(x, y), z, c.Rounding)), FMA32(a, b, d, c), "fma %x %x %x %+v", a, b, d, c)
		require.Equal(t, c.result32(Quotient(x, y)), Div32(a, b, c), "div %x %x %+v", a, b, c)
		require.Equal(t, c.result32(SquareRoot(x)), Sqrt32(a, c), "sqrt %x %+v", a, c)
	}
}

func (c Control) unpacked(x uint32) Number {
	if c.Flush {
		x = flush32(x)
	}
	return Single.Unpack(uint64(x))
}

// Every lane form must agree with the scalar function: the straight loops and, if the host has them, the vectors.
func TestStraightLoopsAgree(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	binary := map[string]func(a, b uint32, c Control) uint32{"add": Add32, "sub": Sub32, "mul": Mul32, "div": Div32, "min": Min32,
		"max": Max32}
	loops := []struct {
		op    string
		flush bool
		two   func(d, a, b *Lanes32, active uint32)
		three func(d, a, b, c *Lanes32, active uint32)
	}{
		{op: "add", two: addLanes32}, {op: "sub", two: subLanes32}, {op: "mul", two: mulLanes32}, {op: "div", two: divLanes32},
		{op: "min", two: minLanes32}, {op: "max", two: maxLanes32}, {op: "fma", three: fmaLanes32},
		{op: "fma", flush: true, three: fmaFlushLanes32},
		{op: "add", flush: true, two: flushed2(addLanes32)}, {op: "sub", flush: true, two: flushed2(subLanes32)},
		{op: "mul", flush: true, two: mulFlushLanes32},
	}
	for k, op := range plainLoops {
		if k.Type == "f32" && (op.Binary32 != nil || op.Ternary32 != nil) {
			loops = append(loops, struct {
				op    string
				flush bool
				two   func(d, a, b *Lanes32, active uint32)
				three func(d, a, b, c *Lanes32, active uint32)
			}{k.Op, k.Flush, op.Binary32, op.Ternary32})
		}
	}
	special := []uint32{0, sign32, 1, sign32 | 1, leastNormal32, sign32 | leastNormal32, infinity32, sign32 | infinity32, 0x7fc00000,
		0xff800001, one32, one32 - 1, 0x7f7fffff}
	for range 3000 {
		var a, b, s Lanes32
		for i := range a {
			for _, lanes := range []*Lanes32{&a, &b, &s} {
				lanes[i] = uint32(operand(random, &Single))
				if random.IntN(4) == 0 {
					lanes[i] = special[random.IntN(len(special))]
				}
			}
			if random.IntN(4) == 0 { // halfway cases of the fused product
				s[i] = Mul32(a[i], b[i], nearest) &^ 0xfff
			}
		}
		for _, loop := range loops {
			c := Control{Rounding: RoundNearest, Flush: loop.flush}
			var d Lanes32
			if loop.three != nil {
				loop.three(&d, &a, &b, &s, ^uint32(0))
			} else {
				loop.two(&d, &a, &b, ^uint32(0))
			}
			for i := range d {
				var want uint32
				if loop.three != nil {
					want = FMA32(a[i], b[i], s[i], c)
				} else {
					want = binary[loop.op](a[i], b[i], c)
				}
				if d[i] != want {
					require.Failf(t, "lanes differ", "%s flush %v of %x %x %x: %x, want %x", loop.op, loop.flush, a[i], b[i], s[i], d[i],
						want)
				}
			}
			if loop.two != nil { // the destination may be a source
				alias := a
				loop.two(&alias, &alias, &b, ^uint32(0))
				require.Equal(t, d, alias, loop.op)
			}
		}
	}
}

// The portable loops for f64, comparisons and conversions must agree with Find's forms, which on many hosts are vectors.
func TestPortableLoopsAgree(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 2))
	special := []uint64{0, sign64, 1, infinity64, sign64 | infinity64, 0x7ff0000000000001, 0xfff8000000000123, one64}
	cvt := func(to, from string, r Rounding) Operation {
		op, ok := Find(Key{Op: "cvt", Type: to, From: from, Rounding: r})
		require.True(t, ok)
		return op
	}
	toInteger, fromInteger := cvt("s32", "f32", RoundZeroInteger), cvt("f32", "s32", RoundNearest)
	for range 3000 {
		var a, b, c, want, got Lanes64
		var x, y, want32, got32 Lanes32
		for i := range a {
			for _, lanes := range []*Lanes64{&a, &b, &c} {
				lanes[i] = operand(random, &Double)
				if random.IntN(4) == 0 {
					lanes[i] = special[random.IntN(len(special))]
				}
			}
			x[i], y[i] = random.Uint32(), random.Uint32()
			if random.IntN(3) == 0 {
				y[i] = x[i]
			}
			if random.IntN(3) == 0 {
				x[i] = math.Float32bits(float32(random.NormFloat64() * 3e9))
			}
		}
		for op, loop := range map[string]func(d, a, b *Lanes64, active uint32){"add": addLanes64, "sub": subLanes64, "mul": mulLanes64} {
			found, _ := Find(Key{Op: op, Type: "f64", Rounding: RoundNearest})
			loop(&want, &a, &b, ^uint32(0))
			found.Binary64(&got, &a, &b, ^uint32(0))
			require.Equal(t, want, got, op)
		}
		fmaLanes64(&want, &a, &b, &c, ^uint32(0))
		found, _ := Find(Key{Op: "fma", Type: "f64", Rounding: RoundNearest})
		found.Ternary64(&got, &a, &b, &c, ^uint32(0))
		require.Equal(t, want, got, "fma")
		l, e, g := relateLanes32(&x, &y)
		pl, pe, pg := relateLoop32(&x, &y)
		require.Equal(t, []uint32{pl, pe, pg}, []uint32{l, e, g})
		l, e, g = relateLanes64(&a, &b)
		pl, pe, pg = relateLoop64(&a, &b)
		require.Equal(t, []uint32{pl, pe, pg}, []uint32{l, e, g})
		f32ToS32Lanes(&want32, &x, ^uint32(0))
		toInteger.Unary32(&got32, &x, ^uint32(0))
		require.Equal(t, want32, got32)
		s32ToF32Lanes(&want32, &x, ^uint32(0))
		fromInteger.Unary32(&got32, &x, ^uint32(0))
		require.Equal(t, want32, got32)
	}
}

// A significand that rounding carries over its first bit is the next power of two, with as many bits as before.
func TestRoundingCarries(t *testing.T) {
	for _, f := range []*Format{&Half, &Single, &Double, &Extended} {
		ones := Number{Hi: math.MaxUint64, Lo: math.MaxUint64, Exp: 3}
		require.Equal(t, Rounded{Exp: 4, Significand: 1 << (f.Precision - 1)}, f.Round(ones, RoundNearest), f.Name)
		require.Equal(t, Rounded{Exp: 3, Significand: math.MaxUint64 >> (64 - f.Precision)}, f.Round(ones, RoundZero), f.Name)
	}
}
