package exec

import (
	"fmt"
	"math/bits"

	"github.com/keplersim/keplersim/isa"
)

// carryForm turns an operation of a carry chain into one addition x + y + carry-in. PTX's condition code is the adder's carry: a
// subtraction is a + ^b + 1, and its carry is the complement of the borrow.
type carryForm struct {
	product  operation // madc and mad.cc: the half of a·b to add
	multiply bool
	invert   bool // y is complemented
	reads    bool // carry-in is the condition code; otherwise it is 1 with invert and 0 without
	writes   bool
	wide     bool
}

// bindCarry binds add.cc, sub.cc, mad.cc, addc, subc and madc.
func bindCarry(b *binder, bound *Bound, i *isa.Instruction) error {
	c := carryForm{writes: i.Mod.CarryOut, wide: i.Type.Bytes() == 8}
	switch i.Op {
	case isa.OpAdd:
	case isa.OpAddc:
		c.reads = true
	case isa.OpSub:
		c.invert = true
	case isa.OpSubc:
		c.invert, c.reads = true, true
	case isa.OpMad, isa.OpMadc:
		c.reads = i.Op == isa.OpMadc
		c.multiply = true
		var ok bool
		if c.product, ok = lookup(form{op: isa.OpMul, t: plain(i.Type), half: i.Mod.Half}); !ok {
			return ErrUnsupported
		}
	default:
		return fmt.Errorf("carry out: %w", ErrUnsupported)
	}
	if i.Type.Bytes() != 4 && !c.wide {
		return fmt.Errorf("carry of %d-byte values: %w", i.Type.Bytes(), ErrUnsupported)
	}
	if err := b.operands(bound, i.Src, i.Dst[0]); err != nil {
		return err
	}
	bound.detail = &detail{carry: c}
	bound.run = runCarry
	return nil
}

func runCarry(b *Bound, w *Warp, active uint32) {
	c, s := &b.detail.carry, w.Scratch
	x, xHigh := w.lanes(b.source[0]), w.lanes(b.source[1])
	y, yHigh := w.lanes(b.source[2]), w.lanes(b.source[3])
	if c.multiply {
		product, productHigh := &s.in[0], &s.in[1]
		if c.wide {
			c.product.planar(product, productHigh, x, xHigh, y, yHigh, nil, nil, active)
		} else {
			c.product.binary32(product, x, y, active)
		}
		x, xHigh = product, productHigh
		y, yHigh = w.lanes(b.source[4]), w.lanes(b.source[5])
	}
	flip, carry := uint32(0), uint32(0)
	if c.invert {
		flip, carry = isa.FullMask, isa.FullMask
	}
	if c.reads {
		carry = w.Carry
	}
	carry = addCarry(&s.out[0], x, y, flip, carry)
	if c.wide {
		carry = addCarry(&s.out[1], xHigh, yHigh, flip, carry)
		merge(w.lanes(b.destination[1]), &s.out[1], active)
	}
	merge(w.lanes(b.destination[0]), &s.out[0], active)
	if c.writes {
		zero := zeroLanes(&s.out[0])
		if c.wide {
			zero &= zeroLanes(&s.out[1])
		}
		if c.reads {
			zero &= w.Zero
		}
		w.Zero = w.Zero&^active | zero&active
		w.Carry = w.Carry&^active | carry&active
	}
}

// addCarry adds x, y^flip and one carry bit per lane, and returns the carries out.
func addCarry(d, x, y *isa.Lanes32, flip, carry uint32) uint32 {
	var out uint32
	for i := range d {
		sum, c := bits.Add32(x[i], y[i]^flip, carry&1)
		carry >>= 1
		d[i] = sum
		out = out>>1 | c<<31
	}
	return out
}
