package exec

import "github.com/keplersim/keplersim/isa"

// Video instructions, after the pseudo-code of the PTX reference. They extend fields of the sources, compute in more than 32 bits,
// saturate, and apply a second operation or a merge with the third operand.

// videoOperation is the primary operation of a scalar or SIMD video instruction, on extended elements.
type videoOperation func(a, b int64) int64

var videoOperations = map[isa.Opcode]videoOperation{
	isa.OpVadd: videoAdd, isa.OpVadd2: videoAdd, isa.OpVadd4: videoAdd,
	isa.OpVsub: videoSub, isa.OpVsub2: videoSub, isa.OpVsub4: videoSub,
	isa.OpVabsdiff: videoDistance, isa.OpVabsdiff2: videoDistance, isa.OpVabsdiff4: videoDistance,
	isa.OpVmin: videoMin, isa.OpVmin2: videoMin, isa.OpVmin4: videoMin,
	isa.OpVmax: videoMax, isa.OpVmax2: videoMax, isa.OpVmax4: videoMax,
	isa.OpVavrg2: videoAverage, isa.OpVavrg4: videoAverage,
}

func videoAdd(a, b int64) int64      { return a + b }
func videoSub(a, b int64) int64      { return a - b }
func videoDistance(a, b int64) int64 { return max(a, b) - min(a, b) }
func videoMin(a, b int64) int64      { return min(a, b) }
func videoMax(a, b int64) int64      { return max(a, b) }

// videoAverage rounds halves away from zero.
func videoAverage(a, b int64) int64 {
	s := a + b
	if s >= 0 {
		s++
	}
	return s >> 1
}

// selectorField is the position and width in bits of the field that a selector picks.
var selectorField = [...]struct{ position, width int }{
	isa.SelectWord: {0, 32}, isa.SelectB0: {0, 8}, isa.SelectB1: {8, 8}, isa.SelectB2: {16, 8}, isa.SelectB3: {24, 8},
	isa.SelectH0: {0, 16}, isa.SelectH1: {16, 16},
}

func selectField(v uint32, s isa.Selector, signed bool) int64 {
	f := selectorField[s]
	return field(v, f.position, f.width, signed)
}

// saturateField clamps a value to the range of a signed or unsigned field.
func saturateField(v int64, width int, signed bool) int64 {
	if signed {
		return max(-1<<(width-1), min(1<<(width-1)-1, v))
	}
	return max(0, min(1<<width-1, v))
}

// second applies a scalar video instruction's second operation, or the merge into c.
func second(op isa.Sub, v int64, c uint32, merged bool, to isa.Selector, signed bool) uint32 {
	third := thirdOperand(c, signed)
	if signed {
		v = int64(int32(v))
	} else {
		v = int64(uint32(v))
	}
	switch op {
	case isa.AtomicAdd:
		return uint32(v + third)
	case isa.AtomicMin:
		return uint32(min(v, third))
	case isa.AtomicMax:
		return uint32(max(v, third))
	}
	f := selectorField[to]
	mask := uint32(uint64(1)<<f.width-1) << f.position
	if !merged {
		c = 0
		if to == isa.SelectWord {
			return uint32(v)
		}
	}
	return c&^mask | uint32(v)<<f.position&mask
}

func thirdOperand(c uint32, signed bool) int64 {
	if signed {
		return int64(int32(c))
	}
	return int64(c)
}

// videoTypes returns the types of result and sources. vset, vset2 and vset4 name only their sources (Type and From); their result is
// unsigned.
func videoTypes(i *isa.Instruction) [3]isa.Type {
	if i.Mod.SIMDTypes[0] == isa.TypeNone {
		return [3]isa.Type{isa.U32, i.Type, i.From}
	}
	return i.Mod.SIMDTypes
}

// videoScalar makes vadd, vsub, vabsdiff, vmin, vmax, vshl, vshr and vset.
func videoScalar(i *isa.Instruction) (operation, bool) {
	if len(i.Src) < 2 || len(i.Dst) != 1 {
		return operation{}, false
	}
	types := videoTypes(i)
	to, x, y := i.Dst[0].Selector, i.Src[0].Selector, i.Src[1].Selector
	signed, xSigned, ySigned := types[0].Signed(), types[1].Signed(), types[2].Signed()
	saturate, merged, op2 := i.Mod.Saturate, len(i.Src) > 2, i.Mod.Select
	// A second comparison compares all 34 bits of a signed result; truncation comes after it (PTX reference, video instructions). The
	// recorded GPU truncates sums and differences first. It compares all bits of a left shift's result even though that is unsigned.
	sees := signed && i.Op != isa.OpVadd && i.Op != isa.OpVsub || i.Op == isa.OpVshl
	whole := sees && !saturate && (op2 == isa.AtomicMin || op2 == isa.AtomicMax)
	compute := videoOperations[i.Op]
	// The recorded GPU drops the carry of an unsigned result before saturation.
	wraps := (i.Op == isa.OpVadd || i.Op == isa.OpVsub || i.Op == isa.OpVabsdiff) && !signed
	switch i.Op {
	case isa.OpVshl, isa.OpVshr:
		compute, ySigned = videoShift(i.Op == isa.OpVshl, i.Mod.ShiftMode == isa.Wrap, saturate), false
	case isa.OpVset:
		compute, signed = videoCompare(i.Mod.Compare), false
	}
	if compute == nil {
		return operation{}, false
	}
	return scalarTernary(func(a, b, c uint32) uint32 {
		v := compute(selectField(a, x, xSigned), selectField(b, y, ySigned))
		if wraps && v > 0 {
			v = int64(uint32(v))
		}
		if saturate {
			v = saturateField(v, selectorField[to].width, signed)
		}
		if whole {
			if third := thirdOperand(c, signed); (third < v) == (op2 == isa.AtomicMin) {
				v = third
			}
			return uint32(v)
		}
		return second(op2, v, c, merged, to, signed)
	}), true
}

