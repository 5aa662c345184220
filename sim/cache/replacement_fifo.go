package cache

// fifo evicts the line that was inserted longest ago, used since or not.
type fifo struct {
	ways   int32
	oldest []int32 // by set
}

func init() {
	RegisterReplacement("fifo", "evicts the line that has been in longest",
		func(s ReplacementSpec) Replacement { return &fifo{ways: int32(s.Ways), oldest: make([]int32, s.Sets)} })
}

// Used implements Replacement.
func (p *fifo) Used(int, int, Access) {}

// Filled implements Replacement. Empty ways fill in rising order, so lines are replaced in the order of the ways.
func (p *fifo) Filled(set, way int, _ Access) {
	if p.oldest[set] == int32(way) {
		p.oldest[set] = (int32(way) + 1) % p.ways
	}
}

// Victim implements Replacement.
func (p *fifo) Victim(set int, _ Access) int { return int(p.oldest[set]) }
