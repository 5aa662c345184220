package smx

import (
	"fmt"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/memory"
	"github.com/keplersim/keplersim/sim/observe"
	"github.com/keplersim/keplersim/sim/scheduler"
	"github.com/keplersim/keplersim/sim/screen"
)

// SMX is one multiprocessor: a list of parts, each with its own state. A part calls only parts before it in the list, with three
// exceptions:
//
//   - residency asks the load/store unit what is in flight, and empties its caches (unit);
//   - residency and parking renew the whole SMX when a grid needs another division of its memory (machine);
//   - a system call names its SMX (flow.machine).
type SMX struct {
	common
	ledger
	frontEnd
	residency
	parking
	effects
	lsu
	flow
	issuer
	functional

	listener observe.Observer // the user's, nil for none
	epoch    epoch
	paused   bool // no warp issues, no block starts
}

// common is what all parts share: the cycle, the schedulers with their warps, the observer, and the fault that stops the SMX.
type common struct {
	// ID is %smid.
	ID int
	// Fault is the error that stopped the SMX, nil if there is none.
	Fault *Fault

	now        engine.Cycle
	lastActive engine.Cycle     // the last cycle simulated, plus one if a warp was awake in it
	observer   observe.Observer // nil for none
	config     *configs.Config
	schedulers schedulers
	dueLooks   dueLooks
	global     *memory.Global
	clock      *engine.Timeline
	screen     *screen.Screen                        // of a functional run; nil for none
	survey     *screen.Screen                        // which surveys the run or, with an observer, has surveyed it; nil for none
	recorder   observe.Recorder                      // the observer, if it is one
	ran        bool                                  // it has run with timing since the policies were made
	atOnce     bool                                  // a functional run: system calls execute when they issue
	own        func(scheduler.Spec) scheduler.Policy // makes the schedulers' policies; nil: those of the configuration
}

type schedulers []warpScheduler

// warpScheduler is one of the SMX's schedulers with its warps.
type warpScheduler struct {
	policy        scheduler.Policy
	index         uint   // in the SMX
	idleLanes     int    // that may add up to another issue slot; see configs.Ideal
	occupied      uint64 // slots
	refusedStores uint64 // slots of warps whose stores the load/store unit has refused, until they issue

	replays     int          // issue slots that memory replays still take
	replaysFrom engine.Cycle // the first of these slots
	replayed    *GridState   // the grid of the replayed access
	agenda
	heldAt   uint64       // InstExecuted of the grid when the policy began to hold back all ready warps
	heldFrom engine.Cycle // the cycle in which it began
	warps    [scheduler.Slots]*warp
	started  [scheduler.Slots]uint64
}

// New makes an idle SMX at a cycle, with its memory divided into shared memory and L1 as carveOut says. policy makes the schedulers'
// policies; nil: the configuration's.
func New(
	id int, config *configs.Config, global *memory.Global, port *memory.Port, carveOut configs.CarveOut, now engine.Cycle,
	policy func(scheduler.Spec) scheduler.Policy,
) (*SMX, error) {
	s := &SMX{common: common{
		ID: id, config: config, global: global, now: now, own: policy, schedulers: make(schedulers, config.SMX.Schedulers),
		clock: engine.NewTimeline(engine.Clock{Megahertz: uint64(config.Clocks.Core)}),
	}}
	s.connect()
	s.lsu.port = port
	s.lsu.loadStore.requests = newOutgoing()
	return s, s.renew(carveOut)
}

// connect tells each part which parts it calls.
func (s *SMX) connect() {
	s.ledger.common = &s.common
	s.frontEnd.common, s.frontEnd.ledger = &s.common, &s.ledger
	s.residency.common, s.residency.ledger, s.residency.frontEnd = &s.common, &s.ledger, &s.frontEnd
	s.residency.unit, s.residency.machine = &s.lsu.loadStore, s
	s.parking.common, s.parking.ledger, s.parking.residency = &s.common, &s.ledger, &s.residency
	s.effects.common = &s.common
	s.lsu.common, s.lsu.ledger, s.lsu.frontEnd, s.lsu.residency, s.lsu.effects = &s.common, &s.ledger, &s.frontEnd, &s.residency, &s.effects
	s.flow.common, s.flow.residency, s.flow.machine = &s.common, &s.residency, s
	s.issuer.common, s.issuer.ledger, s.issuer.frontEnd, s.issuer.lsu, s.issuer.flow = &s.common, &s.ledger, &s.frontEnd, &s.lsu, &s.flow
	s.issuer.residency = &s.residency
	s.functional.common, s.functional.frontEnd, s.functional.residency = &s.common, &s.frontEnd, &s.residency
	s.functional.effects, s.functional.lsu, s.functional.flow = &s.effects, &s.lsu, &s.flow
}

