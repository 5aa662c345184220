package memory

import "github.com/keplersim/keplersim/sim/engine"

// inbox are responses that have not been received, by when they are ready, those of one cycle in the order in which they came. An SMX's
// link brings them one after another, so that nearly all belong at the end.
type inbox struct {
	list []Response
	head int // of list; those before it have been taken
}

// push adds a response.
func (b *inbox) push(r Response) {
	if n := len(b.list); n > b.head && n < cap(b.list) && b.list[n-1].Ready <= r.Ready {
		b.list = b.list[:n+1]
		b.list[n] = r
		return
	}
	b.insert(r)
}

// insert is push where there is no room behind the others, or the response does not belong there.
func (b *inbox) insert(r Response) {
	if len(b.list) == cap(b.list) && b.head > len(b.list)/2 {
		b.list, b.head = b.list[:copy(b.list, b.list[b.head:])], 0
	}
	b.list = append(b.list, r)
	i := len(b.list) - 1
	if i == b.head || b.list[i-1].Ready <= r.Ready {
		return
	}
	for i--; i > b.head && b.list[i-1].Ready > r.Ready; {
		i--
	}
	copy(b.list[i+1:], b.list[i:])
	b.list[i] = r
}

// next returns when the first is ready; false when there is none.
func (b *inbox) next() (engine.Cycle, bool) {
	if b.head == len(b.list) {
		return engine.Never, false
	}
	return b.list[b.head].Ready, true
}

// take takes those that are ready by a cycle. They lie where they were until others are added.
func (b *inbox) take(by engine.Cycle) []Response {
	ready := b.before(by + 1)
	if b.head += len(ready); b.head == len(b.list) {
		b.list, b.head = b.list[:0], 0
	}
	return ready
}

// before returns those that are ready before a cycle.
func (b *inbox) before(cycle engine.Cycle) []Response {
	end := b.head
	for end < len(b.list) && b.list[end].Ready < cycle {
		end++
	}
	return b.list[b.head:end]
}
