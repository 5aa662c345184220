package lower

import "github.com/keplersim/keplersim/isa"

// interference says which slots are live at once and so need registers of their own.
type interference struct {
	neighbours [][]int32
	rows       []bitset            // dense, for functions of at most denseSlots
	pairs      map[uint64]struct{} // otherwise
}

// denseSlots is the number of slots up to which the graph is a bit matrix.
const denseSlots = 1 << 14

func newInterference(n int) *interference {
	g := &interference{neighbours: make([][]int32, n)}
	if n <= denseSlots {
		g.rows = make([]bitset, n)
	} else {
		g.pairs = map[uint64]struct{}{}
	}
	return g
}

func (g *interference) has(a, b int32) bool {
	if g.rows != nil {
		return g.rows[a] != nil && g.rows[a].has(b)
	}
	_, ok := g.pairs[uint64(min(a, b))<<32|uint64(max(a, b))]
	return ok
}

func (g *interference) add(a, b int32) {
	if a == b || g.has(a, b) {
		return
	}
	if g.rows != nil {
		for _, s := range [2]int32{a, b} {
			if g.rows[s] == nil {
				g.rows[s] = newBitset(len(g.rows))
			}
		}
		g.rows[a].add(b)
		g.rows[b].add(a)
	} else {
		g.pairs[uint64(min(a, b))<<32|uint64(max(a, b))] = struct{}{}
	}
	g.neighbours[a] = append(g.neighbours[a], b)
	g.neighbours[b] = append(g.neighbours[b], a)
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
func (f *function) newInterferenceOf(s *slots) *interference {
	g := newInterference(s.count())
	for _, v := range []view{functionalView, timingView} {
		l := f.newLiveness(s, v)
		for _, b := range f.blocks {
			l.walk(b, func(_ int, op *operation, live bitset) {
				to, from, copies := f.copied(s, op)
				var written []int32
				v.definitions(f, s, op, func(d int32) {
					file := f.predicate(s.owner[d])
					live.each(func(other int32) {
						if (!copies || d != to || other != from) && f.predicate(s.owner[other]) == file {
							g.add(d, other)
						}
					})
					for _, other := range written {
						if f.predicate(s.owner[other]) == file {
							g.add(d, other)
						}
					}
					written = append(written, d)
				})
			})
		}
	}
	return g
}
