package observe

import (
	"fmt"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/stats"
)

// CommandKind is the kind of a command.
type CommandKind uint8

// The kinds of command.
const (
	CommandKernel CommandKind = iota
)

// String returns the kind's name.
func (k CommandKind) String() string { return [...]string{"kernel"}[k] }

// Command is one command of a host program to the device.
type Command struct {
	Kind CommandKind
	// Name is its object: the symbol of a kernel.
	Name string
	// Stream is the number of its stream.
	Stream int
}

// Grid is one kernel launch.
type Grid struct {
	// ID counts the launches of a device from 0.
	ID      uint64
	Machine *isa.MachineProgram
	// Dim is the grid's extent in blocks, Threads a block's in threads.
	Dim, Threads [3]uint32
	// Stream is the number of its stream.
	Stream int
	// Parent is the grid that launched it, nil for the host.
	Parent *Grid
	// BankMode is the width of a word of shared memory's banks, in bytes.
	BankMode int
}

// BlockAt returns the coordinates of a block by its number in x, y, z order, from 0.
func (g *Grid) BlockAt(number uint64) [3]uint32 {
	x, y := uint64(g.Dim[0]), uint64(g.Dim[1])
	return [3]uint32{uint32(number % x), uint32(number / x % y), uint32(number / (x * y))}
}

// Block is one block of a grid on its SMX.
type Block struct {
	Grid *Grid
	SMX  int
	// Number is its number in the grid in x, y, z order, from 0; At is its coordinates.
	Number uint64
	At     [3]uint32
	// Shared is the current contents of its shared memory, static and dynamic.
	Shared []byte
	Warps  []Warp
}

// Warp is one warp of a block.
type Warp struct {
	Block *Block
	// Index is its number in the block.
	Index int
	// Scheduler and Slot are its warp scheduler and the slot there. Slot is negative if the warp had ended when its block came back.
	Scheduler, Slot int
	// State is the warp's current state; nil if unknown.
	State State
}

// Operation returns an operation of the warp's program by its index.
func (w *Warp) Operation(index int32) *isa.MachineOp { return &w.Block.Grid.Machine.Ops[index] }

// Where returns an operation's place as file:line of the PTX and, if known, of the PTX's source.
func (w *Warp) Where(index int32) string {
	return w.Block.Grid.Machine.Program.Where(w.Operation(index).Line)
}

// Issue is one executed operation of a warp.
type Issue struct {
	Cycle engine.Cycle
	Warp  *Warp
	Op    int32
	// Active are the lanes on the warp's running path, Mask those of them whose guard holds.
	Active, Mask uint32
	// Second: it is the second of a pair, issued in the same slot.
	Second bool
}

// Stall is a time in which a warp did not issue, from cycle From to before To, for one reason.
type Stall struct {
	From, To engine.Cycle
	Warp     *Warp
	// Op is the operation that the warp waited to issue, or waited at.
	Op     int32
	Reason stats.Stall
	// For is the scoreboard entry that it waited for, None for other reasons.
	For Entry
}

// Entry is an entry of a warp's scoreboard: a register by its number, a predicate, the carry, the access before, or None.
type Entry int16

// The entries after the registers, whose numbers begin at 0.
const (
	None           Entry = -1
	EntryPredicate Entry = 256 // P0
	EntryCarry     Entry = EntryPredicate + 7
	EntryAccess    Entry = EntryCarry + 1 // the distance between a warp's memory accesses
)

// String returns the entry's name as in a disassembly, if it has one; "" for None.
func (e Entry) String() string {
	switch {
	case e < 0:
		return ""
	case e < EntryPredicate:
		return fmt.Sprintf("R%d", int(e))
	case e < EntryCarry:
		return fmt.Sprintf("P%d", int(e-EntryPredicate))
	case e == EntryAccess:
		return "the access before"
	}
	return "CC"
}

// Replay is the issue slots that a memory operation takes beyond its own: the next ones, one a cycle.
type Replay struct {
	// Cycle is when the operation issued.
	Cycle engine.Cycle
	Warp  *Warp
	Op    int32
	Slots int
}

