package cache

import "math/bits"

// plru evicts by a binary tree of bits that each point to the half not used last. If the number of ways is no power of two, part of the
// tree is empty, and the walk turns to the half that has ways.
type plru struct {
	ways, leaves int
	bits         []uint8 // by set·leaves + node; node 1 is the root
}

func init() {
	RegisterReplacement("plru", "evicts by a tree of bits that point away from what was used last", newPLRU)
}

func newPLRU(s ReplacementSpec) Replacement {
	leaves := 1 << bits.Len(uint(s.Ways-1))
	return &plru{ways: s.Ways, leaves: leaves, bits: make([]uint8, s.Sets*leaves)}
}

// Used implements Replacement.
func (p *plru) Used(set, way int, _ Access) {
	tree := p.bits[set*p.leaves:][:p.leaves]
	for node := p.leaves + way; node > 1; node /= 2 {
		tree[node/2] = uint8(^node & 1)
	}
}

// Filled implements Replacement.
func (p *plru) Filled(set, way int, a Access) { p.Used(set, way, a) }

// Victim implements Replacement.
func (p *plru) Victim(set int, _ Access) int {
	tree := p.bits[set*p.leaves:][:p.leaves]
	node, first, width := 1, 0, p.leaves
	for node < p.leaves {
		width /= 2
		side := int(tree[node])
		if first+width >= p.ways {
			side = 0
		}
		first += side * width
		node = 2*node + side
	}
	return first
}
