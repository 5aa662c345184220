package check

import (
	"sync"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/sim/check/finding"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/observe"
)

// Memory is the checker's view of a device's memory.
type Memory interface {
	// Read copies bytes out of one allocation.
	Read(address uint64, into []byte) error
	// Describe names the allocation that holds an address, with the offset; "" for none.
	Describe(address uint64) string
	// Heap reports whether there is a device heap, HeapFreed whether an address is in a freed block of it. Beyond reports whether bytes
	// begin in a block and exceed the requested size.
	Heap() bool
	HeapFreed(address uint64) bool
	Beyond(address uint64, bytes int) bool
	// Reach returns the allocation of an address if it is in one piece on the host.
	Reach(address uint64) exec.Reach
	// Nearby describes what is nearest to an address outside all allocations.
	Nearby(address uint64) string
}

// Checker watches a device for a whole run.
type Checker struct {
	observe.Silent
	// Sparse loses nothing: lanes part only at reported branches, and each reported operation has its active lanes.
	observe.Sparse
	recorder
	set      finding.Set
	timed    bool
	memory   Memory
	found    *List
	commands *Commands

	global   shadow
	blocks   map[*observe.Block]*block
	grids    map[uint64]*grid
	open     []*grid // launches that some later launch may overlap
	programs map[*isa.MachineProgram]*program
	sites    []site
	logs     map[variable]*log
	lines    map[line]int
	children map[any]*child // commands of kernels

	owners               []owner
	firstOwner, nextWarp uint32

	pairs  map[pair]*finding.Finding
	unused []*block // for reuse

	// last is the warp of the last event, observed as the event had it: usually also that of the next.
	observed *observe.Warp
	last     *warp
	freed    []freed
}

// Options configure a checker.
type Options struct {
	Set finding.Set
	// Timed: accesses take effect later than their events.
	Timed  bool
	Memory Memory
}

// New returns a checker of a device. The list receives its findings; commands is the order of the host's commands.
func New(o Options, found *List, commands *Commands) *Checker {
	c := &Checker{
		set: o.Set, timed: o.Timed, memory: o.Memory, found: found, commands: commands,
		blocks: map[*observe.Block]*block{}, grids: map[uint64]*grid{}, programs: map[*isa.MachineProgram]*program{},
		sites: make([]site, 1), logs: map[variable]*log{}, firstOwner: 1, nextWarp: 1,
		pairs: map[pair]*finding.Finding{}, lines: map[line]int{}, children: map[any]*child{},
	}
	c.recorder.checker = c
	return c
}

// Bytes returns the size of the records of global memory, in bytes.
func (c *Checker) Bytes() uint64 {
	return c.global.bytes + uint64(len(c.owners))*ownerBytes
}

// ownerBytes is the size of an owner.
const ownerBytes = 16

// List has the findings of all devices of a host.
type List struct {
	lock     sync.Mutex
	findings []*finding.Finding
	// Keep reports whether a finding is wanted; nil for all.
	Keep func(*finding.Finding) bool
	// Found is called with each new finding; nil for none.
	Found func(*finding.Finding)
}

// mostFindings is the most findings of a run.
const mostFindings = 1000

func (l *List) add(f *finding.Finding) {
	l.lock.Lock()
	defer l.lock.Unlock()
	if len(l.findings) < mostFindings {
		l.findings = append(l.findings, f)
	}
	if l.Found != nil && (l.Keep == nil || l.Keep(f)) {
		l.Found(f)
	}
}

// Findings returns the findings in the order in which they first happened.
func (l *List) Findings() []*finding.Finding {
	l.lock.Lock()
	defer l.lock.Unlock()
	var kept []*finding.Finding
	for _, f := range l.findings {
		if l.Keep == nil || l.Keep(f) {
			kept = append(kept, f)
		}
	}
	return kept
}

// Grid begins a launch.
func (c *Checker) Grid(_ engine.Cycle, o *observe.Grid, stage observe.Stage) {
	if stage == observe.Started {
		c.begin(o, moment{})
	}
}

// Launch reports a launch that begins, with its command.
func (c *Checker) Launch(o *observe.Grid, command any) { c.begin(o, c.commands.begun[command]) }

func (c *Checker) begin(o *observe.Grid, at moment) *grid {
	if g := c.grids[o.ID]; g != nil && g.observed == o {
		return g
	}
	known := c.programs[o.Machine] != nil
	g := &grid{observed: o, first: c.nextWarp, base: c.nextWarp, command: at, program: c.programOf(o.Machine)}
	g.title = o.Machine.Program.Title(o.Machine.Kernel.Name)
	if !known && c.set.Has(finding.Init) {
		for _, f := range shortWaits(g) {
			c.found.add(f)
		}
	}
	open := c.open[:0]
	for _, other := range c.open {
		if !at.after(other.command) {
			g.base = min(g.base, other.first)
			open = append(open, other)
		} else if !c.everythingAfter(other) {
			open = append(open, other)
		}
	}
	c.open = append(open, g)
	c.grids[o.ID] = g
	c.advance()
	return g
}

