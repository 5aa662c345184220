package occupancy

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/report/plots"
	smx "github.com/keplersim/keplersim/sim/smx/occupancy"
)

// resourceWords are the names of resources in sentences.
var resourceWords = map[smx.Resource]string{
	smx.Warps: "warp slots", smx.Registers: "registers", smx.SharedMemory: "shared memory", smx.Blocks: "block slots",
}

// WriteText writes the study for people: the table, and for a single launch also what stops the next block, what stays unused, and advice.
// The function spills, if not nil, says what it costs a launch on a chip to have another number of registers.
func (s *Study) WriteText(w io.Writer, spills func(chip string, from, to smx.Launch) string) error {
	out := bufio.NewWriter(w)
	s.writeTitle(out)
	if len(s.Axes) == 2 && len(s.Axes[1].Values) <= maxColumns {
		for _, chip := range s.Chips {
			s.writeMatrix(out, chip)
		}
	} else {
		s.writeTable(out)
	}
	if len(s.Axes) == 0 {
		for _, p := range s.Points {
			writeWords(out, p)
			writeAdvice(out, p, spills)
		}
	} else {
		s.writeSummary(out)
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("occupancy as text: %w", err)
	}
	return nil
}

func (s *Study) writeTitle(out io.Writer) {
	name := "Occupancy"
	if s.Kernel != "" {
		name += " of " + s.Kernel
	}
	if len(s.Axes) > 0 {
		var titles []string
		for _, a := range s.Axes {
			titles = append(titles, a.Title())
		}
		name += " over " + strings.Join(titles, " and ")
	}
	if len(s.Overrides) > 0 {
		name += ", with " + configs.JoinOverrides(s.Overrides)
	}
	fmt.Fprintf(out, "%s\n\n", name)
}

// tableRows is the most points under one head.
const tableRows = 10_000

// writeTable writes a line for each point.
func (s *Study) writeTable(out io.Writer) {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	head := "config\tcc\tblock\tregisters\tshared\tcache\tblocks\twarps\toccupancy\tby warps\tby registers\tby shared\tby blocks\t"
	fmt.Fprintln(table, head)
	for i, p := range s.Points {
		if i > 0 && i%tableRows == 0 { // tabwriter lays a whole table out in memory
			table.Flush()
			fmt.Fprintln(table, head)
		}
		r := p.Result
		fmt.Fprintf(table, "%s\t%s\t%d\t%d\t%d\t%s\t%d\t%d of %d\t%s\t", p.Limits.Name, p.Limits.Capability, p.Launch.Threads,
			p.Launch.Registers,
			p.Launch.Shared, p.Launch.Cache, r.Blocks, r.Warps, p.Limits.Warps, percent(r.Occupancy))
		for _, resource := range smx.Resources() {
			text := "-"
			if r.Limit[resource] != smx.Unlimited {
				text = strconv.Itoa(r.Limit[resource])
			}
			if r.Limiters.Has(resource) {
				text = "*" + text
			}
			fmt.Fprint(table, text, "\t")
		}
		fmt.Fprintln(table)
	}
	table.Flush()
	fmt.Fprintln(out, "\nby …: blocks that this resource alone would let in, - for any number; * stops the next block.")
}

// maxColumns is the most values of the second axis side by side in a matrix.
const maxColumns = 24

// limiterLetters are the resources' letters in the matrix.
var limiterLetters = map[smx.Resource]string{smx.Warps: "w", smx.Registers: "r", smx.SharedMemory: "s", smx.Blocks: "b"}

// writeMatrix writes the resident warps of a two-axis sweep, with a letter for each limiter.
func (s *Study) writeMatrix(out io.Writer, chip smx.Limits) {
	points, columns := s.Of(chip), len(s.Axes[1].Values)
	fmt.Fprintf(out, "%s (cc %s): resident warps of %d; down: %s, across: %s\n\n", chip.Name, chip.Capability, chip.Warps,
		s.Axes[0].Title(), s.Axes[1].Title())
	table := tabwriter.NewWriter(out, 0, 0, 1, ' ', tabwriter.AlignRight)
	fmt.Fprint(table, "\t")
	for _, v := range s.Axes[1].Values {
		fmt.Fprintf(table, "%d\t", v)
	}
	fmt.Fprintln(table)
	for i, v := range s.Axes[0].Values {
		fmt.Fprintf(table, "%d\t", v)
		for _, p := range points[i*columns : (i+1)*columns] {
			letters := ""
			for _, r := range smx.Resources() {
				if p.Result.Limiters.Has(r) {
					letters += limiterLetters[r]
				}
			}
			fmt.Fprintf(table, "%d%s\t", p.Result.Warps, letters)
		}
		fmt.Fprintln(table)
	}
	table.Flush()
	fmt.Fprintf(out, "\nw, r, s, b: warp slots, registers, shared memory, block slots stop the next block.\n\n")
}

// writeSummary writes the point with the most warps for each chip.
func (s *Study) writeSummary(out io.Writer) {
	fmt.Fprintln(out)
	for _, chip := range s.Chips {
		full := slices.MaxFunc(s.Of(chip), func(a, b Point) int { return a.Result.Warps - b.Result.Warps })
		fmt.Fprintf(out, "%s: the most warps, %d of %d (%s), first with %s\n", chip.Name, full.Result.Warps, chip.Warps,
			percent(full.Result.Occupancy), s.describe(full))
	}
}

