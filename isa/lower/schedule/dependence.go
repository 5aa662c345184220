package schedule

import (
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/machine"
	"github.com/keplersim/keplersim/isa/lower/virtual"
)

// dependences collects the order that units must keep.
type dependences struct {
	f       *machine.Function
	slots   *machine.Slots
	scratch *scratch
	units   []*unit
	joins   []*unit // numbered after the units
	// seen is, by unit, the target of its last edge; last is the index of that edge.
	seen, last []int32
	// By slot: the last writer, -1 for none, and the readers since.
	writer  []int32
	readers [][]int32
	// writerLatency is, by slot, the latency of its last writer.
	writerLatency []int
	memory        *memoryOrder
	fence, clock  int // the last unit that nothing may cross, -1 for none
	carryWriter   int
	carryReaders  []int
}

// addEdges finds the dependences among the units of a block.
func (f *scheduler) addEdges(units []*unit) *dependences {
	d := &dependences{
		f: f.Function, slots: f.slots, scratch: f.scratch, units: units, seen: make([]int32, len(units)), last: make([]int32, len(units)),
		writer: f.scratch.writer, readers: f.scratch.readers, writerLatency: f.scratch.latency, fence: -1, clock: -1, carryWriter: -1,
	}
	for n := range d.seen {
		d.seen[n] = -1
	}
	d.memory = newMemoryOrder(d)
	chains := numberChains(units, f.carryCrosses)
	for n, u := range units {
		for _, op := range u.operations {
			d.registers(n, op)
			d.carry(n, op)
			d.order(n, op)
			if op.Effect != nil {
				for k := range op.Effect.Dst {
					if o := &op.Effect.Dst[k]; virtual.IsRegister(o) {
						f.scratch.versions[virtual.Whole(o.Register)]++
					}
				}
			}
		}
	}
	d.startChains(chains)
	for _, slot := range f.scratch.used {
		d.writer[slot], d.readers[slot] = -1, d.readers[slot][:0]
	}
	f.scratch.used = f.scratch.used[:0]
	return d
}

// scratch has buffers, most of them indexed by slot, that addEdges reuses from block to block.
type scratch struct {
	writer  []int32
	readers [][]int32
	latency []int
	used    []int32
	// By register: how often it has been written in all blocks so far.
	versions []int32
	// For one unit: its operations' slots, and the values that it reads and writes.
	slots, uses, sets []int32
	kept              []int32 // lists of values are slices of it
	// For pressure.
	now    []int32
	origin []*isa.Instruction
}

func newScratch(registers, slots int) *scratch {
	r := &scratch{
		writer: make([]int32, slots), readers: make([][]int32, slots), latency: make([]int, slots), versions: make([]int32, registers),
	}
	first := make([]int32, firstReaders*slots)
	for n := range r.writer {
		r.writer[n] = -1
		r.readers[n], first = first[:0:firstReaders], first[firstReaders:]
	}
	return r
}

// firstReaders is the initial capacity for a slot's readers: most slots have no more between two writes.
const firstReaders = 2

// keep returns a permanent copy of a list.
func (r *scratch) keep(list []int32) []int32 {
	n := len(list)
	if n > len(r.kept) {
		r.kept = make([]int32, max(n, keptTogether))
	}
	kept := r.kept[:n:n]
	r.kept = r.kept[n:]
	copy(kept, list)
	return kept
}

// keptTogether is the least number of values in one allocation.
const keptTogether = 1 << 10

// edge makes a unit or join come before a unit. All edges to one unit must be added together: then an edge from the same unit to it is
// always the last of that unit's.
func (d *dependences) edge(from, to, latency int) {
	if from == to || from < 0 {
		return
	}
	u := d.unit(from)
	if d.seen[from] == int32(to) {
		e := &u.after[d.last[from]]
		e.latency = max(e.latency, latency)
		return
	}
	d.seen[from], d.last[from] = int32(to), int32(len(u.after))
	u.after = append(u.after, edge{d.units[to], latency})
	d.units[to].waits++
}

// unit returns the unit or join with a number.
func (d *dependences) unit(n int) *unit {
	if n < len(d.units) {
		return d.units[n]
	}
	return d.joins[n-len(d.units)]
}

// join creates a join of units and joins. It comes before unit n in PTX order.
func (d *dependences) join(n int, parts []*unit) *unit {
	j := &unit{position: len(d.units) + len(d.joins), waits: len(parts), before: n}
	d.joins, d.seen, d.last = append(d.joins, j), append(d.seen, -1), append(d.last, -1)
	for _, p := range parts {
		p.after = append(p.after, edge{j, 0})
		d.seen[p.position] = -1
	}
	return j
}

