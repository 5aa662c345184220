package engine

// Ring is a first-in first-out queue that allocates only until it has grown to its working size.
type Ring[T any] struct {
	items []T
	head  int
	count int
}

// Len returns the number of items.
func (r *Ring[T]) Len() int { return r.count }

// Push adds an item at the end.
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

// First returns the item that Pop would remove. The ring must not be empty.
func (r *Ring[T]) First() *T { return &r.items[r.head] }

// Pop removes the oldest item. The ring must not be empty.
func (r *Ring[T]) Pop() T {
	item := r.items[r.head]
	r.head++
	if r.head == len(r.items) {
		r.head = 0
	}
	r.count--
	return item
}
