package smx

import (
	"fmt"
	"math"
	"sync"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/isa/sass/hazard"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/stats"
)

// ticks is how many ticks a cycle has for the bookkeeping of units: a multiple of every throughput's period, so that 160 results per clock
// are exactly 192 ticks a warp.
const ticks = 960

// entriesChecked bounds the scoreboard entries that one operation can wait for. Four sources and a destination of four words each, the
// predicates and the carry make 28. A power of two lets a mask replace the bounds check.
const entriesChecked = 32

// laneCounter names the counter that an operation adds its lanes to.
type laneCounter uint8

const (
	countMisc laneCounter = iota
	countAdd32
	countMul32
	countFMA32
	countSpecial32
	countAdd64
	countMul64
	countFMA64
	countInteger
	countBits
	countConvert
	countControl
	countMemory
	countExchange
)

// operation is a machine operation as the SMX uses it: all that issue needs, with the lists last.
type operation struct {
	bound   *exec.Bound
	machine *isa.MachineOp

	class    isa.Class
	control  isa.Control
	place    isa.Class // its warps' place in an agenda
	counter  laneCounter
	ptx      uint8
	pair     bool // may issue with the next
	store    bool // to device memory, through the load/store unit
	memory   bool // goes to the load/store unit or the texture path
	inFlight bool // its accesses may be in flight: not to shared memory or constants
	data     bool // executes on the lanes at issue
	guarded  bool // only lanes whose guard holds execute it
	timer    bool // reads the global timer
	drains   bool // may wait for the warp's accesses in flight
	members  int8 // index of the effect's source that is a member mask, -1 for none
	constant bool // has an operand in a constant bank

	checkCount, writeCount uint8 // registers among writes
	flagCount              uint8 // predicates and carry among writes
	registers              uint8 // registers that it reads and writes
	rows                   uint8 // registers among checks

	slowLength       int32 // operations to skip if no lane needs the slow path that begins here; 0: none
	lineIndex        int32 // line of the instruction cache
	index            int32 // its index in the program
	latency          engine.Cycle
	apart            engine.Cycle // cycles to the warp's next memory access; 0: wait says it, or no limit
	wait             engine.Cycle // cycles to the warp's next issue if the operation says so, else 0
	collection       int64        // ticks that its sources' bank conflicts add
	classTicks       int64        // ticks that a warp takes of the class's throughput
	furtherPassTicks int64        // ticks for each further pass in shared memory

	checks, writes  [entriesChecked]uint16 // scoreboard entries: registers first, then predicates and the carry
	constantAddress uint64
}

// Program is a machine program prepared for the SMXs of one chip. All SMXs share it, and it never changes.
type Program struct {
	Machine    *isa.MachineProgram
	Code       *exec.Code
	operations []operation
	registers  int                 // length of the part of the scoreboard that operations check or write
	native     func() *exec.Native // machine code of the host, made at the first call; nil for none
	unset      func() *exec.Unset  // the registers that a screen watches; nil for none
}

