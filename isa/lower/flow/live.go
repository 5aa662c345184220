package flow

import (
	"slices"
	"sync"

	"github.com/keplersim/keplersim/isa"
)

// Touches records which blocks read or write which slots: per slot a list with one entry for each block.
type Touches struct {
	last    []int32 // by slot: its last entry, -1 if none
	entries []touch
}

// touch is one block's use of one slot.
type touch struct {
	block    isa.BlockID
	previous int32 // previous entry of the slot, -1 if none
	exposed  bool  // the block reads the slot's value from the block's start
	killed   bool  // the block overwrites that value completely
	written  bool
}

// NewTouches returns an empty record for a number of slots.
func NewTouches(slots int) *Touches {
	t := allTouches.Get().(*Touches)
	t.last, t.entries = slices.Grow(t.last[:0], slots)[:slots], t.entries[:0]
	for slot := range t.last {
		t.last[slot] = -1
	}
	return t
}

// allTouches are the records not in use.
var allTouches = sync.Pool{New: func() any { return &Touches{} }}

// of returns a block's entry of a slot. A block's touches come one after the other.
func (t *Touches) of(slot int32, b isa.BlockID) *touch {
	n := t.last[slot]
	if n < 0 || t.entries[n].block != b {
		t.entries = append(t.entries, touch{block: b, previous: n})
		n = int32(len(t.entries) - 1)
		t.last[slot] = n
	}
	return &t.entries[n]
}

// Read records that a block reads a slot, after what is recorded so far.
func (t *Touches) Read(slot int32, b isa.BlockID) {
	e := t.of(slot, b)
	e.exposed = e.exposed || !e.killed
}

// Write records that a block writes a slot, after what is recorded so far. kills means that nothing remains of the slot's value.
func (t *Touches) Write(slot int32, b isa.BlockID, kills bool) {
	e := t.of(slot, b)
	e.written = true
	e.killed = e.killed || kills
}

// LiveBetween finds what is live at blocks' starts and ends, by block, of what blocks do with each slot, and takes that.
func (f Blocks) LiveBetween(t *Touches) (in, out [][]int32) {
	n := len(f.ByID)
	q := searches.Get().(*liveSearch)
	q.marks = slices.Grow(q.marks[:0], 5*n)[:5*n]
	clear(q.marks)
	of := func(k int) []int32 { return q.marks[k*n : (k+1)*n : (k+1)*n] }
	q.killed, q.written, q.liveIn, q.liveOut, q.definedIn = of(0), of(1), of(2), of(3), of(4)
	q.f, q.touches, q.in, q.out = f, t, q.in[:0], q.out[:0]
	for slot := range t.last {
		q.slot(int32(slot))
	}
	in, out = byBlock(q.in, n), byBlock(q.out, n)
	q.f, q.touches = Blocks{}, nil
	searches.Put(q)
	allTouches.Put(t)
	return in, out
}

// searches are the searches not in use.
var searches = sync.Pool{New: func() any { return &liveSearch{} }}

// liveSearch follows one slot after the other back from where it is read, and forward from where it is written. Marks by block are the
// slot's number and one more.
type liveSearch struct {
	f                                           Blocks
	touches                                     *Touches
	in, out                                     []liveSlot
	killed, written, liveIn, liveOut, definedIn []int32
	marks                                       []int32 // the memory of the five lists above
	starts, ends, work                          []isa.BlockID
}

// liveSlot is a slot that is live at the start or end of a block.
type liveSlot struct {
	block isa.BlockID
	slot  int32
}

// appendLive is append that doubles: growth by a quarter would leave four times as much garbage.
func appendLive(list []liveSlot, l liveSlot) []liveSlot {
	if len(list) == cap(list) {
		grown := make([]liveSlot, len(list), max(2*len(list), firstLive))
		copy(grown, list)
		list = grown
	}
	return append(list, l)
}

// firstLive is the initial capacity.
const firstLive = 64

// byBlock groups the slots by block, in order.
func byBlock(live []liveSlot, blocks int) [][]int32 {
	count := make([]int32, blocks)
	for _, l := range live {
		count[l.block]++
	}
	lists, all := make([][]int32, blocks), make([]int32, len(live))
	for b, n := range count {
		lists[b], all = all[:0:n], all[n:]
	}
	for _, l := range live {
		lists[l.block] = append(lists[l.block], l.slot)
	}
	return lists
}

func (q *liveSearch) slot(slot int32) {
	mark := slot + 1
	q.starts, q.ends, q.work = q.starts[:0], q.ends[:0], q.work[:0]
	entries, first := q.touches.entries, q.touches.last[slot]
	for n := first; n >= 0; n = entries[n].previous {
		if t := &entries[n]; t.exposed {
			q.liveIn[t.block] = mark
			q.starts = append(q.starts, t.block)
		}
	}
	if len(q.starts) == 0 {
		return
	}
	for n := first; n >= 0; n = entries[n].previous {
		t := &entries[n]
		if t.killed {
			q.killed[t.block] = mark
		}
		if t.written {
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
	for n := first; n >= 0; n = entries[n].previous {
		if entries[n].written {
			q.define(entries[n].block, mark)
		}
	}
	for n := 0; n < len(q.work); n++ {
		q.define(q.work[n], mark)
	}
	for _, b := range q.starts {
		if q.definedIn[b] == mark {
			q.in = appendLive(q.in, liveSlot{b, slot})
		}
	}
	for _, b := range q.ends {
		if q.definedIn[b] == mark || q.written[b] == mark {
			q.out = appendLive(q.out, liveSlot{b, slot})
		}
	}
}

// define marks the successors of a block that wrote the slot where the slot is live, and queues them.
func (q *liveSearch) define(b isa.BlockID, mark int32) {
	for _, s := range q.f.ByID[b].Successors {
		if q.liveIn[s] == mark && q.definedIn[s] != mark {
			q.definedIn[s] = mark
			q.work = append(q.work, s)
		}
	}
}
