package smx

import (
	"unsafe"

	"github.com/keplersim/keplersim/internal/hostcache"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/memory"
)

// outgoing are the requests that leave an SMX in coming cycles. The load/store unit makes its requests in the order in which they leave, so
// a list holds them. The texture units work at the same time. Their requests leave before some of these and wait in a wheel.
type outgoing struct {
	list   []memory.Request
	sent   int // in list
	early  *engine.Wheel[memory.Request]
	detour memory.Request   // a request for the wheel
	one    []memory.Request // a request from the wheel
	latest engine.Cycle     // when the last of list leaves
}

// sender takes requests: a port of the memory system.
type sender interface{ Send(...memory.Request) }

// earlyCycles is the span of cycles that the wheel orders in constant time.
const earlyCycles = 1024

func newOutgoing() outgoing {
	return outgoing{early: engine.NewWheel[memory.Request](earlyCycles)}
}

// add queues a request that leaves in the cycle Issued, behind earlier ones of that cycle.
func (o *outgoing) add(r *memory.Request) {
	place := o.place(r.Issued)
	*place = *r
	o.placed(place)
}

// place returns the request in which the caller writes all fields, for a request that leaves in a cycle. Call placed after that. Writing in
// place is faster: a request that is built elsewhere and copied at once makes the host wait for its own stores.
func (o *outgoing) place(issued engine.Cycle) *memory.Request {
	n := len(o.list)
	switch {
	case o.sent < n && issued < o.latest:
		return &o.detour
	case n < cap(o.list):
		o.list = o.list[:n+1]
	default:
		o.list = append(o.list, memory.Request{})
	}
	o.latest = issued
	return &o.list[n]
}

func (o *outgoing) placed(r *memory.Request) {
	if r == &o.detour {
		o.early.Push(r.Issued, *r)
	}
}

// warmHost fetches into the host's caches the place of the next requests.
func (o *outgoing) warmHost() {
	const coming = 32 // about as many as in an epoch
	if from := len(o.list); from < cap(o.list) {
		hostcache.Value(&o.list[:cap(o.list)][from], min(coming, cap(o.list)-from)*int(unsafe.Sizeof(memory.Request{})))
	}
}

// next returns when the first request leaves, never for none. The wheel is empty if the list is.
func (o *outgoing) next() engine.Cycle {
	if o.sent == len(o.list) {
		return never
	}
	early, _ := o.early.Next()
	return min(early, o.list[o.sent].Issued)
}

// send hands the requests of cycles before until to the memory system. Within a cycle, the list's requests go first: a request enters the
// wheel only when the list is past its cycle.
func (o *outgoing) send(port sender, until engine.Cycle) {
	from := o.sent
	if o.early.Len() == 0 { // the usual case
		for o.sent < len(o.list) && o.list[o.sent].Issued < until {
			o.sent++
		}
	}
	for ; o.sent < len(o.list) && o.list[o.sent].Issued < until; o.sent++ {
		if o.early.Len() > 0 {
			port.Send(o.list[from:o.sent]...)
			from = o.sent
			o.sendEarly(port, o.list[from].Issued)
		}
	}
	if from < o.sent {
		port.Send(o.list[from:o.sent]...)
	}
	o.sendEarly(port, until)
	// A unit that is never idle never empties the list, which must not grow for that.
	if left := o.list[o.sent:]; len(left) <= o.sent {
		o.list, o.sent = o.list[:copy(o.list, left)], 0
	}
}

func (o *outgoing) sendEarly(port sender, until engine.Cycle) {
	for o.early.Len() > 0 {
		_, r, ok := o.early.PopBefore(until)
		if !ok {
			return
		}
		o.one = append(o.one[:0], r)
		port.Send(o.one...)
	}
}
