package cache

// missFile are a cache's miss registers: one a line on its way, each with the accesses that wait for it.
type missFile struct {
	registers []missRegister
	waiters   []missWaiter
	table     *lineTable // nil before the first miss
	freeRegister,
	freeWaiter int32
	count, merges int
	used          int
}

type missRegister struct {
	line    uint64
	head    int32 // waiters, oldest first; for a free register the next free one
	tail    int32
	count   int32
	pending uint8 // sectors asked for and not filled
}

type missWaiter struct {
	waiter uint64
	next   int32
	need   uint8
}

func newMissFile(registers, merges int) missFile {
	return missFile{count: registers, merges: merges, freeRegister: -1, freeWaiter: -1}
}

// build makes the registers. Many of an SMX's caches are not used in a launch, and those that are not need none.
func (f *missFile) build() {
	f.registers = make([]missRegister, f.count)
	f.waiters = make([]missWaiter, f.count*f.merges)
	f.table = newLineTable(f.count)
	for i := f.count - 1; i >= 0; i-- {
		f.registers[i].head, f.freeRegister = f.freeRegister, int32(i)
	}
	for i := len(f.waiters) - 1; i >= 0; i-- {
		f.waiters[i].next, f.freeWaiter = f.freeWaiter, int32(i)
	}
}

// add makes a waiter wait for sectors of a line; fetch are those not asked for yet.
func (f *missFile) add(line uint64, sectors uint8, waiter uint64) (Status, uint8) {
	if f.table == nil {
		if f.count == 0 {
			return Stall, 0
		}
		f.build()
	}
	status := MissMerged
	i := int32(f.table.find(line))
	if i < 0 {
		if i = f.freeRegister; i < 0 {
			return Stall, 0
		}
		f.freeRegister = f.registers[i].head
		f.registers[i] = missRegister{line: line, head: -1, tail: -1}
		f.table.insert(line, int(i))
		f.used++
		status = MissNew
	}
	r := &f.registers[i]
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

// release takes off the waiters whose last sectors these are.
func (f *missFile) release(line uint64, sectors uint8, released []uint64) []uint64 {
	if f.table == nil {
		return released
	}
	i := f.table.find(line)
	if i < 0 {
		return released
	}
	r := &f.registers[i]
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
	if r.count == 0 {
		f.table.remove(line)
		r.head, f.freeRegister = f.freeRegister, int32(i)
		f.used--
	}
	return released
}
