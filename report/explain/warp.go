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

// letters are the stall reasons' letters in a pipeline diagram.
var letters = [stats.StallCount]byte{
	stats.StallInstructionFetch: 'f', stats.StallExecutionDependency: 'e', stats.StallMemoryDependency: 'm', stats.StallSync: 'b',
	stats.StallPipeBusy: 'p', stats.StallMemoryThrottle: 't', stats.StallNotSelected: 'n', stats.StallConstant: 'c',
	stats.StallTexture: 'x',
	stats.StallOther:   '.', stats.StallShared: 's', stats.StallBranch: 'j', stats.StallFence: 'w', stats.StallExit: 'q',
	stats.StallSleep:  'z',
	stats.StallSystem: 'y',
}

// row is an operation of a warp in its pipeline diagram.
type row struct {
	issue  recording.Issue
	stalls []recording.Stall // before its issue
	done   engine.Cycle      // when its result can be used; 0 if it has none
}

// rows returns the operations that a warp issued in the window, each with the stalls before it. The last row may be an operation that still
// waits.
func (v *View) rows(l *warpHistory) (list []row) {
	first, end := v.grid.Start+v.window.From, v.grid.Start+v.window.To
	var stalls []recording.Stall
	next := 0
	for _, e := range l.issues {
		for ; next < len(l.stalls) && l.stalls[next].From < e.Cycle; next++ {
			stalls = append(stalls, l.stalls[next])
		}
		if done := v.done(&e); e.Cycle >= first || done > first {
			list = append(list, row{e, within(stalls, first), done})
		}
		stalls = nil
	}
	if stalls = within(l.stalls[next:], first); len(stalls) > 0 {
		last := &stalls[len(stalls)-1]
		list = append(list, row{issue: recording.Issue{Cycle: end, Warp: last.Warp, Op: last.Op}, stalls: stalls})
	}
	return list
}

// within drops stalls that end at or before a cycle.
func within(stalls []recording.Stall, first engine.Cycle) []recording.Stall {
	return slices.DeleteFunc(slices.Clone(stalls), func(s recording.Stall) bool { return s.To <= first })
}

// done returns when an operation's result can be used: the answer of an access, else the end of the latency; 0 if there is no result.
func (v *View) done(e *recording.Issue) engine.Cycle {
	for i := range v.track.Answers {
		if a := &v.track.Answers[i]; a.Warp == e.Warp && a.Op == e.Op && a.Issued == e.Cycle {
			return a.Cycle
		}
	}
	op := v.recording.Operation(v.track, e.Warp, e.Op)
	if len(op.Writes) == 0 && !op.Predicates {
		return 0
	}
	return e.Cycle + engine.Cycle(op.Latency)
}

// find returns the warp of a number. If several had it in the window, it returns the first.
func (v *View) find(number int) (*warpHistory, error) {
	for i := range v.warps {
		if v.warps[i].number == number {
			return &v.warps[i], nil
		}
	}
	text := ""
	for i := range v.warps {
		text = joinComma(text, fmt.Sprint(v.warps[i].number))
	}
	return nil, fmt.Errorf("warp %d was not on multiprocessor %d in these cycles: %s were", number, v.track.SMX, text)
}

// WarpText writes one warp as a pipeline diagram: a line for each operation, a column for each cycle.
func (v *View) WarpText(w io.Writer, number int) error {
	l, err := v.find(number)
	if err != nil {
		return err
	}
	rows := v.rows(l)
	width := 0
	for i := range rows {
		width = max(width, len(v.label(&rows[i])))
	}
	var b strings.Builder
	k := &v.recording.Kernels[v.grid.Kernel]
	p := v.warpOf(l)
	block := &v.track.Blocks[p.Block]
	at := v.recording.Grids[block.Grid].BlockAt(block.Number)
	fmt.Fprintf(&b, "%s, launch %d on %s: warp %d of multiprocessor %d (warp %d of block (%d,%d,%d), scheduler %d), cycles %d to %d\n",
		k.Name, v.launch+1, v.recording.Config, number, v.track.SMX, p.Index, at[0], at[1], at[2], p.Scheduler, v.window.From,
		v.window.To-1)
	v.axis(&b, width)
	used := map[stats.Stall]bool{}
	for i := range rows {
		fmt.Fprintf(&b, "%-*s  %s\n", width, v.label(&rows[i]), strings.TrimRight(v.bar(&rows[i], used), " "))
	}
	b.WriteString("\nI issues, + with the one above; = until its result can be used, > that is behind the last cycle")
	for _, r := range legend(used) {
		fmt.Fprintf(&b, "; %c %s", letters[r], r)
	}
	b.WriteByte('\n')
	_, err = io.WriteString(w, b.String())
	return err
}

// legend returns the used reasons in their order.
func legend(used map[stats.Stall]bool) (list []stats.Stall) {
	for s := range stats.StallCount {
		if used[s] {
			list = append(list, s)
		}
	}
	slices.SortFunc(list, func(a, b stats.Stall) int { return cmp.Compare(a, b) })
	return list
}

// label names a row's operation.
func (v *View) label(r *row) string {
	text := v.operation(r.issue.Warp, r.issue.Op)
	if c := v.recording.Operation(v.track, r.issue.Warp, r.issue.Op).Conflict; c > 0 {
		text += fmt.Sprintf(" (bank conflict: +%s)", cyclesText(c))
	}
	return text
}

// axis writes a mark every ten cycles.
func (v *View) axis(b *strings.Builder, width int) {
	line := []byte(strings.Repeat(" ", int(v.window.To-v.window.From)+12))
	for at := (v.window.From + 9) / 10 * 10; at < v.window.To; at += 10 {
		copy(line[at-v.window.From:], fmt.Sprintf("|%d", at))
	}
	fmt.Fprintf(b, "%*s  %s\n", width, "", strings.TrimRight(string(line), " "))
}

// bar returns a row's cycles, and records its reasons in used.
func (v *View) bar(r *row, used map[stats.Stall]bool) string {
	first, end := v.grid.Start+v.window.From, v.grid.Start+v.window.To
	line := []byte(strings.Repeat(" ", int(end-first)))
	fill := func(from, to engine.Cycle, with byte) {
		for at := max(from, first); at < min(to, end); at++ {
			line[at-first] = with
		}
	}
	for _, s := range r.stalls {
		fill(s.From, s.To, letters[s.Reason])
		used[s.Reason] = true
	}
	if r.done > 0 {
		fill(r.issue.Cycle+1, r.done, '=')
		if r.done > end {
			line[len(line)-1] = '>'
		}
	}
	mark := byte('I')
	if r.issue.Second {
		mark = '+'
	}
	fill(r.issue.Cycle, r.issue.Cycle+1, mark)
	return string(line)
}