// everythingAfter reports whether all hosts have waited for a launch: all later commands come after it.
func (c *Checker) everythingAfter(g *grid) bool {
	for _, host := range c.commands.hosts {
		if !host.has(g.command) {
			return false
		}
	}
	return len(c.commands.hosts) > 0
}

// advance drops the records of warps that everything from now on comes after.
func (c *Checker) advance() {
	first := c.nextWarp
	for _, g := range c.open {
		first = min(first, g.base)
	}
	if drop := int(first) - int(c.firstOwner); drop > 0 && drop >= len(c.owners)/2 {
		c.owners = append([]owner(nil), c.owners[drop:]...)
		c.firstOwner = first
	}
	if first == c.nextWarp || len(c.open) == 1 && c.open[0].first == c.nextWarp {
		clear(c.logs)
	}
	for id, g := range c.grids {
		if g.first < first {
			delete(c.grids, id)
		}
	}
}

// Block begins or ends a block.
func (c *Checker) Block(_ engine.Cycle, o *observe.Block, stage observe.Stage) {
	switch stage {
	case observe.Parked, observe.Returned: // it waits and keeps its state
		return
	case observe.Ended:
		if b := c.blocks[o]; b != nil {
			c.observed = nil
			b.ends()
			c.leave(b)
			delete(c.blocks, o)
		}
		return
	}
	g := c.begin(o.Grid, moment{})
	b := &block{grid: g, number: o.Number, at: o.At, threads: o.Grid.Threads, memory: o.Shared, warps: make([]warp, len(o.Warps))}
	if len(o.Shared) > 0 {
		b.shared = &shadow{}
		if last := len(c.unused) - 1; last >= 0 {
			b.shared = c.unused[last].shared
			c.unused = c.unused[:last]
		}
		b.shared.mark(0, uint64(len(o.Shared)+pageBytes-1)/pageBytes*pageBytes, false)
	}
	count := b.threads.count()
	seen := make([]uint64, len(b.warps)*len(b.warps))
	for i := range b.warps {
		w := &b.warps[i]
		lanes := isa.FullMask
		if rest := count - 32*i; rest < 32 {
			lanes = 1<<rest - 1
		}
		*w = warp{block: b, index: i, observed: &o.Warps[i], clock: 1, seen: seen[i*len(b.warps) : (i+1)*len(b.warps) : (i+1)*len(b.warps)],
			live: lanes, active: lanes, together: 1, synced: 1, known: g.start}
		c.enroll(w)
		if i == 0 {
			b.first = w.number
		}
		if c.set.Has(finding.Init) {
			c.beginRegisters(w)
		}
	}
	c.blocks[o] = b
}

// leave keeps the block's shadow of shared memory for another block, since the records of earlier warps never conflict with its accesses.
func (c *Checker) leave(b *block) {
	if b.shared != nil {
		c.unused = append(c.unused, &block{shared: b.shared})
	}
	b.shared, b.memory, b.local = nil, nil, nil
	for i := range b.warps {
		b.warps[i] = warp{index: i, block: b, observed: b.warps[i].observed}
	}
}

// of returns the state of an observed warp.
func (c *Checker) of(w *observe.Warp) *warp {
	if w != c.observed {
		c.observed, c.last = w, &c.blocks[w.Block].warps[w.Index]
	}
	return c.last
}

// Issue follows the warp's active lanes, and checks fences, warp-wide operations and unset registers.
func (c *Checker) Issue(e observe.Issue) {
	w := c.of(e.Warp)
	if e.Active != w.active {
		c.tick(w, e.Active)
	}
	op := &w.block.grid.program.ops[e.Op]
	if op.watched == 0 || e.Mask == 0 {
		return
	}
	if op.watched&watchRegisters != 0 && w.registers != nil {
		c.useRegisters(w, &e)
	}
	switch {
	case op.watched&watchFence != 0:
		c.fence(w, op.scope)
	case op.watched&watchWarpSync != 0:
		c.warpMask(w, &e)
		c.tick(w, w.active)
		w.synced = w.clock
	case op.watched&watchMask != 0:
		c.warpMask(w, &e)
	case op.watched&watchExit != 0:
		w.live &^= e.Mask
		c.tick(w, w.active&^e.Mask)
	}
}

// Access checks an access.
func (c *Checker) Access(e observe.Access) {
	if e.Active == 0 {
		return
	}
	w := c.of(e.Warp)
	switch e.Space {
	case isa.SpaceShared:
		if w.block.shared != nil && len(w.block.memory) > 0 {
			c.access(w, &e, w.block.shared, w.block)
		}
	case isa.SpaceGlobal:
		c.access(w, &e, &c.global, nil)
	case isa.SpaceLocal:
		if c.set.Has(finding.Init) {
			c.accessLocal(w, &e)
		}
	}
}
