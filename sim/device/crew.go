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

// crew is the host's threads that run a device: the caller's and others. An epoch has parts. A task is one or more parts of an SMX, or a
// part of the memory system. The memory system runs a part after all SMXs have run it, while they run their next parts. The assignment of
// tasks to threads and the length of tasks differ from run to run, and change no result.
//
// An SMX may run a part once all responses within it are known. They are when the memory system has run the part before the last, or has
// ended its step for the previous epoch. Between two epochs the caller handles what concerns all SMXs. The memory system may still run the
// last part and the end of its step meanwhile.
type crew struct {
	smxs    []*smx.SMX
	memory  *memory.System
	threads int

	// changes counts events that a thread without work waits for. It has its own lines of the host's caches: waiting threads poll it, and
	// would take the lock's line from working threads.
	_       [hostLine]byte
	changes atomic.Uint32
	_       [hostLine]byte

	sync.Mutex
	changed  sync.Cond
	sleepers int
	patience time.Duration
	parts    [partsKept]part // the latest, by number
	given    int             // parts that may run
	begun    int             // parts of earlier epochs
	ran      []int           // for each SMX: parts that it has run
	ends     []int           // for each SMX: parts that it will have run after its task
	busy     []bool          // for each SMX: a thread runs it
	home     []int           // for each SMX: the thread that ran it last, whose caches may hold it
	took     []time.Duration // for each SMX: recent time for a part
	early    int             // SMXs whose tasks delay the memory system; see isEarly
	stepped  int             // parts that the memory system has run
	ending   bool            // its step must be ended
	stepping bool            // a thread runs it
	stepper  int             // the thread that runs it, or ran it last
	alone    bool            // no thread runs it while SMXs run
	costs    costs
	stopped  bool
	// remembers: the memory system can restore memory to the epoch's beginning. rewound: it has, and waits for all SMXs to run the epoch.
	// rewinds counts such epochs.
	remembers, rewound bool
	rewinds            int
	// failure is the first panic of a thread, with its stack.
	failure *string
	meter   meter
}

// meter measures tasks. The crew orders tasks by it, and the model of other numbers of threads takes its costs from it.
type meter struct {
	clock  func() time.Duration
	pinned bool                                         // a task stays on its thread, because the clock is the thread's
	heard  func(task, from, to int, took time.Duration) // receives the parts of each task; nil for none
	since  time.Time                                    // start of the caller's work between epochs
}

// begin begins a task, end returns its duration.
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

// hear reports a task's duration.
func (m *meter) hear(task, from, to int, took time.Duration) {
	if m.heard != nil {
		m.heard(task, from, to, took)
	}
}

// part is a part of an epoch.
type part struct {
	to, until engine.Cycle // ends of the part and of its epoch
	left      int          // SMXs that have not run it
	then      func()       // runs after the epoch
}

// partsKept is more than the parts in progress: those of two epochs.
const partsKept = 32

// hostLine is the unit that moves between the caches of the host's cores: two lines of most.
const hostLine = 128

// A thread without work polls for a while before it sleeps. To wake it takes some 100 µs, and a task of the memory system, the most
// frequent reason to wait, no longer. If it polled in vain, it polls half as long the next time: the others have no processor either.
const (
	mostPatience  = 200 * time.Microsecond
	leastPatience = 10 * time.Microsecond
	looks         = 1 << 10 // polls between two readings of the clock
)

// Tasks are numbers of SMXs, and these.
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

// start starts the other threads.
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

// stop ends the threads. The SMXs and the memory system must have run all parts.
func (c *crew) stop() {
	c.Lock()
	defer c.Unlock()
	c.stopped = true
	c.tell()
}

// run runs an epoch whose parts end at some cycles, from the previous epoch's end. When the memory system has ended its step, its thread
// calls then, unless nil.
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

// give makes an epoch's parts available.
func (c *crew) give(ends []engine.Cycle, then func()) {
	c.begun = c.given
	for _, to := range ends {
		c.parts[c.given%partsKept] = part{to, ends[len(ends)-1], len(c.smxs), then}
		c.given++
	}
}

// rewind restores device memory to the epoch's beginning, until all SMXs have run the epoch. An SMX calls it.
func (c *crew) rewind(smx int) {
	c.Lock()
	defer c.Unlock()
	thread := c.home[smx]
	for !c.rewound && c.failure == nil {
		switch {
		case c.stepping:
			c.wait()
		case c.ending || c.stepped < c.begun: // no other thread may be free to end the epoch before
			c.step(thread)
			c.tell()
		default:
			c.memory.Rewind()
			c.rewound = true
			c.tell()
		}
	}
}

// runWhole runs an epoch in one part. The memory system runs after all SMXs.
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

// settle completes the memory system's step.
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

// check panics with the panic of another thread.
func (c *crew) check() {
	if c.failure != nil {
		panic(*c.failure)
	}
}

// tell makes threads without work look again.
func (c *crew) tell() {
	c.changes.Add(1)
	if c.sleepers > 0 {
		c.changed.Broadcast()
	}
}

// wait waits until something has changed.
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

// same polls for a while, and reports whether nothing has changed.
func (c *crew) same(seen uint32) bool {
	for range looks {
		if c.changes.Load() != seen {
			return false
		}
	}
	return true
}

// help runs the next task on a thread; false if there is none.
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

// step runs a task of the memory system.
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

// beginStep returns the memory system's next part, for a thread.
func (c *crew) beginStep(thread int) part {
	number := c.stepped
	if c.ending {
		number--
	}
	c.stepping, c.stepper = true, thread
	return c.parts[number%partsKept]
}

// endStep records that the memory system has run a part.
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

// runTask runs a task of an SMX.
func (c *crew) runTask(thread, number int) {
	p, early := c.beginTask(thread, number)
	x, to, until := c.smxs[number], p.to, p.until
	began := c.meter.begin()
	c.outside(thread, func() { x.RunConcurrently(to, until) })
	c.endTask(number, early, c.meter.end(began))
}

// beginTask returns the last part of an SMX's task.
func (c *crew) beginTask(thread, number int) (last *part, early bool) {
	end := c.end(number)
	c.ends[number] = end
	if early = c.isEarly(number); early {
		c.early++
	}
	c.busy[number], c.home[number] = true, thread
	return &c.parts[(end-1)%partsKept], early
}

// endTask records the end of an SMX's task.
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

// outside calls do without the lock. A panic of a thread other than the caller's is kept for the caller, who may have something to report.
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
