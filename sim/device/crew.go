package device

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/memory"
	"github.com/keplersim/keplersim/sim/smx"
)

// crew are the host's threads that run a device: the caller's and others. An epoch has parts. A task is an SMX that runs one part or
// several, or the memory system, which runs a part when all SMXs have run it, at the same time as their next ones. Which thread does which
// task, and how far a task goes, differs from run to run and changes nothing.
//
// An SMX may run a part when the memory system has run the part before the last, or has ended its step for the epoch before: no other
// response arrives within the part. Between two epochs the caller does what concerns all SMXs, while the memory system may still run the
// last part and the end of its step.
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
	ends     []int           // by SMX: parts that it has run when its task is over
	busy     []bool          // by SMX: a thread is at it
	home     []int           // by SMX: the thread that ran it last, in whose caches it may be
	took     []time.Duration // by SMX: by its parts of late, each
	early    int             // SMXs whose tasks the memory system waits for; see isEarly
	stepped  int             // parts that the memory system has run
	ending   bool            // the end of its step is due
	stepping bool            // a thread is at it
	stepper  int             // that thread, or the last
	alone    bool            // no thread is at it while SMXs run
	costs    costs
	stopped  bool
	// remembers: the memory system can go back to what memory held when the epoch began. rewound: it has, and waits for all SMXs to run the
	// epoch. rewinds counts these epochs.
	remembers, rewound bool
	rewinds            int
	// failure is the first panic of a thread, with its stack.
	failure *string
	meter   meter
}

// meter measures tasks. The crew chooses their order by it, and a model of other numbers of threads takes its costs from it.
type meter struct {
	clock  func() time.Duration
	pinned bool                                         // a task stays on its thread, whose clock it is
	heard  func(task, from, to int, took time.Duration) // of the parts that a task has run; nil for none
	since  time.Time                                    // the caller works alone
}

// begin begins a task, end returns how long it has taken.
func (m *meter) begin() time.Duration {
	if m.pinned {
		runtime.LockOSThread()
	}
	return m.clock()
}

func (m *meter) end(began time.Duration) time.Duration {
	took := m.clock() - began
	if m.pinned {
		runtime.UnlockOSThread()
	}
	return took
}

// metered is called with each new crew; tests set it.
var metered = func(*crew) {}

// hear reports how long a task has taken.
func (m *meter) hear(task, from, to int, took time.Duration) {
	if m.heard != nil {
		m.heard(task, from, to, took)
	}
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

// A thread without work looks for some for a while before it sleeps: waking it takes some 100 µs, and a task of the memory system, for
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
	atEnd    = -3 // the memory system ends its step
	between  = -4 // the caller, between two epochs
)

func newCrew(list []*smx.SMX, system *memory.System, threads int) *crew {
	c := &crew{smxs: list, memory: system, threads: max(1, min(threads, len(list)+1)),
		ran: make([]int, len(list)), ends: make([]int, len(list)), busy: make([]bool, len(list)), home: make([]int, len(list)),
		took: make([]time.Duration, len(list)), patience: mostPatience}
	began := time.Now()
	c.changed.L, c.meter.clock = c, func() time.Duration { return time.Since(began) }
	metered(c)
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

// stop ends the threads. The SMXs and the memory system have run all parts.
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
	c.give(ends, then)
	c.meter.hear(between, c.begun, c.given, time.Since(c.meter.since))
	defer func() { c.meter.since = time.Now() }()
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

// give lets an epoch's parts be run.
func (c *crew) give(ends []engine.Cycle, then func()) {
	c.begun = c.given
	for _, to := range ends {
		c.parts[c.given%partsKept] = part{to, ends[len(ends)-1], len(c.smxs), then}
		c.given++
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

// runWhole runs an epoch in one part. The memory system runs when all SMXs have come to the end.
func (c *crew) runWhole(until engine.Cycle) {
	c.Lock()
	defer c.Unlock()
	c.alone = true
	c.runParts([]engine.Cycle{until}, nil)
	began := c.meter.begin()
	c.memory.Step(until)
	c.meter.hear(atMemory, c.begun, c.given, c.meter.end(began))
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
		c.runTask(thread, task)
	}
	c.tell()
	return true
}

// step runs the memory system.
func (c *crew) step(thread int) {
	p, ending := c.beginStep(thread), c.ending
	began := c.meter.begin()
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
	c.endStep(c.meter.end(began))
}

// beginStep returns the part that the memory system runs next, on a thread.
func (c *crew) beginStep(thread int) part {
	number := c.stepped
	if c.ending {
		number--
	}
	c.stepping, c.stepper = true, thread
	return c.parts[number%partsKept]
}

// endStep notes that the memory system has run a part.
func (c *crew) endStep(took time.Duration) {
	c.stepping = false
	if c.ending {
		c.ending = false
		c.meter.hear(atEnd, c.stepped-1, c.stepped, took)
		return
	}
	p := &c.parts[c.stepped%partsKept]
	c.ending = p.to == p.until
	c.costs.stepped(took, c.ending)
	c.stepped++
	c.meter.hear(atMemory, c.stepped-1, c.stepped, took)
}

// runTask runs an SMX as far as it may.
func (c *crew) runTask(thread, number int) {
	p, early := c.beginTask(thread, number)
	x, to, until := c.smxs[number], p.to, p.until
	began := c.meter.begin()
	c.outside(thread, func() { x.RunConcurrently(to, until) })
	c.endTask(number, early, c.meter.end(began))
}

// beginTask returns the last part of an SMX's task on a thread.
func (c *crew) beginTask(thread, number int) (last *part, early bool) {
	end := c.end(number)
	c.ends[number] = end
	if early = c.isEarly(number); early {
		c.early++
	}
	c.busy[number], c.home[number] = true, thread
	return &c.parts[(end-1)%partsKept], early
}

// endTask notes that an SMX's task is over.
func (c *crew) endTask(number int, early bool, took time.Duration) {
	from, end := c.ran[number], c.ends[number]
	c.meter.hear(number, from, end, took)
	each := took / time.Duration(end-from)
	c.took[number] = (c.took[number] + each) / 2
	c.costs.ran(each)
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