// videoShift returns the shift. The recorded GPU truncates a saturating left shift to PTX's 34-bit intermediate result; otherwise a second
// operation sees all bits.
func videoShift(left, wrap, saturate bool) videoOperation {
	return func(a, b int64) int64 {
		if wrap {
			b &= 31
		}
		b = min(b, 32)
		if left && saturate {
			return a << b << 30 >> 30
		}
		if left && b == 32 {
			a = min(a, 1<<30) // keeps the sign; the low word is zero anyway
		}
		if left {
			return a << b
		}
		return a >> b
	}
}

func videoCompare(c isa.Compare) videoOperation {
	holds := map[isa.Compare]func(a, b int64) bool{
		isa.EQ: func(a, b int64) bool { return a == b },
		isa.NE: func(a, b int64) bool { return a != b },
		isa.LT: func(a, b int64) bool { return a < b },
		isa.LE: func(a, b int64) bool { return a <= b },
		isa.GT: func(a, b int64) bool { return a > b },
		isa.GE: func(a, b int64) bool { return a >= b },
	}
	holds[isa.LO], holds[isa.LS], holds[isa.HI], holds[isa.HS] = holds[isa.LT], holds[isa.LE], holds[isa.GT], holds[isa.GE]
	f := holds[c]
	if f == nil {
		return nil
	}
	return func(a, b int64) int64 {
		if f(a, b) {
			return 1
		}
		return 0
	}
}

// videoMultiply makes vmad.
func videoMultiply(i *isa.Instruction) (operation, bool) {
	if len(i.Src) != 3 || len(i.Dst) != 1 {
		return operation{}, false
	}
	types := i.Mod.SIMDTypes
	x, y := i.Src[0].Selector, i.Src[1].Selector
	xSigned, ySigned := types[1].Signed(), types[2].Signed()
	negateProduct, negateThird := i.Src[0].Negate != i.Src[1].Negate, i.Src[2].Negate
	signed := xSigned || ySigned || negateProduct || negateThird
	saturate, po, scale := i.Mod.Saturate, i.Mod.PostOp, i.Mod.Scale
	// The recorded GPU treats whole words as signed whatever their type. The type extends bytes and halves, and decides how the scaled sum
	// saturates.
	xSigned = xSigned || x == isa.SelectWord
	ySigned = ySigned || y == isa.SelectWord
	return scalarTernary(func(a, b, c uint32) uint32 {
		product := selectField(a, x, xSigned) * selectField(b, y, ySigned)
		third, one := int64(int32(c)), int64(0)
		switch {
		case po:
			one = 1
		case negateProduct:
			product, one = ^product, 1
		case negateThird:
			third, one = ^third, 1
		}
		sum := product + third + one
		if signed {
			v := sum >> scale
			if saturate {
				v = saturateField(v, 32, true)
			}
			return uint32(v)
		}
		v := uint64(sum) >> scale
		if saturate {
			v = min(v, 1<<32-1)
		}
		return uint32(v)
	}), true
}

// videoSIMD makes the instructions on two halves or four bytes.
func videoSIMD(elements int) func(i *isa.Instruction) (operation, bool) {
	width := 32 / elements
	return func(i *isa.Instruction) (operation, bool) {
		if len(i.Src) != 3 || len(i.Dst) != 1 {
			return operation{}, false
		}
		types := videoTypes(i)
		x, y := i.Src[0].Permute, i.Src[1].Permute
		signed, xSigned, ySigned := types[0].Signed(), types[1].Signed(), types[2].Signed()
		saturate, accumulate, write := i.Mod.Saturate, i.Mod.Select == isa.AtomicAdd, i.Mod.SelectMask
		if write == 0 {
			write = 1<<elements - 1
		}
		compute := videoOperations[i.Op]
		if i.Op == isa.OpVset2 || i.Op == isa.OpVset4 {
			compute, signed = videoCompare(i.Mod.Compare), false
		}
		if compute == nil {
			return operation{}, false
		}
		element := func(a, b uint32, choice uint16, n int, signed bool) int64 {
			e := int(choice>>(4*n)) & (2*elements - 1)
			if e >= elements {
				a, e = b, e-elements
			}
			return field(a, e*width, width, signed)
		}
		return scalarTernary(func(a, b, c uint32) uint32 {
			d := c
			for n := range elements {
				if write>>n&1 == 0 {
					continue
				}
				v := compute(element(a, b, x, n, xSigned), element(a, b, y, n, ySigned))
				if saturate {
					v = saturateField(v, width, signed)
				}
				if accumulate {
					d += uint32(v)
					continue
				}
				mask := uint32(1<<width-1) << (n * width)
				d = d&^mask | uint32(v)<<(n*width)&mask
			}
			return d
		}), true
	}
}
