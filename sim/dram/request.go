package dram

import (
	"math/bits"

	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/stats"
)

// Request is a slice's request to a channel: sectors of one line.
type Request struct {
	// Arrived is when it reached the channel, Seen when it became visible to the scheduler.
	Arrived, Seen engine.Tick
	// Line and Slice are the slice's, and returned with the data.
	Line  uint64
	Slice int32
	// Bank and Row are the place of the line in the channel.
	Bank, Row uint32
	// Block is the block whose check bits cover the line.
	Block uint32
	// Sectors has a bit for each sector to move.
	Sectors uint8
	// Write: the sectors go to memory.
	Write bool
	// Account is the account that counts it.
	Account int32
	// State is the row's state when the request found it, once known.
	State stats.RowState

	opened  bool // its row was opened ahead and counted
	checked bool // its check bits have moved with another request's
}

// Served is a decided request.
type Served struct {
	Request
	// Done is when its last data end.
	Done  engine.Tick
	check int // sectors of check bits moved with it
	left  int // bursts not decided yet
}

// moved returns the number of sectors on the bus, check bits included.
func (r *Served) moved() int { return bits.OnesCount8(r.Sectors) + r.check }
