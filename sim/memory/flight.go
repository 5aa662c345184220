package memory

import (
	"github.com/keplersim/keplersim/sim/cache"
)

// flight is a request on its way. It lives in the system's arena under a number that events carry.
type flight struct {
	Request
	slice int32
	next  int32  // next free flight
	local uint64 // the line's address in its slice
}

// isAtomic reports whether the slice's atomics unit carries the request out.
func (f *flight) isAtomic() bool { return f.Kind == RequestAtomic || f.Kind == RequestReduction }

// cacheAccess is the request as a slice's cache sees it.
func (f *flight) cacheAccess() cache.Access {
	return cache.Access{Line: f.local, PC: f.PC, Warp: f.Warp}
}

// flights is the arena.
type flights struct {
	list []flight
	free int32
	used int
}

func (f *flights) take() int32 {
	f.used++
	if f.free >= 0 {
		i := f.free
		f.free = f.list[i].next
		return i
	}
	f.list = append(f.list, flight{})
	return int32(len(f.list) - 1)
}

func (f *flights) put(i int32) {
	f.list[i].Access = nil
	f.list[i].next, f.free = f.free, i
	f.used--
}

// eventKind is what happens to what an event's number names.
type eventKind uint8

const (
	eventIssue    eventKind = iota // a flight leaves its SMX's load/store unit
	eventDepart                    // a flight has its translation
	eventSend                      // a flight that waited in its port has room at its slice
	eventArrive                    // a flight reaches its slice
	eventServe                     // a slice is free for the next of its queue
	eventFill                      // a number in fills: sectors come from DRAM
	eventSchedule                  // a channel chooses its next request
)

type event struct {
	kind  eventKind
	index int32
}

// fill is data on its way from DRAM.
type fill struct {
	line    uint64
	slice   int32
	next    int32
	sectors uint8
}

// fills is the arena of fills.
type fills struct {
	list []fill
	free int32
	used int
}

func (f *fills) take(line uint64, slice int32, sectors uint8) int32 {
	f.used++
	i := f.free
	if i >= 0 {
		f.free = f.list[i].next
	} else {
		f.list = append(f.list, fill{})
		i = int32(len(f.list) - 1)
	}
	f.list[i] = fill{line: line, slice: slice, sectors: sectors}
	return i
}

func (f *fills) put(i int32) fill {
	f.used--
	taken := f.list[i]
	f.list[i].next, f.free = f.free, i
	return taken
}
