package smx

import (
	"fmt"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/memory"
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
	schedulers    []warpScheduler
	nextScheduler int
	ages          uint64
	blocks        []*block

	freeBlocks, freeWarps, freeRegisters, freeShared int
	residentWarps                                    int
	offered                                          offer
	leaving                                          []departure

	units     units
	loadStore loadStore
	fetch     fetch
	constants constants

	calls  []*SystemCall // made since they were last collected
	atOnce bool          // a functional run: system calls are carried out as they are made
}

// warpScheduler is one of the SMX's schedulers with its warps.
type warpScheduler struct {
	policy   scheduler.Policy
	warps    [scheduler.Slots]*warp
	wakes    [scheduler.Slots]engine.Cycle // when a slot's warp may issue next; never while it waits for an event
	ages     [scheduler.Slots]uint64
	occupied uint64
	awake    uint64       // slots whose wake-up time has come
	sleep    engine.Cycle // none of the others wakes before
	aside    uint64       // slots of awake warps that wait for room in the load/store unit
	room     engine.Cycle // they find none before
	next     engine.Cycle // nothing can issue before
	replays  int          // issue slots that memory replays still take
	index    int
}

// New makes an idle SMX at a cycle. split is how its memory is divided into shared memory and L1.
func New(id int, config *configs.Config, global *memory.Global, port *memory.Port, split configs.CarveOut, now engine.Cycle) (*SMX, error) {
	s := &SMX{
		ID: id, config: config, global: global, port: port, clock: engine.Clock{Megahertz: uint64(config.Clocks.Core)},
		now: now, Last: now,
		schedulers:    make([]warpScheduler, config.SMX.Schedulers),
		freeBlocks:    config.SMX.Blocks,
		freeWarps:     config.SMX.Warps,
		freeRegisters: config.Registers.PerSMX,
		freeShared:    split.Shared,
	}
	for i := range s.schedulers {
		policy, err := scheduler.New(config.SMX.SchedulerPolicy, config.SMX.FetchGroup)
		if err != nil {
			return nil, fmt.Errorf("smx.scheduler_policy: %w", err)
		}
		s.schedulers[i] = warpScheduler{policy: policy, next: never, sleep: never, room: never, index: i}
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
	return s, nil
}

// Idle reports that no warp is resident and no answer of the memory system is awaited.
func (s *SMX) Idle() bool { return s.residentWarps == 0 && s.loadStore.pending == 0 }

// Resident is the number of warps that have not ended.
func (s *SMX) Resident() int { return s.residentWarps }

// Wake is the earliest cycle at which the SMX has something to do, never when only an answer can wake it. A warp that waits for room
// in the load/store unit counts as something to do.
func (s *SMX) Wake() engine.Cycle {
	wake := never
	for i := range s.schedulers {
		if s.schedulers[i].aside != 0 {
			return s.now
		}
		wake = min(wake, s.schedulers[i].next)
	}
	if ready, ok := s.port.NextReady(); ok {
		wake = min(wake, ready)
	}
	if l := &s.loadStore; l.sent < len(l.requests) {
		wake = min(wake, l.requests[l.sent].Issued) // it leaves in a later epoch than the one that made it
	}
	wake = min(wake, s.due())
	return max(wake, s.now)
}

// Run advances the SMX to cycle until, or to its first fault.
func (s *SMX) Run(until engine.Cycle) {
	for s.now < until && s.Fault == nil {
		s.receive()
		s.startOffered()
		eligible := 0
		for i := range s.schedulers {
			// The order turns, so that no scheduler is always first at a unit that they share.
			sc := &s.schedulers[(int(s.now)+i)%len(s.schedulers)]
			if sc.next <= s.now {
				eligible += s.schedule(sc)
			}
		}
		step := max(min(s.Wake(), until), s.now+1) - s.now
		if s.residentWarps > 0 {
			s.Counters.ActiveCycles += uint64(step)
			s.Counters.SchedulerCycles += uint64(step) * uint64(len(s.schedulers))
			s.Counters.ActiveWarpCycles += uint64(step) * uint64(s.residentWarps)
			s.Counters.EligibleWarpCycles += uint64(eligible)
			if s.loadStore.held > 0 {
				s.Counters.HeldCycles += uint64(step)
			}
			s.Counters.OutstandingCycles += uint64(step) * uint64(s.loadStore.pending)
		}
		s.now += step
	}
	s.send(until)
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
