package recording

import (
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/observe"
	"github.com/keplersim/keplersim/sim/stats"
)

// Recording is a whole file.
type Recording struct {
	Header
	// Tracks are those of the SMXs, by device and number.
	Tracks []*Track
	// Memory are those of the devices' memories, by device.
	Memory []*Memory
}

// Track returns what was recorded of an SMX, nil if nothing was.
func (r *Recording) Track(device, smx int) *Track {
	for _, t := range r.Tracks {
		if t.Device == device && t.SMX == smx {
			return t
		}
	}
	return nil
}

// Operation returns what a warp of a track executes at an index.
func (r *Recording) Operation(t *Track, warp, op int32) *Operation {
	return &r.Kernels[r.Grids[t.Blocks[t.Warps[warp].Block].Grid].Kernel].Ops[op]
}

// Track is what happened on one SMX. Each list is in the order in which the SMX told of it; Warp and Block index the lists of those.
type Track struct {
	Device, SMX int
	Blocks      []Block
	Warps       []Warp
	Issues      []Issue
	Stalls      []Stall
	Replays     []Replay
	Accesses    []Access
	Lookups     []Lookup
	Answers     []Answer
	Barriers    []Barrier
}

// Block is a block's life on an SMX, or a part of it: one that waits for what it has launched leaves the SMX meanwhile, and is a Block for
// each stay. Blocks are recorded whatever the window.
type Block struct {
	Grid   int // index of Header.Grids
	Number uint64
	Start  engine.Cycle
	End    engine.Cycle // 0 where the run ended first
	// Again says that it came back at Start, Left that it left for a while at End.
	Again, Left bool
	// Warps are the block's that had not ended at Start: Count of Track.Warps from First on.
	First, Count int
}

// Warp is a warp's place.
type Warp struct {
	Block int // index of Track.Blocks
	// Index is its place in the block; Scheduler is the one it belongs to, Slot its place there.
	Index, Scheduler, Slot int
}

// Issue is one operation that a warp issued.
type Issue struct {
	Cycle        engine.Cycle
	Warp, Op     int32
	Active, Mask uint32 // lanes on the path, and those of them whose guard holds
	Second       bool   // of a pair
}

// Stall is a span, From and before To, in which a warp did not issue. One that the window's borders cut has what lies within.
type Stall struct {
	From, To engine.Cycle
	Warp, Op int32
	Reason   stats.Stall
	For      observe.Entry
}

// Replay is a memory operation's further issue slots: those of its scheduler in the cycles behind Cycle.
type Replay struct {
	Cycle    engine.Cycle
	Warp, Op int32
	Slots    int
}

// Access is one access of a warp.
type Access struct {
	Cycle    engine.Cycle
	Warp, Op int32
	Tag      uint64
	Kind     exec.AccessKind
	Space    isa.Space
	Bytes    uint8 // a lane
	Active   uint32
	// Addresses are those of the active lanes, lowest lane first.
	Addresses []uint64
}

// Lookup is one line that an access looks for in a cache of the SMX.
type Lookup struct {
	Cycle    engine.Cycle
	Warp, Op int32
	Tag      uint64
	Source   stats.MemorySource
	Found    observe.Found
	Line     uint64
	Sectors  uint8
}

// Answer is when an access's result is there, or a store is acknowledged.
type Answer struct {
	Cycle, Issued engine.Cycle
	Warp, Op      int32
}

// Barrier is a warp's arrival, or, where Warp is -1, the release of all that wait.
type Barrier struct {
	Cycle           engine.Cycle
	Block           int32
	Warp, Op        int32
	ID, Mask, Lives uint32
}

// Memory is what happened behind the SMXs of a device.
type Memory struct {
	Device  int
	Flights []observe.Flight
	Bursts  []observe.Burst
}
