package check

import (
	"fmt"
	"math/bits"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/sim/check/finding"
	"github.com/keplersim/keplersim/sim/observe"
)

// arrivals are the warps that wait at a barrier.
type arrivals struct {
	list []arrival
}

// arrival is one warp's arrival.
type arrival struct {
	warp    int
	op      int32
	lane    int
	threads uint32
	only    bool // it does not wait
}

// Barrier orders a block's warps, and finds warps that misuse the barrier.
func (c *Checker) Barrier(e observe.Barrier) {
	b := c.blocks[e.Block]
	if e.ID >= uint32(len(b.barriers)) {
		return
	}
	bar := &b.barriers[e.ID]
	if e.Stage == observe.Ended {
		c.complete(b, bar)
		return
	}
	w := c.of(e.Warp)
	a := arrival{warp: w.index, op: e.Op, lane: bits.TrailingZeros32(e.Mask), threads: e.Threads, only: e.Kind == isa.BarArrive}
	if e.Mask != e.Live {
		c.divergent(w, &e)
	}
	if len(bar.list) > 0 {
		c.compare(b, &bar.list[0], &a)
	}
	bar.list = append(bar.list, a)
}

// divergent reports a warp that arrives at a barrier with only some of its lanes.
func (c *Checker) divergent(w *warp, e *observe.Barrier) {
	if !c.set.Has(finding.Sync) {
		return
	}
	detail := fmt.Sprintf("%d of the warp's %d threads reach it", bits.OnesCount32(e.Mask), bits.OnesCount32(e.Live))
	c.report(finding.DivergentBarrier, w, e.Op, noOp, func(f *finding.Finding) {
		f.Detail = detail
		f.Places = append(f.Places, c.here(w, e.Op, bits.TrailingZeros32(e.Mask), "arrives at a barrier"))
	})
}

// compare compares a warp's arrival with the first one at the same barrier.
func (c *Checker) compare(b *block, first, a *arrival) {
	if !c.set.Has(finding.Sync) {
		return
	}
	rule, detail := finding.BarrierMixed, ""
	switch {
	case first.threads != a.threads:
		rule, detail = finding.BarrierCount, fmt.Sprintf("it waits for %s here, and for %s there", threadCount(a.threads),
			threadCount(first.threads))
	case first.op == a.op || first.only != a.only || first.threads != 0:
		return // producers and consumers meet at named barriers in several statements
	case !b.apart(first.op, a.op):
		return
	}
	w := &b.warps[a.warp]
	c.report(rule, w, a.op, first.op, func(f *finding.Finding) {
		f.Detail = detail
		f.Places = append(f.Places, c.here(w, a.op, a.lane, "arrives at a barrier"))
		before := c.here(&b.warps[first.warp], first.op, first.lane, "waits at it")
		f.Places = append(f.Places, before)
	})
}

// apart reports whether operations are of different statements: a compiler may have copied one statement.
func (b *block) apart(one, other int32) bool {
	ops := b.grid.program.machine.Ops
	var p, q finding.Place
	locate(&p, b.grid.program.machine, one)
	locate(&q, b.grid.program.machine, other)
	return ops[one].Line != ops[other].Line && (p.File != q.File || p.Line != q.Line)
}

func threadCount(n uint32) string {
	if n == 0 {
		return "all threads of the block"
	}
	return fmt.Sprintf("%d threads", n)
}

// complete releases the warps of a complete barrier. All that happened before some arrival happens before the release of each waiting warp.
func (c *Checker) complete(b *block, bar *arrivals) {
	joint := make([]uint64, len(b.warps))
	var known []acquired
	var fenced *knowledge
	whole := false
	for _, a := range bar.list {
		w := &b.warps[a.warp]
		for i, clock := range w.seen {
			joint[i] = max(joint[i], clock)
		}
		joint[a.warp] = max(joint[a.warp], w.clock)
		known, fenced = joinKnown(known, w.known), fenced.join(w.fenced)
		whole = whole || a.threads == 0
	}
	for i := range b.warps {
		if w := &b.warps[i]; w.live == 0 && whole { // the barrier did not wait for it, but it has done all its work
			joint[i] = w.clock
		}
	}
	for _, a := range bar.list {
		w := &b.warps[a.warp]
		if !a.only {
			copy(w.seen, joint)
			w.known, w.fenced = known, fenced
		}
		c.tick(w, w.active)
		w.synced = w.clock
	}
	if len(bar.list) > 0 {
		c.exited(b, bar.list[0], whole)
	}
	bar.list = bar.list[:0]
}

