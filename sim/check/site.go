package check

import (
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/sim/check/finding"
	"github.com/keplersim/keplersim/sim/observe"
)

// program is the checker's data of a kernel.
type program struct {
	machine *isa.MachineProgram
	ops     []operation
	unset   *exec.Unset // nil for none
}

// operation is the checker's data of a machine operation.
type operation struct {
	watched uint8
	scope   isa.Scope // of a fence
	sites   [4]uint16 // outside calls, by memory: global or shared, with a weak or strong order
	within  map[uint64]uint16
}

// Properties of an operation to check when it issues.
const (
	watchFence uint8 = 1 << iota
	watchWarpSync
	watchMask // a warp-wide operation with a member mask
	watchExit
	watchRegisters
)

// site is a place in the code that accesses memory, with its calls.
type site struct {
	program *program
	op      int32
	calls   []string
	does    string
	line    int // the line by which findings are counted
	strong  bool
	atomic  bool
}

// programOf returns the data of a kernel.
func (c *Checker) programOf(m *isa.MachineProgram) *program {
	if p := c.programs[m]; p != nil {
		return p
	}
	p := &program{machine: m, ops: make([]operation, len(m.Ops))}
	for i := range m.Ops {
		p.ops[i].watch(&m.Ops[i])
	}
	if c.set.Has(finding.Init) {
		p.unset = exec.FindUnset(m)
		for i := range p.ops {
			if p.unset.Watches(int32(i)) {
				p.ops[i].watched |= watchRegisters
			}
		}
	}
	c.programs[m] = p
	return p
}

func (o *operation) watch(m *isa.MachineOp) {
	e := m.Effect
	switch {
	case m.Class == isa.ClassFence && m.Control == isa.ControlSync:
		o.watched, o.scope = watchFence, isa.ScopeDevice
		if e != nil && e.Memory != nil {
			o.scope = e.Memory.Scope
		}
	case m.Control == isa.ControlExit:
		o.watched = watchExit
	case e == nil:
	case e.Op == isa.OpBar && e.Mod.Select == isa.BarWarp:
		o.watched = watchWarpSync
	case exec.MemberMask(e) >= 0:
		o.watched = watchMask
	}
}

// siteOf returns the number of an access's site.
func (c *Checker) siteOf(w *warp, e *observe.Access) uint16 {
	o := &w.block.grid.program.ops[e.Op]
	kind := 0
	if e.Space == isa.SpaceShared {
		kind = 1
	}
	if e.Order != isa.OrderWeak {
		kind |= 2
	}
	var context uint64
	if s := e.Warp.State; s != nil {
		context = s.Context()
	}
	if context == 0 {
		if o.sites[kind] == 0 {
			o.sites[kind] = c.newSite(w, e)
		}
		return o.sites[kind]
	}
	if o.within == nil {
		o.within = map[uint64]uint16{}
	}
	key := context<<2 | uint64(kind)
	n, ok := o.within[key]
	if !ok {
		n = c.newSite(w, e)
		o.within[key] = n
	}
	return n
}

// newSite makes a site, or returns 0, which is any site, if a record cannot number more.
func (c *Checker) newSite(w *warp, e *observe.Access) uint16 {
	if len(c.sites) >= 1<<siteBits {
		return 0
	}
	s := site{program: w.block.grid.program, op: e.Op, does: does(e.Access)}
	s.line = c.lineOf(s.program, s.op, s.does)
	s.atomic = e.Kind == exec.AccessAtomic || e.Kind == exec.AccessReduction
	s.strong = s.atomic || e.Order != isa.OrderWeak
	if state := e.Warp.State; state != nil {
		s.calls = state.Calls(e.Op)
	}
	c.sites = append(c.sites, s)
	return uint16(len(c.sites) - 1)
}

// line is a source line with an action. All operations that a compiler made from a line count as one place.
type line struct {
	file, does string
	number     int
	kernel     *isa.Function
}

// lineOf numbers lines from 1; 0 is no operation.
func (c *Checker) lineOf(p *program, op int32, does string) int {
	if op == noOp {
		return 0
	}
	at := line{does: does, kernel: p.machine.Kernel}
	at.file, at.number = p.machine.Program.Place(p.machine.Ops[op].Line)
	n := c.lines[at]
	if n == 0 {
		n = len(c.lines) + 1
		c.lines[at] = n
	}
	return n
}

// does returns an access's action in words.
func does(a *exec.Access) string {
	switch a.Kind {
	case exec.AccessLoad:
		return "reads"
	case exec.AccessStore:
		return "writes"
	}
	return "changes atomically"
}

// place describes an access of a site.
func (c *Checker) place(s *site, g *grid) finding.Place {
	m := s.program.machine
	p := finding.Place{Does: s.does, Kernel: g.title, Launch: g.observed.ID, Stream: g.observed.Stream, Calls: s.calls}
	locate(&p, m, s.op)
	return p
}

// locate fills in the lines of an operation.
func locate(p *finding.Place, m *isa.MachineProgram, op int32) {
	line := m.Ops[op].Line
	p.File, p.Line = m.Program.Place(line)
	if line > 0 && int(line) < len(m.Program.Lines) {
		row := &m.Program.Lines[line]
		if row.PTXFile >= 0 && int(row.PTXFile) < len(m.Program.Files) {
			p.PTXFile, p.PTXLine = m.Program.Files[row.PTXFile], int(row.PTXLine)
		}
	}
}

// here returns the place of a warp's present action.
func (c *Checker) here(w *warp, op int32, lane int, does string) finding.Place {
	g := w.block.grid
	p := finding.Place{Does: does, Kernel: g.title, Launch: g.observed.ID, Stream: g.observed.Stream}
	locate(&p, g.program.machine, op)
	if s := w.observed.State; s != nil {
		p.Calls = s.Calls(op)
	}
	name(&p, w.block, w.index, lane)
	return p
}

// name fills in the thread.
func name(p *finding.Place, b *block, warp, lane int) {
	p.Block, p.Warp = b.at, warp
	if lane >= severalLanes {
		p.Lanes, lane = true, 0
	}
	p.Thread = b.threads.at(uint32(warp*32 + lane))
}
