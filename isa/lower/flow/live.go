package flow

import "github.com/keplersim/keplersim/isa"

// Touch is what a block does with a slot.
type Touch struct {
	block   isa.BlockID
	Exposed bool // it reads what the slot holds at the block's start
	Killed  bool // it leaves nothing of that
	Written bool
}

// LiveBetween finds what is live at blocks' starts and ends, by block, of what blocks do with each slot.
func (f Blocks) LiveBetween(touches [][]Touch) (in, out [][]int32) {
	n := len(f.ByID)
	q := &liveSearch{
		f: f, in: make([][]int32, n), out: make([][]int32, n), killed: make([]int32, n), written: make([]int32, n),
		liveIn: make([]int32, n), liveOut: make([]int32, n), definedIn: make([]int32, n),
	}
	for slot, list := range touches {
		q.slot(int32(slot), list)
	}
	return q.in, q.out
}

// LastTouch returns a block's entry in a list of what blocks do with a slot, the last one.
func LastTouch(list *[]Touch, b isa.BlockID) *Touch {
	if n := len(*list); n == 0 || (*list)[n-1].block != b {
		*list = append(*list, Touch{block: b})
	}
	return &(*list)[len(*list)-1]
}

// liveSearch follows one slot after the other back from where it is read, and forward from where it is written. Marks by block are the
// slot's number and one more.
type liveSearch struct {
	f                                           Blocks
	in, out                                     [][]int32
	killed, written, liveIn, liveOut, definedIn []int32
	starts, ends, work                          []isa.BlockID
}

func (q *liveSearch) slot(slot int32, list []Touch) {
	mark := slot + 1
	q.starts, q.ends, q.work = q.starts[:0], q.ends[:0], q.work[:0]
	for _, t := range list {
		if t.Exposed {
			q.liveIn[t.block] = mark
			q.starts = append(q.starts, t.block)
		}
	}
	if len(q.starts) == 0 {
		return
	}
	for _, t := range list {
		if t.Killed {
			q.killed[t.block] = mark
		}
		if t.Written {
			q.written[t.block] = mark
		}
	}
	f := q.f
	for n := 0; n < len(q.starts); n++ {
		for _, p := range f.ByID[q.starts[n]].Predecessors {
			if q.liveOut[p] != mark {
				q.liveOut[p] = mark
				q.ends = append(q.ends, p)
			}
			if q.killed[p] != mark && q.liveIn[p] != mark {
				q.liveIn[p] = mark
				q.starts = append(q.starts, p)
			}
		}
	}
	define := func(b isa.BlockID) {
		for _, s := range f.ByID[b].Successors {
			if q.liveIn[s] == mark && q.definedIn[s] != mark {
				q.definedIn[s] = mark
				q.work = append(q.work, s)
			}
		}
	}
	for _, t := range list {
		if t.Written {
			define(t.block)
		}
	}
	for n := 0; n < len(q.work); n++ {
		define(q.work[n])
	}
	for _, b := range q.starts {
		if q.definedIn[b] == mark {
			q.in[b] = append(q.in[b], slot)
		}
	}
	for _, b := range q.ends {
		if q.definedIn[b] == mark || q.written[b] == mark {
			q.out[b] = append(q.out[b], slot)
		}
	}
}
