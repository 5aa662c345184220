package engine

import "math/bits"

// Wheel hands out values by time, as [Heap] does, in constant time for values that lie less than its length ahead of the
// last one taken; what lies farther waits in a heap until it comes near.
type Wheel[T any] struct {
	now    Cycle // no value lies before it
	mask   Cycle
	slots  []wheelSlot
	filled []uint64 // one bit a slot
	nodes  []wheelNode[T]
	free   int32
	count  int
	far    Heap[T]
}

type wheelSlot struct{ head, tail int32 }

type wheelNode[T any] struct {
	value T
	next  int32
}

// NewWheel makes a wheel of the given length, a power of two of at least 64 cycles.
func NewWheel[T any](length int) *Wheel[T] {
	if length < 64 || length&(length-1) != 0 {
		panic("engine: a wheel's length is a power of two of at least 64")
	}
	w := &Wheel[T]{mask: Cycle(length - 1), slots: make([]wheelSlot, length), filled: make([]uint64, length/64), free: -1}
	for i := range w.slots {
		w.slots[i] = wheelSlot{-1, -1}
	}
	return w
}

// Len is the number of values waiting.
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
	if slot.tail < 0 {
		slot.head = index
		w.filled[position>>6] |= 1 << (position & 63)
	} else {
		w.nodes[slot.tail].next = index
	}
	slot.tail = index
	w.count++
}

// Next is the time of the first value; false when none waits.
func (w *Wheel[T]) Next() (Cycle, bool) {
	if w.count == 0 {
		return w.far.Next()
	}
	start := w.now & w.mask
	word := int(start >> 6)
	pending := w.filled[word] &^ (1<<(start&63) - 1)
	for range len(w.filled) + 1 {
		if pending != 0 {
			position := Cycle(word<<6 + bits.TrailingZeros64(pending))
			return w.now + (position-start)&w.mask, true
		}
		word++
		if word == len(w.filled) {
			word = 0
		}
		pending = w.filled[word]
	}
	panic("engine: the wheel's bits and its count disagree")
}

// PopBefore takes the first value if its time lies before the limit. Time then stands at the value's time.
func (w *Wheel[T]) PopBefore(limit Cycle) (Cycle, T, bool) {
	time, ok := w.Next()
	if !ok || time >= limit {
		var none T
		return time, none, false
	}
	w.advance(time)
	position := time & w.mask
	slot := &w.slots[position]
	index := slot.head
	node := &w.nodes[index]
	value := node.value
	slot.head = node.next
	if slot.head < 0 {
		slot.tail = -1
		w.filled[position>>6] &^= 1 << (position & 63)
	}
	node.next, w.free = w.free, index
	w.count--
	return time, value, true
}

// advance moves time on and takes in what has come within the wheel's length. Time never passes a value that waits, and a
// value moves from the heap before anything can be pushed beside it, so the order of equal times holds.
func (w *Wheel[T]) advance(time Cycle) {
	w.now = time
	for {
		next, ok := w.far.Next()
		if !ok || next-w.now > w.mask {
			return
		}
		_, value := w.far.Pop()
		w.insert(next, value)
	}
}
