package lower

import "github.com/keplersim/keplersim/isa"

// dependences collects, for a row of units, who must come before whom.
type dependences struct {
	f     *function
	slots *slots
	units []*unit
	seen  map[[2]int]int // edge -> its place in after
	// The last writer and the readers since, by slot.
	writer  map[int32]int
	readers map[int32][]int
	// writerLatency is the latency with which a slot's last writer delivers it.
	writerLatency map[int32]int
	memory        []memoryUse
	fence, clock  int // the last unit that nothing may pass; -1 none
	carryWriter   int
	carryReaders  []int
}

// memoryUse is a unit's access to memory.
type memoryUse struct {
	unit    int
	memory  *isa.Memory
	load    bool
	ordered bool
	bytes   int
	version int // how often the base register had been written
}

// addEdges finds the dependences among the units of a block.
func (f *function) addEdges(units []*unit, s *slots, carryCrosses bool) {
	d := &dependences{f: f, slots: s, units: units, seen: map[[2]int]int{}, writer: map[int32]int{}, readers: map[int32][]int{}, writerLatency: map[int32]int{}, fence: -1, clock: -1, carryWriter: -1}
	versions := map[isa.Register]int{}
	chains := numberChains(units, carryCrosses)
	for n, u := range units {
		for _, op := range u.operations {
			d.registers(n, op)
			d.carry(n, op)
			d.order(n, op, versions)
			if op.Effect != nil {
				f.definitions(op.Effect, func(r isa.Register, _ int) { versions[whole(r)]++ })
			}
		}
	}
	d.startChains(chains)
}

func (d *dependences) edge(from, to, latency int) {
	if from == to || from < 0 {
		return
	}
	key := [2]int{from, to}
	if n, ok := d.seen[key]; ok {
		d.units[from].after[n].latency = max(d.units[from].after[n].latency, latency)
		return
	}
	d.seen[key] = len(d.units[from].after)
	d.units[from].after = append(d.units[from].after, edge{to, latency})
	d.units[to].waits++
}

// registers adds the dependences through registers and predicates, of both views.
func (d *dependences) registers(n int, op *operation) {
	latency := d.f.options.expectedLatency(op.Class)
	read := func(slot int32) {
		if w, ok := d.writer[slot]; ok {
			d.edge(w, n, d.writerLatency[slot])
		}
		d.readers[slot] = append(d.readers[slot], n)
	}
	timingView.uses(d.f, d.slots, op, read)
	functionalView.uses(d.f, d.slots, op, read)
	write := func(l int) func(int32) {
		return func(slot int32) {
			if w, ok := d.writer[slot]; ok {
				d.edge(w, n, 1)
			}
			for _, r := range d.readers[slot] {
				d.edge(r, n, 0)
			}
			if w, ok := d.writer[slot]; ok && w == n {
				d.writerLatency[slot] = max(d.writerLatency[slot], l)
			} else {
				d.writerLatency[slot] = l
			}
			d.writer[slot] = n
			d.readers[slot] = d.readers[slot][:0]
		}
	}
	functionalView.definitions(d.f, d.slots, op, write(1))
	timingView.definitions(d.f, d.slots, op, write(latency))
}

// carry adds the dependences through the carry flag, within a chain where units have one.
func (d *dependences) carry(n int, op *operation) {
	if op.WritesCarry && !op.ReadsCarry && d.units[n].chain > 0 {
		d.carryWriter, d.carryReaders = -1, d.carryReaders[:0]
	}
	if op.ReadsCarry {
		d.edge(d.carryWriter, n, d.f.options.Latency(isa.ClassIntegerCarry))
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
func (d *dependences) order(n int, op *operation, versions map[isa.Register]int) {
	if d.clock >= 0 {
		d.edge(d.clock, n, 0)
	}
	if readsClock(op) || op.slow != nil || op.Control == isa.ControlSystem || op.Control == isa.ControlTrap || op.Effect != nil && op.Effect.Op == isa.OpCall {
		for before := max(d.clock, 0); before < n; before++ {
			d.edge(before, n, 0)
		}
		d.clock = n
	}
	fence := op.Control == isa.ControlBarrier || op.Control == isa.ControlSync || op.Control == isa.ControlSystem
	i := op.Effect
	touches := i != nil && i.Memory != nil && op.Class.Memory() && i.Memory.Cache != isa.CacheReadOnly // which nothing may write while the kernel runs
	if !fence && !touches {
		return
	}
	d.edge(d.fence, n, 0)
	if fence {
		for _, m := range d.memory {
			d.edge(m.unit, n, 0)
		}
		d.memory, d.fence = d.memory[:0], n
		return
	}
	use := memoryUse{unit: n, memory: i.Memory, load: i.Op == isa.OpLd || i.Op == isa.OpSuld || readsTexture(i), bytes: i.Type.Bytes() * max(len(i.Dst), 1)}
	if i.Op == isa.OpSt {
		use.bytes = i.Type.Bytes() * max(len(i.Src), 1)
	}
	use.ordered = i.Memory.Order != isa.OrderWeak || i.Memory.Cache == isa.CacheVolatile || i.Op == isa.OpAtom
	if i.Memory.Base.Kind == isa.OperandRegister {
		use.version = versions[whole(i.Memory.Base.Register)]
	}
	for _, before := range d.memory {
		if before.meets(use) {
			d.edge(before.unit, n, 0)
		}
	}
	d.memory = append(d.memory, use)
}

// readsClock reports the reading of a counter of time, across which nothing moves: kernels measure with it.
func readsClock(op *operation) bool {
	if op.Effect == nil {
		return false
	}
	for n := range op.Effect.Src {
		if o := &op.Effect.Src[n]; o.Kind == isa.OperandSpecial && (o.Special >= isa.Clock && o.Special <= isa.GlobalTimerHi || o.Special >= isa.PM0 && o.Special <= isa.PM7) {
			return true
		}
	}
	return false
}

// meets reports that two accesses must stay in order.
func (a memoryUse) meets(b memoryUse) bool {
	if a.load && b.load && !(a.ordered && b.ordered) {
		return false
	}
	if a.ordered && b.ordered {
		return true
	}
	if a.memory.Cache == isa.CacheReadOnly || b.memory.Cache == isa.CacheReadOnly || a.memory.Space == isa.SpaceConst || b.memory.Space == isa.SpaceConst {
		return false
	}
	if a.memory.Space != b.memory.Space && a.memory.Space != isa.SpaceGeneric && b.memory.Space != isa.SpaceGeneric {
		return false
	}
	x, y := &a.memory.Base, &b.memory.Base
	same := x.Kind == y.Kind && x.Register == y.Register && x.Immediate == y.Immediate && x.Symbol == y.Symbol && a.version == b.version
	if x.Kind == isa.OperandImmediate && y.Kind == isa.OperandImmediate {
		return overlap(int64(x.Immediate)+a.memory.Offset, a.bytes, int64(y.Immediate)+b.memory.Offset, b.bytes)
	}
	if same && a.memory.Space == b.memory.Space {
		return overlap(a.memory.Offset, a.bytes, b.memory.Offset, b.bytes)
	}
	return true
}

func overlap(a int64, aBytes int, b int64, bBytes int) bool {
	return a < b+int64(bBytes) && b < a+int64(aBytes)
}
