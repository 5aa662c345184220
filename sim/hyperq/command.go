package hyperq

import (
	"fmt"

	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/smx"
)

// Time is a point in time, or a span, in picoseconds since the host program's start.
type Time = engine.Picosecond

// Never lies after every time.
const Never = Time(engine.Never)

// Kind is what a command does.
type Kind uint8

// Kinds of commands.
const (
	Kernel   Kind = iota
	Copy          // moves bytes by a copy engine
	Memset        // fills memory, or copies within it; takes a compute queue's place but no SMX
	Record        // marks an event when what stands before it in its stream has ended
	Wait          // holds its stream back until an event has been reached
	Callback      // has the host run a function
	Barrier       // stands between what came before it and what comes after, in all streams of a context
)

// String is the kind's name.
func (k Kind) String() string {
	return [...]string{"kernel", "copy", "memset", "record", "wait", "callback", "barrier"}[k]
}

// Range is a range of device memory, in bytes; empty for none.
type Range struct{ Address, Bytes uint64 }

// Effect is what a command does to the bytes of memories. One that is data, and no function, can be kept in a checkpoint.
type Effect interface {
	// Apply does it.
	Apply() error
}

// EffectFunc is a function as an effect.
type EffectFunc func() error

// Apply calls the function.
func (f EffectFunc) Apply() error { return f() }

// Command is what a host puts into a stream.
type Command struct {
	Kind   Kind
	Name   string
	Stream *Stream
	// Detail says more of what it does, for timelines.
	Detail string
	// Engine is the copy engine that a copy takes.
	Engine int
	// Visible is when the device can see the command.
	Visible Time
	// Duration is how long a callback, a copy or a memset takes that nothing hinders.
	Duration Time
	// After are commands besides those of stream order that it waits for; they may be submitted later.
	After []*Command
	// Event is the event that a record marks, or a wait waits for; in messages.
	Event string
	// Grid is a kernel's.
	Grid *smx.Grid
	// Bytes is the size of a copy or memset, Pinned tells that the host's side of it is page-locked; for timelines.
	Bytes  uint64
	Pinned bool
	// Reads and Writes are what a copy or memset reads and writes of the device's memory.
	Reads, Writes Range
	// Effect is carried out when it begins, on the goroutine that steps the device; nil for none.
	Effect Effect

	// Parent is the kernel that has put it into a stream of its own, nil for a host's. It passes no connection: it goes to the grid
	// management unit at once. Depth is how many kernels stand above it.
	Parent *Command
	Depth  int

	// Queue is the connection that it was put into.
	Queue int
	// Start and End are when it began and ended, once it has.
	Start, End Time

	manager    *Manager
	sequence   uint64
	waits      int // commands that have not ended, it being behind them
	ready      Time
	state      state
	dependents []*Command
	yielded    bool // it runs, and does not count among the grids that do
}

// state is how far a command has come.
type state uint8

const (
	unknown  state = iota // not submitted
	held                  // behind others
	armed                 // behind nothing but its queue
	released              // on its way to the SMXs or an engine
	ended
)

// Ended reports that the command is over.
func (c *Command) Ended() bool { return c.state == ended }

// Submitted reports that the command has been put into its stream.
func (c *Command) Submitted() bool { return c.state != unknown }

// String names the command for messages.
func (c *Command) String() string {
	switch c.Kind {
	case Record:
		return fmt.Sprintf("the record of event %s in %s", c.Event, c.Stream)
	case Wait:
		return fmt.Sprintf("the wait for event %s in %s", c.Event, c.Stream)
	case Barrier:
		return c.Name + ", which waits for all streams"
	}
	return fmt.Sprintf("%s %s in %s", c.Kind, c.Name, c.Stream)
}

// Stream is an order of commands.
type Stream struct {
	// Name is for messages and timelines, Number how a launch calls it.
	Name   string
	Number int
	// Context is the process whose stream it is.
	Context int
	// Legacy is the default stream that waits for the blocking streams of its context, and they for it.
	Legacy bool
	// Blocking streams are ordered with the legacy default stream.
	Blocking bool
	// Priority is greater for a stream whose grids' blocks go first.
	Priority int
	// Queue is the connection.
	Queue int

	last *Command
}

// String names the stream for messages.
func (s *Stream) String() string { return "stream " + s.Name }

// Last is the command put into the stream last, nil for none.
func (s *Stream) Last() *Command { return s.last }
