package memory

import (
	"github.com/keplersim/keplersim/sim/cache"
	"github.com/keplersim/keplersim/sim/stats"
)

// flight is a request in flight, from its port to the response, or data in flight from DRAM to a slice. It fits one line of the host's
// caches.
type flight struct {
	Request
	local    uint64 // the line's address in its slice
	set      int32  // set of the line in the slice's cache
	data     bool   // data from DRAM, not a request
	admitted bool   // its slice has room for it
	row      stats.RowState
}

// isAtomic reports whether the slice's atomics unit carries the request out.
func (f *flight) isAtomic() bool { return f.Kind == RequestAtomic || f.Kind == RequestReduction }

// cacheAccess describes the request to a slice's cache.
func (f *flight) cacheAccess() cache.Access {
	return cache.Access{Line: f.local, PC: f.PC, Warp: int32(f.Warp)}
}

// flights has the flights by number. Calendars list these numbers, and caches keep those of waiting flights. Free numbers are reused, the
// latest first. The lowest numbers are not flights: 0 is none, then come the slices, then the channels.
type flights struct {
	list   []flight
	next   []int32 // the next number in the list of a cycle
	vacant []int32 // free numbers
	units  int32
}

func newFlights(units int) *flights {
	n := 1 + units
	return &flights{list: make([]flight, n), next: make([]int32, n), units: int32(n)}
}

// take returns a free number. The caller writes every field of its flight, which may hold old data.
func (f *flights) take() int32 {
	if last := len(f.vacant) - 1; last >= 0 {
		number := f.vacant[last]
		f.vacant = f.vacant[:last]
		return number
	}
	f.list, f.next = append(f.list, flight{}), append(f.next, 0)
	return int32(len(f.list) - 1)
}

// at returns the flight with a number. The pointer is valid until the next take.
func (f *flights) at(number int32) *flight { return &f.list[number] }

// drop frees a number. The flight must not point to anything; its fields stay until the number is taken again.
func (f *flights) drop(number int32) { f.vacant = append(f.vacant, number) }

// used returns the number of flights.
func (f *flights) used() int { return len(f.list) - int(f.units) - len(f.vacant) }
