package smx

import (
	"unsafe"

	"github.com/keplersim/keplersim/internal/hostcache"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/memory"
)

// outgoing are the requests that leave an SMX in a coming cycle. The load/store unit makes its own in the order in which they leave, so
// they are a list; those of texture units, which work at the same time, leave before some of them and wait in a wheel.
type outgoing struct {
	list   []memory.Request
	sent   int // of list
	early  *engine.Wheel[memory.Request]
	detour memory.Request   // one that goes there
	one    []memory.Request // one that comes from there
	latest engine.Cycle     // of list
}

// sender is where requests go: a port of the memory system.
type sender interface{ Send(...memory.Request) }

// earlyCycles is how far ahead the wheel orders in constant time.
const earlyCycles = 1024

func newOutgoing() outgoing {
	return outgoing{early: engine.NewWheel[memory.Request](earlyCycles)}
}

// add takes a request that leaves in the cycle Issued, behind those of that cycle that have been added before.
func (o *outgoing) add(r *memory.Request) {
	place := o.place(r.Issued)
	*place = *r
	o.placed(place)
}

// place returns where a request that leaves in a cycle is to be written, every field of it; placed is called when that has been done. A
// request that is put together elsewhere and copied at once makes the host wait for its own stores.
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

// warmHost fetches into the host's caches where the next requests will be written.
func (o *outgoing) warmHost() {
	const coming = 32 // about as many as an epoch has
	if from := len(o.list); from < cap(o.list) {
		hostcache.Value(&o.list[:cap(o.list)][from], min(coming, cap(o.list)-from)*int(unsafe.Sizeof(memory.Request{})))
	}
}

// next returns when the first leaves, never if there is none. The wheel is empty when the list is.
func (o *outgoing) next() engine.Cycle {
	if o.sent == len(o.list) {
		return never
	}
	early, _ := o.early.Next()
	return min(early, o.list[o.sent].Issued)
}

// send hands the requests of cycles before until to the memory system. Of one cycle, those of the list were added first: later ones in the
// list leave later than any in the wheel.
func (o *outgoing) send(port sender, until engine.Cycle) {
	from := o.sent
	if o.early.Len() == 0 { // nearly always
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
	// While the unit is never without work, the list never empties; it must not grow for that.
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
