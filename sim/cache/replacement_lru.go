package cache

// lru evicts the line that was used longest ago. Each set has a list, the latest used first. N is the type of a way's number: if it is
// small, a set's list fits one line of the host's caches.
type lru[N uint16 | uint32] struct {
	ways  int
	links []link[N] // by set·ways + way; the list is a ring
	head  []N       // by set
}

// link has the ways used before and after one.
type link[N uint16 | uint32] struct{ next, previous N }

// lruName is the name of the policy.
const lruName = "lru"

func init() {
	RegisterReplacement(lruName, "evicts the line that was used longest ago", func(s ReplacementSpec) Replacement {
		if s.Ways > 1<<16 {
			return newLRU[uint32](s.Sets, s.Ways)
		}
		return newLRU[uint16](s.Sets, s.Ways)
	})
}

func newLRU[N uint16 | uint32](sets, ways int) *lru[N] {
	p := &lru[N]{ways: ways, links: make([]link[N], sets*ways), head: make([]N, sets)}
	p.reset()
	return p
}

func (p *lru[N]) reset() {
	clear(p.head)
	for start := 0; start < len(p.links); start += p.ways {
		links := p.links[start:][:p.ways]
		for way := range links {
			links[way] = link[N]{N(way + 1), N(way - 1)}
		}
		links[p.ways-1].next, links[0].previous = 0, N(p.ways-1)
	}
}

// Used implements Replacement.
func (p *lru[N]) Used(set, way int, _ Access) {
	head := p.head[set]
	if int(head) == way {
		return
	}
	links := p.links[set*p.ways:][:p.ways]
	moved := &links[way]
	links[moved.previous].next, links[moved.next].previous = moved.next, moved.previous
	last := links[head].previous
	links[last].next, moved.previous = N(way), last
	moved.next, links[head].previous = head, N(way)
	p.head[set] = N(way)
}

// Filled implements Replacement.
func (p *lru[N]) Filled(set, way int, a Access) { p.Used(set, way, a) }

// Victim implements Replacement.
func (p *lru[N]) Victim(set int, _ Access) int {
	return int(p.links[set*p.ways+int(p.head[set])].previous)
}