// Prepare binds a machine program and looks up each operation's figures in the chip's configuration.
func Prepare(machine *isa.MachineProgram, config *configs.Config) (*Program, error) {
	code, err := exec.Bind(machine)
	if err != nil {
		return nil, fmt.Errorf("kernel %s: %w", machine.Kernel.Name, err)
	}
	p := &Program{Machine: machine, Code: code, operations: make([]operation, len(machine.Ops))}
	p.native = sync.OnceValue(func() *exec.Native { return exec.Translate(code, machine) })
	p.unset = sync.OnceValue(func() *exec.Unset { return exec.FindUnset(machine) })
	fetch := &config.InstructionCache
	pairs := config.Pipelines.DualIssue.Enabled && config.SMX.Dispatch > 1
	for i := range machine.Ops {
		op, m := &p.operations[i], &machine.Ops[i]
		figures := &config.Pipelines.Operations[m.Class]
		*op = operation{
			bound: &code.Ops[i], machine: m, class: m.Class, control: m.Control, counter: counterOf(m),
			pair:       pairs && (m.PairWithNext || config.Ideal.DualIssue && m.Control == isa.ControlNone),
			collection: collection(m, config),
			memory:     m.Class.Memory() && m.Effect != nil && m.Control == isa.ControlNone, data: code.Ops[i].Kind == exec.KindData,
			guarded: m.Guard.Present, constant: m.ReadsConstant, constantAddress: uint64(m.ConstantAddress),
			latency: engine.Cycle(figures.Latency), classTicks: int64(32 * ticks / figures.ResultsPerClock),
			furtherPassTicks: furtherTicks(&code.Ops[i], &config.LoadStore),
			index:            int32(i),
			lineIndex:        int32(place(i, fetch) / fetch.L1.Line), ptx: m.PTXCount,
		}
		if op.wait = engine.Cycle(m.Wait); op.wait > 0 && !hazard.Watched(m.Class) {
			op.latency = 0 // the compiler's wait covers it
		}
		op.drains, op.timer = drains(m.Control), readsTimer(m.Effect)
		op.place = op.placeOf()
		if op.members = -1; m.Effect != nil {
			op.members = int8(exec.MemberMask(m.Effect))
		}
		if m.Slow != nil {
			op.slowLength = int32(m.Slow.Length)
		}
		op.checkAll(m)
		if op.apart = apart(op, &config.LoadStore); op.apart > 0 {
			op.flag(scoreboardAccess, true, false)
		}
		op.store = op.memory && op.writeCount == 0 && op.class != isa.ClassShared && texturedPlaces(config)>>op.class&1 == 0
		op.inFlight = op.memory && !atOnce[op.bound.Space()]
		for _, r := range op.checks[:op.rows] {
			p.registers = max(p.registers, int(r)+1)
		}
	}
	return p, nil
}

// furtherTicks returns how long each further pass of an operation takes if it accesses shared memory.
func furtherTicks(b *exec.Bound, config *configs.LoadStore) int64 {
	cycles := config.FurtherPassCycles
	if b.Space() == isa.SpaceGeneric && b.AccessKind() == exec.AccessLoad {
		cycles = config.GenericFurtherPassCycles
	}
	return int64(math.Round(cycles * ticks))
}

// apart returns how many cycles compiled code leaves between this access and the warp's next.
func apart(op *operation, config *configs.LoadStore) engine.Cycle {
	if op.wait > 0 || op.class != isa.ClassGlobal && op.class != isa.ClassShared && op.class != isa.ClassLocal {
		return 0
	}
	if op.bound.AccessKind() == exec.AccessStore {
		return engine.Cycle(config.ApartAfterStore)
	}
	return engine.Cycle(config.ApartAfterLoad)
}

// atOnce has the spaces whose accesses complete at issue.
var atOnce = map[isa.Space]bool{isa.SpaceShared: true, isa.SpaceConst: true, isa.SpaceParam: true}

// readsTimer reports whether an instruction reads the global timer.
func readsTimer(effect *isa.Instruction) bool {
	if effect == nil {
		return false
	}
	for i := range effect.Src {
		if o := &effect.Src[i]; o.Kind == isa.OperandSpecial && o.Special >= isa.GlobalTimer && o.Special <= isa.GlobalTimerHi {
			return true
		}
	}
	return false
}

// place returns the offset of an operation in the program's code, in bytes. If instructions come in groups, a control word precedes each.
func place(i int, c *configs.InstructionCache) int {
	if c.ControlGroup == 0 {
		return i * c.InstructionBytes
	}
	return (i + i/c.ControlGroup + 1) * c.InstructionBytes
}

// Bytes is the size of the program's code, control words included.
func (p *Program) Bytes(config *configs.Config) int {
	return place(len(p.operations), &config.InstructionCache)
}

// checkAll fills in the entries that the operation waits for and writes.
func (op *operation) checkAll(m *isa.MachineOp) {
	for _, list := range [][]isa.RegisterRange{m.Reads, m.Writes} {
		for _, r := range list {
			for n := range int(r.Count) {
				op.check(uint8(int(r.First) + n))
			}
			op.registers += uint8(r.Count)
		}
	}
	for _, r := range m.Writes {
		for n := range int(r.Count) {
			if number := uint8(int(r.First) + n); number != uint8(isa.RZ) {
				op.writes[op.writeCount] = uint16(number)
				op.writeCount++
			}
		}
	}
	op.rows = op.checkCount
	predicates := m.ReadsPred | m.WritesPred
	if m.Guard.Present && m.Guard.Register != isa.PT {
		predicates |= 1 << m.Guard.Register
	}
	for p := range uint16(isa.PT) {
		op.flag(scoreboardPredicate+p, predicates>>p&1 != 0, m.WritesPred>>p&1 != 0)
	}
	op.flag(scoreboardCarry, m.ReadsCarry || m.WritesCarry, m.WritesCarry)
}

