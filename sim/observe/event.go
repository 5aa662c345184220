package observe

import (
	"fmt"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/stats"
)

// CommandKind is what a command does.
type CommandKind uint8

// The kinds of command.
const (
	CommandKernel CommandKind = iota
)

// String returns the kind's name.
func (k CommandKind) String() string { return [...]string{"kernel"}[k] }

// Command is one piece of work that a host program gives the device.
type Command struct {
	Kind CommandKind
	// Name is what it works on: of a kernel its symbol.
	Name string
	// Stream is the number of the stream that it is in.
	Stream int
}

// Grid is one kernel launch.
type Grid struct {
	// ID counts the launches of a device from 0.
	ID      uint64
	Machine *isa.MachineProgram
	// Dim is the grid's extent in blocks, Threads the block's in threads.
	Dim, Threads [3]uint32
	// Stream is the number of the stream that it was launched in.
	Stream int
	// Parent is the grid whose kernel has launched it, nil for one from the host.
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
	// Number is its place in the grid in x, y, z order, from 0; At are its coordinates.
	Number uint64
	At     [3]uint32
	// Shared is its shared memory as it is now, static and dynamic.
	Shared []byte
	Warps  []Warp
}

// Warp is one warp of a block.
type Warp struct {
	Block *Block
	// Index is its place in the block.
	Index int
	// Scheduler is the warp scheduler that it belongs to, Slot its place there; negative for one that had ended when its block came back.
	Scheduler, Slot int
	// State is what it has now; nil where nothing is known.
	State State
}

// Operation returns an operation of the warp's program by its index.
func (w *Warp) Operation(index int32) *isa.MachineOp { return &w.Block.Grid.Machine.Ops[index] }

// Where returns an operation's place as file:line of the PTX and, where it is known, of the source that the PTX was made from.
func (w *Warp) Where(index int32) string {
	return w.Block.Grid.Machine.Program.Where(w.Operation(index).Line)
}

// Issue is one operation that a warp executes.
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
	// Op is the operation that it waited to issue, or waited at.
	Op     int32
	Reason stats.Stall
	// For is what it waited for in its scoreboard, None where it waited for something else.
	For Entry
}

// Entry is a place in a warp's scoreboard: a register by its number, a predicate, the carry, the access before, or None.
type Entry int16

// The entries behind the registers, which have their numbers from 0.
const (
	None           Entry = -1
	EntryPredicate Entry = 256 // P0
	EntryCarry     Entry = EntryPredicate + 7
	EntryAccess    Entry = EntryCarry + 1 // the distance that a warp's accesses to memory keep
)

// String returns the entry as a disassembler names it, if it has a name; "" for None.
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

// Replay is what a memory operation takes of its scheduler beyond its own issue slot: the next slots, one a cycle.
type Replay struct {
	// Cycle is the one in which the operation issued.
	Cycle engine.Cycle
	Warp  *Warp
	Op    int32
	Slots int
}

// Answer is the end of an access: in Cycle an operation that depends on its result can issue, or a store is acknowledged.
type Answer struct {
	Cycle engine.Cycle
	Warp  *Warp
	Op    int32
	// Issued is the cycle of the access.
	Issued engine.Cycle
}

// Found is what a cache had of what it was asked for.
type Found uint8

// What a cache finds.
const (
	Missed Found = iota // it asks for what is missing
	Hit
	Merged // what is missing is on its way already
	Held   // no MSHR is free: the lookup is made again
)

// String returns what was found, in a word.
func (f Found) String() string { return [...]string{"miss", "hit", "merged", "held"}[f] }

// Lookup is one line that an access looks for in a cache of its SMX.
type Lookup struct {
	Cycle   engine.Cycle
	Warp    *Warp
	Op      int32
	Tag     uint64 // of the access
	Source  stats.MemorySource
	Line    uint64
	Sectors uint8 // of the cache's own size
	Found   Found
}

// Flight is the whole way of a request to L2 and back. It is told when its response is on its way, which is before the response is there.
type Flight struct {
	SMX  int
	Kind stats.RequestKind
	// Source, Tag, Sectors, Lanes and Line are the request's.
	Source  stats.MemorySource
	Tag     uint64
	Sectors uint8
	Lanes   uint32
	Line    uint64
	// Op is the operation that asked, and Warp the number of its warp in the SMX, as %warpid; negative for what no operation asked for.
	Op, Warp int32
	// Slice is the slice of L2.
	Slice int32
	// Issued is when it left the load/store unit, Departed when it was translated and went over the crossbar, Arrived when it reached its
	// slice, Served when the slice looked it up, Filled when the data came from DRAM (0 where they did not have to), and Ready when the
	// response is there.
	Issued, Departed, Arrived, Served, Filled, Ready engine.Cycle
	// Found is what L2 had, and Row how the request found its row in DRAM, where it had to go there.
	Found Found
	Row   stats.RowState
}

// Burst is what a channel of DRAM moves for one request of a slice of L2.
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

// Access is one memory access of a warp in one space; a generic access whose lanes lie in several spaces is several.
type Access struct {
	Cycle engine.Cycle
	Warp  *Warp
	Op    int32
	// Tag is that of its requests.
	Tag uint64
	*exec.Access
}

// Request is a message to L2, or its response. An SMX matches them by tag: of an access's requests, which have one tag, each has its
// response, in any order.
type Request struct {
	// Cycle is when it leaves the load/store unit, or when its response is there.
	Cycle engine.Cycle
	SMX   int
	Stage Stage
	Kind  stats.RequestKind
	Tag   uint64
	// The rest is known of a request alone, not of a response. Sectors has a bit for each 32-byte sector of the line at Line.
	Source  stats.MemorySource
	Sectors uint8
	Lanes   uint32
	Line    uint64
}

// Barrier is a warp's arrival at a barrier of its block, or the barrier's end.
type Barrier struct {
	Cycle engine.Cycle
	Block *Block
	// Stage is Started for an arrival, Ended when all awaited warps have come.
	Stage Stage
	// ID is the barrier's number in the block.
	ID uint32
	// Warp is who arrives, at operation Op, with lanes Mask of the lanes Live that have not exited; nil for the end.
	Warp       *Warp
	Op         int32
	Mask, Live uint32
	// Kind says whether it waits: BarSync, BarArrive or BarRed; Threads is the count that it names, 0 for all threads of the block.
	Kind    isa.Sub
	Threads uint32
}

// String returns the block as messages name it.
func (b *Block) String() string { return BlockName(b.At) }

// BlockName returns how messages name the block at some coordinates.
func BlockName(at [3]uint32) string { return fmt.Sprintf("block (%d,%d,%d)", at[0], at[1], at[2]) }
