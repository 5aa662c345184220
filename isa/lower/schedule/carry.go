package schedule

import (
	"slices"

	"github.com/keplersim/keplersim/isa/lower/bitset"
	"github.com/keplersim/keplersim/isa/lower/machine"
)

// The condition code holds one carry. The operations that write and read one carry are a chain, such as the additions of a wide sum. Chains
// may change order and other operations may come between those of a chain, but a chain may begin only after the previous one has ended.

// carryCrosses reports that a block reads a carry of another block.
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

// numberChains gives each unit of a block its chain, from 1, and returns their number. It returns 0 if a unit belongs to several chains or
// a carry crosses blocks; then carries keep their order.
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

// startChains adds edges that make sure that a chain which has begun can end: every chain that one of its operations depends on, directly
// or not, ends before it begins. Chains come one after another in PTX order, so no cycle arises.
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
	// needs has the chains that a unit depends on, without those that these depend on.
	all := d.inOrder()
	leads := d.leadsIntoChain(all, members)
	needs := map[*unit]bitset.Set{}
	ended := make([]bitset.Set, chains+1) // by chain: the chains that must end before it begins
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

// endBefore adds edges so that the chains of a set end before another begins. Some are implied: those that end before one of the others.
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

// leadsIntoChain marks units inside a chain, behind its first, and units outside chains on which such a unit depends through other units
// outside chains.
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

// unitsOfChains counts the units of each chain.
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

// chainEnd lists what the present chain needs to end: its units and their dependences, in PTX order.
type chainEnd struct {
	chain int
	needs []*unit
	// Computed on first use: the units of each chain, and by unit and join those that it depends on.
	members [][]*unit
	before  [][]*unit
}

// nextOfChain returns the next unit that the present chain needs to end, nil if there is no present chain.
func (p *pressure) nextOfChain(open *openUnits) *unit {
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

// neededBy returns the unplaced units of a chain, with all that they depend on; in PTX order, each comes after those it depends on. All are
// placed before the chain ends, so no unit is visited for two chains.
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
