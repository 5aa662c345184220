package randomptx

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
)

// integer carries out whole-number instructions.
func (e *evaluator) integer(m, o []string, set func(uint64)) error {
	t := m[len(m)-1]
	if m[0] == "prmt" {
		set(e.permute(o))
		return nil
	}
	if m[0] == "slct" {
		if e.number(o[3], "s32").Sign() >= 0 {
			set(e.bits(o[1]))
		} else {
			set(e.bits(o[2]))
		}
		return nil
	}
	w := width(t)
	n := []*big.Int{nil, e.number(o[1], t)}
	for _, operand := range o[2:] {
		n = append(n, e.number(operand, t))
	}
	r := new(big.Int)
	count := func(k int) uint { return uint(uint32(e.bits(o[k]))) }
	switch m[0] {
	case "add":
		r.Add(n[1], n[2])
		if m[1] == "sat" {
			r = clamp(r, t)
		}
	case "sub":
		r.Sub(n[1], n[2])
		if m[1] == "sat" {
			r = clamp(r, t)
		}
	case "mul", "mad":
		r.Mul(n[1], n[2])
		if m[1] == "hi" {
			r.Rsh(r, w)
		}
		if m[0] == "mad" && m[1] == "wide" {
			r.Add(r, e.number(o[3], t[:1]+"64"))
		} else if m[0] == "mad" {
			r.Add(r, n[3])
		}
		if m[1] == "wide" {
			set(wrap(r, 64))
			return nil
		}
	case "min", "max":
		r.Set(n[1])
		if (n[2].Cmp(n[1]) < 0) == (m[0] == "min") {
			r.Set(n[2])
		}
	case "and":
		r.And(n[1], n[2])
	case "or":
		r.Or(n[1], n[2])
	case "xor":
		r.Xor(n[1], n[2])
	case "not":
		r.Not(n[1])
	case "cnot":
		if n[1].Sign() == 0 {
			r.SetInt64(1)
		}
	case "abs":
		r.Abs(n[1])
	case "neg":
		r.Neg(n[1])
	case "sad":
		r.Sub(n[1], n[2])
		r.Add(r.Abs(r), n[3])
	case "shl":
		r.Lsh(n[1], min(count(2), w))
	case "shr":
		r.Rsh(n[1], min(count(2), w))
	case "shf":
		r.Or(n[1], new(big.Int).Lsh(n[2], 32))
		by := count(3) & 31
		if m[2] == "clamp" {
			by = min(count(3), 32)
		}
		if m[1] == "l" {
			r.Rsh(r.Lsh(r, by), 32)
		} else {
			r.Rsh(r, by)
		}
	case "div", "rem":
		divide(r, n[1], n[2], m[0] == "div")
	case "popc":
		r.SetInt64(int64(bits.OnesCount64(n[1].Uint64())))
	case "clz":
		r.SetInt64(int64(w) - int64(n[1].BitLen()))
	case "brev":
		for k := range int(w) {
			r.SetBit(r, int(w)-1-k, n[1].Bit(k))
		}
	case "bfind":
		v := n[1]
		if v.Sign() < 0 {
			v = new(big.Int).Not(v)
		}
		r.SetInt64(int64(v.BitLen()) - 1)
		if m[1] == "shiftamt" && r.Sign() >= 0 {
			r.Sub(big.NewInt(int64(w)-1), r)
		}
		set(wrap(r, 32))
		return nil
	case "bfe":
		r = extract(n[1], t, count(2)&255, count(3)&255)
	case "bfi":
		position, length := count(3)&255, count(4)&255
		r.SetUint64(wrap(n[2], w))
		for k := uint(0); k < length && position+k < w; k++ {
			r.SetBit(r, int(position+k), n[1].Bit(int(k)))
		}
	default:
		return fmt.Errorf("unknown")
	}
	set(wrap(r, w))
	return nil
}

// divide follows the recorded GPU for a divisor of 0: all bits one.
func divide(r, a, b *big.Int, quotient bool) {
	switch {
	case b.Sign() != 0 && quotient:
		r.Quo(a, b)
	case b.Sign() != 0:
		r.Rem(a, b)
	default:
		r.SetInt64(-1)
	}
}

// extract is bfe as PTX defines it, bit by bit.
func extract(a *big.Int, t string, position, length uint) *big.Int {
	w := width(t)
	source := new(big.Int).SetUint64(wrap(a, w))
	sign := uint(0)
	if t[0] == 's' && length > 0 {
		sign = source.Bit(int(min(position+length-1, w-1)))
	}
	r := new(big.Int)
	for k := range w {
		bit := sign
		if k < length && position+k < w {
			bit = source.Bit(int(position + k))
		}
		r.SetBit(r, int(k), bit)
	}
	return r
}

func (e *evaluator) permute(o []string) (r uint64) {
	source := e.bits(o[1])&0xffffffff | e.bits(o[2])<<32
	selectors := e.bits(o[3])
	for k := range 4 {
		s := selectors >> (4 * k) & 15
		b := source >> (8 * (s & 7)) & 255
		if s&8 != 0 {
			b = b >> 7 * 255
		}
		r |= b << (8 * k)
	}
	return r
}

