package registers

import "slices"

// adjacency is a graph over slots, as lists of neighbours.
type adjacency struct {
	first  []int // by slot, plus one: start of its neighbours in others
	others []int32
}

// of returns a slot's neighbours.
func (a *adjacency) of(slot int32) []int32 { return a.others[a.first[slot]:a.first[slot+1]] }

// has reports whether two slots are neighbours; it searches the shorter list.
func (a *adjacency) has(x, y int32) bool {
	list := a.of(x)
	if other := a.of(y); len(other) < len(list) {
		list, y = other, x
	}
	return slices.Contains(list, y)
}

// pairs collects pairs of neighbours in rows: a slot, and slots next to it.
type pairs struct {
	chunks [][]int32 // the full chunks
	chunk  []int32   // rows: a slot, the number of its neighbours, the neighbours
	row    int       // start of the last row
	degree []int32   // by slot, pairs counted twice included
}

// Numbers in the first chunk and in the largest one.
const (
	firstChunk = 1 << 10
	largeChunk = 1 << 18
)

func newPairs(slots int) *pairs { return &pairs{degree: make([]int32, slots)} }

// begin begins the row of a slot with at most most neighbours.
func (p *pairs) begin(slot int32, most int) {
	if need := most + 2; len(p.chunk)+need > cap(p.chunk) {
		size := firstChunk
		if p.chunk != nil {
			p.chunks = append(p.chunks, p.chunk)
			size = min(2*cap(p.chunk), largeChunk)
		}
		p.chunk = make([]int32, 0, max(size, need))
	}
	p.row = len(p.chunk)
	p.chunk = append(p.chunk, slot, 0)
}

// add adds a neighbour of the row's slot.
func (p *pairs) add(other int32) {
	p.chunk = append(p.chunk, other)
	p.degree[other]++
}

// end ends the row.
func (p *pairs) end() {
	n := int32(len(p.chunk) - p.row - 2)
	p.degree[p.chunk[p.row]] += n
	p.chunk[p.row+1] = n
}

// adjacency returns the graph, each pair once.
func (p *pairs) adjacency() *adjacency {
	a := &adjacency{first: make([]int, len(p.degree)+1)}
	total := 0
	for slot, n := range p.degree {
		a.first[slot] = total
		total += int(n)
	}
	a.first[len(p.degree)] = total
	a.others = make([]int32, total)
	next := slices.Clone(a.first) // by slot: where its next neighbour goes
	for _, chunk := range append(p.chunks, p.chunk) {
		for len(chunk) > 0 {
			slot, others := chunk[0], chunk[2:2+chunk[1]]
			chunk = chunk[2+len(others):]
			next[slot] += copy(a.others[next[slot]:], others)
			for _, other := range others {
				a.others[next[other]] = slot
				next[other]++
			}
		}
	}
	a.dropDoubles()
	return a
}

// dropDoubles removes repeated neighbours.
func (a *adjacency) dropDoubles() {
	slots := len(a.first) - 1
	seen := make([]int32, slots)
	kept := 0
	for slot := range slots {
		list := a.of(int32(slot))
		a.first[slot] = kept
		for _, other := range list {
			if seen[other] != int32(slot)+1 {
				seen[other] = int32(slot) + 1
				a.others[kept] = other
				kept++
			}
		}
	}
	a.first[slots] = kept
	a.others = a.others[:kept]
}
