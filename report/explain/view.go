package explain

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/keplersim/keplersim/recording"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/observe"
	"github.com/keplersim/keplersim/sim/stats"
)

// View is the activity of one SMX in some cycles of a launch.
type View struct {
	recording *recording.Recording
	track     *recording.Track
	grid      *recording.Grid
	launch    int // index in the recording
	window    recording.Window
	warps     []warpHistory // by scheduler and slot
}

// warpHistory is a warp with its issues and stalls, in order.
type warpHistory struct {
	index  int32 // index among the track's warps
	number int   // %warpid
	issues []recording.Issue
	stalls []recording.Stall
}

// Choice says what to show.
type Choice struct {
	// Launch is the index of the launch in the recording.
	Launch int
	SMX    int
	// Window is a range of cycles from the launch's start; a To of 0 is the launch's end.
	Window recording.Window
}

// MostCycles is the most cycles of a view; a reader would not read more.
const MostCycles = 10_000

// New makes a view of a recording. Its errors say what the recording lacks.
func New(r *recording.Recording, c Choice) (*View, error) {
	if c.Launch < 0 || c.Launch >= len(r.Grids) {
		return nil, fmt.Errorf("launch %d: the recording has %d, which count from 1", c.Launch+1, len(r.Grids))
	}
	v := &View{recording: r, grid: &r.Grids[c.Launch], launch: c.Launch, window: c.Window}
	length := v.grid.End - v.grid.Start
	if v.window.To == 0 || v.window.To > length {
		v.window.To = length
	}
	recorded := r.Window
	if recorded.To == 0 {
		recorded.To = engine.Never
	}
	switch {
	case v.window.From >= length:
		return nil, fmt.Errorf("cycle %d: launch %d ran from cycle 0 to %d", v.window.From, c.Launch+1, length-1)
	case v.window.From < recorded.From || v.window.To > recorded.To:
		return nil, fmt.Errorf("cycles %d to %d: the recording has only those from %d to %d", v.window.From, v.window.To-1,
			recorded.From, recorded.To-1)
	case v.window.To-v.window.From > MostCycles:
		return nil, fmt.Errorf("%d cycles are too many to print: give at most %d", v.window.To-v.window.From, MostCycles)
	}
	if v.track = r.Track(v.grid.Device, c.SMX); v.track == nil {
		return nil, fmt.Errorf("multiprocessor %d is not in the recording, which has %s", c.SMX, tracks(r, v.grid.Device))
	}
	v.gather()
	if len(v.warps) == 0 {
		return nil, fmt.Errorf("no warp was on multiprocessor %d in cycles %d to %d of launch %d", c.SMX, v.window.From,
			v.window.To-1, c.Launch+1)
	}
	return v, nil
}

// tracks lists a device's SMXs that a recording has.
func tracks(r *recording.Recording, device int) string {
	text := ""
	for _, t := range r.Tracks {
		if t.Device == device {
			text = joinComma(text, fmt.Sprint(t.SMX))
		}
	}
	return cmp.Or(text, "none")
}

func joinComma(list, next string) string {
	if list == "" {
		return next
	}
	return list + ", " + next
}

// gather collects the warps that are resident in the window, with their events up to its end.
func (v *View) gather() {
	at := map[int32]int{}
	first, end := v.grid.Start+v.window.From, v.grid.Start+v.window.To
	for i := range v.track.Warps {
		w := &v.track.Warps[i]
		b := &v.track.Blocks[w.Block]
		if b.Start < end && (b.End == 0 || b.End >= first) {
			v.warps = append(v.warps, warpHistory{index: int32(i), number: v.warpID(w)})
		}
	}
	slices.SortStableFunc(v.warps, func(a, b warpHistory) int { return cmp.Compare(a.number, b.number) })
	for i := range v.warps {
		at[v.warps[i].index] = i
	}
	for _, e := range v.track.Issues {
		if i, ok := at[e.Warp]; ok && e.Cycle < end {
			v.warps[i].issues = append(v.warps[i].issues, e)
		}
	}
	for _, e := range v.track.Stalls {
		if i, ok := at[e.Warp]; ok && e.From < end {
			v.warps[i].stalls = append(v.warps[i].stalls, e)
		}
	}
	for i := range v.warps {
		slices.SortStableFunc(v.warps[i].stalls, func(a, b recording.Stall) int { return cmp.Compare(a.From, b.From) })
	}
}

