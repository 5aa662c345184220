package smx

import (
	"math"

	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/observe"
	"github.com/keplersim/keplersim/sim/stats"
)

// never is the wake-up time of a warp that waits for an event.
const never engine.Cycle = math.MaxInt64

// warp is one resident warp: its lanes' state and its scoreboard. The fields that each issue needs come first, to fill few lines of the
// host's caches.
type warp struct {
	op                 *operation   // the next operation, since it was planned
	paceUntil          engine.Cycle // the earliest issue by the warp's own pace: reissue distance, branches, fetch, barriers
	chargedUntil       engine.Cycle // the first cycle not charged as a stall yet; after an issue, the cycle behind it
	gridState          *GridState   // its grid's, on this SMX
	class              *class       // its class while awake; nil for none
	joined             joined       // the class's waits when it joined
	stack              stack
	stalledAt          int32       // the operation that its stalls are charged to
	fetched            int32       // the cache line in its instruction buffer
	issued             uint32      // operations since it began or last went forward without timing
	paceReason         stats.Stall // what it stalls for until paceUntil, if its operands are ready before
	reason             stats.Stall // why it does not issue now, if it has no class; see ledger.go
	resident           bool
	atBarrier, atFence bool
	atExit             bool        // it has exited, but waits for acknowledgements of its stores
	atSystem           bool        // it waits for a system call to end
	agenda             *agenda     // its scheduler's
	slot               int         // in its scheduler
	operations         []operation // its program's
	paths              [4]entry    // the stack while that is small
	block              *block
	outstanding        int    // accesses in flight, loads and stores; a fence, an exit or a system call waits for them
	misses             uint64 // lines that missed in the SMX's caches
	generation         uint64 // counts the warps that have used this object
	exec.Warp
	scoreboard scoreboard

	scheduler    int          // its number
	ahead        int64        // operations that it is ahead, after going forward without timing
	refusedAt    engine.Cycle // when the full load/store unit first refused its store
	frame        [1]frame     // the stack's first
	index        int          // its number in the block
	barrierOp    *operation   // the barrier at which it waits
	barrierLanes uint32
	constantLine uint64    // address of the constant line that it waited for, plus one
	placed       [3]uint32 // the block extent that Tid was computed for,
	placedAt     int       // and the warp index
	observed     *observe.Warp
	set          *exec.LanesSet // registers that it has set; nil if no screen needs them
}
