package exec

import (
	"math/bits"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/fp"
)

// merge copies the active lanes.
func merge(d, s *isa.Lanes32, active uint32) {
	if active == isa.FullMask {
		*d = *s
		return
	}
	if hasVectors {
		vectorMerge(d, s, active)
		return
	}
	if bits.OnesCount32(active) <= 8 {
		for m := active; m != 0; m &= m - 1 {
			i := bits.TrailingZeros32(m) & 31
			d[i] = s[i]
		}
		return
	}
	for i := range d {
		m := -(active & 1)
		active >>= 1
		d[i] ^= (d[i] ^ s[i]) & m
	}
}

// choose writes a in lanes of the mask and b elsewhere.
func choose(d, a, b *isa.Lanes32, mask uint32) {
	if hasVectors {
		vectorChoose(d, a, b, mask)
		return
	}
	for i := range d {
		m := -(mask & 1)
		mask >>= 1
		y := b[i]
		d[i] = y ^ (a[i]^y)&m
	}
}

// Runners fetch operands, call the operation's function and merge the result. If every lane is active the function writes to the
// destination directly.

func runUnary32(b *Bound, w *Warp, active uint32) {
	d := w.lanes(b.destination[0])
	if active == isa.FullMask {
		b.unary32(d, w.lanes(b.source[0]), active)
		return
	}
	out := &w.Scratch.out[0]
	b.unary32(out, w.lanes(b.source[0]), active)
	merge(d, out, active)
}

func runBinary32(b *Bound, w *Warp, active uint32) {
	d := w.lanes(b.destination[0])
	if active == isa.FullMask {
		b.binary32(d, w.lanes(b.source[0]), w.lanes(b.source[2]), active)
		return
	}
	out := &w.Scratch.out[0]
	b.binary32(out, w.lanes(b.source[0]), w.lanes(b.source[2]), active)
	merge(d, out, active)
}

func runTernary32(b *Bound, w *Warp, active uint32) {
	d := w.lanes(b.destination[0])
	if active == isa.FullMask {
		b.ternary32(d, w.lanes(b.source[0]), w.lanes(b.source[2]), w.lanes(b.source[4]), active)
		return
	}
	out := &w.Scratch.out[0]
	b.ternary32(out, w.lanes(b.source[0]), w.lanes(b.source[2]), w.lanes(b.source[4]), active)
	merge(d, out, active)
}

func runQuaternary32(b *Bound, w *Warp, active uint32) {
	out := &w.Scratch.out[0]
	b.quaternary32(out, w.lanes(b.source[0]), w.lanes(b.source[2]), w.lanes(b.source[4]), w.lanes(b.source[6]), active)
	merge(w.lanes(b.destination[0]), out, active)
}

func runPlanar(b *Bound, w *Warp, active uint32) {
	d, dHigh := w.lanes(b.destination[0]), w.lanes(b.destination[1])
	a, aHigh := w.lanes(b.source[0]), w.lanes(b.source[1])
	x, xHigh := w.lanes(b.source[2]), w.lanes(b.source[3])
	c, cHigh := w.lanes(b.source[4]), w.lanes(b.source[5])
	if active == isa.FullMask {
		b.planar(d, dHigh, a, aHigh, x, xHigh, c, cHigh, active)
		return
	}
	low, high := &w.Scratch.out[0], &w.Scratch.out[1]
	b.planar(low, high, a, aHigh, x, xHigh, c, cHigh, active)
	merge(d, low, active)
	merge(dHigh, high, active)
}

// runNarrow runs a 32-bit function on 8- or 16-bit values: it extends sources before and the result after.
func runNarrow(b *Bound, w *Warp, active uint32) {
	var s [3]*isa.Lanes32
	for n := range s {
		s[n] = w.lanes(b.source[2*n])
		if t := b.detail.extend[n]; t != isa.TypeNone {
			extend(&w.Scratch.in[n], s[n], t)
			s[n] = &w.Scratch.in[n]
		}
	}
	out := &w.Scratch.out[0]
	switch {
	case b.unary32 != nil:
		b.unary32(out, s[0], active)
	case b.binary32 != nil:
		b.binary32(out, s[0], s[1], active)
	default:
		b.ternary32(out, s[0], s[1], s[2], active)
	}
	if b.detail.result != isa.TypeNone {
		extend(out, out, b.detail.result)
	}
	merge(w.lanes(b.destination[0]), out, active)
}