// Answer is the end of an access. In Cycle an operation that depends on the result can issue, or a store is acknowledged.
type Answer struct {
	Cycle engine.Cycle
	Warp  *Warp
	Op    int32
	// Issued is the cycle of the access.
	Issued engine.Cycle
}

// Found is the result of a cache lookup.
type Found uint8

// Results of a lookup.
const (
	Missed Found = iota // it requests what is missing
	Hit
	Merged // what is missing is in flight
	Held   // no MSHR is free: it tries again
)

// String returns the result in a word.
func (f Found) String() string { return [...]string{"miss", "hit", "merged", "held"}[f] }

// Lookup is an access's lookup of one line in a cache of its SMX.
type Lookup struct {
	Cycle   engine.Cycle
	Warp    *Warp
	Op      int32
	Tag     uint64 // the access's
	Source  stats.MemorySource
	Line    uint64
	Sectors uint8 // in the cache's own size
	Found   Found
}

// Flight is the whole path of a request to L2 and back. It is reported when its response is under way, which is before the response
// arrives.
type Flight struct {
	SMX  int
	Kind stats.RequestKind
	// Source, Tag, Sectors, Lanes and Line are those of the request.
	Source  stats.MemorySource
	Tag     uint64
	Sectors uint8
	Lanes   uint32
	Line    uint64
	// Op is the operation and Warp the number of its warp in the SMX, as %warpid; negative if no operation caused the request.
	Op, Warp int32
	// Slice is the slice of L2.
	Slice int32
	// Times of the request's stages. Issued: it left the load/store unit. Departed: it was translated and entered the crossbar. Arrived: it
	// reached its slice. Served: the slice looked it up. Filled: its data came from DRAM (0 for a hit). Ready: the response arrived.
	Issued, Departed, Arrived, Served, Filled, Ready engine.Cycle
	// Found is the result in L2, and Row the state of its row in DRAM if it went there.
	Found Found
	Row   stats.RowState
}

// Burst is a transfer of a DRAM channel for one request of a slice of L2.
type Burst struct {
	// Decided is when the channel chose it, Done when its data were at the slice, or written.
	Decided, Done engine.Cycle
	Channel       int32
	Bank, Row     uint32
	State         stats.RowState
	Write         bool
	Slice         int32
	Sectors       uint8
	// Line is the line's address in its slice.
	Line uint64
}

// Access is one memory access of a warp in one space. A generic access to several spaces makes several.
type Access struct {
	Cycle engine.Cycle
	Warp  *Warp
	Op    int32
	// Tag is the tag of its requests.
	Tag uint64
	*exec.Access
}

// Request is a message to L2, or its response. An SMX matches the two by tag. All requests of an access have the same tag, and their
// responses come in any order.
type Request struct {
	// Cycle is when the request leaves the load/store unit, or when its response arrives.
	Cycle engine.Cycle
	SMX   int
	Stage Stage
	Kind  stats.RequestKind
	Tag   uint64
	// The other fields are valid for a request, not for a response. Sectors has a bit for each 32-byte sector of the line at Line.
	Source  stats.MemorySource
	Sectors uint8
	Lanes   uint32
	Line    uint64
}

// Barrier is a warp's arrival at a barrier of its block, or the barrier's release.
type Barrier struct {
	Cycle engine.Cycle
	Block *Block
	// Stage is Started for an arrival, Ended when all awaited warps have arrived.
	Stage Stage
	// ID is the barrier's number in the block.
	ID uint32
	// Warp arrives at operation Op with lanes Mask of the lanes Live that have not exited; nil for the release.
	Warp       *Warp
	Op         int32
	Mask, Live uint32
	// Kind is BarSync, BarArrive or BarRed. Threads is the count that it names, 0 for all threads of the block.
	Kind    isa.Sub
	Threads uint32
}

// String returns the block's name in messages.
func (b *Block) String() string { return BlockName(b.At) }

// BlockName returns the name in messages of the block at some coordinates.
func BlockName(at [3]uint32) string { return fmt.Sprintf("block (%d,%d,%d)", at[0], at[1], at[2]) }
