package observe

import "github.com/keplersim/keplersim/sim/engine"

// Observer is notified of events on a device. Embed [Silent] to implement some methods only.
//
// The events of one SMX (issue, stall, access, replay, lookup, answer, request, barrier, block) come in order and one at a time. SMXs run
// on several host threads, so those of different SMXs may come at once: an observer keeps what it knows for each SMX by itself, or asks
// for one host thread. Events of grids, commands, flights and bursts come while no SMX runs; those of the memory system in the order in
// which it works. What an event points to is to be read during the call alone, except for Command, Grid, Block and Warp, which are never
// changed or used again.
type Observer interface {
	// Issue: a warp executes an operation, which follows.
	Issue(Issue)
	// Stall: a warp has not issued for some cycles, which are over.
	Stall(Stall)
	// Access: a warp accesses memory; the effect follows.
	Access(Access)
	// Request: a request to L2 has been sent, or its response has arrived.
	Request(Request)
	// Replay: a memory operation takes further issue slots.
	Replay(Replay)
	// Lookup: an access has looked for a line in a cache of the SMX.
	Lookup(Lookup)
	// Answer: the result of an access is there, or will be in a cycle that is known.
	Answer(Answer)
	// Flight: a request has been served behind the SMXs.
	Flight(Flight)
	// Burst: a channel of DRAM has decided what it moves next.
	Burst(Burst)
	// Barrier: a warp has arrived at a barrier, or a barrier lets its warps go on.
	Barrier(Barrier)
	// Block: a block starts on an SMX, leaves it for a while, comes back, or ends.
	Block(engine.Cycle, *Block, Stage)
	// Grid: a grid starts, or ends.
	Grid(engine.Cycle, *Grid, Stage)
	// Command: a command is submitted, starts, or ends.
	Command(engine.Cycle, *Command, Stage)
}

// PerDevice is implemented by observers that hear each device of a host by itself.
type PerDevice interface {
	// ForDevice returns the observer of a device of the host, which are numbered from 0; nil for none.
	ForDevice(index int) Observer
}

// Stage is how far something has come whose life is observed.
type Stage uint8

// The stages of a life. Blocks and grids start and end; a request is submitted and ends with its response. A block that waits for what it
// has launched leaves its SMX and comes back, to other slots of its schedulers maybe.
const (
	Submitted Stage = iota
	Started
	Ended
	Parked
	Returned
)

// String returns the stage's name.
func (s Stage) String() string {
	return [...]string{"submitted", "started", "ended", "parked", "returned"}[s]
}

// Silent is an Observer that does nothing.
type Silent struct{}

// Issue does nothing.
func (Silent) Issue(Issue) {}

// Stall does nothing.
func (Silent) Stall(Stall) {}

// Access does nothing.
func (Silent) Access(Access) {}

// Request does nothing.
func (Silent) Request(Request) {}

// Replay does nothing.
func (Silent) Replay(Replay) {}

// Lookup does nothing.
func (Silent) Lookup(Lookup) {}

// Answer does nothing.
func (Silent) Answer(Answer) {}

// Flight does nothing.
func (Silent) Flight(Flight) {}

// Burst does nothing.
func (Silent) Burst(Burst) {}

// Barrier does nothing.
func (Silent) Barrier(Barrier) {}

// Block does nothing.
func (Silent) Block(engine.Cycle, *Block, Stage) {}

// Grid does nothing.
func (Silent) Grid(engine.Cycle, *Grid, Stage) {}

// Command does nothing.
func (Silent) Command(engine.Cycle, *Command, Stage) {}
