package memory

import (
	"math/bits"
	"slices"

	"github.com/keplersim/keplersim/sim/stats"
)

// reuse measures reuse distances. Each line has a mark at the time of its last use, and its distance is the number of marks behind its own.
// A binary indexed tree sums the marks. When times run out, the lines get new times.
type reuse struct {
	last  map[uint64]int32 // time of each line's last use
	tree  []int32          // by time, from 1
	now   int32
	count *stats.Reuse
}

// reuseTimes is how many requests pass between two renumberings, unless there are more than half as many lines.
const reuseTimes = 1 << 20

func newReuse(count *stats.Reuse) *reuse {
	return &reuse{last: map[uint64]int32{}, tree: make([]int32, reuseTimes+1), count: count}
}

func (r *reuse) add(time, change int32) {
	for ; int(time) < len(r.tree); time += time & -time {
		r.tree[time] += change
	}
}

// upTo returns the number of marks at or before a time.
func (r *reuse) upTo(time int32) (sum int32) {
	for ; time > 0; time -= time & -time {
		sum += r.tree[time]
	}
	return sum
}

// use counts a request for a line.
func (r *reuse) use(line uint64) {
	if int(r.now)+1 == len(r.tree) {
		r.renumber()
	}
	r.now++
	if before, ok := r.last[line]; ok {
		distance := int32(len(r.last)) - r.upTo(before)
		r.count.Counts[bits.Len32(uint32(distance))]++
		r.add(before, -1)
	} else {
		r.count.First++
	}
	r.last[line] = r.now
	r.add(r.now, 1)
}

// renumber gives the lines the times 1, 2, 3 … in the order of their last uses.
func (r *reuse) renumber() {
	lines := make([]uint64, 0, len(r.last))
	for line := range r.last {
		lines = append(lines, line)
	}
	slices.SortFunc(lines, func(a, b uint64) int { return int(r.last[a] - r.last[b]) })
	r.tree = make([]int32, max(reuseTimes, 2*len(lines))+1)
	r.now = int32(len(lines))
	for i, line := range lines {
		r.last[line] = int32(i + 1)
		r.add(int32(i+1), 1)
	}
}

// RecordReuse begins a histogram of reuse distances at L2, which becomes part of the counters. It costs time and memory.
func (s *System) RecordReuse() {
	s.reuse = newReuse(&stats.Reuse{})
}