// exited reports a barrier for all threads of a block when some have exited.
func (c *Checker) exited(b *block, a arrival, whole bool) {
	if !c.set.Has(finding.Sync) || !whole {
		return
	}
	gone := b.threads.count()
	for i := range b.warps {
		gone -= bits.OnesCount32(b.warps[i].live)
	}
	if gone == 0 {
		return
	}
	w := &b.warps[a.warp]
	c.report(finding.BarrierExited, w, a.op, noOp, func(f *finding.Finding) {
		f.Detail = fmt.Sprintf("%d of the block's %d threads have exited before it", gone, b.threads.count())
		f.Places = append(f.Places, c.here(w, a.op, a.lane, "passes a barrier"))
	})
}

// Stuck reports warps that wait at barriers that can never be complete.
func (c *Checker) Stuck() {
	if !c.set.Has(finding.Sync) {
		return
	}
	for _, b := range c.blocks {
		for i := range b.barriers {
			for _, a := range b.barriers[i].list {
				if a.only {
					continue
				}
				w := &b.warps[a.warp]
				c.report(finding.BarrierStuck, w, a.op, noOp, func(f *finding.Finding) {
					f.Places = append(f.Places, c.here(w, a.op, a.lane, "waits at a barrier"))
				})
			}
		}
	}
}

// warpMask compares a warp-wide operation's mask with the threads that execute it.
func (c *Checker) warpMask(w *warp, e *observe.Issue) {
	if !c.set.Has(finding.Sync) || e.Warp.State == nil {
		return
	}
	op := &w.block.grid.program.machine.Ops[e.Op]
	source := &op.Effect.Src[exec.MemberMask(op.Effect)]
	var of [32]uint64
	for m := e.Mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		members, ok := e.Warp.State.Operand(source, lane)
		if !ok {
			return
		}
		of[lane] = members
	}
	for m := e.Mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		members, differs := of[lane], false
		for others := uint32(members) & e.Mask; others != 0; others &= others - 1 {
			differs = differs || of[bits.TrailingZeros32(others)] != members
		}
		missing, own := uint32(members)&w.live&^e.Mask, uint32(members)>>lane&1
		if missing == 0 && own == 1 && !differs {
			continue
		}
		detail := fmt.Sprintf("its mask %#08x does not name the thread itself", uint32(members))
		if own == 1 && missing == 0 {
			detail = fmt.Sprintf("its mask %#08x names threads that come with another mask", uint32(members))
		} else if own == 1 {
			detail = fmt.Sprintf("its mask %#08x names %d threads of the warp that do not execute it now", uint32(members),
				bits.OnesCount32(missing))
		}
		c.report(finding.WarpMask, w, e.Op, noOp, func(f *finding.Finding) {
			f.Detail = detail
			f.Places = append(f.Places, c.here(w, e.Op, lane, "executes it"))
		})
		return
	}
}

const noOp = -1

// report reports a finding at one or two operations, or counts a repeated one. fill describes it.
func (c *Checker) report(rule *finding.Rule, w *warp, op, other int32, fill func(*finding.Finding)) {
	p := w.block.grid.program
	key := pair{rule, c.lineOf(p, other, ""), c.lineOf(p, op, "")}
	if f := c.pairs[key]; f != nil {
		f.Count++
		return
	}
	f := &finding.Finding{Rule: rule, Count: 1}
	fill(f)
	c.pairs[key] = f
	c.found.add(f)
}
