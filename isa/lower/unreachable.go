package lower

import (
	"slices"

	"github.com/keplersim/keplersim/isa"
)

// removeUnreachable drops blocks that no path from the entry reaches, so that later passes need not ask.
func removeUnreachable(f *function) error {
	g := f.flow()
	f.blocks = slices.DeleteFunc(f.blocks, func(b *block) bool {
		reached := g.number[b.id] >= 0
		if !reached {
			f.byID[b.id] = nil
		}
		return !reached
	})
	for _, b := range f.blocks {
		b.predecessors = slices.DeleteFunc(b.predecessors, func(id isa.BlockID) bool { return f.byID[id] == nil })
	}
	return nil
}
