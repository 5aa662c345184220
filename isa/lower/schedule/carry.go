package schedule

import (
	"slices"

	"github.com/keplersim/keplersim/isa/lower/bitset"
	"github.com/keplersim/keplersim/isa/lower/machine"
)

// The condition code holds one carry. Operations that write and read one value of it are a chain, as the two or three additions of a wide
// sum. Chains may come in any order, and other operations may stand between those of a chain, but none begins before another has ended.

// carryCrosses reports a carry that some block takes over from another.
func carryCrosses(f *machine.Function) bool {
	for _, b := range f.Blocks {
		for _, op := range b.Operations {
			if op.ReadsCarry {
				return true
			}
			if op.WritesCarry {
				break
			}
		}
	}
	return false
}

// numberChains gives each unit of a block its chain, from 1, and says how many there are. There are none, and carries keep their order,
// where a unit has a part in several or a carry crosses into some block.
func numberChains(units []*unit, crosses bool) int {
	chains := 0
	if crosses {
		return 0
	}
	for _, u := range units {
		for _, op := range u.operations {
			if !op.ReadsCarry && !op.WritesCarry {
				continue
			}
			if !op.ReadsCarry {
				chains++
			}
			if u.chain > 0 && u.chain != chains {
				for _, u := range units {
					u.chain = 0
				}
				return 0
			}
			u.chain = chains
		}
	}
	return chains
}

// startChains adds the edges by which a chain that has begun can always end: every other chain that one of its operations waits for, itself
// or through others, has ended before it begins. Chains stand one behind the other in PTX order, so that this leads to no circle.
func (d *dependences) startChains(chains int) {
	if chains == 0 {
		return
	}
	members := make([][]int, chains+1)
	for n, u := range d.units {
		if u.chain > 0 {
			members[u.chain] = append(members[u.chain], n)
		}
	}
	// The chains that a unit waits for, but for those that the nearest ones wait for.
	all := d.inOrder()
	leads := d.leadsIntoChain(all, members)
	needs := map[*unit]bitset.Set{}
	ended := make([]bitset.Set, chains+1) // by chain: those that its first unit has to wait for
	for _, u := range all {
		set := needs[u]
		delete(needs, u)
		if u.chain > 0 {
			if u.position != members[u.chain][0] && set != nil {
				d.endBefore(u.chain, set, ended, members)
			}
			set = bitset.New(chains + 1)
			set.Add(int32(u.chain))
		}
		if set == nil {
			continue
		}
		for _, e := range u.after {
			if !leads[e.to.position] {
				continue
			}
			if needs[e.to] == nil {
				needs[e.to] = bitset.New(chains + 1)
			}
			needs[e.to].Union(set)
		}
	}
}

// endBefore has the chains of a set end before another begins. Those that end before one of them do so anyway.
func (d *dependences) endBefore(chain int, set bitset.Set, ended []bitset.Set, members [][]int) {
	first := members[chain][0]
	if ended[chain] == nil {
		ended[chain] = bitset.New(len(ended))
		ended[chain].Add(int32(chain))
	}
	set.Subtract(ended[chain])
	for last := set.Last(); last >= 0; last = set.Last() {
		for _, m := range members[last] {
			d.edge(m, first, 0)
		}
		ended[chain].Add(last)
		if before := ended[last]; before != nil {
			ended[chain].Union(before)
		}
		set.Subtract(ended[chain])
	}
}

// leadsIntoChain marks the units in the middle of chains, and those for which one waits by way of none that is part of a chain.
func (d *dependences) leadsIntoChain(all []*unit, members [][]int) []bool {
	leads := make([]bool, len(all))
	for n := len(all) - 1; n >= 0; n-- {
		u := all[n]
		if u.chain > 0 {
			leads[u.position] = members[u.chain][0] != u.position
			continue
		}
		for _, e := range u.after {
			leads[u.position] = leads[u.position] || leads[e.to.position]
		}
	}
	return leads
}

// newChains counts the units of each chain.
func unitsOfChains(units []*unit) []int {
	var left []int
	for _, u := range units {
		for len(left) <= u.chain {
			left = append(left, 0)
		}
		left[u.chain]++
	}
	return left
}

// chainEnd is what a chain that has begun still needs for its end: its units, and what they wait for, in PTX order.
type chainEnd struct {
	chain int
	needs []*unit
	// Found when the first chain asks: the units of each chain, and by unit and join those that it waits for.
	members [][]*unit
	before  [][]*unit
}

// endsChain returns the next unit that the chain that has begun needs for its end, nil where none has.
func (p *pressure) endsChain(open *openUnits) *unit {
	e := &p.ending
	if open.chain == 0 {
		return nil
	}
	if e.chain != open.chain {
		e.chain, e.needs = open.chain, p.neededBy(open.chain)
	}
	for len(e.needs) > 0 && p.placed[e.needs[0].position] {
		e.needs = e.needs[1:]
	}
	if len(e.needs) == 0 {
		return nil
	}
	return e.needs[0]
}

// neededBy finds the units of a chain that are still to be placed, and all that they wait for. What comes first in PTX order waits for no
// other. All of it is placed before the chain ends, so that no unit is looked at for two chains.
func (p *pressure) neededBy(chain int) []*unit {
	e := &p.ending
	if e.before == nil {
		e.before, e.members = make([][]*unit, len(p.all)), make([][]*unit, len(p.all)+1)
		for _, u := range p.all {
			e.members[u.chain] = append(e.members[u.chain], u)
			for _, edge := range u.after {
				e.before[edge.to.position] = append(e.before[edge.to.position], u)
			}
		}
	}
	var needs, found []*unit
	seen := map[*unit]bool{}
	visit := func(u *unit) {
		join := len(u.operations) == 0
		if seen[u] || join && u.waits == 0 || !join && p.placed[u.position] {
			return
		}
		seen[u] = true
		found = append(found, u)
		if !join {
			needs = append(needs, u)
		}
	}
	for _, u := range e.members[chain] {
		visit(u)
	}
	for len(found) > 0 {
		u := found[len(found)-1]
		found = found[:len(found)-1]
		for _, b := range e.before[u.position] {
			visit(b)
		}
	}
	slices.SortFunc(needs, func(a, b *unit) int { return a.position - b.position })
	return needs
}
