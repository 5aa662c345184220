package lower

import (
	"slices"

	"github.com/keplersim/keplersim/isa"
)

// interference says which slots are live at once and so need registers of their own.
type interference struct {
	neighbours [][]int32 // by slot, each once
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

// copied gives the words that a move copies.
func (f *function) copied(s *slots, op *operation) (to, from int32, ok bool) {
	i := op.Effect
	if i == nil || i.Op != isa.OpMov || len(i.Dst) != 1 || len(i.Src) != 1 || i.Mod.Saturate {
		return 0, 0, false
	}
	d, a := &i.Dst[0], &i.Src[0]
	if !register(d) || !register(a) || a.Negate || f.operandWords(d) != 1 || f.operandWords(a) != 1 || f.predicate(d.Register) != f.predicate(a.Register) {
		return 0, 0, false
	}
	s.visit(f, d.Register, 1, func(n int32) { to = n })
	s.visit(f, a.Register, 1, func(n int32) { from = n })
	return to, from, true
}

// newInterferenceOf builds the graph of both views.
func (f *function) newInterferenceOf(s *slots) (*interference, error) {
	g := &interference{neighbours: make([][]int32, s.count())}
	for _, v := range []view{functionalView, timingView} {
		l := f.newLiveness(s, v)
		for _, b := range f.blocks {
			if err := f.stopped(); err != nil {
				return nil, err
			}
			l.walk(b, func(_ int, op *operation, live *liveSet) {
				to, from, copies := f.copied(s, op)
				var written []int32
				v.definitions(f, s, op, func(d int32) {
					file := s.predicate[d]
					for _, other := range live.list {
						if (!copies || d != to || other != from) && s.predicate[other] == file {
							g.add(d, other)
						}
					}
					for _, other := range written {
						if s.predicate[other] == file {
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

// rests are the rules in the order in which they are given up; each holds what the ones after it ask too. ptxas for sm_70 and later leaves
// no register unused but those of addresses.
func (f *function) rests(s *slots) []rest {
	near := rest{operations: restingOperations, top: restingTop}
	near.pairs = f.restingPairs(s, &near)
	if f.options.free() == 0 {
		return []rest{near}
	}
	far := rest{operations: farOperations, far: true, top: farTop}
	far.pairs = f.restingPairs(s, &far)
	if f.options.ReservedRegisters > 0 {
		return []rest{far}
	}
	for slot := range near.pairs {
		near.pairs[slot] = append(near.pairs[slot], far.pairs[slot]...)
	}
	return []rest{near, far}
}

// restingPairs finds, for each slot, those whose last use lies only a few operations before it is written.
func (f *function) restingPairs(s *slots, rule *rest) [][]int32 {
	pairs := make([][]int32, s.count())
	l := f.newLiveness(s, timingView)
	for _, b := range f.blocks {
		ends := make([][]int32, len(b.operations)) // slots whose last use the operation is
		l.walk(b, func(n int, op *operation, live *liveSet) {
			if rule.far && !farClass[op.Class] {
				return
			}
			timingView.uses(f, s, op, func(slot int32) {
				if !live.has(slot) && !s.predicate[slot] {
					ends[n] = append(ends[n], slot)
				}
			})
		})
		for n, op := range b.operations {
			timingView.definitions(f, s, op, func(d int32) {
				if s.predicate[d] {
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
