package schedule

import (
	"math/bits"
	"slices"
)

// orderedPressure is the number of live registers along a block in PTX order.
type orderedPressure struct {
	after []int32   // live registers before the unit at a position, and behind the last
	tops  [][]int32 // tops[k][n] is the maximum of after[n : n+2^k]
}

// orderedPressure counts in PTX order, from the state in which no unit is placed.
func (p *pressure) orderedPressure(units []*unit) *orderedPressure {
	left, present, live := slices.Clone(p.left), slices.Clone(p.present), p.live
	o := &orderedPressure{after: make([]int32, 1, len(units)+1)}
	o.after[0] = int32(live.registers)
	for _, u := range units {
		for _, value := range u.uses {
			if left[value]--; left[value] == 0 && present[value] {
				present[value] = false
				p.add(&live, value, -1)
			}
		}
		for _, value := range u.sets {
			if !present[value] && left[value] > 0 {
				present[value] = true
				p.add(&live, value, 1)
			}
		}
		o.after = append(o.after, int32(live.registers))
	}
	o.tops = [][]int32{o.after}
	for width := 1; 2*width <= len(o.after); width *= 2 {
		last := o.tops[len(o.tops)-1]
		next := make([]int32, len(o.after)-2*width+1)
		for n := range next {
			next[n] = max(last[n], last[n+width])
		}
		o.tops = append(o.tops, next)
	}
	return o
}

// most returns the most live registers before the units from first to end, end excluded.
func (o *orderedPressure) most(first, end int) int {
	k := bits.Len(uint(end-first)) - 1
	return int(max(o.tops[k][first], o.tops[k][end-(1<<k)]))
}
