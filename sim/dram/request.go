package dram

import (
	"math/bits"

	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/stats"
)

// Request is a transfer that a slice of L2 requests from a channel: sectors of one line.
type Request struct {
	// Arrived is when it reached the channel, Seen when the scheduler's queue had room for it.
	Arrived, Seen engine.Tick
	// Line and Slice are the slice's own, and come back with the data.
	Line  uint64
	Slice int32
	// Bank and Row are where the line lies in the channel.
	Bank, Row uint32
	// Block is the block of data whose check bits the line has.
	Block uint32
	// Sectors has a bit for each sector to move.
	Sectors uint8
	// Write says that the sectors go to memory.
	Write bool
	// Account is whose counters it goes to.
	Account int32
	// State is how the request found its row, once that is known.
	State stats.RowState

	opened  bool // its row was opened ahead, and counted
	checked bool // its check bits have been moved with another's
}

// Served is a request whose commands are decided.
type Served struct {
	Request
	// Done is when its last data end.
	Done  engine.Tick
	check int // sectors of check bits moved with it
	left  int // bursts not yet decided
}

// moved returns the number of sectors that pass the bus for it, check bits among them.
func (r *Served) moved() int { return bits.OnesCount8(r.Sectors) + r.check }
