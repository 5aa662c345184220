package exec

import "github.com/keplersim/keplersim/isa"

// Comparisons compute a mask of lanes without branches, from the borrow of a subtraction one bit wider than the operands.

func lessU32(a, _, b, _ *isa.Lanes32, _ uint32) uint32 {
	if hasVectors {
		return vectorLessU(a, b)
	}
	var mask uint32
	for i := range a {
		mask = mask>>1 | uint32((uint64(a[i])-uint64(b[i]))>>63)<<31
	}
	return mask
}

func lessS32(a, _, b, _ *isa.Lanes32, _ uint32) uint32 {
	if hasVectors {
		return vectorLessS(a, b)
	}
	var mask uint32
	for i := range a {
		mask = mask>>1 | uint32(uint64(int64(int32(a[i]))-int64(int32(b[i])))>>63)<<31
	}
	return mask
}

func differ32(a, _, b, _ *isa.Lanes32, _ uint32) uint32 {
	if hasVectors {
		return vectorDiffer(a, b)
	}
	var mask uint32
	for i := range a {
		x := a[i] ^ b[i]
		mask = mask>>1 | (x|-x)&(1<<31)
	}
	return mask
}

func lessU64(a, aHigh, b, bHigh *isa.Lanes32, _ uint32) uint32 {
	if hasVectors {
		return vectorLessU(aHigh, bHigh) | ^vectorDiffer(aHigh, bHigh)&vectorLessU(a, b)
	}
	var mask uint32
	for i := range a {
		mask >>= 1
		if pack64(a[i], aHigh[i]) < pack64(b[i], bHigh[i]) {
			mask |= 1 << 31
		}
	}
	return mask
}

func lessS64(a, aHigh, b, bHigh *isa.Lanes32, _ uint32) uint32 {
	if hasVectors {
		return vectorLessS(aHigh, bHigh) | ^vectorDiffer(aHigh, bHigh)&vectorLessU(a, b)
	}
	var mask uint32
	for i := range a {
		mask >>= 1
		if int64(pack64(a[i], aHigh[i])) < int64(pack64(b[i], bHigh[i])) {
			mask |= 1 << 31
		}
	}
	return mask
}

func differ64(a, aHigh, b, bHigh *isa.Lanes32, _ uint32) uint32 {
	if hasVectors {
		return vectorDiffer(a, b) | vectorDiffer(aHigh, bHigh)
	}
	var mask uint32
	for i := range a {
		x := (a[i] ^ b[i]) | (aHigh[i] ^ bHigh[i])
		mask = mask>>1 | (x|-x)&(1<<31)
	}
	return mask
}

// relation reduces integer comparisons to two: less (a<b, or b<a if swapped) and differ, complemented or not.
type relation struct {
	differ, swap, complement, unsigned bool
}

var relations = map[isa.Compare]relation{
	isa.EQ: {differ: true, complement: true},
	isa.NE: {differ: true},
	isa.LT: {},
	isa.LE: {swap: true, complement: true},
	isa.GT: {swap: true},
	isa.GE: {complement: true},
	isa.LO: {unsigned: true},
	isa.LS: {unsigned: true, swap: true, complement: true},
	isa.HI: {unsigned: true, swap: true},
	isa.HS: {unsigned: true, complement: true},
}

// comparer returns the loop for an integer comparison.
func (r relation) comparer(t isa.Type) func(a, aHigh, b, bHigh *isa.Lanes32, active uint32) uint32 {
	signed := t.Signed() && !r.unsigned
	switch {
	case r.differ && t.Bytes() == 8:
		return differ64
	case r.differ:
		return differ32
	case t.Bytes() == 8 && signed:
		return lessS64
	case t.Bytes() == 8:
		return lessU64
	case signed:
		return lessS32
	default:
		return lessU32
	}
}
