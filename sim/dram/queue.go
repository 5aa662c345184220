package dram

// Queue are the requests of one direction in a channel's sight, oldest first. Decisions look at where they lie again and again, so that
// these words lie side by side, apart from what else a request has.
type Queue struct {
	keys  []key
	room  []key // where they lie; those that are served leave room at its beginning. nil before the first
	limit int   // how many there are at most
	slots *slots
	// Those whose row is open are counted as they come and go, as every decision asks for them.
	open   []int32 // by bank
	total  int
	wanted uint64 // the banks that have some, one bit each
}

// key is where a request lies, and its slot.
type key struct {
	row uint32
	at  uint32 // the bank in the lowest bits, the slot above
}

// bankBits are the bits of a bank's number in a key.
const bankBits = 8

func (k key) bank() uint8 { return uint8(k.at) }

func (k key) slot() uint32 { return k.at >> bankBits }

// slots hold a channel's requests until they are decided on.
type slots struct {
	list   []Request
	vacant []uint32
}

func newQueue(all *slots, banks, limit int) Queue {
	return Queue{limit: limit, slots: all, open: make([]int32, banks)}
}

// take returns a slot for a request.
func (s *slots) take() uint32 {
	if last := len(s.vacant) - 1; last >= 0 {
		slot := s.vacant[last]
		s.vacant = s.vacant[:last]
		return slot
	}
	s.list = append(s.list, Request{})
	return uint32(len(s.list) - 1)
}

// Len returns the number of requests.
func (q *Queue) Len() int { return len(q.keys) }

// At returns the request at a place; it holds until the channel takes another.
func (q *Queue) At(i int) *Request { return &q.slots.list[q.keys[i].slot()] }

// push puts the request in a slot behind all others; open says that its row is.
func (q *Queue) push(slot uint32, open bool) {
	r := &q.slots.list[slot]
	if len(q.keys) == cap(q.keys) {
		if q.room == nil { // so much that the queue seldom has to go back to its beginning
			q.room = make([]key, 0, 4*q.limit)
		}
		q.keys = append(q.room[:0], q.keys...)
	}
	q.keys = append(q.keys, key{row: r.Row, at: slot<<bankBits | r.Bank})
	if open {
		q.count(r.Bank)
	}
}

// remove takes out the request at a place and returns its slot; open says that its row is.
func (q *Queue) remove(at int, open bool) uint32 {
	list := q.keys
	k := list[at]
	if at < len(list)/2 { // the fewer move; mostly the oldest are served
		copy(list[1:], list[:at])
		q.keys = list[1:]
	} else {
		q.keys = append(list[:at], list[at+1:]...)
	}
	if open {
		q.total--
		if q.open[k.bank()]--; q.open[k.bank()] == 0 {
			q.wanted &^= 1 << k.bank()
		}
	}
	return k.slot()
}

// count counts one more that waits for a bank's open row.
func (q *Queue) count(bank uint32) {
	q.open[bank]++
	q.total++
	q.wanted |= 1 << bank
}

// forget says that no row of a bank is open any more.
func (q *Queue) forget(bank uint32) {
	q.total -= int(q.open[bank])
	q.open[bank] = 0
	q.wanted &^= 1 << bank
}

// rowChanged counts anew who waits for a bank's row, which has been opened, or closed: then it is -1.
func (q *Queue) rowChanged(bank uint32, row int64) {
	q.forget(bank)
	if row < 0 {
		return
	}
	for _, k := range q.keys {
		if k.row == uint32(row) && k.bank() == uint8(bank) {
			q.count(bank)
		}
	}
}
