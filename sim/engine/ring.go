package engine

// Ring is a first-in first-out queue that grows to what it needs and then allocates nothing.
type Ring[T any] struct {
	items []T
	head  int
	count int
}

// Len returns the number of items.
func (r *Ring[T]) Len() int { return r.count }

// Push puts an item behind all others.
func (r *Ring[T]) Push(item T) {
	if r.count == len(r.items) {
		grown := make([]T, max(16, 2*len(r.items)))
		n := copy(grown, r.items[r.head:])
		copy(grown[n:], r.items[:r.head])
		r.items, r.head = grown, 0
	}
	at := r.head + r.count
	if at >= len(r.items) {
		at -= len(r.items)
	}
	r.items[at] = item
	r.count++
}

// First returns the item that Pop would take; there is at least one.
func (r *Ring[T]) First() *T { return &r.items[r.head] }

// Pop takes the item that has been there longest; there is at least one.
func (r *Ring[T]) Pop() T {
	item := r.items[r.head]
	r.head++
	if r.head == len(r.items) {
		r.head = 0
	}
	r.count--
	return item
}
