package smx

import (
	"math"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/sim/engine"
)

// units books the execution units. Each is taken until a time in ticks. A warp operation begins in a cycle if its unit is free at some tick
// of the cycle, so throughputs that are no whole number of cycles are exact on average.
type units struct {
	times        [unitPlaces]int64 // when each group of lanes is free; the first never is, and replaces groups that a unit lacks
	used         int               // length of times
	lanes        [mostSchedulers][classPlaces]lanes
	rateFreeAt   [classPlaces]int64  // when the SMX-wide rate of a class has room, by the first class that shares it
	mayBlock     [classPlaces]uint64 // for each class: the places of classes that its operations may block at other schedulers
	issue        int64               // ticks of an issue slot
	pair         int64               // ticks that the second operation of a pair adds
	operandPorts [mostSchedulers]operandPort
}

// Powers of two above every configuration, so that masks replace bounds checks.
const (
	mostSchedulers = 8
	unitPlaces     = 256
)

// lanes are the groups of lanes for operations of a class from one scheduler: its own, and those that it shares.
type lanes struct {
	private, shared           uint8  // indexes into units.times
	privateTicks, sharedTicks uint16 // for a warp
	rate                      isa.Class
}

// operandPort is a scheduler's path to the register file. It reads the operands of one issue slot a cycle, and takes longer if they are in
// one bank. It comes before the units, so no other lanes make up for a conflict.
type operandPort struct {
	free int64        // until when it is taken, in ticks
	slot engine.Cycle // the cycle of the latest issue; the second operation of a pair shares it
}

func newUnits(config *configs.Config) units {
	schedulers := config.SMX.Schedulers
	u := units{
		times: [unitPlaces]int64{math.MaxInt64}, used: 1, issue: int64(config.SMX.IssueCycles) * ticks,
		pair: int64(math.Round(config.Pipelines.DualIssue.PairCycles * ticks)),
	}
	var private, shared [configs.ExecutionUnits]int // the first scheduler's
	for i := range config.Pipelines.Units {
		unit := &config.Pipelines.Units[i]
		if unit.Private > 0 {
			private[i] = u.used
			u.used += schedulers
		}
		if unit.Shared > 0 {
			shared[i] = u.used
			u.used += (schedulers + unit.SharedBy - 1) / unit.SharedBy
		}
	}
	for class := range isa.ClassCount {
		number, rate := config.Pipelines.Operations[class].Unit, config.Pipelines.SharesRateWith(int(class))
		unit := &config.Pipelines.Units[number]
		for scheduler := range schedulers {
			l := &u.lanes[scheduler][class]
			l.rate = isa.Class(rate)
			if unit.Private > 0 {
				l.private, l.privateTicks = uint8(private[number]+scheduler), uint16(max(1, 32/unit.Private)*ticks)
			}
			if unit.Shared > 0 {
				l.shared, l.sharedTicks = uint8(shared[number]+scheduler/unit.SharedBy), uint16(max(1, 32/unit.Shared)*ticks)
			}
		}
	}
	u.findBlocking()
	return u
}

// findBlocking finds which classes share lanes or a rate between schedulers.
func (u *units) findBlocking() {
	for class := range isa.ClassCount {
		l := &u.lanes[0][class]
		for other := range isa.ClassCount {
			if o := &u.lanes[0][other]; l.rate == o.rate || l.shared > 0 && l.shared == o.shared {
				u.mayBlock[class] |= 1<<other | 1<<elsewhereOf(other)
			}
		}
	}
}

// elsewhereOf returns the place of operations of a class that neither the load/store unit nor a texture unit carries out.
func elsewhereOf(c isa.Class) isa.Class {
	if c.Memory() {
		return c + elsewhere
	}
	return c
}

// reset makes all units free.
func (u *units) reset() {
	clear(u.times[1:])
	clear(u.rateFreeAt[:])
	for i := range u.operandPorts {
		u.operandPorts[i] = operandPort{slot: -1}
	}
}

