package smx

import (
	"unsafe"

	"github.com/keplersim/keplersim/internal/hostcache"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/memory"
)

// outgoing are the requests that leave an SMX in a coming cycle. The load/store unit makes its own in the order in which they leave, so
// they are a list; those of texture units, which work beside it, leave before some of them and wait in a wheel.
type outgoing struct {
	list   []memory.Request
	sent   int // of list
	early  *engine.Wheel[memory.Request]
	latest engine.Cycle // of list
}

// sender is where requests go: a port of the memory system.
type sender interface{ Send(memory.Request) }

// earlyCycles is how far ahead the wheel orders in constant time.
const earlyCycles = 1024

func newOutgoing() outgoing {
	return outgoing{early: engine.NewWheel[memory.Request](earlyCycles)}
}

// add takes a request that leaves in the cycle Issued, behind those of that cycle that have been added before.
func (o *outgoing) add(r memory.Request) {
	if o.sent < len(o.list) && r.Issued < o.latest {
		o.early.Push(r.Issued, r)
		return
	}
	o.list, o.latest = append(o.list, r), r.Issued
}

// prefetch has the host bring near where the next requests will be written.
func (o *outgoing) prefetch() {
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
	for ; o.sent < len(o.list) && o.list[o.sent].Issued < until; o.sent++ {
		r := &o.list[o.sent]
		o.sendEarly(port, r.Issued)
		port.Send(*r)
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
		port.Send(r)
	}
}
