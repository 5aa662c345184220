package cache

// mshrFile has a cache's miss status holding registers (MSHRs): one for each line in flight, with the accesses that wait for it.
type mshrFile struct {
	registers []mshr
	waiters   []missWaiter
	table     *lineTable // nil before the first miss
	freeRegister,
	freeWaiter int32
	count, merges int
	used          int
}

type mshr struct {
	access  Access // the first that missed
	head    int32  // first waiter, the oldest; of a free register: the next free one
	tail    int32
	count   int32
	pending uint8 // sectors requested and not filled
	// overtaken: the line has been written since it was requested.
	overtaken bool
}

type missWaiter struct {
	waiter uint64
	next   int32
	need   uint8
}

func newMSHRFile(registers, merges int) mshrFile {
	return mshrFile{count: registers, merges: merges, freeRegister: -1, freeWaiter: -1}
}

// build allocates the registers. Many of an SMX's caches are not used in a launch, and need none.
func (f *mshrFile) build() {
	f.registers = make([]mshr, f.count)
	f.waiters = make([]missWaiter, f.count*f.merges)
	f.table = newLineTable(f.count)
	for i := f.count - 1; i >= 0; i-- {
		f.registers[i].head, f.freeRegister = f.freeRegister, int32(i)
	}
	for i := len(f.waiters) - 1; i >= 0; i-- {
		f.waiters[i].next, f.freeWaiter = f.freeWaiter, int32(i)
	}
}

// add makes a waiter wait for sectors of a line. The result has those not requested yet.
func (f *mshrFile) add(a Access, sectors uint8, waiter uint64) (Status, uint8) {
	status := MissMerged
	r := f.find(a.Line)
	if r == nil {
		if r = f.take(a); r == nil {
			return Stall, 0
		}
		status = MissNew
	}
	if r.overtaken {
		return Overtaken, 0
	}
	if int(r.count) == f.merges {
		return Stall, 0
	}
	w := f.freeWaiter
	f.freeWaiter = f.waiters[w].next
	f.waiters[w] = missWaiter{waiter: waiter, next: -1, need: sectors}
	if r.tail < 0 {
		r.head = w
	} else {
		f.waiters[r.tail].next = w
	}
	r.tail = w
	r.count++
	fetch := sectors &^ r.pending
	r.pending |= sectors
	return status, fetch
}

// find returns the register of a line in flight, nil for others.
func (f *mshrFile) find(line uint64) *mshr {
	if f.table == nil {
		return nil
	}
	if i := f.table.find(line); i >= 0 {
		return &f.registers[i]
	}
	return nil
}

// take returns a free register for a line that is not in flight, nil if there is none.
func (f *mshrFile) take(a Access) *mshr {
	if f.table == nil {
		if f.count == 0 {
			return nil
		}
		f.build()
	}
	i := f.freeRegister
	if i < 0 {
		return nil
	}
	r := &f.registers[i]
	f.freeRegister = r.head
	*r = mshr{access: a, head: -1, tail: -1}
	f.table.insert(a.Line, int(i))
	f.used++
	return r
}

// prefetch adds sectors of a line without a waiter, and returns those not requested yet; none if every register is taken.
func (f *mshrFile) prefetch(line uint64, sectors uint8) (fetch uint8) {
	r := f.find(line)
	if r == nil {
		if r = f.take(Unattributed(line)); r == nil {
			return 0
		}
	}
	if r.overtaken {
		return 0
	}
	fetch = sectors &^ r.pending
	r.pending |= sectors
	return fetch
}

// overtake marks a line in flight as written: later accesses cannot use it. It appends the line's waiters to a list.
func (f *mshrFile) overtake(line uint64, waiters []uint64) []uint64 {
	r := f.find(line)
	if r == nil {
		return waiters
	}
	r.overtaken = true
	for w := r.head; w >= 0; w = f.waiters[w].next {
		waiters = append(waiters, f.waiters[w].waiter)
	}
	return waiters
}

// overtakeAll is overtake for all lines that a function selects.
func (f *mshrFile) overtakeAll(named func(line uint64) bool) {
	if f.used == 0 {
		return
	}
	for _, line := range f.table.lines {
		if line != noLine && named(line) {
			f.find(line).overtaken = true
		}
	}
}

// release removes the waiters of a register that have all their sectors.
func (f *mshrFile) release(r *mshr, sectors uint8, released []uint64) []uint64 {
	r.pending &^= sectors
	previous := int32(-1)
	for w := r.head; w >= 0; {
		node := &f.waiters[w]
		next := node.next
		node.need &^= sectors
		if node.need == 0 {
			released = append(released, node.waiter)
			if previous < 0 {
				r.head = next
			} else {
				f.waiters[previous].next = next
			}
			if next < 0 {
				r.tail = previous
			}
			r.count--
			node.next, f.freeWaiter = f.freeWaiter, w
		} else {
			previous = w
		}
		w = next
	}
	if r.count == 0 && r.pending == 0 {
		i := f.table.remove(r.access.Line)
		r.head, f.freeRegister = f.freeRegister, i
		f.used--
	}
	return released
}
