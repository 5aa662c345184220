package engine

import (
	"math/bits"
)

// Wheel is a queue of values by time like [Heap], in constant time for values less than its length ahead of the last one removed. Values
// farther ahead wait in a heap until they are within reach.
type Wheel[T any] struct {
	first  Cycle // time of the first value; Never for none
	now    Cycle // no value is earlier
	mask   Cycle
	slots  []wheelSlot
	filled []uint64 // a bit for each slot with values
	words  uint64   // a bit for each word of filled that is not zero
	nodes  []wheelNode[T]
	free   int32
	count  int // values in the slots
	far    Heap[T]
}

// wheelSlot is the list of a cycle's values; the head is -1 if it is empty.
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
	w := &Wheel[T]{
		first: Never, mask: Cycle(length - 1), slots: make([]wheelSlot, length), filled: make([]uint64, length/64), free: -1,
	}
	for i := range w.slots {
		w.slots[i].head = -1
	}
	return w
}

// Len returns the number of values waiting.
func (w *Wheel[T]) Len() int { return w.count + w.far.Len() }

// Push adds a value. A time before the last one removed counts as that one.
func (w *Wheel[T]) Push(time Cycle, value T) {
	time = max(time, w.now)
	w.first = min(w.first, time)
	if time-w.now > w.mask {
		w.far.Push(time, value)
		return
	}
	w.insert(time, value)
}

func (w *Wheel[T]) insert(time Cycle, value T) {
	index := w.free
	if index < 0 {
		index = w.grow()
	}
	node := &w.nodes[index]
	w.free = node.next
	node.value, node.next = value, -1
	w.count++
	slot := &w.slots[time&w.mask]
	if slot.head >= 0 {
		w.nodes[slot.tail].next, slot.tail = index, index
		return
	}
	slot.head, slot.tail = index, index
	w.fill(time & w.mask)
}

// grow allocates a node.
func (w *Wheel[T]) grow() int32 {
	w.nodes = append(w.nodes, wheelNode[T]{next: -1})
	return int32(len(w.nodes) - 1)
}

// fill marks a slot that got its first value.
func (w *Wheel[T]) fill(position Cycle) {
	w.filled[position>>6] |= 1 << (position & 63)
	w.words |= 1 << (position >> 6 & 63)
}

// Next returns the time of the first value; Never and false for none.
func (w *Wheel[T]) Next() (Cycle, bool) { return w.first, w.first != Never }

// look finds the time of the first value.
func (w *Wheel[T]) look() Cycle {
	if w.count == 0 {
		next, _ := w.far.Next()
		return next
	}
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
	return w.now + (Cycle(word<<6+bits.TrailingZeros64(pending))-w.now)&w.mask
}

// PopBefore removes the first value if its time is before limit. The wheel's time is then the value's.
func (w *Wheel[T]) PopBefore(limit Cycle) (time Cycle, value T, ok bool) {
	if time = w.first; time >= limit {
		return time, value, false
	}
	if w.now = time; len(w.far.entries) > 0 {
		w.promote()
	}
	position := time & w.mask
	slot := &w.slots[position]
	index := slot.head
	node := &w.nodes[index]
	value = node.value
	next := node.next
	node.next, w.free = w.free, index
	w.count--
	if slot.head = next; next < 0 {
		w.empty(position)
	}
	return time, value, true
}

// empty marks the slot of the current time as empty.
func (w *Wheel[T]) empty(position Cycle) {
	word := &w.filled[position>>6]
	if *word &^= 1 << (position & 63); *word == 0 {
		w.words &^= 1 << (position >> 6 & 63)
	}
	w.first = w.look()
}

// promote moves values that are within the wheel's length from the heap to the slots. Order holds for equal times: time never passes a
// waiting value, and a value leaves the heap before anything can be pushed directly to its slot.
func (w *Wheel[T]) promote() {
	for {
		next, ok := w.far.Next()
		if !ok || next-w.now > w.mask {
			return
		}
		_, value := w.far.Pop()
		w.insert(next, value)
	}
}
