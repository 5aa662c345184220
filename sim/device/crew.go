package device

import (
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/memory"
	"github.com/keplersim/keplersim/sim/smx"
)

// crew are the host's threads that run a device: the caller's and others. An epoch has parts. Each SMX runs them in turns, of one part or
// of several, and the memory system takes its turn for a part when all SMXs have run it, beside their next ones. Which thread does what,
// and how far a turn goes, differs from run to run and changes nothing.
//
// A part is run when the memory system has had its turn for the one before the last, or has ended its step for the epoch before: no other
// response comes within it. Between two epochs the caller does what concerns all SMXs, while the memory system's turn for the last part,
// and the end of its step, may go on.
type crew struct {
	smxs    []*smx.SMX
	memory  *memory.System
	threads int

	// changes counts what a thread without work waits for. It has its lines of the host's caches for itself: whoever waits looks at it
	// all the time, and would take the lock's line from those that work.
	_       [hostLine]byte
	changes atomic.Uint32
	_       [hostLine]byte

	sync.Mutex
	changed  sync.Cond
	sleepers int
	patience time.Duration
	parts    [partsKept]part // by number, the latest ones
	given    int             // parts that may be run
	begun    int             // parts of the epochs before
	ran      []int           // by SMX: parts that it has run
	ends     []int           // by SMX: parts that it has run when its turn is over
	busy     []bool          // by SMX: a thread is at it
	home     []int           // by SMX: the thread that ran it last, in whose caches it may be
	took     []time.Duration // by SMX: by its parts of late, each
	early    int             // SMXs in a turn that the memory system waits for; see isEarly
	stepped  int             // parts that the memory system has had its turn for
	ending   bool            // the end of its step is due
	stepping bool            // a thread is at it
	stepper  int             // that thread, or the last
	alone    bool            // nobody is at it while SMXs run
	costs    costs
	stopped  bool
	// remembers: the memory system can go back to what memory held when the epoch began. rewound: it has, and waits for all SMXs to run the
	// epoch. rewinds counts these epochs.
	remembers, rewound bool
	rewinds            int
	// failure is the first panic of a thread, with its stack.
	failure *string
}

// part is a part of an epoch.
type part struct {
	to, until engine.Cycle // its end and that of the epoch
	left      int          // SMXs that have not run it
	then      func()       // of the epoch
}

// partsKept are more than may be under way at once: those of two epochs.
const partsKept = 32

// hostLine is what passes between the caches of the host's cores at once: two lines of most.
const hostLine = 128

// A thread without work looks for some for a while before it sleeps: waking it takes some 100 µs, and a turn of the memory system, for
// which it waits most of all, no longer. Where that was in vain, since the others have no processor either, it will look for half as long.
const (
	mostPatience  = 200 * time.Microsecond
	leastPatience = 10 * time.Microsecond
	looks         = 1 << 10 // between two looks at the time
)

// Tasks are SMXs by number, and these.
const (
	none     = -1
	atMemory = -2
)

func newCrew(list []*smx.SMX, system *memory.System, threads int) *crew {
	c := &crew{smxs: list, memory: system, threads: max(1, min(threads, len(list)+1)),
		ran: make([]int, len(list)), ends: make([]int, len(list)), busy: make([]bool, len(list)), home: make([]int, len(list)),
		took: make([]time.Duration, len(list)), patience: mostPatience}
	c.changed.L = c
	for i := range c.home {
		c.home[i] = i * c.threads / len(list)
	}
	return c
}

// start lets the other threads look for work.
func (c *crew) start() {
	for number := 1; number < c.threads; number++ {
		go func() {
			c.Lock()
			defer c.Unlock()
			for c.failure == nil && !c.stopped {
				if !c.help(number) {
					c.wait()
				}
			}
		}()
	}
}

// stop ends the threads. All parts have been run, and the memory system has had its turns.
func (c *crew) stop() {
	c.Lock()
	defer c.Unlock()
	c.stopped = true
	c.tell()
}

// run runs an epoch of parts that end at some cycles, from the end of the one before on. When the memory system has ended its step, the
// thread that it was on calls then, unless it is nil.
func (c *crew) run(ends []engine.Cycle, then func()) {
	c.Lock()
	defer c.Unlock()
	c.runParts(ends, then)
}

func (c *crew) runParts(ends []engine.Cycle, then func()) {
	c.begun = c.given
	for _, to := range ends {
		c.parts[c.given%partsKept] = part{to, ends[len(ends)-1], len(c.smxs), then}
		c.given++
	}
	c.tell()
	for !c.allRan() {
		if !c.help(0) {
			c.wait()
		}
		c.check()
	}
	if c.rewound {
		c.memory.Forward()
		c.rewound = false
		c.rewinds++
		c.tell()
	}
}

