package memory

import "github.com/keplersim/keplersim/sim/engine"

// inbox has the responses that have not been received, by when they are ready, those of one cycle in the order in which they came. An SMX's
// link delivers them one after another, so nearly all are appended.
type inbox struct {
	list []Response
	head int // start of list; earlier responses have been taken
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

// insert is push for a full list, or a response that is ready before the last.
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

// next returns when the first response is ready; false for none.
func (b *inbox) next() (engine.Cycle, bool) {
	if b.head == len(b.list) {
		return engine.Never, false
	}
	return b.list[b.head].Ready, true
}

// take removes the responses that are ready by a cycle. They are valid until the next push.
func (b *inbox) take(by engine.Cycle) []Response {
	ready := b.before(by + 1)
	if b.head += len(ready); b.head == len(b.list) {
		b.list, b.head = b.list[:0], 0
	}
	return ready
}

// before returns the responses that are ready before a cycle.
func (b *inbox) before(cycle engine.Cycle) []Response {
	end := b.head
	for end < len(b.list) && b.list[end].Ready < cycle {
		end++
	}
	return b.list[b.head:end]
}
