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
	// Scheduler is the warp scheduler that it belongs to, Slot its place there.
	Scheduler, Slot int
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
}

// Access is one memory access of a warp in one space; a generic access whose lanes lie in several spaces is several.
type Access struct {
	Cycle engine.Cycle
	Warp  *Warp
	Op    int32
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
}

// String returns the block as messages name it.
func (b *Block) String() string { return BlockName(b.At) }

// BlockName returns how messages name the block at some coordinates.
func BlockName(at [3]uint32) string { return fmt.Sprintf("block (%d,%d,%d)", at[0], at[1], at[2]) }
