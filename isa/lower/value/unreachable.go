package value

import (
	"slices"

	"github.com/keplersim/keplersim/isa"
)

// RemoveUnreachable drops blocks that no path from the entry reaches, so that later passes need not check.
func RemoveUnreachable(f *Function) error {
	g := f.graph()
	f.Blocks = slices.DeleteFunc(f.Blocks, func(b *Block) bool {
		reached := g.Number[b.ID] >= 0
		if !reached {
			f.ByID[b.ID] = nil
		}
		return !reached
	})
	for _, b := range f.Blocks {
		b.Predecessors = slices.DeleteFunc(b.Predecessors, func(id isa.BlockID) bool { return f.ByID[id] == nil })
	}
	return nil
}
