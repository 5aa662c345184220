package memory

import (
	"math/bits"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/isa/exec"
)

// atomicCost is what a request costs the atomics unit of a slice.
type atomicCost struct {
	// occupied is how long the unit is busy, in cycles: it takes LanesPerCycle lanes on different words of a sector in a
	// cycle, and one lane on a word in a cycle.
	occupied int
	// latency is what the unit adds for the warp that asked: the read-modify-write, and what its lanes on one word wait
	// for each other.
	latency int
	// lanes are those served, conflicts those that waited for another on their word.
	lanes, conflicts int
}

// costOfAtomic counts the lanes on each word of the request's line.
func costOfAtomic(a *exec.Access, lanes uint32, g *configs.GlobalAtomics) atomicCost {
	var words [32]uint8 // lanes on each 4-byte word of the 128-byte line; an 8-byte atomic counts on its first
	var sectors [4]uint8
	for m := lanes; m != 0; m &= m - 1 {
		word := a.Address[bits.TrailingZeros32(m)&31] >> 2 & 31
		words[word]++
	}
	most, distinct := 1, 0
	var deepest [4]uint8
	for word, count := range words {
		if count != 0 {
			distinct++
			sectors[word/8]++
			deepest[word/8] = max(deepest[word/8], count)
			most = max(most, int(count))
		}
	}
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
