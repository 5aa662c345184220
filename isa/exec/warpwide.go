package exec

import (
	"fmt"
	"math/bits"

	"github.com/keplersim/keplersim/isa"
)

// bindShuffle binds shfl: d|p = a of the lane that b selects, within the segment that c describes.
func bindShuffle(b *binder, bound *Bound, i *isa.Instruction) error {
	if len(i.Src) < 3 || len(i.Dst) == 0 {
		return fmt.Errorf("shfl with %d sources: %w", len(i.Src), ErrUnsupported)
	}
	if err := b.operands(bound, i.Src[:min(4, len(i.Src))], i.Dst[0]); err != nil {
		return err
	}
	bound.predicates.destination = [2]int8{-1, -1}
	if len(i.Dst) > 1 {
		p, err := writtenPredicate(i.Dst[1])
		if err != nil {
			return err
		}
		bound.predicates.destination[0] = p
	}
	if i.Mod.Select < isa.ShflUp || i.Mod.Select > isa.ShflIdx {
		return fmt.Errorf("shfl mode %d: %w", i.Mod.Select, ErrUnsupported)
	}
	bound.detail = &detail{sub: i.Mod.Select}
	bound.run = runShuffle
	if i.Src[1].Kind == isa.OperandImmediate && i.Src[2].Kind == isa.OperandImmediate {
		fixed := new(fixedShuffle)
		for lane := range fixed.source {
			source, inside := shuffleFrom(i.Mod.Select, int32(lane), uint32(i.Src[1].Immediate), uint32(i.Src[2].Immediate))
			fixed.source[lane] = uint8(source)
			if inside {
				fixed.inside |= 1 << lane
			}
		}
		bound.run = func(b *Bound, w *Warp, active uint32) {
			a, out := w.lanes(b.source[0]), &w.Scratch.out[0]
			for lane, from := range fixed.source {
				out[lane] = a[from&31]
			}
			merge(w.lanes(b.destination[0]), out, active)
			w.setPredicate(b.predicates.destination[0], fixed.inside, active)
		}
	}
	return nil
}

// fixedShuffle is a shuffle with immediate b and c: its lanes are constant.
type fixedShuffle struct {
	source [32]uint8
	inside uint32
}

// runShuffle moves lanes by register operands. An inactive source lane gives its register's value.
func runShuffle(b *Bound, w *Warp, active uint32) {
	a, offset, clamp := w.lanes(b.source[0]), w.lanes(b.source[2]), w.lanes(b.source[4])
	out := &w.Scratch.out[0]
	var inside uint32
	for i := range out {
		source, ok := shuffleFrom(b.detail.sub, int32(i), offset[i], clamp[i])
		if ok {
			inside |= 1 << i
		}
		out[i] = a[source&31]
	}
	merge(w.lanes(b.destination[0]), out, active)
	w.setPredicate(b.predicates.destination[0], inside, active)
}

// shuffleFrom follows the pseudo-code of the PTX reference. It returns the lane to read: the lane itself if the one it asks for is outside
// the segment.
func shuffleFrom(mode isa.Sub, lane int32, b, c uint32) (source int32, inside bool) {
	step, segment := int32(b&31), int32(c>>8&31)
	first := lane & segment
	last := first | int32(c&31)&^segment
	j := lane
	switch mode {
	case isa.ShflUp:
		j = lane - step
		inside = j >= last
	case isa.ShflDown:
		j = lane + step
		inside = j <= last
	case isa.ShflBfly:
		j = lane ^ step
		inside = j <= last
	case isa.ShflIdx:
		j = first | step&^segment
		inside = j <= last
	}
	if !inside {
		return lane, false
	}
	return j, true
}

// bindVote binds vote: it combines a predicate over the active lanes, or over those of a member mask.
func bindVote(b *binder, bound *Bound, i *isa.Instruction) error {
	if len(i.Src) == 0 || len(i.Dst) != 1 {
		return fmt.Errorf("vote with %d sources: %w", len(i.Src), ErrUnsupported)
	}
	p, err := readPredicate(i.Src[0])
	if err != nil {
		return err
	}
	bound.predicates.source[0] = p
	if err := b.sources(bound, i.Src[1:]); err != nil {
		return err
	}
	bound.detail = &detail{sub: i.Mod.Select, mask: len(i.Src) > 1}
	bound.predicates.destination = [2]int8{-1, -1}
	if i.Mod.Select == isa.VoteBallot {
		bound.destination, err = target(i.Dst[0])
	} else {
		bound.predicates.destination[0], err = writtenPredicate(i.Dst[0])
	}
	bound.run = runVote
	return err
}

