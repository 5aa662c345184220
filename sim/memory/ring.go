package memory

// ring is a first-in first-out queue that grows to what it needs and then allocates nothing.
type ring[T any] struct {
	items []T
	head  int
	count int
}

func (r *ring[T]) len() int { return r.count }

func (r *ring[T]) push(item T) {
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

func (r *ring[T]) first() *T { return &r.items[r.head] }

func (r *ring[T]) pop() T {
	item := r.items[r.head]
	r.head++
	if r.head == len(r.items) {
		r.head = 0
	}
	r.count--
	return item
}
