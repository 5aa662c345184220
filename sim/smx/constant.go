package smx

import (
	"math/bits"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/stats"
)

// constants are the constant caches: operands c[bank][offset] of arithmetic, and loads from constant and parameter space.
type constants struct {
	hierarchy
	replay int
}

// bankBytes is the distance of constant banks in the caches' addresses.
const bankBytes = 1 << 16

func (c *constants) build(config *configs.Config) (err error) {
	if c.l1 != nil {
		c.reset()
		return nil
	}
	k := &config.ConstantCache
	c.hierarchy, err = newHierarchy(k.L1, k.L15, k.L2Latency)
	c.replay = k.ReplayCycles
	return err
}

// operand returns when the line of a constant operand is in the first constant cache, and the line. A hit returns now, since its latency is
// part of the pipeline.
func (c *constants) operand(address uint64, now engine.Cycle, counters *stats.SMX) (at engine.Cycle, line uint64) {
	at = c.load(address, now, counters)
	if at <= now+c.latency1 {
		at = now
	}
	return at, address &^ (c.line1 - 1)
}

// load returns when the data at an address of the constant banks arrives.
func (c *constants) load(address uint64, now engine.Cycle, counters *stats.SMX) engine.Cycle {
	return c.read(address, now, &counters.Constant, &counters.ConstantL15)
}

// constantLoad carries out a load from constant or parameter space, with one pass for each distinct address among the lanes.
func (s *lsu) constantLoad(sc *warpScheduler, w *warp, op *operation, a *access) engine.Cycle {
	bank, base := w.block.Launch.Bank3, uint64(isa.ConstantBankUser*bankBytes)
	if a.Space == isa.SpaceParam {
		bank, base = w.block.Launch.Bank0, 0
	}
	base += w.gridState.constants
	if fault := op.bound.ApplyFlat(&w.Warp, &a.Access, bank); fault != nil {
		if fault = s.effects.pastConstants(a, bank, fault); fault != nil {
			s.accessFault(w, op, fault)
			return 0
		}
		op.bound.Complete(&w.Warp, &a.Access, a.Active)
	}
	at, passes := s.now, 0
	rest := a.Active
	if a.Shape.Within(0) { // all lanes have the first one's address
		at, rest, passes = max(at, s.frontEnd.constants.load(base+a.Address[0], s.now, &w.gridState.Counters)), 0, 1
	}
	for ; rest != 0; passes++ {
		address := a.Address[bits.TrailingZeros32(rest)]
		for m := rest; m != 0; m &= m - 1 {
			if lane := bits.TrailingZeros32(m); a.Address[lane] == address {
				rest &^= 1 << lane
			}
		}
		at = max(at, s.frontEnd.constants.load(base+address, s.now, &w.gridState.Counters))
	}
	w.gridState.Operations[op.index].Memory.Book(uint64(bits.OnesCount32(a.Active))*uint64(a.Bytes), passes, 0)
	sc.replay(w.gridState, &w.gridState.Counters.ConstantReplays, s.now, passes)
	start := s.loadStore.serve(w.gridState, op.class, s.now, 1, passes)
	s.loadStore.release(a)
	return at + (start - s.now) + engine.Cycle((passes-1)*s.frontEnd.constants.replay)
}
