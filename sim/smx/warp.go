package smx

import (
	"math"

	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/stats"
)

// never is the wake-up time of a warp that waits for something whose end is not known yet.
const never engine.Cycle = math.MaxInt64

// warp is one resident warp: its lanes' state and its scoreboard.
type warp struct {
	exec.Warp
	stack stack
	block *block
	index int // in the block

	scheduler, slot int // which scheduler, and which of its slots
	resident        bool
	atBarrier       bool
	atFence         bool
	atExit          bool       // it has ended but for stores that have not been acknowledged
	atSystem        bool       // waits for a system call's end
	barrierOp       *operation // where it waits
	barrierLanes    uint32

	operations []operation // of its program
	op         *operation  // the next operation, from when it has been planned

	next   engine.Cycle // the earliest issue by the warp's own pace: reissue distance, branches, fetch, barriers
	pace   stats.Stall  // why it is not earlier
	reason stats.Stall  // why the warp does not issue now
	since  engine.Cycle // from when on
	front  int32        // the operation that it waits to issue, or at

	fetched      int32  // line of the instruction cache in the warp's buffer
	constantLine uint64 // constant line that it has waited for, plus one
	outstanding  int    // accesses that a fence waits for
	generation   uint64

	scoreboard scoreboard
}

// stall books the cycles since the last change to the old reason, and goes on with a new one.
func (s *SMX) stall(w *warp, reason stats.Stall, now engine.Cycle) {
	if now > w.since {
		s.Operations[w.front].Stalls[w.reason] += uint64(now - w.since)
		w.since = now
	}
	w.reason = reason
}
