package engine

import (
	"slices"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/recording"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/observe"
)

// Lanes are the states of one warp's lanes over the window: registers, predicates, and the paths of its divergence.
type Lanes struct {
	Block uint64 `json:"block"`
	Warp  int    `json:"warp"`
	// Threads are the lanes' positions in the block: x, y, z.
	Threads [][3]uint32 `json:"threads"`
	// States are the warp's states at the beginnings of cycles, in order. The first is complete; each other has only the changes.
	States []LaneState `json:"states"`
}

// LaneState is a warp's state at the beginning of a cycle.
type LaneState struct {
	Cycle int64 `json:"cycle"`
	// Registers are the changed registers: number, then one value if all lanes have the same, else 32.
	Registers [][]uint32 `json:"registers,omitempty"`
	// Predicates are masks of lanes, by number; nil if none has changed.
	Predicates []uint32 `json:"predicates,omitempty"`
	// Paths are the diverged paths, the running one first. A path is: operation (-1 if it only waits for its lanes to exit), operation
	// where it reconverges (-1 for none), lanes, active calls. Nil if unchanged.
	Paths [][4]int64 `json:"paths"`
	// Pending are the scoreboard entries that were not ready at the last issue: entry, cycle from which it is ready (-1 if memory decides),
	// reason. Some may be ready since. The list is complete, or nil if unchanged.
	Pending [][3]int64 `json:"pending"`
}

// mostStates bounds the states that are kept.
const mostStates = mostWatched

// predicateCount is the number of predicates, P0 to P6.
const predicateCount = 7

// laneWatcher looks at a warp before anything happens on its SMX, at most once a cycle.
type laneWatcher struct {
	observe.Silent
	watch    *Watch
	window   recording.Window
	grid     *observe.Grid // the first launch
	start    engine.Cycle
	warp     *observe.Warp // nil unless it is on the SMX
	last     engine.Cycle  // the cycle of the last look
	lanes    *Lanes
	previous laneContents
}

// laneContents is the last state kept, to find changes.
type laneContents struct {
	registers  [256]isa.Lanes32
	known      int // number of registers kept
	predicates [predicateCount]uint32
	paths      [][4]int64
	pending    [][3]int64
}

// newLaneWatcher returns a watcher for the warp that a watch follows, nil if it follows none.
func newLaneWatcher(w *Watch, window recording.Window) *laneWatcher {
	if w.Follow == nil {
		return nil
	}
	return &laneWatcher{watch: w, window: window, last: -1}
}

// ForDevice implements observe.PerDevice: only the first device is watched.
func (l *laneWatcher) ForDevice(index int) observe.Observer {
	if index > 0 {
		return nil
	}
	return l
}

// Grid implements observe.Observer.
func (l *laneWatcher) Grid(at engine.Cycle, g *observe.Grid, stage observe.Stage) {
	if stage == observe.Started && l.grid == nil {
		l.grid, l.start = g, at
	}
}

// Block implements observe.Observer.
func (l *laneWatcher) Block(at engine.Cycle, b *observe.Block, stage observe.Stage) {
	if b.Grid != l.grid || b.SMX != l.watch.SMX || b.Number != l.watch.Follow.Block || l.watch.Follow.Warp >= len(b.Warps) ||
		l.watch.Follow.Warp < 0 {
		return
	}
	if stage == observe.Ended {
		l.look(at)
		l.warp = nil
		return
	}
	l.warp = &b.Warps[l.watch.Follow.Warp]
}

// Issue implements observe.Observer.
func (l *laneWatcher) Issue(e observe.Issue) { l.beforeEvent(e.Warp, e.Cycle) }

// Stall implements observe.Observer.
func (l *laneWatcher) Stall(e observe.Stall) { l.beforeEvent(e.Warp, e.To) }

// Replay implements observe.Observer.
func (l *laneWatcher) Replay(e observe.Replay) { l.beforeEvent(e.Warp, e.Cycle) }

// Lookup implements observe.Observer.
func (l *laneWatcher) Lookup(e observe.Lookup) { l.beforeEvent(e.Warp, e.Cycle) }

