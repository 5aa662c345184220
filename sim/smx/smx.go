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

// SMX is one multiprocessor: a list of parts, each with its own state. A part names the parts that it calls, which are before it in the
// list. Three arrows go up: residency asks lsu's load/store unit what is in flight and empties its caches (unit), and has the SMX made anew
// when its memory is divided (machine), as parking does; a system call names the SMX that it comes from (flow.machine).
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

	listener observe.Observer // of the user, nil for none
	epoch    epoch
	paused   bool // no warp issues, no block starts
}

// common is what all parts share: the cycle, the warps in their schedulers' slots, whoever observes, and the fault that ends all.
type common struct {
	// ID is %smid.
	ID int
	// Fault is the error that stopped the SMX, nil while all is well.
	Fault *Fault

	now        engine.Cycle
	lastActive engine.Cycle     // the last cycle simulated, or the one after the last in which a warp was awake
	observer   observe.Observer // nil for none
	config     *configs.Config
	schedulers schedulers
	looks      looks
	global     *memory.Global
	clock      *engine.Timeline
	screen     *screen.Screen                        // of a functional run; nil for none
	ran        bool                                  // timed, since the schedulers' policies were made
	atOnce     bool                                  // a functional run: system calls are carried out as they are made
	own        func(scheduler.Spec) scheduler.Policy // makes the schedulers' policies; nil for those of the configuration
}

// schedulers are the SMX's, each with its warps.
type schedulers []warpScheduler

// warpScheduler is one of the SMX's schedulers with its warps.
type warpScheduler struct {
	policy        scheduler.Policy
	index         uint   // in the SMX
	idleLanes     int    // that may make up another issue slot; see configs.Ideal
	occupied      uint64 // slots
	refusedStores uint64 // slots of warps whose stores the load/store unit has refused, and that have not issued since

	replays     int          // issue slots that memory replays still take
	replaysFrom engine.Cycle // the first of them
	replayed    *GridState   // of the access that they are for
	agenda
	heldAt   uint64       // operations of the grid when the policy began to hold ready warps back,
	heldFrom engine.Cycle // and since when it has
	warps    [scheduler.Slots]*warp
	started  [scheduler.Slots]uint64
}

// New makes an idle SMX at a cycle. carveOut is how its memory is divided into shared memory and L1. policy makes its schedulers' policies;
// nil is the configuration's.
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

// renew makes an empty SMX as it is before its first block: the caches empty, every unit free, and its memory divided as a grid asks. That
// is when the division can change.
func (s *SMX) renew(carveOut configs.CarveOut) error {
	s.lastActive = s.now - 1
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

// resetSchedulers makes schedulers that have no warps. A policy that has picked nothing, as in runs without timing, is as new.
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
		if sc.policy != nil { // memory that is new is zero, and is best left alone
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
		sc.agenda.reset(&s.looks, sc.index)
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

// Rest tells an idle SMX that nothing is left of what was before, at a cycle: the places of blocks that have ended are free.
func (s *SMX) Rest(now engine.Cycle) {
	s.now, s.lastActive, s.paused = now, now-1, false
	s.residency.clear(never)
	s.residency.offered.next = 0
}

// Idle reports that no warp is resident and no request is in flight.
func (s *residency) Idle() bool { return s.residentWarps == 0 && s.unit.pending == 0 }

// Warps is the number of resident warps.
func (s *residency) Warps() int { return s.residentWarps }

// Wake is the earliest cycle at which the SMX has something to do, never when only a response can wake it. A warp that is awake, or was in
// the cycle before, counts as something to do, even if it waits for the load/store unit.
func (s *SMX) Wake() engine.Cycle {
	if s.lastActive >= s.now {
		return s.now
	}
	wake := s.residency.due()
	for _, b := range s.parking.returning {
		if at := b.resumed[0].at; at > s.now {
			wake = min(wake, at)
		} else if len(s.residency.leaving) > 0 { // a place comes free that it waits for
			wake = min(wake, s.residency.leaving[0].at)
		} else {
			wake = min(wake, s.now)
		}
	}
	for i := range s.schedulers {
		wake = min(wake, s.looks.due[i])
	}
	if ready, ok := s.lsu.port.NextReady(); ok {
		wake = min(wake, ready)
	}
	wake = min(wake, s.lsu.loadStore.requests.next()) // it leaves in a later epoch than the one that made it
	return max(wake, s.now)
}
