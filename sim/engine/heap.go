package engine

// Heap is a queue of values by time. Values of equal time come back in the order in which they were pushed. The zero value is an empty
// heap.
type Heap[T any] struct {
	entries  []heapEntry[T]
	sequence uint64
}

type heapEntry[T any] struct {
	time     Cycle
	sequence uint64
	value    T
}

func (e *heapEntry[T]) before(other *heapEntry[T]) bool {
	return e.time < other.time || e.time == other.time && e.sequence < other.sequence
}

// Len returns the number of values waiting.
func (h *Heap[T]) Len() int { return len(h.entries) }

// Next returns the time of the first value; false if the heap is empty.
func (h *Heap[T]) Next() (Cycle, bool) {
	if len(h.entries) == 0 {
		return Never, false
	}
	return h.entries[0].time, true
}

// Push adds a value.
func (h *Heap[T]) Push(time Cycle, value T) {
	h.entries = append(h.entries, heapEntry[T]{time: time, sequence: h.sequence, value: value})
	h.sequence++
	i := len(h.entries) - 1
	for i > 0 {
		parent := (i - 1) / 2
		if !h.entries[i].before(&h.entries[parent]) {
			break
		}
		h.entries[i], h.entries[parent] = h.entries[parent], h.entries[i]
		i = parent
	}
}

// Pop removes the first value. The heap must not be empty.
func (h *Heap[T]) Pop() (Cycle, T) {
	first := h.entries[0]
	last := len(h.entries) - 1
	h.entries[0] = h.entries[last]
	h.entries[last] = heapEntry[T]{}
	h.entries = h.entries[:last]
	i := 0
	for {
		child := 2*i + 1
		if child >= last {
			break
		}
		if right := child + 1; right < last && h.entries[right].before(&h.entries[child]) {
			child = right
		}
		if !h.entries[child].before(&h.entries[i]) {
			break
		}
		h.entries[i], h.entries[child] = h.entries[child], h.entries[i]
		i = child
	}
	return first.time, first.value
}
