package memory

import (
	"github.com/keplersim/keplersim/sim/cache"
	"github.com/keplersim/keplersim/sim/stats"
)

// flight is a request on its way, from its port to the response, or data on their way from DRAM to a slice. It lies in one line of the
// host's caches.
type flight struct {
	Request
	local    uint64 // the line's address in its slice
	set      int32  // of the slice's cache that the line belongs to
	data     bool   // data from DRAM, and no request
	admitted bool   // its slice has room for it
	row      stats.RowState
}

// isAtomic reports whether the slice's atomics unit carries the request out.
func (f *flight) isAtomic() bool { return f.Kind == RequestAtomic || f.Kind == RequestReduction }

// cacheAccess returns the request as a slice's cache sees it.
func (f *flight) cacheAccess() cache.Access {
	return cache.Access{Line: f.local, PC: f.PC, Warp: int32(f.Warp)}
}

// flights holds flights under numbers, which calendars list and caches keep for those that wait. A number that is given back is given
// out again, the latest first. The numbers below the first flight's are those of units: 0 is none, then come the slices, then the channels.
type flights struct {
	list   []flight
	next   []int32 // by number: the next in the list of its cycle
	vacant []int32 // numbers given back
	units  int32
}

func newFlights(units int) *flights {
	n := 1 + units
	return &flights{list: make([]flight, n), next: make([]int32, n), units: int32(n)}
}

// take returns the number of a flight, which is to be written whole: it is what was last under the number.
func (f *flights) take() int32 {
	if last := len(f.vacant) - 1; last >= 0 {
		number := f.vacant[last]
		f.vacant = f.vacant[:last]
		return number
	}
	f.list, f.next = append(f.list, flight{}), append(f.next, 0)
	return int32(len(f.list) - 1)
}

// at returns the flight under a number. The pointer holds until the next take.
func (f *flights) at(number int32) *flight { return &f.list[number] }

// drop gives a number back whose flight points to nothing any more: it stays as it is until the number is given out again.
func (f *flights) drop(number int32) { f.vacant = append(f.vacant, number) }

// used returns how many flights there are.
func (f *flights) used() int { return len(f.list) - int(f.units) - len(f.vacant) }
