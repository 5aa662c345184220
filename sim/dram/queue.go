package dram

// Queue has the visible requests of one direction, oldest first. Each decision scans their keys, so these are stored apart from the rest of
// the requests.
type Queue struct {
	keys  []key
	room  []key // array of keys; served requests leave room at its start. nil before the first request
	limit int   // the most requests
	slots *slots
	// Requests to open rows are counted as they come and go, since every decision needs them.
	open   []int32 // for each bank
	total  int
	wanted uint64 // a bit for each bank with such requests
}

// key is a request's row and bank, and its slot.
type key struct {
	row uint32
	at  uint32 // the bank in the lowest bits, the slot above
}

// bankBits is the size of a bank's number in a key.
const bankBits = 8

func (k key) bank() uint8 { return uint8(k.at) }

func (k key) slot() uint32 { return k.at >> bankBits }

// slots has a channel's undecided requests.
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

// At returns the request at an index, valid until the next Enqueue.
func (q *Queue) At(i int) *Request { return &q.slots.list[q.keys[i].slot()] }

// push appends the request in a slot. open: its row is open.
func (q *Queue) push(slot uint32, open bool) {
	r := &q.slots.list[slot]
	if len(q.keys) == cap(q.keys) {
		if q.room == nil { // large enough that keys seldom move to its start
			q.room = make([]key, 0, 4*q.limit)
		}
		q.keys = append(q.room[:0], q.keys...)
	}
	q.keys = append(q.keys, key{row: r.Row, at: slot<<bankBits | r.Bank})
	if open {
		q.count(r.Bank)
	}
}

// remove removes the request at an index and returns its slot. open: its row is open.
func (q *Queue) remove(at int, open bool) uint32 {
	list := q.keys
	k := list[at]
	if at < len(list)/2 { // move the shorter part: mostly the oldest are served
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

// count counts one more request to a bank's open row.
func (q *Queue) count(bank uint32) {
	q.open[bank]++
	q.total++
	q.wanted |= 1 << bank
}

// forget clears a bank's count because its row is closed.
func (q *Queue) forget(bank uint32) {
	q.total -= int(q.open[bank])
	q.open[bank] = 0
	q.wanted &^= 1 << bank
}

// rowChanged recounts the requests to a bank's open row; -1 if it was closed.
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
