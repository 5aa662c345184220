package hyperq

import (
	"fmt"

	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/smx"
)

// Time is a time or a duration, in picoseconds since the host program's start.
type Time = engine.Picosecond

// Never is after every time.
const Never = Time(engine.Never)

// Kind is the kind of a command.
type Kind uint8

// Kinds of commands.
const (
	Kernel   Kind = iota
	Copy          // copies bytes with a copy engine
	Memset        // fills memory, or copies within it; uses a compute queue but no SMX
	Record        // marks an event after the commands before it in its stream
	Wait          // blocks its stream until an event is reached
	Callback      // calls a function of the host
	Barrier       // separates earlier and later commands in all streams of a context
)

// String returns the kind's name.
func (k Kind) String() string {
	return [...]string{"kernel", "copy", "memset", "record", "wait", "callback", "barrier"}[k]
}

// Range is a range of device memory, in bytes; empty for none.
type Range struct{ Address, Bytes uint64 }

// Effect is a command's effect on memory. One that is data, not a function, can be in a checkpoint.
type Effect interface {
	// Apply carries it out.
	Apply() error
}

// EffectFunc is a function as an effect.
type EffectFunc func() error

// Apply calls the function.
func (f EffectFunc) Apply() error { return f() }

// Command is one command in a stream.
type Command struct {
	Kind   Kind
	Name   string
	Stream *Stream
	// Detail describes it further, for timelines.
	Detail string
	// Engine is the copy engine of a copy.
	Engine int
	// Visible is when the device sees the command.
	Visible Time
	// Duration is how long a callback, copy or memset takes if nothing delays it.
	Duration Time
	// After are further commands that it waits for; they may be submitted later.
	After []*Command
	// Event names the event of a record or wait, in messages.
	Event string
	// Grid is the grid of a kernel.
	Grid *smx.Grid
	// Bytes is the size of a copy or memset. Pinned: the host's side of it is page-locked. Both are for timelines.
	Bytes  uint64
	Pinned bool
	// Reads and Writes are the ranges of device memory of a copy or memset.
	Reads, Writes Range
	// Effect is carried out when the command begins, on the goroutine that steps the device; nil for none.
	Effect Effect

	// Parent is the kernel that submitted it, nil for the host. Such a command uses no connection: it goes to the grid management unit at
	// once. Depth is the number of its ancestors.
	Parent *Command
	Depth  int

	// Queue is its connection.
	Queue int
	// Start and End are when it began and ended.
	Start, End Time

	manager    *Manager
	sequence   uint64
	waits      int // number of unfinished commands that it waits for
	ready      Time
	state      state
	dependents []*Command
	yielded    bool // it runs, but does not count as running
}

// state is the progress of a command.
type state uint8

const (
	unknown  state = iota // not submitted
	held                  // waits for others
	armed                 // waits only in its queue
	released              // sent to the SMXs or an engine
	ended
)

// Ended reports whether the command has ended.
func (c *Command) Ended() bool { return c.state == ended }

// Submitted reports whether the command has been submitted.
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

// Stream is an ordered sequence of commands.
type Stream struct {
	// Name is for messages and timelines, Number for launches.
	Name   string
	Number int
	// Context is the stream's process.
	Context int
	// Legacy is the default stream that is ordered with the blocking streams of its context.
	Legacy bool
	// Blocking streams are ordered with the legacy default stream.
	Blocking bool
	// Priority: grids of streams with a higher number go first.
	Priority int
	// Queue is its connection.
	Queue int

	last *Command
}

// String names the stream for messages.
func (s *Stream) String() string { return "stream " + s.Name }

// Last returns the last command submitted to the stream, nil for none.
func (s *Stream) Last() *Command { return s.last }
