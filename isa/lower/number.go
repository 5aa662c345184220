package lower

import (
	"encoding/binary"
	"fmt"

	"github.com/keplersim/keplersim/isa"
)

// removeCommon computes once what several instructions compute alike, if the first comes before the others on all paths.
func removeCommon(f *function) error {
	v := f.newValues()
	g := v.graph
	children := map[isa.BlockID][]*block{}
	for _, b := range g.order[1:] {
		children[g.dominator[b.id]] = append(children[g.dominator[b.id]], b)
	}
	same := map[isa.Register]isa.Register{}
	known := map[string]*isa.Instruction{}
	var visit func(b *block)
	visit = func(b *block) {
		var added []string
		for _, i := range b.instructions {
			renameInstruction(i, func(r isa.Register) isa.Register {
				if to, ok := same[whole(r)]; ok {
					return r&^registerMask | to
				}
				return r
			})
			if !v.movable(i) || len(i.Dst) != 1 {
				continue
			}
			key := valueKey(i)
			if first, ok := known[key]; ok {
				same[i.Dst[0].Register] = first.Dst[0].Register
				continue
			}
			known[key] = i
			added = append(added, key)
		}
		for _, c := range children[b.id] {
			visit(c)
		}
		for _, key := range added {
			delete(known, key)
		}
	}
	visit(g.order[0])
	// The instructions that are not needed any more write registers of which the first one's now stand in all places but their own.
	for _, b := range f.blocks {
		kept := b.instructions[:0]
		for _, i := range b.instructions {
			if len(i.Dst) == 1 && register(&i.Dst[0]) {
				if _, gone := same[i.Dst[0].Register]; gone {
					continue
				}
			}
			renameInstruction(i, func(r isa.Register) isa.Register {
				if to, ok := same[whole(r)]; ok {
					return r&^registerMask | to
				}
				return r
			})
			kept = append(kept, i)
		}
		b.instructions = kept
	}
	return nil
}

// valueKey is equal for instructions that compute the same.
func valueKey(i *isa.Instruction) string {
	key := fmt.Appendf(nil, "%d %d %d %v %d ", i.Op, i.Type, i.From, i.Mod, i.Dst[0].Type)
	if i.Memory != nil {
		key = fmt.Appendf(key, "%v", *i.Memory)
	}
	for _, s := range i.Src {
		key = append(key, byte(s.Kind), byte(s.Type), byte(s.Selector), s.Bank, byte(s.Special))
		if s.Negate {
			key = append(key, 1)
		}
		key = binary.LittleEndian.AppendUint64(key, uint64(s.Register)<<32|uint64(uint32(s.Symbol)))
		key = binary.LittleEndian.AppendUint64(key, s.Immediate)
		key = binary.LittleEndian.AppendUint64(key, uint64(s.Offset)<<16|uint64(s.Permute))
	}
	return string(key)
}