// warpID returns the warp's %warpid.
func (v *View) warpID(w *recording.Warp) int { return w.Slot*v.recording.Chip.Schedulers + w.Scheduler }

func (v *View) warpOf(l *warpHistory) *recording.Warp { return &v.track.Warps[l.index] }

// operation returns an operation's index and text.
func (v *View) operation(warp, op int32) string {
	return fmt.Sprintf("%d %s", op, v.recording.Operation(v.track, warp, op).Text)
}

// short returns an operation's index and mnemonic.
func (v *View) short(warp, op int32) string {
	return fmt.Sprintf("%d %s", op, v.recording.Operation(v.track, warp, op).Mnemonic)
}

// issuedIn returns the operations that a warp issued in a cycle: none, one or a pair.
func (l *warpHistory) issuedIn(at engine.Cycle) []recording.Issue {
	i, _ := slices.BinarySearchFunc(l.issues, at, func(e recording.Issue, at engine.Cycle) int { return cmp.Compare(e.Cycle, at) })
	k := i
	for k < len(l.issues) && l.issues[k].Cycle == at {
		k++
	}
	return l.issues[i:k]
}

// issuedUpTo returns the operations that a warp issued before a cycle.
func (l *warpHistory) issuedUpTo(at engine.Cycle) []recording.Issue {
	i, _ := slices.BinarySearchFunc(l.issues, at, func(e recording.Issue, at engine.Cycle) int { return cmp.Compare(e.Cycle, at) })
	return l.issues[:i]
}

// stallIn returns why a warp did not issue in a cycle; nil if it did, or was not resident.
func (l *warpHistory) stallIn(at engine.Cycle) *recording.Stall {
	i, _ := slices.BinarySearchFunc(l.stalls, at, func(e recording.Stall, at engine.Cycle) int {
		if e.To <= at {
			return -1
		}
		return 1
	})
	if i < len(l.stalls) && l.stalls[i].From <= at {
		return &l.stalls[i]
	}
	return nil
}

// producer returns the last operation before a cycle that writes an entry of a warp's scoreboard.
func (v *View) producer(l *warpHistory, entry observe.Entry, before engine.Cycle) (op int32, ok bool) {
	if entry < 0 || entry >= observe.EntryPredicate {
		return 0, false
	}
	for i := len(l.issues) - 1; i >= 0; i-- {
		e := &l.issues[i]
		if e.Cycle < before && slices.Contains(v.recording.Operation(v.track, e.Warp, e.Op).Writes, int(entry)) {
			return e.Op, true
		}
	}
	return 0, false
}

// waitText says what a warp waits for.
func (v *View) waitText(l *warpHistory, s *recording.Stall) string {
	next := v.short(s.Warp, s.Op)
	switch s.Reason {
	case stats.StallNotSelected:
		return "could issue " + next
	case stats.StallPipeBusy:
		return fmt.Sprintf("%s takes none, for %s", v.recording.Operation(v.track, s.Warp, s.Op).Unit, next)
	case stats.StallMemoryThrottle:
		return "no room in the load/store unit, for " + next
	case stats.StallSync, stats.StallFence, stats.StallSystem, stats.StallSleep:
		if i := len(l.issuedUpTo(s.From)) - 1; i >= 0 && l.issues[i].Op == s.Op {
			return "at " + next
		}
		return "may go on soon, with " + next
	case stats.StallExit:
		return "has ended except " + next
	case stats.StallInstructionFetch:
		return "the line of " + next + " is not there"
	}
	if s.For == observe.None {
		return "before " + next
	}
	text := "waits for " + s.For.String()
	if op, ok := v.producer(l, s.For, s.To); ok {
		text += " of " + v.short(s.Warp, op)
	}
	return text + ", for " + next
}

// replaying returns the memory operation whose replay takes a scheduler's issue slot in a cycle.
func (v *View) replaying(scheduler int, at engine.Cycle) (warp, op int32, ok bool) {
	next := engine.Cycle(0)
	for i := range v.track.Replays {
		r := &v.track.Replays[i]
		if r.Cycle >= at {
			break
		}
		if v.track.Warps[r.Warp].Scheduler != scheduler {
			continue
		}
		first := max(r.Cycle, next) + 1
		next = first - 1 + engine.Cycle(r.Slots)
		if at >= first && at <= next {
			return r.Warp, r.Op, true
		}
	}
	return 0, 0, false
}
