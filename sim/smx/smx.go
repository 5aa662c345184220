package smx

import (
	"fmt"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/memory"
	"github.com/keplersim/keplersim/sim/observe"
	"github.com/keplersim/keplersim/sim/scheduler"
	"github.com/keplersim/keplersim/sim/stats"
)

// SMX is one multiprocessor.
type SMX struct {
	// ID is %smid.
	ID int
	// Counters are what the SMX has done since the launch began.
	Counters stats.SMX
	// Operations are what each operation of the program has done; Entered, by section of the program's Stack, how often a warp entered
	// a function by a call.
	Operations []stats.OperationCount
	Entered    []uint64
	// Finished counts blocks that have ended.
	Finished uint64
	// Last is the cycle in which a block last ended or an answer last came.
	Last engine.Cycle
	// Fault is the error that stopped the SMX, nil while all is well.
	Fault *Fault

	config  *configs.Config
	program *Program     // of the grid offered last
	scratch exec.Scratch // of whichever warp executes
	global  *memory.Global
	port    *memory.Port
	clock   engine.Clock

	now           engine.Cycle
	answer        engine.Cycle     // when the next answer comes that is known of
	observer      observe.Observer // nil for none
	work          engine.Cycle     // the latest cycle looked at, or that behind the latest in which a warp was awake
	start         engine.Cycle     // when the next block starts
	schedulers    []warpScheduler
	nextScheduler int
	ages          uint64
	blocks        []*block
	locks         []engine.Cycle // when each lock of shared memory's atomics is free; nil before the first

	freeBlocks, freeWarps, freeRegisters, freeShared int
	residentWarps                                    int
	offered                                          offer
	leaving                                          []departure

	units     units
	loadStore loadStore
	fetch     fetch
	constants constants

	calls  []*SystemCall // made since they were last collected
	outlet sender        // where requests leave: the port, or an observer before it
	atOnce bool          // a functional run: system calls are carried out as they are made
}

// warpScheduler is one of the SMX's schedulers with its warps.
type warpScheduler struct {
	policy   scheduler.Policy
	index    int
	replays  int          // issue slots that memory replays still take
	next     engine.Cycle // nothing can issue before
	room     engine.Cycle // slots set aside find no room before
	occupied uint64
	awake    uint64 // slots whose wake-up time has come
	aside    uint64 // slots of awake warps that wait for room in the load/store unit
	busy     uint64 // slots of awake warps that stall since their units are taken
	passed   uint64 // slots of awake warps that stall since another was selected
	queues
	calendar
	warps [scheduler.Slots]*warp
	ages  [scheduler.Slots]uint64
}

// New makes an idle SMX at a cycle. split is how its memory is divided into shared memory and L1.
func New(id int, config *configs.Config, global *memory.Global, port *memory.Port, split configs.CarveOut, now engine.Cycle) (*SMX, error) {
	s := &SMX{
		ID: id, config: config, global: global, port: port, clock: engine.Clock{Megahertz: uint64(config.Clocks.Core)},
		now: now, work: now - 1, Last: now,
		schedulers:    make([]warpScheduler, config.SMX.Schedulers),
		freeBlocks:    config.SMX.Blocks,
		freeWarps:     config.SMX.Warps,
		freeRegisters: config.Registers.PerSMX,
		freeShared:    split.Shared,
	}
	for i := range s.schedulers {
		policy, err := scheduler.New(config.SMX.SchedulerPolicy, scheduler.Spec{ActiveSet: config.SMX.FetchGroup})
		if err != nil {
			return nil, fmt.Errorf("smx.scheduler_policy: %w", err)
		}
		s.schedulers[i] = warpScheduler{policy: policy, index: i, next: never, room: never, calendar: calendar{sleep: never, first: never}}
	}
	s.units = newUnits(config)
	if err := s.loadStore.build(config, split); err != nil {
		return nil, err
	}
	if err := s.fetch.build(config); err != nil {
		return nil, err
	}
	if err := s.constants.build(config); err != nil {
		return nil, err
	}
	s.Observe(nil)
	return s, nil
}