// describe returns a point's values on the axes.
func (s *Study) describe(p Point) string {
	var parts []string
	for _, a := range s.Axes {
		parts = append(parts, fmt.Sprintf("%s %d", a.Name, a.of(p.Launch)))
	}
	return strings.Join(parts, ", ")
}

// writeWords writes what stops the next block and what is left.
func writeWords(out io.Writer, p Point) {
	r, l := p.Result, p.Limits
	fmt.Fprintf(out, "\n%s (cc %s): %s of %s, %d of %d warps, %s\n", l.Name, l.Capability, count(r.Blocks, "block"),
		count(p.Launch.Threads, "thread"), r.Warps, l.Warps, percent(r.Occupancy))
	if r.Blocks == 0 {
		fmt.Fprintln(out, "  Not one block fits: the kernel cannot be launched so.")
	}
	for _, resource := range smx.Resources() {
		if !r.Limiters.Has(resource) {
			continue
		}
		fmt.Fprintf(out, "  Stopped by %s: ", resourceWords[resource])
		switch resource {
		case smx.Warps:
			fmt.Fprintf(out, "a block takes %d of %d", r.WarpsPerBlock, l.Warps)
		case smx.Registers:
			fmt.Fprintf(out, "a block takes %s of %s (%d a warp, in units of %d)", plots.Grouped(r.AllocatedRegisters),
				plots.Grouped(l.Registers),
				l.RegistersPerWarp(p.Launch.Registers), l.RegisterUnit)
			if limit := (r.WarpsPerBlock +
				l.Partitions - 1) / l.Partitions * l.Partitions * l.RegistersPerWarp(p.Launch.Registers); limit > l.RegistersPerBlock {
				fmt.Fprintf(out, "; a block can have %s", plots.Grouped(l.RegistersPerBlock))
			} else {
				fmt.Fprintf(out, "; each of %d partitions holds %d warps", l.Partitions,
					l.Registers/l.Partitions/max(l.RegistersPerWarp(p.Launch.Registers), 1))
			}
		case smx.SharedMemory:
			fmt.Fprintf(out, "a block takes %s of %s bytes (cache preference %s)", plots.Grouped(r.AllocatedShared),
				plots.Grouped(r.SharedPerSMX),
				p.Launch.Cache)
		case smx.Blocks:
			fmt.Fprintf(out, "%d blocks are resident at most", l.Blocks)
		}
		fmt.Fprintln(out, ".")
	}
	wasted := r.Wasted
	fmt.Fprintf(out, "  Unused: %d warp slots, %s registers (%.0f %%), %s bytes of shared memory (%.0f %%)", wasted.Warps,
		plots.Grouped(wasted.Registers),
		100*float64(wasted.Registers)/float64(l.Registers), plots.Grouped(wasted.Shared),
		100*float64(wasted.Shared)/float64(max(r.SharedPerSMX, 1)))
	if wasted.RoundedRegisters > 0 {
		fmt.Fprintf(out, "; by rounding: %s registers", plots.Grouped(wasted.RoundedRegisters))
	}
	if wasted.RoundedShared > 0 {
		fmt.Fprintf(out, "; by rounding: %s bytes of shared memory", plots.Grouped(wasted.RoundedShared))
	}
	if wasted.Lanes > 0 {
		fmt.Fprintf(out, "; %d lanes without a thread: a block is %d threads, %d warps are %d", wasted.Lanes, p.Launch.Threads,
			r.WarpsPerBlock, r.WarpsPerBlock*32)
	}
	fmt.Fprintln(out, ".")
}

// writeAdvice writes what would let more warps in, and the best block size.
func writeAdvice(out io.Writer, p Point, spills func(string, smx.Launch, smx.Launch) string) {
	changes := p.Limits.Advise(p.Launch)
	if len(changes) == 0 {
		fmt.Fprintln(out, "  Advice: no change of one number lets more warps in.")
	} else {
		fmt.Fprintln(out, "  What would let more warps in:")
	}
	for _, c := range changes {
		var what string
		switch c.Kind {
		case smx.ChangeBlock:
			what = fmt.Sprintf("blocks of %d threads", c.Launch.Threads)
		case smx.ChangeRegisters:
			what = fmt.Sprintf("--maxrregcount %d", c.Launch.Registers)
		case smx.ChangeShared:
			what = fmt.Sprintf("%s bytes of shared memory a block", plots.Grouped(c.Launch.Shared))
		case smx.ChangeRegistersAndShared:
			what = fmt.Sprintf("--maxrregcount %d and %s bytes of shared memory a block", c.Launch.Registers,
				plots.Grouped(c.Launch.Shared))
		case smx.ChangeCache:
			what = fmt.Sprintf("--cache-config %s", c.Launch.Cache)
		}
		fmt.Fprintf(out, "    %s: %s, %d warps, %s", what, count(c.Result.Blocks, "block"), c.Result.Warps, percent(c.Result.Occupancy))
		if spills != nil && c.Launch.Registers != p.Launch.Registers {
			fmt.Fprintf(out, "; %s", spills(p.Limits.Name, p.Launch, c.Launch))
		}
		fmt.Fprintln(out)
	}
	best, result := p.Limits.Best(p.Launch, nil)
	fmt.Fprintf(out, "  Fullest block size: %d threads, %s, %d warps, %s\n", best.Threads, count(result.Blocks, "block"), result.Warps,
		percent(result.Occupancy))
}

func percent(x float64) string { return strconv.FormatFloat(100*x, 'f', 1, 64) + " %" }

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}
