package schedule

import (
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/machine"
	"github.com/keplersim/keplersim/isa/lower/virtual"
)

// dependences collects, for a row of units, who must come before whom.
type dependences struct {
	f     *machine.Function
	slots *machine.Slots
	room  *room
	units []*unit
	joins []*unit // whose numbers follow those of the units
	// seen is, by unit, which unit its edges led to when one was last added, and last where that edge stands.
	seen, last []int32
	// The last writer and the readers since, by slot; -1 for none.
	writer  []int32
	readers [][]int32
	// writerLatency is the latency with which a slot's last writer delivers it.
	writerLatency []int
	memory        *memoryOrder
	fence, clock  int // the last unit that nothing may pass; -1 none
	carryWriter   int
	carryReaders  []int
}

// addEdges finds the dependences among the units of a block.
func (f *scheduler) addEdges(units []*unit) *dependences {
	d := &dependences{
		f: f.Function, slots: f.slots, room: f.room, units: units, seen: make([]int32, len(units)), last: make([]int32, len(units)),
		writer: f.room.writer, readers: f.room.readers, writerLatency: f.room.latency, fence: -1, clock: -1, carryWriter: -1,
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
						f.room.versions[virtual.Whole(o.Register)]++
					}
				}
			}
		}
	}
	d.startChains(chains)
	for _, slot := range f.room.used {
		d.writer[slot], d.readers[slot] = -1, d.readers[slot][:0]
	}
	f.room.used = f.room.used[:0]
	return d
}

// room is what addEdges needs for each slot, kept from block to block.
type room struct {
	writer  []int32
	readers [][]int32
	latency []int
	used    []int32
	// How often each register has been written, in all blocks so far.
	versions []int32
	// For one unit: its operations' slots, and the values that it reads and writes.
	slots, uses, sets []int32
	kept              []int32 // what lists of values are cut from
	// For pressure.
	now    []int32
	origin []*isa.Instruction
}

func newRoom(registers, slots int) *room {
	r := &room{
		writer: make([]int32, slots), readers: make([][]int32, slots), latency: make([]int, slots), versions: make([]int32, registers),
	}
	first := make([]int32, firstReaders*slots)
	for n := range r.writer {
		r.writer[n] = -1
		r.readers[n], first = first[:0:firstReaders], first[firstReaders:]
	}
	return r
}

// firstReaders is how often most slots are read at most before they are written again.
const firstReaders = 2

// keep returns a list that stays as it is.
func (r *room) keep(list []int32) []int32 {
	n := len(list)
	if n > len(r.kept) {
		r.kept = make([]int32, max(n, keptTogether))
	}
	kept := r.kept[:n:n]
	r.kept = r.kept[n:]
	copy(kept, list)
	return kept
}

// keptTogether is how many values lists are cut from.
const keptTogether = 1 << 10

// edge has a unit or join come before a unit. Those of one unit to come are added one after the other, so that its edge from each other is
// the last of that one's.
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

// unit returns the unit or join of a number.
func (d *dependences) unit(n int) *unit {
	if n < len(d.units) {
		return d.units[n]
	}
	return d.joins[n-len(d.units)]
}

// join makes a join of units and joins, which stands in front of the unit of number n.
func (d *dependences) join(n int, parts []*unit) *unit {
	j := &unit{position: len(d.units) + len(d.joins), waits: len(parts), before: n}
	d.joins, d.seen, d.last = append(d.joins, j), append(d.seen, -1), append(d.last, -1)
	for _, p := range parts {
		p.after = append(p.after, edge{j, 0})
		d.seen[p.position] = -1
	}
	return j
}

// inOrder returns the units and joins in an order in which nothing stands before what it waits for.
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

// registers adds the dependences through registers and predicates, of both views.
func (d *dependences) registers(n int, op *machine.Operation) {
	latency := d.f.Options.ExpectedLatency(op.Class)
	for _, v := range [2]machine.View{machine.TimingView, machine.FunctionalView} {
		d.room.slots = v.Uses(d.slots, op, d.room.slots[:0])
		for _, slot := range d.room.slots {
			d.read(n, slot)
		}
	}
	d.room.slots = machine.FunctionalView.Definitions(d.slots, op, d.room.slots[:0])
	for _, slot := range d.room.slots {
		d.write(n, slot, 1)
	}
	d.room.slots = machine.TimingView.Definitions(d.slots, op, d.room.slots[:0])
	for _, slot := range d.room.slots {
		d.write(n, slot, latency)
	}
}

// read has a unit come behind the last writer of a slot.
func (d *dependences) read(n int, slot int32) {
	if w := d.writer[slot]; w >= 0 {
		d.edge(int(w), n, d.writerLatency[slot])
	}
	d.room.used = append(d.room.used, slot)
	d.readers[slot] = append(d.readers[slot], int32(n))
}

// write has a unit, which delivers a slot after a latency, come behind the slot's last writer and the readers since.
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
	d.room.used = append(d.room.used, slot)
	d.writer[slot] = int32(n)
	d.readers[slot] = d.readers[slot][:0]
}

// carry adds the dependences through the carry flag, within a chain where units have one.
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

// order keeps memory operations in order where they may meet, and everything on its side of a clock.
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
		i != nil && i.Op == isa.OpBar // bar.warp.sync, which orders the memory accesses of a warp's threads
	access := i != nil && i.Memory != nil && op.Class.Memory()
	readOnly := access && i.Memory.Cache == isa.CacheReadOnly // of what nothing may write while the kernel runs
	// Nor does nvcc for Kepler begin anything else behind a barrier ahead of it: Rodinia's layerforward has 11 registers, and 13 here, 19
	// where remainders for later turns begin early. Compilers for chips with registers to spare do (ptxas 13 for sm_75).
	if fence || access && !readOnly || !access && d.f.Options.Free() == 0 {
		d.edge(d.fence, n, 0)
	}
	if fence {
		d.memory.fence(n)
		d.fence = n
		return
	}
	if access && !readOnly {
		d.memory.access(n, i, d.room.versions)
	}
}
