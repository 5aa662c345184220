package randomptx

import (
	"fmt"
	"math/big"
	"math/bits"
)

// integer executes integer instructions.
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

// divide gives all ones for a divisor of 0, as the recorded GPU does.
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

// extract is bfe by PTX's definition, bit by bit.
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
