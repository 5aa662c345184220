package explain

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/keplersim/keplersim/recording"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/stats"
)

// Text writes each cycle in which something changes: for each scheduler the eligible warps, the issued operations, and why the other warps
// wait.
func (v *View) Text(w io.Writer) error {
	var b strings.Builder
	v.head(&b)
	schedulers := v.recording.Chip.Schedulers
	before := make([]string, schedulers)
	same := engine.Cycle(-1) // the first of the cycles that equal the one before
	for at := v.window.From; at < v.window.To; at++ {
		changed := ""
		for s := range schedulers {
			text, idle := v.scheduler(s, v.grid.Start+at)
			if !idle || text != before[s] {
				changed += text
			}
			before[s] = text
		}
		if changed == "" && at > v.window.From {
			if same < 0 {
				same = at
			}
			continue
		}
		writeSame(&b, same, at)
		same = -1
		fmt.Fprintf(&b, "\ncycle %d\n%s", at, changed)
	}
	writeSame(&b, same, v.window.To)
	_, err := io.WriteString(w, b.String())
	return err
}

// writeSame reports that nothing changed in the cycles from first up to, not including, end; nothing if first is negative.
func writeSame(b *strings.Builder, first, end engine.Cycle) {
	switch {
	case first < 0:
	case end-first == 1:
		fmt.Fprintf(b, "cycle %d: the same\n", first)
	default:
		fmt.Fprintf(b, "cycles %d to %d: the same\n", first, end-1)
	}
}

// head writes what is shown, and where the warps are.
func (v *View) head(b *strings.Builder) {
	k := &v.recording.Kernels[v.grid.Kernel]
	fmt.Fprintf(b, "%s, launch %d on %s: multiprocessor %d, cycles %d to %d\n",
		k.Name, v.launch+1, v.recording.Config, v.track.SMX, v.window.From, v.window.To-1)
	for i := range v.warps {
		p := v.warpOf(&v.warps[i])
		block := &v.track.Blocks[p.Block]
		grid := &v.recording.Grids[block.Grid]
		at := grid.BlockAt(block.Number)
		fmt.Fprintf(b, "  warp %d: scheduler %d, warp %d of block (%d,%d,%d)", v.warps[i].number, p.Scheduler, p.Index, at[0],
			at[1], at[2])
		if grid != v.grid {
			fmt.Fprintf(b, " of %s", v.recording.Kernels[grid.Kernel].Name)
		}
		b.WriteByte('\n')
	}
}

// group has the warps of a scheduler that wait for the same thing.
type group struct {
	reason stats.Stall
	why    string
	warps  []int
}

// scheduler describes what a scheduler did in a cycle of the device. quiet says that it issued nothing.
func (v *View) scheduler(s int, at engine.Cycle) (text string, idle bool) {
	var groups []group
	issued, eligible := "", 0
	for i := range v.warps {
		l := &v.warps[i]
		if v.warpOf(l).Scheduler != s {
			continue
		}
		if list := l.issuedIn(at); len(list) > 0 {
			issued = v.issues(l, list)
			eligible++
			continue
		}
		stall := l.stallIn(at)
		if stall == nil {
			continue
		}
		if stall.Reason == stats.StallNotSelected {
			eligible++
		}
		why := v.waitText(l, stall)
		found := false
		for g := range groups {
			if groups[g].reason == stall.Reason && groups[g].why == why {
				groups[g].warps, found = append(groups[g].warps, l.number), true
			}
		}
		if !found {
			groups = append(groups, group{stall.Reason, why, []int{l.number}})
		}
	}
	if issued == "" && len(groups) == 0 {
		return "", true
	}
	replay := ""
	if issued == "" {
		if warp, op, ok := v.replaying(s, at); ok {
			replay = fmt.Sprintf("replays %s of warp %d", v.short(warp, op), v.warpID(&v.track.Warps[warp]))
			eligible = 0
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "  scheduler %d: ", s)
	switch {
	case issued != "":
		fmt.Fprintf(&b, "%d eligible; %s\n", eligible, issued)
	case replay != "":
		fmt.Fprintf(&b, "%s\n", replay)
	default:
		b.WriteString("none eligible\n")
	}
	slices.SortStableFunc(groups, func(a, b group) int { return cmp.Compare(order(a.reason), order(b.reason)) })
	for _, g := range groups {
		fmt.Fprintf(&b, "    %-26s %s: %s\n", g.reason, plural(g.warps), g.why)
	}
	return b.String(), issued == ""
}

// order sorts the warps that could issue before the others.
func order(reason stats.Stall) int {
	if reason == stats.StallNotSelected {
		return -1
	}
	return int(reason)
}

// issues describes the operations that a warp issues in a cycle.
func (v *View) issues(l *warpHistory, list []recording.Issue) string {
	text := fmt.Sprintf("warp %d issues ", l.number)
	for i := range list {
		if i > 0 {
			text += ", paired with "
		}
		text += v.issue(&list[i])
	}
	return text
}

// issue describes one issued operation.
func (v *View) issue(e *recording.Issue) string {
	op := v.recording.Operation(v.track, e.Warp, e.Op)
	text := fmt.Sprintf("%s to %s", v.operation(e.Warp, e.Op), op.Unit)
	if op.Conflict > 0 {
		text += fmt.Sprintf(" (bank conflict: %s, %s longer)", meeting(op), cyclesText(op.Conflict))
	}
	if e.Mask != ^uint32(0) {
		text += fmt.Sprintf(" [%d lanes]", countBits(e.Mask))
	}
	return text
}

// meeting lists the registers that conflict: those in the bank from which the operation reads most.
func meeting(op *recording.Operation) string {
	byBank, most := map[int][]int{}, -1
	for i, r := range op.Reads {
		if bank := op.Banks[i]; !slices.Contains(byBank[bank], r) {
			byBank[bank] = append(byBank[bank], r)
			if most < 0 || len(byBank[bank]) > len(byBank[most]) {
				most = bank
			}
		}
	}
	text := ""
	for _, r := range byBank[most] {
		text = joinComma(text, fmt.Sprintf("R%d", r))
	}
	return fmt.Sprintf("%s in bank %d", text, most)
}

func cyclesText(n float64) string {
	if n == 1 {
		return "1 cycle"
	}
	return fmt.Sprintf("%.2g cycles", n)
}

func countBits(mask uint32) (n int) {
	for ; mask != 0; mask &= mask - 1 {
		n++
	}
	return n
}

// plural lists warps by number.
func plural(warps []int) string {
	noun := "warps "
	if len(warps) == 1 {
		noun = "warp "
	}
	text := ""
	for _, n := range warps {
		text = joinComma(text, fmt.Sprint(n))
	}
	return noun + text
}
