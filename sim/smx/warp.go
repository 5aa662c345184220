package smx

import (
	"math"

	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/observe"
	"github.com/keplersim/keplersim/sim/stats"
)

// never is the wake-up time of a warp that waits for something whose end is not known yet.
const never engine.Cycle = math.MaxInt64

// warp is one resident warp: its lanes' state and its scoreboard. What each issue needs comes first, so that it is in few lines of the
// host's caches.
type warp struct {
	op                 *operation   // the next operation, from when it has been planned
	paceUntil          engine.Cycle // the earliest issue by the warp's own pace: reissue distance, branches, fetch, barriers
	since              engine.Cycle // the first cycle that is not charged as a stall yet; at first the one behind its last issue
	gridState          *GridState   // what its grid has here
	class              *class       // that it waits in while it is awake; nil for none
	joined             joined       // what the class had waited then
	stack              stack
	stalledAt          int32       // the operation that its stalls are charged to: the one that it waits to issue, or at
	fetched            int32       // line of the instruction cache in the warp's buffer
	issued             uint32      // operations, since it began or went forward without timing
	paceReason         stats.Stall // what it stalls for until paceUntil, if that is later than its operands
	reason             stats.Stall // why it does not issue now, while it is in no class: plan's choice, or what it waits for; see ledger.go
	resident           bool
	atBarrier, atFence bool
	atExit             bool        // it has ended except stores that have not been acknowledged
	atSystem           bool        // waits for a system call's end
	agenda             *agenda     // of its scheduler
	slot               int         // of its scheduler
	operations         []operation // of its program
	paths              [4]entry    // the stack, while it has no more
	block              *block
	outstanding        int    // accesses in flight, loads and stores: a fence, an exit or a system call waits for them
	misses             uint64 // lines that it has missed in the SMX's caches
	generation         uint64 // of the warps that have been in its place
	exec.Warp
	scoreboard scoreboard

	scheduler    int          // which
	ahead        int64        // operations by which it came too far when it last went forward without timing
	refusedAt    engine.Cycle // when a full load/store unit first refused its store
	frame        [1]frame     // the first of the stack
	index        int          // in the block
	barrierOp    *operation   // where it waits
	barrierLanes uint32
	constantLine uint64    // constant line that it has waited for, plus one
	placed       [3]uint32 // the extent of the block that Tid was made for, and
	placedAt     int       // the warp's index in it
	observed     *observe.Warp
	set          *exec.LanesSet // for the screen: the registers that it has set; nil where none is watched
}