// check adds a register to the entries that must be ready, once.
func (op *operation) check(register uint8) {
	if register == uint8(isa.RZ) {
		return
	}
	for _, r := range op.checks[:op.checkCount] {
		if r == uint16(register) {
			return
		}
	}
	op.checks[op.checkCount] = uint16(register)
	op.checkCount++
}

// flag adds a predicate or the carry to the entries that must be ready, and to those written.
func (op *operation) flag(entry uint16, checked, written bool) {
	if checked {
		op.checks[op.checkCount] = entry
		op.checkCount++
	}
	if written {
		op.writes[op.writeCount+op.flagCount] = entry
		op.flagCount++
	}
}

// classCounters has the lane counter of each class. The mnemonic decides for f32 and f64 arithmetic.
var classCounters = [isa.ClassCount]laneCounter{
	isa.ClassFP32Compare: countMisc, isa.ClassSFU: countSpecial32,
	isa.ClassInteger: countInteger, isa.ClassIntegerCarry: countInteger, isa.ClassCompare: countInteger, isa.ClassMultiply: countInteger,
	isa.ClassShift: countInteger, isa.ClassVideo: countInteger, isa.ClassVideoSlow: countInteger, isa.ClassBits: countBits,
	isa.ClassConvert: countConvert, isa.ClassConvertNarrow: countConvert, isa.ClassConvert64: countConvert,
	isa.ClassShuffle: countExchange, isa.ClassVote: countExchange,
	isa.ClassBranch: countControl, isa.ClassBarrier: countControl,
	isa.ClassGlobal: countMemory, isa.ClassLocal: countMemory, isa.ClassShared: countMemory, isa.ClassConstant: countMemory,
	isa.ClassAtomic: countMemory, isa.ClassSharedAtomic: countMemory, isa.ClassReadOnly: countMemory, isa.ClassTexture: countMemory,
	isa.ClassSurface: countMemory,
}

// arithmetic has the counters of f32 and f64 operations, by mnemonic: by what the machine operation does, since one PTX division is many.
var arithmetic = map[string]laneCounter{
	"FADD": countAdd32, "FMUL": countMul32, "FFMA": countFMA32, "DADD": countAdd64, "DMUL": countMul64, "DFMA": countFMA64,
}

func counterOf(m *isa.MachineOp) laneCounter {
	if m.Class == isa.ClassFP32 || m.Class == isa.ClassFP64 {
		name := m.Mnemonic
		for i := range len(name) {
			if name[i] == '.' || name[i] == '3' {
				name = name[:i]
				break
			}
		}
		return arithmetic[name]
	}
	return classCounters[m.Class]
}

// count adds the lanes of an executed operation to its counter.
func (op *operation) count(s *stats.SMX, lanes uint64) {
	s.RegisterAccesses += uint64(op.registers) * lanes
	switch op.counter {
	case countAdd32:
		s.FlopAdd32 += lanes
	case countMul32:
		s.FlopMul32 += lanes
	case countFMA32:
		s.FlopFMA32 += lanes
	case countSpecial32:
		s.FlopSpecial32 += lanes
	case countAdd64:
		s.FlopAdd64 += lanes
	case countMul64:
		s.FlopMul64 += lanes
	case countFMA64:
		s.FlopFMA64 += lanes
	case countInteger:
		s.IntegerLanes += lanes
	case countBits:
		s.BitLanes += lanes
	case countConvert:
		s.ConvertLanes += lanes
	case countControl:
		s.ControlLanes += lanes
	case countMemory:
		s.MemoryLanes += lanes
	case countExchange:
		s.ExchangeLanes += lanes
	default:
		s.MiscLanes += lanes
	}
}