// Idle reports that no warp is resident and no answer of the memory system is awaited.
func (s *SMX) Idle() bool { return s.residentWarps == 0 && s.loadStore.pending == 0 }

// Wake is the earliest cycle at which the SMX has something to do, never when only an answer can wake it. A warp that is awake, or was in
// the cycle before, counts as something to do, even if it waits for room in the load/store unit.
func (s *SMX) Wake() engine.Cycle {
	if s.work >= s.now {
		return s.now
	}
	wake := s.due()
	for i := range s.schedulers {
		wake = min(wake, s.schedulers[i].next)
	}
	if ready, ok := s.port.NextReady(); ok {
		wake = min(wake, ready)
	}
	wake = min(wake, s.loadStore.requests.next()) // it leaves in a later epoch than the one that made it
	return max(wake, s.now)
}

// Run advances the SMX to cycle until, or to its first fault.
func (s *SMX) Run(until engine.Cycle) {
	s.start = s.due()
	s.answer, _ = s.port.NextReady()
	var sums cycleSums
	count := len(s.schedulers)
	for s.now < until && s.Fault == nil {
		if s.answer <= s.now {
			s.receive()
		}
		if s.start <= s.now {
			s.startOffered()
		}
		s.work = max(s.work, s.now)
		eligible := 0
		// The order turns, so that no scheduler is always first at a unit that they share.
		k := int(s.now) & (count - 1)
		if count&(count-1) != 0 {
			k = int(s.now) % count
		}
		for range count {
			if sc := &s.schedulers[k]; sc.next <= s.now {
				eligible += s.schedule(sc)
			}
			if k++; k == count {
				k = 0
			}
		}
		wake := min(until, s.answer, s.start)
		for i := range s.schedulers {
			wake = min(wake, s.schedulers[i].next)
		}
		step := max(wake-s.now, 1)
		if s.residentWarps > 0 {
			sums.add(uint64(step), s, eligible)
		}
		s.now += step
	}
	sums.book(&s.Counters, uint64(count))
	for i := range s.schedulers {
		if sc := &s.schedulers[i]; sc.awake != 0 || sc.replays > 0 {
			s.work = until
		}
	}
	s.clear(min(s.work, until-1))
	s.loadStore.requests.send(s.outlet, until)
}

// cycleSums are counters that every cycle adds to.
type cycleSums struct{ cycles, warps, eligible, held, outstanding uint64 }

func (c *cycleSums) add(cycles uint64, s *SMX, eligible int) {
	c.cycles += cycles
	c.warps += cycles * uint64(s.residentWarps)
	c.eligible += uint64(eligible)
	if s.loadStore.held > 0 {
		c.held += cycles
	}
	c.outstanding += cycles * uint64(s.loadStore.pending)
}

func (c *cycleSums) book(counters *stats.SMX, schedulers uint64) {
	counters.ActiveCycles += c.cycles
	counters.SchedulerCycles += c.cycles * schedulers
	counters.ActiveWarpCycles += c.warps
	counters.EligibleWarpCycles += c.eligible
	counters.HeldCycles += c.held
	counters.OutstandingCycles += c.outstanding
}

// Flush completes the counters at a launch's end: it books the stalls of warps that are still resident, and counts from the operations
// what each execution of them counts for.
func (s *SMX) Flush() {
	for i := range s.schedulers {
		for _, w := range s.schedulers[i].warps {
			if w != nil && w.resident {
				s.stall(w, w.reason, s.now)
			}
		}
	}
	if s.program == nil {
		return
	}
	c := &s.Counters
	for class, taken := range s.loadStore.taken {
		c.LoadStoreCycles[class] += float64(taken) / ticks
	}
	for i := range s.program.operations {
		op, o := &s.program.operations[i], &s.Operations[i]
		c.PTXInstructions += uint64(op.ptx) * o.Executed
		c.ByClass[op.class] += o.Executed
		c.NotPredicatedOff += o.Lanes
		op.count(c, o.Lanes)
		c.CollectionCycles += float64(uint64(op.collection)*o.Executed) / ticks
		for reason, cycles := range o.Stalls {
			c.Stalls[reason] += cycles
		}
	}
}