// busyUntil returns until when no lanes for operations of a class are free for a scheduler. One can issue in a cycle that ends after it.
func (u *units) busyUntil(class isa.Class, scheduler uint) int64 {
	l := &u.lanes[scheduler%mostSchedulers][class%classPlaces]
	// Shared lanes have a buffer of one operation: of two operations in one cycle the second waits there.
	return max(u.rateFreeAt[l.rate%classPlaces], min(u.times[l.private], u.times[l.shared]-ticks))
}

// takenUntil is busyUntil with the path to the register file, which the second operation of a pair shares with the first.
func (u *units) takenUntil(class isa.Class, scheduler uint, second bool) int64 {
	taken := u.busyUntil(class, scheduler)
	if !second {
		taken = max(taken, u.operandPorts[scheduler%mostSchedulers].free)
	}
	return taken
}

// take books lanes, the path to the register file and the SMX-wide rate of its class for an operation. conflicts are the ticks that bank
// conflicts of its operands add.
func (u *units) take(op *operation, scheduler uint, now engine.Cycle, conflicts int64) {
	start := int64(now) * ticks
	l := &u.lanes[scheduler%mostSchedulers][op.class%classPlaces]
	u.takeLanes(l, start)
	u.operandPorts[scheduler%mostSchedulers].take(now, u.issue, u.pair, conflicts)
	u.rateFreeAt[l.rate%classPlaces] = max(u.rateFreeAt[l.rate%classPlaces], start-rateCredit*op.classTicks) + op.classTicks
}

// takePart is take for an operation that runs on only some lanes: it books their share of everything.
func (u *units) takePart(op *operation, scheduler uint, now engine.Cycle, lanes int) {
	start := int64(now) * ticks
	part := func(of int64) int64 { return (of*int64(lanes) + warpLanes - 1) / warpLanes }
	l := &u.lanes[scheduler%mostSchedulers][op.class%classPlaces]
	free, taken := &u.times[l.private], l.privateTicks
	if *free >= start+ticks {
		free, taken = &u.times[l.shared], l.sharedTicks
	}
	*free = max(*free, start) + part(int64(taken))
	c := &u.operandPorts[scheduler%mostSchedulers]
	c.slot, c.free = now, max(c.free, start)+part(u.issue+op.collection)
	u.rateFreeAt[l.rate%classPlaces] = max(u.rateFreeAt[l.rate%classPlaces], start-rateCredit*op.classTicks) + part(op.classTicks)
}

// warpLanes are the lanes of a warp.
const warpLanes = 32

// takeLanes books the scheduler's own lanes if they are free at some tick of the cycle that begins at start, else the shared lanes.
func (u *units) takeLanes(l *lanes, start int64) {
	free, taken := &u.times[l.private], l.privateTicks
	if *free >= start+ticks {
		free, taken = &u.times[l.shared], l.sharedTicks
	}
	*free = max(*free, start) + int64(taken)
}

// rateCredit is how many operations of unused rate a class can catch up with.
const rateCredit = 2

// take books an issue slot, or adds the second operation of a pair to it.
func (c *operandPort) take(now engine.Cycle, issue, pair, conflicts int64) {
	if c.slot == now {
		c.free += pair
	} else {
		c.slot, c.free = now, max(c.free, int64(now)*ticks)+issue
	}
	c.free += conflicts
}

// BankConflict returns the cycles that register bank conflicts of an operation's sources add to its issue slot.
func BankConflict(m *isa.MachineOp, config *configs.Config) float64 {
	return float64(collection(m, config)) / ticks
}

// collection returns the ticks that reading an operation's registers adds to its issue slot: sources in one bank of the register file are
// read one after another.
func collection(m *isa.MachineOp, c *configs.Config) int64 {
	config := &c.Registers
	var sources [4]int
	var seen [256]bool
	most := 0
	for _, r := range m.Reads {
		for n := range isa.Register(r.Count) {
			if number := r.First + n; number != isa.RZ && !seen[number] {
				seen[number] = true
				bank := isa.RegisterBank(number, config.Banks)
				sources[bank]++
				most = max(most, sources[bank])
			}
		}
	}
	switch {
	case m.Class.Memory() || most < 2 || c.Ideal.NoBankConflicts:
		return 0
	case most == 2:
		return int64(config.ConflictTwo * ticks)
	default:
		return int64(config.ConflictThree * ticks)
	}
}
