package sampling

import (
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/smx"
	"github.com/keplersim/keplersim/sim/stats"
)

// Device is the sampler's view of the device of a launch.
type Device interface {
	Progress() Progress
	States() []*smx.GridState // the launch's states by SMX; nil for none
	Memory() *stats.Memory    // the launch's memory counters, without AtomicUnits
	Atomics() stats.Busy      // AtomicUnits of the launch
	Over() bool               // no SMX has any work of it left
	// Pause lets everything in flight complete and nothing else begin. Paused reports that it has.
	Pause()
	Paused() bool
	// Forward runs the resident blocks without timing, for some cycles at the measured speeds, in warp instructions a cycle of each SMX. It
	// begins further blocks in the places of those that end, until only keep are left.
	Forward(speeds []float64, cycles float64, keep uint64) Forward
	// Jump runs blocks that have not begun without timing, or only enough of them to estimate their length. The resident blocks stay as
	// they are.
	Jump(blocks uint64, some bool) Jump
	// Untimed runs the launch without timing. Skip does not run it: it takes all blocks, and leaves a state on the SMXs that had one.
	Untimed()
	Skip(had []*smx.Detail)
	// Resume resumes timing.
	Resume()
	// Rest moves the device's time to a cycle, with idle SMXs.
	Rest(until engine.Cycle)
}

// Forward is a run of resident blocks without timing.
type Forward interface {
	Done() bool // the cycles are over, or no block is left
	End()       // resumes timing, later by the cycles
	// Uneven returns how much slower the slowest block of an SMX is than its fastest, as a fraction, averaged over SMXs.
	Uneven() float64
}

// Jump is a run of other blocks while the resident ones wait.
type Jump interface {
	Done() bool
	Tried() *Sample // the blocks' warp instructions
}

// Progress is a launch's progress.
type Progress struct {
	At       engine.Cycle
	Executed uint64 // warp instructions
	Finished uint64 // blocks
	Left     uint64 // blocks that have not begun
	Fresh    uint64 // of those, the blocks behind the last that has begun
	Nests    bool   // it has nested launches
}

// Figures are the results of a launch, which sampling completes.
type Figures struct {
	// Start is the cycle in which the block scheduler got it, End that of its last block's end or its last response.
	Start, End engine.Cycle
	// States are its states on the SMXs, nil for those without a block of it. They are complete when it is done.
	States []*smx.GridState
	// Memory has the memory system's counters for it and its nested launches; none for a nested launch.
	Memory stats.Memory
	// Samples are its counters over time, none in a functional run.
	Samples stats.Samples
	// Estimate is the uncertainty of End if part of the timing was left out, else nil.
	Estimate *stats.Estimate
}
