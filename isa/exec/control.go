package exec

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/keplersim/keplersim/isa"
)

// BarrierRequest is a barrier operation of a warp.
type BarrierRequest struct {
	Kind      isa.Sub    // BarSync, BarArrive or BarRed
	ID        uint32     // 0 to 15
	Threads   uint32     // participating threads; 0 is the whole block
	Operation isa.BoolOp // bar.red: BoolAnd, BoolOr or BoolPopc
	Predicate uint32     // bar.red: the active lanes with a true predicate
}

func bindBarrier(b *binder, bound *Bound, i *isa.Instruction) error {
	bound.Kind = KindControl
	bound.detail = &detail{sub: i.Mod.Select}
	bound.predicates.destination = [2]int8{-1, -1}
	values := i.Src
	if i.Mod.Select == isa.BarRed {
		if len(values) < 2 || len(i.Dst) != 1 {
			return fmt.Errorf("bar.red with %d sources: %w", len(values), ErrUnsupported)
		}
		p, err := readPredicate(values[len(values)-1])
		if err != nil {
			return err
		}
		values = values[:len(values)-1]
		bound.predicates.source[0] = p
		bound.predicates.combine = i.Mod.Bool
		if i.Mod.Bool == isa.BoolPopc {
			bound.destination, err = target(i.Dst[0])
		} else {
			bound.predicates.destination[0], err = writtenPredicate(i.Dst[0])
		}
		if err != nil {
			return err
		}
	}
	return b.sources(bound, values)
}

// Barrier reads a bar's operands. Operands that all lanes should agree on are read from the first active lane.
func (b *Bound) Barrier(w *Warp, active uint32) BarrierRequest {
	first := bits.TrailingZeros32(active) & 31
	r := BarrierRequest{Kind: isa.BarSync}
	if b.detail == nil {
		return r
	}
	if b.detail.sub != isa.SubNone {
		r.Kind = b.detail.sub
	}
	r.ID = w.lanes(b.source[0])[first]
	r.Threads = w.lanes(b.source[2])[first]
	if r.Kind == isa.BarRed {
		r.Operation = b.predicates.combine
		r.Predicate = b.predicates.source[0].mask(w) & active
	}
	return r
}

// BarrierResult writes the result of bar.red to the given lanes: a count for BoolPopc, else whether value is nonzero.
func (b *Bound) BarrierResult(w *Warp, lanes, value uint32) {
	if b.predicates.combine == isa.BoolPopc {
		if w.Scratch == nil {
			w.Scratch = new(Scratch)
		}
		w.broadcast(b.destination[0], value, lanes)
		return
	}
	mask := uint32(0)
	if value != 0 {
		mask = isa.FullMask
	}
	w.setPredicate(b.predicates.destination[0], mask, lanes)
}

func bindIndex(b *binder, bound *Bound, i *isa.Instruction) error {
	bound.Kind = KindControl
	if len(i.Src) == 0 {
		return ErrUnsupported
	}
	if len(i.Src) > 1 {
		bound.detail = &detail{}
		for _, at := range i.Src[1:] {
			bound.detail.addresses = append(bound.detail.addresses, uint32(at.Immediate))
		}
	}
	return b.sources(bound, i.Src[:1])
}

// Index returns the table index of a lane's brx.idx; for an address that is not in the table, the table's length.
func (b *Bound) Index(w *Warp, lane int) uint32 {
	v := w.lanes(b.source[0])[lane&31]
	if b.detail == nil {
		return v
	}
	if n := slices.Index(b.detail.addresses, v); n >= 0 {
		return uint32(n)
	}
	return uint32(len(b.detail.addresses))
}
