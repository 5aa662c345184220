package smx

import (
	"fmt"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/memory"
	"github.com/keplersim/keplersim/sim/observe"
	"github.com/keplersim/keplersim/sim/scheduler"
	"github.com/keplersim/keplersim/sim/screen"
)

// SMX is one multiprocessor.
type SMX struct {
	// ID is %smid.
	ID int
	// Fault is the error that stopped the SMX, nil while all is well.
	Fault *Fault

	config  *configs.Config
	scratch exec.Scratch // of whichever warp executes
	global  *memory.Global
	port    *memory.Port
	clock   *engine.Timeline

	now           engine.Cycle
	nextResponse  engine.Cycle     // when the next known response arrives
	observer      observe.Observer // nil for none
	listener      observe.Observer // of the user, nil for none
	order         *order           // of warps without timing; nil for the usual one
	tolerates     FaultListener    // nil where faults stop the kernel
	lastActive    engine.Cycle     // the last cycle simulated, or the one after the last in which a warp was awake
	start         engine.Cycle     // when the next block starts
	schedulers    []warpScheduler
	nextScheduler int
	startCount    uint64
	blocks        []*block
	shares        []*Share // of the grids that have or may get blocks here
	counted       []*Grid  // scratch of addSums
	mixed         bool     // several of them may have warps in this epoch
	split         configs.CarveOut
	fresh         bool           // no block has started since the SMX was last made anew
	joined        uint64         // grids that have started since
	code          []placed       // programs in the instruction caches' addresses, one behind the other
	codeBytes     uint64         // of them all
	locks         []engine.Cycle // when each lock of shared memory's atomics is free; nil before the first

	free          Resources
	residentWarps int
	offered       offer
	leaving       []departure

	units     units
	loadStore loadStore
	fetch     fetch
	constants constants

	returning []*block // that have left for a while and may come back
	replaying uint     // schedulers whose warps may issue when replays have ended
	anyHeld   bool     // a resident block may have a call that is held
	wanted    bool     // one of returning has found no room

	turn   turn
	calls  []*SystemCall // made since they were last collected
	outlet sender        // where requests leave: the port, or an observer before it
	atOnce bool          // a functional run: system calls are carried out as they are made
	paused bool          // no warp issues, no block starts
	native exec.NativeState
	screen *screen.Screen // of a functional run; nil for none
}

// warpScheduler is one of the SMX's schedulers with its warps.
type warpScheduler struct {
	policy     scheduler.Policy
	index      uint   // in the SMX
	idleLanes  int    // that may make up another issue slot; see configs.Ideal
	occupied   uint64 // slots
	turnedAway uint64 // slots of warps whose stores the load/store unit has refused, and that have not issued since

	replays     int          // issue slots that memory replays still take
	replaysFrom engine.Cycle // the first of them
	replayed    *Share       // of the access that they are for
	agenda
	warps   [scheduler.Slots]*warp
	started [scheduler.Slots]uint64
}

// New makes an idle SMX at a cycle. split is how its memory is divided into shared memory and L1.
func New(id int, config *configs.Config, global *memory.Global, port *memory.Port, split configs.CarveOut, now engine.Cycle) (*SMX, error) {
	s := &SMX{
		ID: id, config: config, global: global, port: port, clock: engine.NewTimeline(engine.Clock{Megahertz: uint64(config.Clocks.Core)}),
		now: now, schedulers: make([]warpScheduler, config.SMX.Schedulers),
	}
	s.loadStore.requests = newOutgoing()
	return s, s.renew(split)
}

// Follow gives the SMX the clock of its device, in place of one that never changes.
func (s *SMX) Follow(clock *engine.Timeline) { s.clock = clock }

// renew makes an empty SMX as it is before its first block: the caches empty, every unit free, and its memory divided as a grid asks. That
// is when the division can change.
func (s *SMX) renew(split configs.CarveOut) error {
	s.lastActive, s.fresh, s.split, s.joined, s.code, s.codeBytes = s.now-1, true, split, 0, s.code[:0], 0
	s.nextScheduler, s.startCount = 0, 0
	s.free = s.all(split)
	s.leaving, s.locks = s.leaving[:0], nil
	for i := range s.schedulers {
		policy, err := scheduler.New(s.config.SMX.SchedulerPolicy, scheduler.Spec{ActiveSet: s.config.SMX.FetchGroup})
		if err != nil {
			return fmt.Errorf("smx.scheduler_policy: %w", err)
		}
		sc := &s.schedulers[i]
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
		sc.next, sc.sleep, sc.first = never, never, never
	}
	if s.units.used == 0 {
		s.units = newUnits(s.config)
	}
	s.units.reset()
	if err := s.loadStore.build(s.config, split); err != nil {
		return err
	}
	if err := s.fetch.build(s.config); err != nil {
		return err
	}
	if err := s.constants.build(s.config); err != nil {
		return err
	}
	s.Observe(s.listener)
	return nil
}

// Rest tells an idle SMX that nothing is left of what was before, at a cycle: the places of blocks that have ended are free.
func (s *SMX) Rest(now engine.Cycle) {
	s.now, s.lastActive, s.paused = now, now-1, false
	s.clear(never)
	s.offered.next = 0
}

// Idle reports that no warp is resident and no request is in flight.
func (s *SMX) Idle() bool { return s.residentWarps == 0 && s.loadStore.pending == 0 }

// Warps is the number of resident warps.
func (s *SMX) Warps() int { return s.residentWarps }

// Wake is the earliest cycle at which the SMX has something to do, never when only a response can wake it. A warp that is awake, or was in
// the cycle before, counts as something to do, even if it waits for the load/store unit.
func (s *SMX) Wake() engine.Cycle {
	if s.lastActive >= s.now {
		return s.now
	}
	wake := s.due()
	for _, b := range s.returning {
		if at := b.resumed[0].at; at > s.now {
			wake = min(wake, at)
		} else if len(s.leaving) > 0 { // a place comes free that it waits for
			wake = min(wake, s.leaving[0].at)
		} else {
			wake = min(wake, s.now)
		}
	}
	for i := range s.schedulers {
		wake = min(wake, s.schedulers[i].next)
	}
	if ready, ok := s.port.NextReady(); ok {
		wake = min(wake, ready)
	}
	wake = min(wake, s.loadStore.requests.next()) // it leaves in a later epoch than the one that made it
	return max(wake, s.now)
}
