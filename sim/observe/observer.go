package observe

import (
	"slices"

	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/sim/engine"
)

// Observer receives the events of a device. Embed [Silent] to implement only some methods.
//
// The events of one SMX (issue, stall, access, replay, lookup, answer, request, barrier, block) come in order and one at a time. SMXs run
// on several host threads, so events of different SMXs may be concurrent: an observer keeps separate data for each SMX, or requires one
// host thread. Events of grids, commands, flights and bursts come while no SMX runs, those of the memory system in the order of its work.
// Pointers in an event are valid during the call only, except for Command, Grid, Block and Warp, which are never changed or reused.
type Observer interface {
	// Issue: a warp is about to execute an operation.
	Issue(Issue)
	// Stall: a warp has not issued for some past cycles.
	Stall(Stall)
	// Access: a warp is about to access memory.
	Access(Access)
	// Request: a request to L2 has been sent, or its response has arrived.
	Request(Request)
	// Replay: a memory operation takes further issue slots.
	Replay(Replay)
	// Lookup: an access has looked up a line in a cache of the SMX.
	Lookup(Lookup)
	// Answer: the result of an access is there, or will be in a known cycle.
	Answer(Answer)
	// Flight: the memory system has served a request.
	Flight(Flight)
	// Burst: a channel of DRAM has decided its next transfer.
	Burst(Burst)
	// Barrier: a warp has arrived at a barrier, or a barrier releases its warps.
	Barrier(Barrier)
	// Block: a block starts on an SMX, leaves it for a while, comes back, or ends.
	Block(engine.Cycle, *Block, Stage)
	// Grid: a grid starts, or ends.
	Grid(engine.Cycle, *Grid, Stage)
	// Command: a command is submitted, starts, or ends.
	Command(engine.Cycle, *Command, Stage)
}

// PerDevice is implemented by observers that observe each device of a host separately.
type PerDevice interface {
	// ForDevice returns the observer of a device of the host, numbered from 0; nil for none.
	ForDevice(index int) Observer
}

// Sparse is embedded by observers that do not need every Issue of runs without timing. Left out may be operations without lanes, those
// that only compute (neither exec.Reported nor watched by exec.Unset), and branches that all active lanes take or none. They then execute
// as machine code.
type Sparse struct{}

func (Sparse) sparse() {}

// IsSparse reports whether an observer embeds Sparse, or joins such observers alone.
func IsSparse(o Observer) bool {
	if all, several := o.(joined); several {
		return !slices.ContainsFunc(all, func(o Observer) bool { return !IsSparse(o) })
	}
	_, is := o.(interface{ sparse() })
	return is
}

// Recorder is implemented by Sparse observers that need not hear of each access of runs without timing. They may miss loads of memory that
// a launch is known only to read. They may also miss a weak access to a row of words of a page that Reach has returned, if each lane wrote
// its word last, at the same Own. The word then has no strong writes and, for a store, no reads.
type Recorder interface {
	// Reach returns the part of a page at an address of device memory, with exec.PageRecords as its Cells; nothing if each access counts.
	Reach(address uint64) exec.Reach
	// Own returns the records of accesses by the lanes of a warp at present. They are valid until the next event.
	Own(w *Warp) *exec.OwnRecords
}

// Stage is a stage in the life of an observed object.
type Stage uint8

// The stages. Blocks and grids start and end. A request is submitted and ends with its response. A block that waits for its nested launches
// leaves its SMX and comes back, perhaps to other slots.
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
