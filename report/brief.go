package report

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim/stats"
)

// Limits of the short report. --format full shows what they leave out.
const (
	briefWidth   = 80 // characters of a line
	briefKernels = 8  // rows of the table of kernels
	briefLines   = 3  // source lines
	briefStalls  = 3  // stall reasons
	briefName    = 28 // characters of a kernel's name in a table
	briefFailed  = 3  // failed calls of the device's runtime
)

// brief writes what a reader needs first: what limits the kernel that took longest, how much, and what to do.
func (p *printer) brief(s *sums) {
	longest := slices.MaxFunc(s.kernels, func(a, b *kernelSum) int {
		return cmp.Or(cmp.Compare(a.us, b.us), cmp.Compare(a.longest.Total.InstExecuted, b.longest.Total.InstExecuted))
	})
	l := longest.longest
	heading := fmt.Sprintf("%s on %s", cutTo(l.DisplayName(), briefWidth/2), l.Chip.Title())
	if longest.launches > 1 {
		heading += " (its longest launch)"
	}
	p.heading(styleTitle, heading)
	if l.Interrupted {
		p.wrapped("", fmt.Sprintf("Stopped after %s of %s blocks; all figures are of that part.", count(l.BlocksDone),
			count(l.BlocksTotal())))
	}
	for _, k := range s.kernels {
		p.failedCalls(k.longest)
	}
	found := Findings(l)
	if len(found) > 0 {
		p.wrapped("", found[0])
		p.line("")
	}
	for _, row := range briefSummary(l) {
		if row[1] != "" {
			p.wrapped(fmt.Sprintf("  %-12s", row[0]), row[1])
		}
	}
	p.line("")
	if len(found) > 1 {
		p.styled(styleTitle, "  Also")
		for _, f := range found[1:] {
			p.wrapped("    - ", f)
		}
		p.line("")
	}
	p.hottest(l)
	p.otherKernels(s, longest)
}

// briefKernels writes the sum of several launches, and a line for each kernel.
func (p *printer) briefKernels(r *Run, s *sums) {
	text := fmt.Sprintf("%s on %s: %s launches", r.Workload, configs.TitleOf(r.Config, r.Overrides), count(uint64(r.Count())))
	if s.timed {
		text += fmt.Sprintf(", %s, %s launch cycles", microseconds(s.us), count(s.cycles))
	} else {
		text += ", not timed"
	}
	p.wrapped("", text)
	p.estimates(s)
	p.line("")
	if len(s.kernels) == 1 {
		return
	}
	kernels := slices.Clone(s.kernels)
	slices.SortStableFunc(kernels, func(a, b *kernelSum) int { return cmp.Compare(b.us, a.us) })
	rows := [][]string{{"kernel", "launches", "time", "of all", "occupancy"}}
	if !s.timed {
		rows[0] = rows[0][:2]
	}
	for i, k := range kernels {
		if i == briefKernels {
			rows = append(rows, []string{fmt.Sprintf("and %d more", len(kernels)-i)})
			break
		}
		row := []string{cutTo(shortName(k.first), briefName), count(k.launches)}
		if s.timed {
			row = append(row, microseconds(k.us), percent(ratio(k.us, s.us)), percent(k.longest.Achieved()))
		}
		rows = append(rows, row)
	}
	p.table(rows)
	p.line("")
}

// otherKernels writes the first finding about each kernel except the one shown.
func (p *printer) otherKernels(s *sums, shown *kernelSum) {
	printed := 0
	for _, k := range s.kernels {
		found := Findings(k.longest)
		if k == shown || len(found) == 0 || printed == briefKernels {
			continue
		}
		if printed == 0 {
			p.styled(styleTitle, "  The other kernels")
		}
		printed++
		p.wrapped("    - ", cutTo(shortName(k.first), briefName)+": "+found[0])
	}
	if printed > 0 {
		p.line("")
	}
}

// failedCalls writes the failed calls of the device's runtime in a launch.
func (p *printer) failedCalls(l *stats.Launch) {
	if l.Nested == nil {
		return
	}
	errors := slices.DeleteFunc(slices.Clone(l.Nested.Errors), func(e stats.NestedError) bool {
		return e.Number == stats.NotSupported // reported elsewhere
	})
	if len(errors) == 0 {
		return
	}
	for i := range errors[:min(briefFailed, len(errors))] {
		e := &errors[i]
		p.wrappedIn(styleBad, "FAILED: ", fmt.Sprintf("%s, error %d (%s), %s; first block and thread: %s", e.Call, e.Number, e.Name,
			plural(e.Count, "time"), e.First))
	}
	p.line("")
}

