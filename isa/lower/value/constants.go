package value

import (
	"slices"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/flow"
)

// FoldConstants evaluates arithmetic on constants, and comparisons with the branches that they decide. Code that becomes unreachable goes.
// In nvcc's kernels no logarithm or power of constants is left. In clang's those are left that PTX approximates.
func FoldConstants(f *Function) error {
	folded := false
	for {
		v := f.newValues()
		known := knownNumbers{}
		for _, b := range v.graph.Order {
			for _, i := range f.ByID[b.ID].Instructions {
				if len(i.Dst) == 1 && v.definition(&i.Dst[0]) == i {
					folded = known.fold(i) || folded
				}
			}
		}
		v.release()
		decided := false
		for _, b := range f.Blocks {
			decided = f.decide(b, known) || decided
		}
		if !decided {
			break
		}
		folded = true
		if err := f.removeDecided(); err != nil {
			return err
		}
	}
	if !folded {
		return nil
	}
	_, _, err := f.propagate(nil)
	return err
}

// removeDecided drops blocks that no branch reaches any more. If a register lost one of its values, the others are split anew.
func (f *Function) removeDecided() error {
	f.flowGraph = nil
	before := slices.Clone(f.ByID)
	if err := RemoveUnreachable(f); err != nil {
		return err
	}
	for _, b := range f.Blocks {
		for b.Reconverge != flow.NoBlock && f.ByID[b.Reconverge] == nil {
			b.Reconverge = before[b.Reconverge].Reconverge
		}
	}
	f.flowGraph = nil
	return SplitValues(f)
}

// decide removes the guards of instructions that always run, and the instructions that never run.
func (f *Function) decide(b *Block, known knownNumbers) (decided bool) {
	kept := b.Instructions[:0]
	for _, i := range b.Instructions {
		runs, sure := known.guard(i)
		if !i.Guard.Present || !sure {
			kept = append(kept, i)
			continue
		}
		decided = true
		if i.Terminator() && len(b.Successors) > 0 {
			f.decideBranch(b, i, runs)
		}
		if runs {
			i.Guard = isa.Guard{}
			kept = append(kept, i)
		}
	}
	b.Instructions = kept
	return decided
}

// decideBranch removes the successors that the block's last instruction cannot reach, now that runs is known.
func (f *Function) decideBranch(b *Block, last *isa.Instruction, runs bool) {
	left := b.Successors[len(b.Successors)-1:]
	if runs {
		left = last.Targets
	}
	for _, id := range b.Successors {
		if !slices.Contains(left, id) {
			f.ByID[id].Predecessors = slices.DeleteFunc(f.ByID[id].Predecessors, func(p isa.BlockID) bool { return p == b.ID })
		}
	}
	b.Successors = slices.Clone(left)
	switch len(left) {
	case 0:
		b.Reconverge = flow.NoBlock
	case 1:
		b.Reconverge = left[0]
	}
}