// roundings are the rounding modes by their modifiers.
var roundings = map[string]big.RoundingMode{"rn": big.ToNearestEven, "rz": big.ToZero, "rm": big.ToNegativeInf, "rp": big.ToPositiveInf}

const notANumber = 0x7fffffff // every f32 operation that makes one makes this

// float carries out f32 arithmetic: exactly, then rounded once.
func (e *evaluator) float(m, o []string, set func(uint64)) error {
	var v [3]float64
	for k, operand := range o[1:] {
		v[k] = float64(e.single(operand))
	}
	a, b := v[0], v[1]
	if m[0] == "min" || m[0] == "max" {
		switch {
		case a != a && b != b:
			set(notANumber)
		case a != a:
			set(e.bits(o[2]))
		case b != b:
			set(e.bits(o[1]))
		case m[0] == "min":
			set(uint64(math.Float32bits(float32(math.Min(a, b)))))
		default:
			set(uint64(math.Float32bits(float32(math.Max(a, b)))))
		}
		return nil
	}
	// The special cases as IEEE 754 has them; where the result is finite and not zero it is computed exactly below.
	var special float64
	x, y := a, b
	add := 0.0
	switch m[0] {
	case "add":
		special = a + b
		x, y, add = a, 1, b
	case "sub":
		special = a - b
		x, y, add = a, 1, -b
	case "mul":
		special = a * b
	case "fma":
		special, add = a*b+v[2], v[2] // a product of two f32 is exact in f64
	default:
		return fmt.Errorf("unknown")
	}
	if special != special {
		set(notANumber)
		return nil
	}
	if math.IsInf(special, 0) {
		set(uint64(math.Float32bits(float32(special))))
		return nil
	}
	exact := new(big.Float).SetPrec(2000).Mul(new(big.Float).SetPrec(2000).SetFloat64(x), new(big.Float).SetPrec(2000).SetFloat64(y))
	if m[0] != "mul" {
		exact.Add(exact, new(big.Float).SetPrec(2000).SetFloat64(add))
	}
	mode := m[1]
	if exact.Sign() == 0 {
		set(uint64(math.Float32bits(float32(zero(m[0], x*y, add, special, mode)))))
		return nil
	}
	set(uint64(math.Float32bits(round(exact, roundings[mode]))))
	return nil
}

// zero is the signed zero of an exact result of 0: a sum of opposite values is -0 when rounding down.
func zero(op string, product, add, nearest float64, mode string) float64 {
	if op != "mul" && (product != 0 || math.Signbit(product) != math.Signbit(add)) {
		if mode == "rm" {
			return math.Copysign(0, -1)
		}
		return 0
	}
	return nearest
}

// round rounds an exact value to f32, subnormals and overflow included.
func round(exact *big.Float, mode big.RoundingMode) float32 {
	exponent := exact.MantExp(nil) // value = 0.5..1 × 2^exponent
	precision := 24
	if exponent < -125 {
		precision = 24 - (-125 - exponent)
	}
	negative := exact.Signbit()
	if precision <= 0 { // below the smallest subnormal's unit: it or zero
		smallest := new(big.Float).SetMantExp(big.NewFloat(1), -149)
		up := mode == big.ToPositiveInf && !negative || mode == big.ToNegativeInf && negative
		if mode == big.ToNearestEven {
			up = new(big.Float).Abs(exact).Cmp(new(big.Float).SetMantExp(big.NewFloat(1), -150)) > 0
		}
		v := 0.0
		if up {
			v, _ = smallest.Float64()
		}
		if negative {
			v = -v
			if v == 0 {
				v = math.Copysign(0, -1)
			}
		}
		return float32(v)
	}
	r := new(big.Float).SetPrec(uint(precision)).SetMode(mode).Set(exact)
	if largest := big.NewFloat(math.MaxFloat32); new(big.Float).Abs(r).Cmp(largest) > 0 {
		away := mode == big.ToNearestEven || mode == big.ToPositiveInf && !negative || mode == big.ToNegativeInf && negative
		v := float32(math.MaxFloat32)
		if away {
			v = float32(math.Inf(1))
		}
		if negative {
			v = -v
		}
		return v
	}
	v, _ := r.Float32()
	return v
}

// convert carries out cvt.
func (e *evaluator) convert(m, o []string, set func(uint64)) error {
	to, from := m[len(m)-2], m[len(m)-1]
	switch {
	case to == "f32":
		v := new(big.Float).SetPrec(200).SetInt(e.number(o[1], from))
		if v.Sign() == 0 {
			set(0)
			return nil
		}
		set(uint64(math.Float32bits(round(v, roundings[m[1]]))))
	case from == "f32":
		v := float64(e.single(o[1]))
		switch m[1] {
		case "rzi":
			v = math.Trunc(v)
		case "rni":
			v = math.RoundToEven(v)
		case "rmi":
			v = math.Floor(v)
		case "rpi":
			v = math.Ceil(v)
		}
		if v != v {
			set(0)
			return nil
		}
		v = max(-1e30, min(1e30, v))
		n, _ := new(big.Float).SetFloat64(v).Int(nil)
		set(wrap(clamp(n, to), 32))
	default:
		n := e.number(o[1], from)
		if m[1] == "sat" {
			n = clamp(n, to)
		}
		// A narrow result lies in its register extended by its type.
		set(asNumberBits(wrap(n, width(to)), to))
	}
	return nil
}
