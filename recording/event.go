package recording

import (
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/observe"
	"github.com/keplersim/keplersim/sim/stats"
)

// Recording is a complete recording.
type Recording struct {
	Header
	// Tracks are the SMXs' tracks, by device and number.
	Tracks []*Track
	// Memory are the tracks of the devices' memories, by device.
	Memory []*Memory
}

// Track returns an SMX's track, nil if none was recorded.
func (r *Recording) Track(device, smx int) *Track {
	for _, t := range r.Tracks {
		if t.Device == device && t.SMX == smx {
			return t
		}
	}
	return nil
}

// Operation returns a warp's operation by its index.
func (r *Recording) Operation(t *Track, warp, op int32) *Operation {
	return &r.Kernels[r.Grids[t.Blocks[t.Warps[warp].Block].Grid].Kernel].Ops[op]
}

// Track has the events on one SMX. Each list is in the order of the SMX's reports; Warp and Block are indices of those lists.
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

// Block is a block's stay on an SMX. A block that waits for kernels that it launched leaves the SMX meanwhile, and has a Block for each
// stay. Blocks are recorded regardless of the window.
type Block struct {
	Grid   int // index in Header.Grids
	Number uint64
	Start  engine.Cycle
	End    engine.Cycle // 0 if the run ended first
	// Again means that it returned at Start; Left means that it left for a while at End.
	Again, Left bool
	// The block's warps that had not ended at Start are Track.Warps[First:First+Count].
	First, Count int
}

// Warp is the place of a warp.
type Warp struct {
	Block int // index in Track.Blocks
	// Index is its number in the block. Slot is its place at the scheduler.
	Index, Scheduler, Slot int
}

// Issue is one operation that a warp issued.
type Issue struct {
	Cycle        engine.Cycle
	Warp, Op     int32
	Active, Mask uint32 // lanes on the path, and those of them whose guard holds
	Second       bool   // the second of a pair
}

// Stall is a span of cycles, from From to before To, in which a warp did not issue. It is cut at the window's borders.
type Stall struct {
	From, To engine.Cycle
	Warp, Op int32
	Reason   stats.Stall
	For      observe.Entry
}

// Replay is the further issue slots of a memory operation, in its scheduler's cycles after Cycle.
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
	Bytes    uint8 // bytes a lane
	Active   uint32
	// Addresses are the active lanes' addresses, lowest lane first.
	Addresses []uint64
}

// Lookup is a lookup of one line of an access in a cache of the SMX.
type Lookup struct {
	Cycle    engine.Cycle
	Warp, Op int32
	Tag      uint64
	Source   stats.MemorySource
	Found    observe.Found
	Line     uint64
	Sectors  uint8
}

// Answer is the arrival of an access's result, or the acknowledgement of a store.
type Answer struct {
	Cycle, Issued engine.Cycle
	Warp, Op      int32
}

// Barrier is a warp's arrival or, if Warp is -1, the release of all waiting warps.
type Barrier struct {
	Cycle           engine.Cycle
	Block           int32
	Warp, Op        int32
	ID, Mask, Lives uint32
}

// Memory has the events in a device's memory system, outside the SMXs.
type Memory struct {
	Device  int
	Flights []observe.Flight
	Bursts  []observe.Burst
}
