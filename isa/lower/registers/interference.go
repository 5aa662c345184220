package registers

import (
	"slices"

	"github.com/keplersim/keplersim/isa/lower/machine"
	"github.com/keplersim/keplersim/isa/lower/target"
)

// interference says which slots are live at once and so need registers of their own.
type interference struct {
	neighbours [][]int32 // by slot, each once
}

// mostNeighbours is how many most slots have: as many need no memory of their own.
const mostNeighbours = 8

func newNeighbours(slots int) *interference {
	g, all := &interference{neighbours: make([][]int32, slots)}, make([]int32, mostNeighbours*slots)
	for n := range g.neighbours {
		g.neighbours[n], all = all[:0:mostNeighbours], all[mostNeighbours:]
	}
	return g
}

// has looks through the shorter list.
func (g *interference) has(a, b int32) bool {
	x, y := g.neighbours[a], g.neighbours[b]
	if len(y) < len(x) {
		x, b = y, a
	}
	return slices.Contains(x, b)
}

// add notes a pair, perhaps once more.
func (g *interference) add(a, b int32) {
	if a != b {
		g.neighbours[a] = append(g.neighbours[a], b)
		g.neighbours[b] = append(g.neighbours[b], a)
	}
}

// dropDoubles leaves each pair once.
func (g *interference) dropDoubles() {
	seen := make([]int32, len(g.neighbours))
	for n, list := range g.neighbours {
		kept := list[:0]
		for _, other := range list {
			if seen[other] != int32(n)+1 {
				seen[other] = int32(n) + 1
				kept = append(kept, other)
			}
		}
		g.neighbours[n] = kept
	}
}

// newInterferenceOf builds the graph of both views.
func (f *allocator) newInterferenceOf(s *machine.Slots) (*interference, error) {
	g := newNeighbours(s.Count())
	for _, v := range []machine.View{machine.FunctionalView, machine.TimingView} {
		l := f.NewLiveness(s, v)
		for _, b := range f.Blocks {
			if err := f.Stopped(); err != nil {
				return nil, err
			}
			l.Walk(b, func(_ int, op *machine.Operation, live *machine.LiveSet) {
				to, from, copies := f.Copied(s, op)
				var written []int32
				v.Definitions(f.Function, s, op, func(d int32) {
					file := s.Predicate[d]
					for _, other := range live.List {
						if (!copies || d != to || other != from) && s.Predicate[other] == file {
							g.add(d, other)
						}
					}
					for _, other := range written {
						if s.Predicate[other] == file {
							g.add(d, other)
						}
					}
					written = append(written, d)
				})
			})
		}
	}
	g.dropDoubles()
	return g, nil
}

// rest is a rule by which a register stays unused for some operations after its value's last use, as long as registers up to top
// are enough: an operation that overwrites what a load in flight still reads, or is still to write, would wait for it.
type rest struct {
	operations int
	far        bool // only registers whose last use is an access to device memory
	top        int
	pairs      [][]int32 // by slot: slots that should not have its register
}

// Figures chosen, with those of the scheduler, so that registers come out as compilers give them.
const (
	restingOperations = 2
	restingTop        = 20 // well below the 32 that cost no resident warps
	farOperations     = 16
	farTop            = 26 // what ptxas takes for four loads and four stores at addresses of their own
)

// rests returns the rules in the order in which they are given up; each holds what the ones after it ask too. ptxas for sm_70 and later
// leaves no register unused but those of addresses.
func (f *allocator) rests(s *machine.Slots) []rest {
	near := rest{operations: restingOperations, top: restingTop}
	near.pairs = f.restingPairs(s, &near)
	if f.Options.Free() == 0 {
		return []rest{near}
	}
	far := rest{operations: farOperations, far: true, top: farTop}
	far.pairs = f.restingPairs(s, &far)
	if f.Options.ReservedRegisters > 0 {
		return []rest{far}
	}
	for slot := range near.pairs {
		near.pairs[slot] = append(near.pairs[slot], far.pairs[slot]...)
	}
	return []rest{near, far}
}

// restingPairs finds, for each slot, those whose last use lies only a few operations before it is written.
func (f *allocator) restingPairs(s *machine.Slots, rule *rest) [][]int32 {
	pairs := make([][]int32, s.Count())
	l := f.NewLiveness(s, machine.TimingView)
	for _, b := range f.Blocks {
		ends := make([][]int32, len(b.Operations)) // slots whose last use the operation is
		l.Walk(b, func(n int, op *machine.Operation, live *machine.LiveSet) {
			if rule.far && !target.FarClass[op.Class] {
				return
			}
			machine.TimingView.Uses(f.Function, s, op, func(slot int32) {
				if !live.Has(slot) && !s.Predicate[slot] {
					ends[n] = append(ends[n], slot)
				}
			})
		})
		for n, op := range b.Operations {
			machine.TimingView.Definitions(f.Function, s, op, func(d int32) {
				if s.Predicate[d] {
					return
				}
				for k := max(0, n-rule.operations); k <= n; k++ {
					for _, other := range ends[k] {
						if other != d {
							pairs[d] = append(pairs[d], other)
							pairs[other] = append(pairs[other], d)
						}
					}
				}
			})
		}
	}
	return pairs
}
