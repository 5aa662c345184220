package memory

import (
	"github.com/keplersim/keplersim/sim/cache"
	"github.com/keplersim/keplersim/sim/stats"
)

// flight is a request in flight. It lives in the system's arena under a number that events carry, in one line of the host's caches.
type flight struct {
	Request
	slice int32
	set   int32  // of the slice's cache that the line belongs to
	local uint64 // the line's address in its slice
}

// isAtomic reports whether the slice's atomics unit carries the request out.
func (f *flight) isAtomic() bool { return f.Kind == RequestAtomic || f.Kind == RequestReduction }

// cacheAccess returns the request as a slice's cache sees it.
func (f *flight) cacheAccess() cache.Access {
	return cache.Access{Line: f.local, PC: f.PC, Warp: int32(f.Warp)}
}

// eventKind is what happens to what an event's number names.
type eventKind uint8

const (
	eventDepart   eventKind = iota // a flight has its translation
	eventSend                      // a flight that waited in its port has room at its slice
	eventArrive                    // a flight reaches its slice
	eventServe                     // a slice is free for the next of its queue
	eventFill                      // a fill reaches its slice
	eventSchedule                  // a channel chooses its next request
)

// event is an event's kind, the number of what it happens to, and for one at a port the number of the Step that has added it. It is one
// word, as every request hands on several.
type event uint64

func newEvent(kind eventKind, index int32) event { return event(kind) | event(uint32(index))<<32 }

func portEvent(kind eventKind, index int32, step uint16) event {
	return newEvent(kind, index) | event(step)<<16
}

func (e event) kind() eventKind { return eventKind(e) }

func (e event) index() int32 { return int32(e >> 32) }

func (e event) step() uint16 { return uint16(e >> 16) }

// fill is data in flight from DRAM to a slice.
type fill struct {
	line    uint64
	slice   int32
	account int32
	sectors uint8
	row     stats.RowState
}