// beforeEvent looks at the followed warp before an event of any warp on its SMX.
func (l *laneWatcher) beforeEvent(w *observe.Warp, at engine.Cycle) {
	if l.warp != nil && w.Block.SMX == l.watch.SMX {
		l.look(at)
	}
}

// look keeps the warp's state, once a cycle, within the window.
func (l *laneWatcher) look(at engine.Cycle) {
	from, to := l.start+l.window.From, l.start+l.window.To
	if at <= l.last || at < from || at >= to {
		return
	}
	// Nothing happened on the SMX after the cycle of the last look, so all changes since are of that cycle. (Loaded data are in their
	// registers before the scoreboard lets them be read.)
	since := at
	if l.lanes != nil {
		since = l.last + 1
	}
	l.last = at
	state := l.warp.State
	if l.lanes == nil {
		l.lanes = &Lanes{Block: l.watch.Follow.Block, Warp: l.watch.Follow.Warp}
		for lane := range 32 {
			l.lanes.Threads = append(l.lanes.Threads, state.Position(lane))
		}
	}
	if len(l.lanes.States) == mostStates {
		return
	}
	s := LaneState{Cycle: int64(since - l.start)}
	l.registers(&s, state)
	l.predicates(&s, state)
	l.paths(&s, state)
	l.pending(&s, state)
	first := len(l.lanes.States) == 0
	if first || s.Registers != nil || s.Predicates != nil || s.Paths != nil || s.Pending != nil {
		l.lanes.States = append(l.lanes.States, s)
	}
}

// registers keeps the changed registers.
func (l *laneWatcher) registers(s *LaneState, state observe.State) {
	count := min(state.RegisterCount(), len(l.previous.registers)-1)
	for n := range count {
		o := isa.Reg(isa.Register(n), isa.U32)
		var now isa.Lanes32
		for lane := range now {
			v, _ := state.Operand(&o, lane)
			now[lane] = uint32(v)
		}
		if before := &l.previous.registers[n]; n < l.previous.known && *before == now {
			continue
		}
		l.previous.registers[n] = now
		s.Registers = append(s.Registers, append([]uint32{uint32(n)}, compactLanes(&now)...))
	}
	l.previous.known = max(l.previous.known, count)
}

// compactLanes returns one value if all lanes have the same, else all 32.
func compactLanes(v *isa.Lanes32) []uint32 {
	for _, x := range v {
		if x != v[0] {
			return append([]uint32(nil), v[:]...)
		}
	}
	return v[:1:1]
}

func (l *laneWatcher) predicates(s *LaneState, state observe.State) {
	var now [predicateCount]uint32
	for n := range now {
		o := isa.Predicate(isa.Register(n), false)
		for lane := range 32 {
			v, _ := state.Operand(&o, lane)
			now[n] |= uint32(v) << lane
		}
	}
	if now != l.previous.predicates || len(l.lanes.States) == 0 {
		l.previous.predicates = now
		s.Predicates = now[:]
	}
}

func (l *laneWatcher) paths(s *LaneState, state observe.State) {
	now := [][4]int64{}
	for _, p := range state.Paths() {
		now = append(now, [4]int64{int64(p.Op), int64(p.Reconverge), int64(p.Lanes), int64(p.Depth)})
	}
	if !slices.Equal(now, l.previous.paths) || len(l.lanes.States) == 0 {
		l.previous.paths, s.Paths = now, now
	}
}

// pending keeps the scoreboard entries that were not ready when the warp last issued.
func (l *laneWatcher) pending(s *LaneState, state observe.State) {
	now := [][3]int64{}
	for _, p := range state.Pending() {
		ready := int64(-1)
		if p.Ready != engine.Never {
			ready = int64(p.Ready - l.start)
		}
		now = append(now, [3]int64{int64(p.Entry), ready, int64(p.Why)})
	}
	if !slices.Equal(now, l.previous.pending) {
		l.previous.pending, s.Pending = now, now
	}
}
