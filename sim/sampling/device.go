package sampling

import (
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/smx"
	"github.com/keplersim/keplersim/sim/stats"
)

// Device is what a launch runs on, as far as sampling touches it.
type Device interface {
	Progress() Progress
	States() []*smx.GridState // its shares, by SMX; nil where there is none
	Memory() *stats.Memory    // what memory has done for it, AtomicUnits left out
	Atomics() stats.Busy      // those
	Over() bool               // no SMX has anything of it any more
	// Pause lets what is in flight come home and nothing else begin; Paused reports that all has.
	Pause()
	Paused() bool
	// Forward has what is resident go forward without timing, for so many cycles at the speeds that were measured, in warp instructions a
	// cycle of each SMX. It begins further blocks in the places of those that end, until only so many are left as to be kept.
	Forward(speeds []float64, cycles float64, keep uint64) Forward
	// Jump runs so many blocks that have not begun without timing, or of them as many as tell how long they are, while what is resident
	// stands still.
	Jump(blocks uint64, some bool) Jump
	// Untimed runs the launch without timing, Skip not at all: it takes all blocks, and leaves a share on the SMXs that had one.
	Untimed()
	Skip(had []*smx.Detail)
	// Resume goes on with timing.
	Resume()
	// Rest has all SMXs stand still until a cycle, to which the device's time moves.
	Rest(until engine.Cycle)
}

// Forward is a launch that goes forward without timing.
type Forward interface {
	Done() bool // the time is over, or nothing is left
	End()       // goes on with timing, as many cycles later
	// Uneven is how much slower the slowest block of an SMX is than its fastest, as a share, in the mean.
	Uneven() float64
}

// Jump is blocks that run beside what is resident.
type Jump interface {
	Done() bool
	Tried() *Sample // their warp instructions
}

// Progress is how far a launch has come.
type Progress struct {
	At       engine.Cycle
	Executed uint64 // warp instructions
	Finished uint64 // blocks
	Left     uint64 // blocks that have not begun
	Fresh    uint64 // of those, all behind the last that has begun
	Nests    bool   // it has launched others
}

// Figures are those of a launch, which sampling completes.
type Figures struct {
	// Start is the cycle in which the block scheduler got it, End that in which its last block had ended and its last request was answered.
	Start, End engine.Cycle
	// States are what the SMXs did for it, nil for those that had no block of it; complete when it is done.
	States []*smx.GridState
	// Memory are the counters of what the memory system did for it and for all that has come from it; none of a grid that a kernel has
	// launched.
	Memory stats.Memory
	// Samples are the same and its SMXs' counters over time, none in a functional run.
	Samples stats.Samples
	// Estimate says how sure End is where part of the timing was left out, nil where none was.
	Estimate *stats.Estimate
}
