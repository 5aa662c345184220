package engine

import (
	"math/bits"
)

// Wheel hands out values by time, as [Heap] does, in constant time for values that lie less than its length ahead of the
// last one taken; what lies farther waits in a heap until it comes near.
type Wheel[T any] struct {
	now    Cycle // no value lies before it
	mask   Cycle
	slots  []wheelSlot
	filled []uint64 // one bit a slot
	words  uint64   // one bit a word of filled that is not zero
	first  Cycle    // of the first value in the slots; unknown when it has to be looked for
	nodes  []wheelNode[T]
	free   int32
	count  int
	far    Heap[T]
}

const unknown = Cycle(-1)

// wheelSlot is the list of a cycle's values; it means nothing unless its bit is set in filled.
type wheelSlot struct{ head, tail int32 }

type wheelNode[T any] struct {
	value T
	next  int32
}

// NewWheel makes a wheel of the given length, a power of two from 64 to 4,096 cycles.
func NewWheel[T any](length int) *Wheel[T] {
	if length < 64 || length > 64*64 || length&(length-1) != 0 {
		panic("engine: a wheel's length is a power of two from 64 to 4,096")
	}
	return &Wheel[T]{mask: Cycle(length - 1), slots: make([]wheelSlot, length), filled: make([]uint64, length/64), free: -1}
}

// Len returns the number of values waiting.
func (w *Wheel[T]) Len() int { return w.count + w.far.Len() }

// Push adds a value. A time before the last one taken counts as that one.
func (w *Wheel[T]) Push(time Cycle, value T) {
	if time < w.now {
		time = w.now
	}
	if time-w.now > w.mask {
		w.far.Push(time, value)
		return
	}
	w.insert(time, value)
}

func (w *Wheel[T]) insert(time Cycle, value T) {
	index := w.free
	if index >= 0 {
		node := &w.nodes[index]
		w.free = node.next
		node.value, node.next = value, -1
	} else {
		index = int32(len(w.nodes))
		w.nodes = append(w.nodes, wheelNode[T]{value: value, next: -1})
	}
	position := time & w.mask
	slot := &w.slots[position]
	if w.filled[position>>6]>>(position&63)&1 == 0 {
		slot.head = index
		w.filled[position>>6] |= 1 << (position & 63)
		w.words |= 1 << (position >> 6)
	} else {
		w.nodes[slot.tail].next = index
	}
	slot.tail = index
	if w.count == 0 || time < w.first {
		w.first = time
	}
	w.count++
}

// Next returns the time of the first value; false when none waits.
func (w *Wheel[T]) Next() (Cycle, bool) {
	if w.count == 0 {
		return w.far.Next()
	}
	if w.first == unknown {
		w.first = w.now + (w.position()-w.now)&w.mask
	}
	return w.first, true
}

// Before visits the values that lie before a limit, in their order, without taking them; those in the heap are left out.
func (w *Wheel[T]) Before(limit Cycle, visit func(*T)) {
	limit = min(limit, w.now+w.mask+1)
	for time, ok := w.Next(); ok && w.count > 0 && time < limit; time++ {
		position := time & w.mask
		if pending := w.filled[position>>6] >> (position & 63); pending&1 == 0 {
			if pending == 0 {
				time |= 63
			} else {
				time += Cycle(bits.TrailingZeros64(pending)) - 1
			}
			continue
		}
		for index := w.slots[position].head; index >= 0; index = w.nodes[index].next {
			visit(&w.nodes[index].value)
		}
	}
}

// First returns the time of the first value and the value, which stays; Never and nil when none waits.
func (w *Wheel[T]) First() (Cycle, *T) {
	time, ok := w.Next()
	switch {
	case !ok:
		return time, nil
	case w.count == 0:
		return time, &w.far.entries[0].value
	}
	return time, &w.nodes[w.slots[time&w.mask].head].value
}

// position returns the first slot with values, from where time stands round to it again.
func (w *Wheel[T]) position() Cycle {
	start := w.now & w.mask
	word := int(start >> 6)
	pending := w.filled[word] &^ (1<<(start&63) - 1)
	if pending == 0 {
		words := w.words &^ (2<<word - 1)
		if words == 0 {
			words = w.words
		}
		word = bits.TrailingZeros64(words) & 63
		pending = w.filled[word]
	}
	return Cycle(word<<6 + bits.TrailingZeros64(pending))
}

// PopBefore takes the first value if its time lies before the limit. Time then stands at the value's time.
func (w *Wheel[T]) PopBefore(limit Cycle) (Cycle, T, bool) {
	time, ok := w.Next()
	if !ok || time >= limit {
		var none T
		return time, none, false
	}
	if w.now = time; len(w.far.entries) > 0 {
		w.comeNear()
	}
	position := time & w.mask
	slot := &w.slots[position]
	index := slot.head
	node := &w.nodes[index]
	value := node.value
	slot.head = node.next
	if slot.head < 0 {
		w.first = unknown
		if w.filled[position>>6] &^= 1 << (position & 63); w.filled[position>>6] == 0 {
			w.words &^= 1 << (position >> 6)
		}
	}
	node.next, w.free = w.free, index
	w.count--
	return time, value, true
}

// comeNear takes in what has come within the wheel's length. Time never passes a value that waits, and a value moves from the heap before
// anything can be pushed beside it, so the order of equal times holds.
func (w *Wheel[T]) comeNear() {
	for {
		next, ok := w.far.Next()
		if !ok || next-w.now > w.mask {
			return
		}
		_, value := w.far.Pop()
		w.insert(next, value)
	}
}