// Follow gives the SMX the clock of its device, in place of one that never changes.
func (s *SMX) Follow(clock *engine.Timeline) { s.clock = clock }

// renew resets an empty SMX to its state before the first block: caches empty, every unit free, memory divided as a grid asks. The division
// of memory changes only here.
func (s *SMX) renew(carveOut configs.CarveOut) error {
	s.lastActive = s.now - 1
	if s.timeless() { // units, caches and policies are as they were; a timed run renews them
		s.frontEnd.forget()
		s.residency.reset(carveOut)
		return nil
	}
	if err := s.resetSchedulers(); err != nil {
		return err
	}
	if err := s.frontEnd.reset(); err != nil {
		return err
	}
	s.residency.reset(carveOut)
	if err := s.lsu.reset(carveOut); err != nil {
		return err
	}
	s.issuer.reset()
	s.Observe(s.listener)
	return nil
}

// resetSchedulers removes all warps from the schedulers. It keeps a policy that has picked nothing yet, as after runs without timing.
func (s *common) resetSchedulers() error {
	for i := range s.schedulers {
		sc := &s.schedulers[i]
		policy := sc.policy
		if policy == nil || s.ran {
			var err error
			if policy, err = s.newPolicy(scheduler.Spec{SMX: s.ID, Scheduler: i, Warps: &view{s, sc}}); err != nil {
				return fmt.Errorf("smx.scheduler: %w", err)
			}
		}
		if sc.policy != nil { // new memory is zero; do not touch it
			warps := sc.warps
			for _, w := range warps {
				if w != nil {
					w.constantLine = 0
				}
			}
			*sc = warpScheduler{}
			sc.warps = warps
		}
		sc.policy, sc.index = policy, uint(i)
		sc.agenda.reset(&s.dueLooks, sc.index)
	}
	s.ran = s.ran && !s.atOnce
	return nil
}

func (s *common) newPolicy(spec scheduler.Spec) (scheduler.Policy, error) {
	if s.own != nil {
		return s.own(spec), nil
	}
	return scheduler.New(s.config.SMX.Scheduler, spec)
}

// Rest moves an idle SMX to a cycle. The places of blocks that have ended become free.
func (s *SMX) Rest(now engine.Cycle) {
	s.now, s.lastActive, s.paused = now, now-1, false
	s.residency.clear(never)
	s.residency.offered.next = 0
}

// Warps is the number of resident warps.
func (s *residency) Warps() int { return s.residentWarps }

// Wake is the earliest cycle in which the SMX has something to do, never if only a response can wake it. A warp that is awake, or was in
// the cycle before, counts as something to do, even if it waits for the load/store unit.
func (s *SMX) Wake() engine.Cycle {
	if s.lastActive >= s.now {
		return s.now
	}
	if s.parking.empty() {
		return never
	}
	wake := s.residency.due()
	for _, b := range s.parking.returning {
		if at := b.resumed[0].at; at > s.now {
			wake = min(wake, at)
		} else if len(s.residency.leaving) > 0 { // it waits for this place
			wake = min(wake, s.residency.leaving[0].at)
		} else {
			wake = min(wake, s.now)
		}
	}
	for i := range s.schedulers {
		wake = min(wake, s.dueLooks.due[i])
	}
	if ready, ok := s.lsu.port.NextReady(); ok {
		wake = min(wake, ready)
	}
	wake = min(wake, s.lsu.loadStore.requests.next()) // a request may leave in a later epoch than its access issued
	return max(wake, s.now)
}