// rewind has device memory hold what it held when the epoch began, until all SMXs have run it. An SMX asks for that.
func (c *crew) rewind(smx int) {
	c.Lock()
	defer c.Unlock()
	thread := c.home[smx]
	for !c.rewound && c.failure == nil {
		switch {
		case c.stepping:
			c.wait()
		case c.ending || c.stepped < c.begun: // nobody else may be free to end the epoch before
			c.step(thread)
			c.tell()
		default:
			c.memory.Rewind()
			c.rewound = true
			c.tell()
		}
	}
}

// runWhole runs an epoch in one part. The memory system has its turn when all SMXs have come to the end.
func (c *crew) runWhole(until engine.Cycle) {
	c.Lock()
	defer c.Unlock()
	c.alone = true
	c.runParts([]engine.Cycle{until}, nil)
	c.memory.Step(until)
	c.alone, c.stepped = false, c.given
}

// settle ends the memory system's step.
func (c *crew) settle() {
	c.Lock()
	defer c.Unlock()
	for c.stepped < c.given || c.ending || c.stepping {
		if !c.help(0) {
			c.wait()
		}
		c.check()
	}
	c.memory.Settle()
}

// allRan reports that every SMX has run to the end of the epoch.
func (c *crew) allRan() bool {
	for i, ran := range c.ran {
		if ran < c.given || c.busy[i] {
			return false
		}
	}
	return true
}

// check ends the caller with the panic of another thread.
func (c *crew) check() {
	if c.failure != nil {
		panic(*c.failure)
	}
}

// tell lets threads without work look again.
func (c *crew) tell() {
	c.changes.Add(1)
	if c.sleepers > 0 {
		c.changed.Broadcast()
	}
}

// wait returns when something has changed.
func (c *crew) wait() {
	seen, patience := c.changes.Load(), c.patience
	c.Unlock()
	for began := time.Now(); time.Since(began) < patience && c.same(seen); {
	}
	c.Lock()
	if c.changes.Load() != seen {
		c.patience = min(2*c.patience, mostPatience)
		return
	}
	c.patience = max(c.patience/2, leastPatience)
	c.sleepers++
	for c.changes.Load() == seen {
		c.changed.Wait()
	}
	c.sleepers--
}

// same reports that nothing has changed for some looks.
func (c *crew) same(seen uint32) bool {
	for range looks {
		if c.changes.Load() != seen {
			return false
		}
	}
	return true
}

// help has a thread do what is to be done next; false when there is nothing that can be.
func (c *crew) help(thread int) bool {
	switch task := c.next(thread); task {
	case none:
		return false
	case atMemory:
		c.step(thread)
	default:
		c.runTurn(thread, task)
	}
	c.tell()
	return true
}

// step gives the memory system its turn.
func (c *crew) step(thread int) {
	number, ending := c.stepped, c.ending
	if ending {
		number--
	}
	p := c.parts[number%partsKept]
	c.stepping, c.stepper = true, thread
	began := time.Now()
	c.outside(thread, func() {
		if ending {
			c.memory.EndStep(p.until)
			if p.then != nil {
				p.then()
			}
		} else {
			c.memory.Part(p.to)
		}
	})
	c.stepping = false
	if c.ending = !ending && p.to == p.until; !ending {
		c.costs.stepped(time.Since(began), c.ending)
		c.stepped++
	}
}

// runTurn runs an SMX as far as it may.
func (c *crew) runTurn(thread, number int) {
	x, end := c.smxs[number], c.end(number)
	c.ends[number] = end
	p := &c.parts[(end-1)%partsKept]
	to, until := p.to, p.until
	early := c.isEarly(number)
	if early {
		c.early++
	}
	c.busy[number], c.home[number] = true, thread
	began := time.Now()
	c.outside(thread, func() { x.RunBeside(to, until) })
	took := time.Since(began) / time.Duration(end-c.ran[number])
	c.took[number] = (c.took[number] + took) / 2
	c.costs.ran(took)
	c.busy[number] = false
	if early {
		c.early--
	}
	for ; c.ran[number] < end; c.ran[number]++ {
		c.parts[c.ran[number]%partsKept].left--
	}
}

// outside does something without the lock. A panic of a thread that is not the caller's waits for the caller, who may have something to
// report.
func (c *crew) outside(thread int, do func()) {
	c.Unlock()
	defer c.Lock()
	if thread > 0 {
		defer c.guard()
	}
	do()
}

// guard keeps a panic for the caller.
func (c *crew) guard() {
	if cause := recover(); cause != nil {
		text := fmt.Sprintf("%v\n\nthread of the simulation:\n%s", cause, debug.Stack())
		c.Lock()
		defer c.Unlock()
		if c.failure == nil {
			c.failure = &text
		}
	}
}