// inOrder returns the units and joins in an order in which each follows all that it depends on.
func (d *dependences) inOrder() []*unit {
	if len(d.joins) == 0 {
		return d.units
	}
	all := make([]*unit, 0, len(d.units)+len(d.joins))
	next := 0
	for n, u := range d.units {
		for ; next < len(d.joins) && d.joins[next].before == n; next++ {
			all = append(all, d.joins[next])
		}
		all = append(all, u)
	}
	return all
}

// registers adds the dependences through registers and predicates, in both views.
func (d *dependences) registers(n int, op *machine.Operation) {
	latency := d.f.Options.ExpectedLatency(op.Class)
	for _, v := range [2]machine.View{machine.TimingView, machine.FunctionalView} {
		d.scratch.slots = v.Uses(d.slots, op, d.scratch.slots[:0])
		for _, slot := range d.scratch.slots {
			d.read(n, slot)
		}
	}
	d.scratch.slots = machine.FunctionalView.Definitions(d.slots, op, d.scratch.slots[:0])
	for _, slot := range d.scratch.slots {
		d.write(n, slot, 1)
	}
	d.scratch.slots = machine.TimingView.Definitions(d.slots, op, d.scratch.slots[:0])
	for _, slot := range d.scratch.slots {
		d.write(n, slot, latency)
	}
}

// read makes a unit follow the last writer of a slot.
func (d *dependences) read(n int, slot int32) {
	if w := d.writer[slot]; w >= 0 {
		d.edge(int(w), n, d.writerLatency[slot])
	}
	d.scratch.used = append(d.scratch.used, slot)
	d.readers[slot] = append(d.readers[slot], int32(n))
}

// write makes a unit, which writes a slot with a latency, follow the slot's last writer and the readers since.
func (d *dependences) write(n int, slot int32, latency int) {
	w := d.writer[slot]
	if w >= 0 {
		d.edge(int(w), n, 1)
	}
	for _, r := range d.readers[slot] {
		d.edge(int(r), n, 0)
	}
	if int(w) == n {
		d.writerLatency[slot] = max(d.writerLatency[slot], latency)
	} else {
		d.writerLatency[slot] = latency
	}
	d.scratch.used = append(d.scratch.used, slot)
	d.writer[slot] = int32(n)
	d.readers[slot] = d.readers[slot][:0]
}

// carry adds the dependences through the carry flag; for units with a chain, only within the chain.
func (d *dependences) carry(n int, op *machine.Operation) {
	if op.WritesCarry && !op.ReadsCarry && d.units[n].chain > 0 {
		d.carryWriter, d.carryReaders = -1, d.carryReaders[:0]
	}
	if op.ReadsCarry {
		d.edge(d.carryWriter, n, d.f.Options.Latency(isa.ClassIntegerCarry))
		d.carryReaders = append(d.carryReaders, n)
	}
	if op.WritesCarry {
		d.edge(d.carryWriter, n, 1)
		for _, r := range d.carryReaders {
			d.edge(r, n, 0)
		}
		d.carryWriter, d.carryReaders = n, d.carryReaders[:0]
	}
}

// order keeps memory accesses in order if they may conflict, and keeps everything on its side of a clock read.
func (d *dependences) order(n int, op *machine.Operation) {
	if d.clock >= 0 {
		d.edge(d.clock, n, 0)
	}
	if machine.ReadsClock(op) || op.Path != nil || op.Control == isa.ControlSystem || op.Control == isa.ControlTrap ||
		op.Effect != nil && op.Effect.Op == isa.OpCall {
		for before := max(d.clock, 0); before < n; before++ {
			d.edge(before, n, 0)
		}
		d.clock = n
	}
	i := op.Effect
	fence := op.Control == isa.ControlBarrier || op.Control == isa.ControlSync || op.Control == isa.ControlSystem ||
		i != nil && i.Op == isa.OpBar // bar.warp.sync orders the memory accesses of a warp's threads
	// Accesses through the read-only cache are free to move: nothing may write there while the kernel runs.
	access := i != nil && i.Memory != nil && op.Class.Memory()
	readOnly := access && i.Memory.Cache == isa.CacheReadOnly
	// For Kepler, nvcc begins nothing else ahead of a barrier that it is behind: Rodinia's layerforward has 11 registers. It has 13 here,
	// and 19 where remainders for later iterations begin early. Compilers for chips with registers to spare begin earlier (ptxas 13 for
	// sm_75).
	if fence || access && !readOnly || !access && d.f.Options.Free() == 0 {
		d.edge(d.fence, n, 0)
	}
	if fence {
		d.memory.fence(n)
		d.fence = n
		return
	}
	if access && !readOnly {
		d.memory.access(n, i, d.scratch.versions)
	}
}