func runVote(b *Bound, w *Warp, active uint32) {
	voters := active
	if b.detail.mask {
		voters &= w.lanes(b.source[0])[bits.TrailingZeros32(active)&31]
	}
	yes := b.predicates.source[0].mask(w) & voters
	var answer bool
	switch b.detail.sub {
	case isa.VoteAll:
		answer = yes == voters
	case isa.VoteAny:
		answer = yes != 0
	case isa.VoteUni:
		answer = yes == voters || yes == 0
	default:
		w.broadcast(b.destination[0], yes, active)
		return
	}
	mask := uint32(0)
	if answer {
		mask = isa.FullMask
	}
	w.setPredicate(b.predicates.destination[0], mask, active)
}

// broadcast writes one number to the active lanes of a register.
func (w *Warp) broadcast(d slot, v, active uint32) {
	out := &w.Scratch.out[0]
	for i := range out {
		out[i] = v
	}
	merge(w.lanes(d), out, active)
}

func bindActivemask(_ *binder, bound *Bound, i *isa.Instruction) error {
	var err error
	bound.destination, err = target(i.Dst[0])
	bound.run = func(b *Bound, w *Warp, active uint32) { w.broadcast(b.destination[0], active, active) }
	return err
}

// bindMatch binds match: the lanes with the same value (any), or all lanes if all have the same (all).
func bindMatch(b *binder, bound *Bound, i *isa.Instruction) error {
	if len(i.Src) == 0 || len(i.Dst) == 0 {
		return ErrUnsupported
	}
	if err := b.sources(bound, i.Src); err != nil {
		return err
	}
	var err error
	if bound.destination, err = target(i.Dst[0]); err != nil {
		return err
	}
	bound.predicates.destination = [2]int8{-1, -1}
	if len(i.Dst) > 1 {
		if bound.predicates.destination[0], err = writtenPredicate(i.Dst[1]); err != nil {
			return err
		}
	}
	if i.Type.Bytes() < 8 {
		bound.source[1] = slotZero
	}
	bound.detail = &detail{sub: i.Mod.Select, mask: len(i.Src) > 1}
	bound.run = runMatch
	return nil
}

func runMatch(b *Bound, w *Warp, active uint32) {
	low, high := w.lanes(b.source[0]), w.lanes(b.source[1])
	members := active
	if b.detail.mask {
		members &= w.lanes(b.source[2])[bits.TrailingZeros32(active)&31]
	}
	out := &w.Scratch.out[0]
	*out = isa.Lanes32{}
	all := true
	for m := members; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		for n := members; n != 0; n &= n - 1 {
			if j := bits.TrailingZeros32(n) & 31; low[i] == low[j] && high[i] == high[j] {
				out[i] |= 1 << j
			}
		}
		all = all && out[i] == members
	}
	same := uint32(0)
	if b.detail.sub == isa.MatchAll {
		if all {
			same = isa.FullMask
		} else {
			*out = isa.Lanes32{}
		}
	}
	merge(w.lanes(b.destination[0]), out, active)
	w.setPredicate(b.predicates.destination[0], same, active)
}

// bindReduction binds redux: it combines a value over all member lanes.
func bindReduction(b *binder, bound *Bound, i *isa.Instruction) error {
	if len(i.Src) != 2 || len(i.Dst) != 1 || i.Mod.Select < isa.AtomicAdd || i.Mod.Select > isa.AtomicXor {
		return ErrUnsupported
	}
	if err := b.sources(bound, i.Src); err != nil {
		return err
	}
	var err error
	bound.destination, err = target(i.Dst[0])
	bound.detail = &detail{sub: i.Mod.Select}
	bound.run = func(b *Bound, w *Warp, active uint32) {
		values := w.lanes(b.source[0])
		first := bits.TrailingZeros32(active) & 31
		members := active & w.lanes(b.source[2])[first]
		total := uint64(values[first])
		for m := members &^ (1 << first); m != 0; m &= m - 1 {
			v := values[bits.TrailingZeros32(m)&31]
			total = atomic(b.detail.sub, b.effect.Type, total, uint64(v), 0, false)
		}
		w.broadcast(b.destination[0], uint32(total), active)
	}
	return err
}
