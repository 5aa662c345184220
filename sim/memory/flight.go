package memory

import "github.com/keplersim/keplersim/sim/engine"

// flight is a request on its way. It lives in the system's arena under a number that events carry.
type flight struct {
	Request
	slice int32
	next  int32  // next free flight
	local uint64 // the line's address in its slice
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

// fine is a count of 1/256 of a core cycle, in which links are reserved.
type fine int64

const fineShift = 8

func toFine(c engine.Cycle) fine { return fine(c) << fineShift }

// up is the first cycle that begins at or after the time.
func (f fine) up() engine.Cycle { return engine.Cycle((f + 1<<fineShift - 1) >> fineShift) }

// cycles is a length of time in core cycles.
func (f fine) cycles() float64 { return float64(f) / (1 << fineShift) }

// link is something that moves bytes at a fixed rate, reserved in the order of asking.
type link struct {
	free          fine
	bytesPerCycle fine
	busy          fine // time that it moved something
}

func newLink(bytesPerCycle int) link { return link{bytesPerCycle: fine(bytesPerCycle)} }

// reserve takes the link for so many bytes from now on and returns when they begin to move.
func (l *link) reserve(now fine, bytes int) fine {
	start := max(now, l.free)
	takes := l.takes(bytes)
	l.free = start + takes
	l.busy += takes
	return start
}

// takes is how long the link moves so many bytes.
func (l *link) takes(bytes int) fine {
	return (fine(bytes)<<fineShift + l.bytesPerCycle - 1) / l.bytesPerCycle
}
