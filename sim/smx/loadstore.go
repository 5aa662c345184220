package smx

import (
	"math"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/internal/hostcache"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/memory"
)

// loadStore is the load/store unit: a queue of warp accesses, served in order, one pass or transaction a cycle, and the accesses that wait
// for the memory system.
type loadStore struct {
	free             int64             // when the unit can begin another access, in ticks
	pass             int64             // duration of a request's first pass, in ticks
	widePass         int64             // the same for 8 and 16 bytes a lane
	furtherPassTicks int64             // duration of each further pass, in ticks
	line             int64             // ticks for each line loaded
	storeLine        int64             // ticks for each line stored to past L1
	finishes         [256]engine.Cycle // when the latest accesses are served: a ring
	booked           uint8             // accesses so far: the index into the ring
	capacity         uint8             // size of the queue, in accesses
	storesInOrder    bool              // warps whose stores the full unit refused issue in turn
	textured         uint64            // places of classes that the texture units carry out
	mostPending      int               // limit of pending
	latency          engine.Cycle      // from a request's pass to its leaving

	accesses    []*access // by tag
	newAccesses engine.Slab[access]
	unused      []int32
	brief       access // the record of an access that completes at once
	pending     int    // requests in flight
	requests    outgoing

	parts        memory.Parts
	banks        memory.SharedBanks
	transactions []memory.Transaction
	demand       []memory.LockDemand
	blocks       exec.Access // scratch of inBlocks
	dataCaches
}

func (l *loadStore) build(config *configs.Config, carveOut configs.CarveOut) error {
	l.pass = int64(math.Round(config.LoadStore.PassCycles * ticks))
	l.widePass = int64(math.Round(config.LoadStore.WidePassCycles * ticks))
	l.furtherPassTicks = int64(math.Round(config.LoadStore.FurtherPassCycles * ticks))
	l.storeLine = int64(math.Round(config.LoadStore.StoreLineCycles * ticks))
	l.line = int64(math.Round(config.LoadStore.LineCycles * ticks))
	l.capacity, l.mostPending = uint8(config.LoadStore.Queue), config.LoadStore.Outstanding
	l.latency = engine.Cycle(config.LoadStore.Latency)
	l.free, l.storesInOrder, l.textured = 0, config.LoadStore.InTurn, texturedPlaces(config)
	clear(l.finishes[:])
	l.parts, l.banks = memory.NewParts(&config.LoadStore), memory.NewSharedBanks(config)
	return l.dataCaches.build(config, carveOut)
}

// serve books the unit for requests to shared memory or the constants that take this many passes in all, and returns when the first begins.
func (l *loadStore) serve(h *GridState, class isa.Class, now engine.Cycle, requests, passes int) engine.Cycle {
	return l.book(h, class, now, int64(requests)*l.pass+int64(passes-requests)*l.furtherPassTicks)
}

// serveShared is serve for an operation's access to shared memory, with its bytes a lane.
func (l *loadStore) serveShared(h *GridState, op *operation, now engine.Cycle, bytes uint8, requests, passes int) engine.Cycle {
	pass := l.pass
	if bytes > 4 {
		pass = l.widePass
	}
	return l.book(h, op.class, now, int64(requests)*pass+int64(passes-requests)*op.furtherPassTicks)
}

// book books the unit for some ticks, for an operation of a grid, and returns when they begin.
func (l *loadStore) book(h *GridState, class isa.Class, now engine.Cycle, taken int64) engine.Cycle {
	h.taken[class%classPlaces] += taken
	start := max(int64(now)*ticks, l.free)
	l.free = start + taken
	l.finishes[l.booked] = engine.Cycle(l.free / ticks)
	l.booked++
	return engine.Cycle(start / ticks)
}

// accepts reports whether the unit can take another access of a class.
func (l *loadStore) accepts(class isa.Class, now engine.Cycle) bool {
	return l.refuses(now)>>class&1 == 0
}

// refuses returns the places of classes whose accesses the unit cannot take. Those of the texture units are not among them.
func (l *loadStore) refuses(now engine.Cycle) uint64 {
	if l.full(now) {
		return accessPlaces &^ l.textured
	}
	return l.blocked()
}

// blocked is refuses for a queue with room: the classes that cannot be taken before a response arrives.
func (l *loadStore) blocked() uint64 {
	const shared, constant = 1 << isa.ClassShared, 1 << isa.ClassConstant
	switch {
	case l.held > 0:
		return accessPlaces &^ l.textured &^ shared
	case l.pending >= l.mostPending:
		return accessPlaces &^ l.textured &^ shared &^ constant
	}
	return 0
}

// full reports that the queue has no room: the latest capacity accesses are still to be served.
func (l *loadStore) full(now engine.Cycle) bool { return l.roomAt() > now }

// roomAt returns when a full queue has room.
func (l *loadStore) roomAt() engine.Cycle { return l.finishes[l.booked-l.capacity] }

// prefetchedRecord is how many bytes of a record most accesses write, up to the first words of their data.
const prefetchedRecord = 576

// take returns an unused access record.
func (l *loadStore) take() *access {
	if n := len(l.unused); n > 0 {
		a := l.accesses[l.unused[n-1]]
		l.unused = l.unused[:n-1]
		return a
	}
	a := &l.newAccesses.Take(1)[0]
	a.tag = int32(len(l.accesses))
	l.accesses = append(l.accesses, a)
	return a
}

// warmNext fetches the record of the next access into the host's caches, since this one's stays in use.
func (l *loadStore) warmNext() {
	if n := len(l.unused); n > 0 {
		hostcache.Owned(l.accesses[l.unused[n-1]], prefetchedRecord)
	}
}

func (l *loadStore) release(a *access) {
	if a == &l.brief {
		return
	}
	a.warp, a.gridState, a.operation, a.cached, a.taken, a.coming = nil, nil, nil, false, 0, 0
	l.unused = append(l.unused, a.tag)
}

// requestForAccess queues the requests to L2 whose responses end an access; requestForCache queues those that fill a cache. Each leaves in
// the cycle in which the unit serves it: the first after ticks behind start, each further one line ticks later.
func (l *loadStore) requestForAccess(
	a *access, kind memory.RequestKind, source memory.Source, list []memory.Transaction, start engine.Cycle, after, line int64,
) {
	account, pc, warp := a.gridState.account, a.operation.index, int16(a.warp.WarpID)
	first := start + l.latency
	for i := range list {
		t, issued := &list[i], first+engine.Cycle(uint64(after)/ticks)
		after += line
		r := l.requests.place(issued)
		r.Issued, r.Tag, r.Account = issued, uint32(a.tag), account
		r.Kind, r.Source, r.PC, r.Warp = kind, source, pc, warp
		r.Line, r.Sectors, r.Lanes, r.Access = t.Line, t.Sectors, t.Lanes, &a.Access
		l.requests.placed(r)
	}
	l.pending += len(list)
	a.gridState.pending += len(list)
	a.remaining += int32(len(list))
}

// anotherInFlight reports whether another access of the same operation is in flight. A warp does not reach an operation again before its
// earlier results are there.
func (l *loadStore) anotherInFlight(a *access) bool {
	for _, other := range l.accesses {
		if other != a && other.warp == a.warp && other.operation == a.operation {
			return true
		}
	}
	return false
}