// extend sign- or zero-extends values of 8 or 16 bits; 32 bits and more stay.
func extend(d, a *isa.Lanes32, t isa.Type) {
	switch t {
	case isa.S8:
		for i := range d {
			d[i] = uint32(int8(a[i]))
		}
	case isa.S16:
		for i := range d {
			d[i] = uint32(int16(a[i]))
		}
	default:
		mask := isa.FullMask
		switch t.Bytes() {
		case 1:
			mask = 0xff
		case 2:
			mask = 0xffff
		}
		for i := range d {
			d[i] = a[i] & mask
		}
	}
}

// extendTo64 sign- or zero-extends one value of a type to 64 bits.
func extendTo64(v uint64, t isa.Type) uint64 {
	shift := 64 - 8*uint(t.Bytes())
	if shift >= 64 {
		return v
	}
	if t.Signed() {
		return uint64(int64(v<<shift) >> shift)
	}
	return v << shift >> shift
}

// widen fills the high word of a register pair for a value of at most 32 bits that is already extended to 32.
func widen(dHigh, d *isa.Lanes32, t isa.Type) {
	if !t.Signed() {
		*dHigh = isa.Lanes32{}
		return
	}
	for i := range dHigh {
		dHigh[i] = uint32(int32(d[i]) >> 31)
	}
}

func join(d *isa.Lanes64, low, high *isa.Lanes32) {
	if hasVectors {
		vectorJoin(d, low, high)
		return
	}
	for i := range d {
		d[i] = uint64(high[i])<<32 | uint64(low[i])
	}
}

func split(low, high *isa.Lanes32, s *isa.Lanes64) {
	if hasVectors {
		vectorSplit(low, high, s)
		return
	}
	for i := range s {
		low[i] = uint32(s[i])
		high[i] = uint32(s[i] >> 32)
	}
}

// runFloat64 runs forms of package fp with a 64-bit operand or result.
func runFloat64(b *Bound, w *Warp, active uint32) {
	scratch := w.Scratch
	wide := &scratch.wide
	op := &b.detail.float
	for n := range b.detail.joined {
		join(&wide[n], w.lanes(b.source[2*n]), w.lanes(b.source[2*n+1]))
	}
	low, high := &scratch.out[0], &scratch.out[1]
	switch {
	case op.Ternary64 != nil:
		op.Ternary64(&wide[3], &wide[0], &wide[1], &wide[2], active)
	case op.Binary64 != nil:
		op.Binary64(&wide[3], &wide[0], &wide[1], active)
	case op.Unary64 != nil:
		op.Unary64(&wide[3], &wide[0], active)
	case op.Widen != nil:
		op.Widen(&wide[3], w.lanes(b.source[0]), active)
	default:
		op.Narrow(low, &wide[0], active)
		b.finishNarrow(w, active)
		return
	}
	if active == isa.FullMask {
		split(w.lanes(b.destination[0]), w.lanes(b.destination[1]), &wide[3])
		return
	}
	split(low, high, &wide[3])
	merge(w.lanes(b.destination[0]), low, active)
	merge(w.lanes(b.destination[1]), high, active)
}

// finishNarrow writes a result of at most 32 bits from the scratch, with its extension if the destination is a pair.
func (b *Bound) finishNarrow(w *Warp, active uint32) {
	low := &w.Scratch.out[0]
	merge(w.lanes(b.destination[0]), low, active)
	if b.destination[1] != slotSink {
		high := &w.Scratch.out[1]
		widen(high, low, b.effect.Type)
		merge(w.lanes(b.destination[1]), high, active)
	}
}

// runConvert32 runs a 32-bit conversion with a pair as destination.
func runConvert32(b *Bound, w *Warp, active uint32) {
	b.unary32(&w.Scratch.out[0], w.lanes(b.source[0]), active)
	b.finishNarrow(w, active)
}

// detail holds what less common operations need in addition to their function.
type detail struct {
	negatedFrom [3]slot // the sign words of sources that are read negated
	absolute    [3]bool // the signs of these are cleared first
	negates     bool    // negatedFrom are integers
	float       fp.Operation
	joined      int         // number of 64-bit sources
	extend      [3]isa.Type // runNarrow: the type to extend each source from
	result      isa.Type    // runNarrow: the result's type
	carry       carryForm
	sub         isa.Sub
	mask        bool // shfl, vote: there is a member mask
	truth       uint32
	call        *boundCall
	addresses   []uint32 // brx of machine code: addresses of its targets
}