// briefSummary returns a launch in a few lines.
func briefSummary(l *stats.Launch) [][2]string {
	resources := fmt.Sprintf("%d registers a thread", l.Registers)
	if shared := l.StaticShared + l.DynamicShared; shared > 0 {
		resources += fmt.Sprintf(", %s bytes of shared memory a block", count(uint64(shared)))
	}
	if l.LocalBytes > 0 {
		resources += fmt.Sprintf(", %s bytes of local memory a thread", count(uint64(l.LocalBytes)))
	}
	grid := [2]string{"grid", fmt.Sprintf("%s of %s; %s", counted(extent(l.Grid), "block"), counted(extent(l.Block), "thread"), resources)}
	executed := [2]string{"executed", fmt.Sprintf("%s warp instructions%s, %s of %d lanes active", count(l.Total.InstExecuted),
		withChildren(l), significant(metric(l, "warp_execution_efficiency")/100*stats.WarpSize), stats.WarpSize)}
	if l.Functional {
		return [][2]string{grid, executed, {"time", "not simulated (--functional)"}, {"barriers", findPartialBarriers(l)}}
	}
	rows := [][2]string{{"time", fmt.Sprintf("%s (%s launch cycles at %d MHz)", microseconds(l.TimeUS), count(l.LaunchCycles),
		l.Chip.CoreMHz)}}
	if l.Estimate != nil {
		rows = append(rows, [2]string{"estimate", estimated(l)})
	}
	if trust, ok := TrustOf(l); ok {
		rows = append(rows, [2]string{"error", trust.brief()})
	}
	rows = append(rows, grid, executed,
		[2]string{"speed", fmt.Sprintf("%s instructions a cycle and SMX; %s of the issue slots used", significant(metric(l, "ipc")),
			percent(metric(l, "issue_slot_utilization")/100))},
		[2]string{"arithmetic", arithmetic(l)},
		[2]string{"occupancy", fmt.Sprintf("%s of %s possible, limited by %s", percent(l.Achieved()), percent(l.Theoretical()),
			limiters(l))})
	var waits []string
	stalls := stallShares(l)
	for _, s := range stalls[:min(briefStalls, len(stalls))] {
		waits = append(waits, fmt.Sprintf("%s %s", s.reason, percent(s.part)))
	}
	return append(rows, [2]string{"waiting", strings.Join(waits, ", ")}, [2]string{"power", powerOf(l)})
}

// brief returns the expected error in one line.
func (t *Trust) brief() string {
	switch {
	case t.Validated:
		return fmt.Sprintf("about %.0f %% for kernels %s; 9 in 10 are within %.0f %%", t.Typical, kindTitles[t.Kind], t.NineInTen)
	case t.Typical > 0:
		return fmt.Sprintf("about %.0f %%, or more; not validated: %s (docs/validation.md)", t.Typical, t.Reason)
	}
	return fmt.Sprintf("unknown: %s (docs/validation.md)", t.Reason)
}

// hottest writes the source lines at which warps waited longest.
func (p *printer) hottest(l *stats.Launch) {
	lines := slices.DeleteFunc(slices.Clone(l.Source), func(s stats.SourceCount) bool { return s.File == "" || s.Stalled() == 0 })
	if len(lines) == 0 || l.Functional {
		return
	}
	slices.SortStableFunc(lines, func(a, b stats.SourceCount) int { return cmp.Compare(b.Stalled(), a.Stalled()) })
	lines = lines[:min(briefLines, len(lines))]
	p.styled(styleTitle, "  Where warps waited")
	rows := make([][]string, len(lines))
	for i := range lines {
		s := &lines[i]
		rows[i] = []string{fmt.Sprintf("%8s", percent(ratio(s.Stalled(), l.Stalled()))),
			cutTo(fmt.Sprintf("%s:%d", path.Base(s.File), s.Line), briefName),
			s.MostStalled().String(), s.Text}
	}
	widths := 0
	for column := range rows[0][:3] {
		widths += 2 + len([]rune(slices.MaxFunc(rows, func(a, b []string) int {
			return cmp.Compare(len([]rune(a[column])), len([]rune(b[column])))
		})[column]))
	}
	for _, row := range rows {
		row[3] = cutTo(strings.ReplaceAll(row[3], "\t", " "), briefWidth-widths-2)
	}
	p.columns(rows, len(rows[0]))
	p.line("")
}
