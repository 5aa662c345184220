package memory

import (
	"math/bits"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/sim/engine"
)

// atomicsUnit is the unit of an L2 slice that carries out atomics on global memory, one request after another.
type atomicsUnit struct {
	config *configs.GlobalAtomics
	alike  bool            // every request costs the same; see configs.Ideal
	free   engine.SubCycle // when it can begin the next request
	// started are when the last requests begin, as many as its queue holds.
	started engine.Ring[engine.Cycle]
}

// freeFrom returns the cycle from which the unit's queue has room for another request, -1 if it has room now.
func (u *atomicsUnit) freeFrom() engine.Cycle {
	if u.started.Len() < u.config.Queue {
		return -1
	}
	return *u.started.First()
}

// carryOut books the unit for a request from now on, and returns when it begins and what latency it adds.
func (u *atomicsUnit) carryOut(f *flight, now engine.SubCycle, counts *account, unit int) (start engine.SubCycle, latency engine.Cycle) {
	cost := atomicCost{occupied: 1, latency: u.config.Latency}
	if f.Access != nil {
		cost = costOfAtomic(f.Access, f.Lanes, u.config)
		if u.alike {
			cost.occupied, cost.latency = 1, u.config.Latency
		}
	}
	counts.L2AtomicLanes += uint64(cost.lanes)
	counts.L2AtomicConflicts += uint64(cost.conflicts)
	start = max(now, u.free)
	takes := engine.SubCycles(engine.Cycle(cost.occupied))
	u.free = start + takes
	counts.busy[unit] += takes
	u.started.Push(start.Up())
	if u.started.Len() > u.config.Queue {
		u.started.Pop()
	}
	return start, engine.Cycle(cost.latency)
}

// atomicCost is the cost of a request in a slice's atomics unit.
type atomicCost struct {
	// occupied is how long the unit is busy, in cycles. Each cycle it takes LanesPerCycle lanes on different words of a sector, but only
	// one lane on each word.
	occupied int
	// latency is what the unit adds for the warp: the read-modify-write, and the wait of lanes on the same word for each other.
	latency int
	// lanes are the lanes served, conflicts those that waited for another on their word.
	lanes, conflicts int
}

// costOfAtomic counts the lanes on each word of the request's line.
func costOfAtomic(a *exec.Access, lanes uint32, g *configs.GlobalAtomics) atomicCost {
	var words [32]uint8 // lanes on each 4-byte word of the 128-byte line; an 8-byte atomic counts on its first
	var sectors, deepest [4]uint8
	distinct := 0
	for m := lanes; m != 0; m &= m - 1 {
		word := a.Address[bits.TrailingZeros32(m)&31] >> 2 & 31
		words[word]++
		if words[word] == 1 {
			distinct++
			sectors[word/8]++
		}
		deepest[word/8] = max(deepest[word/8], words[word])
	}
	most := int(max(1, deepest[0], deepest[1], deepest[2], deepest[3]))
	cost := atomicCost{lanes: bits.OnesCount32(lanes), latency: g.Latency}
	cost.conflicts = cost.lanes - distinct
	for i, count := range sectors {
		if count != 0 {
			cost.occupied += max((int(count)+g.LanesPerCycle-1)/g.LanesPerCycle, int(deepest[i]))
		}
	}
	if most > 1 {
		cost.latency += g.ContendedLatency + (most-1)*g.SameAddressCycles
	}
	return cost
}
