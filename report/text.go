package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/keplersim/keplersim/internal/pattern"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/sim/check/finding"
	"github.com/keplersim/keplersim/sim/stats"
)

func init() {
	RegisterFormat("text", "what limits the kernel, by how much and where", Text, inTurn(Text))
	RegisterFormat("full", "text with all figures", Full, inTurn(Full))
}

// Text writes the short report for people: the verdict first, no line longer than 80 characters. Only its last line depends on the host.
func Text(w io.Writer, r *Run) error {
	return writeText(w, r, &printer{color: r.Color, width: briefWidth})
}

// Full writes the report for people with all figures. Only its last line depends on the host.
func Full(w io.Writer, r *Run) error {
	return writeText(w, r, &printer{color: r.Color, width: fullWidth})
}

// ForPeople reports whether a format is text for people.
func ForPeople(format string) bool { return format == "text" || format == "full" }

func writeText(w io.Writer, r *Run, p *printer) error {
	brief := p.short() && r.Metrics == nil && r.Checked == finding.None && r.Count() > 0
	if !brief {
		p.notes(r)
	}
	s := summed(r)
	unlaunched := ""
	for _, k := range s.kernels {
		if unlaunched = k.longest.Unlaunched(); unlaunched != "" {
			p.wrappedIn(styleBad, "", unlaunched)
			break
		}
	}
	if len(r.Notes) > 0 && !brief || unlaunched != "" {
		p.line("")
	}
	switch {
	case r.Checked != finding.None && r.Count() > 0:
		p.checkedKernels(r)
	case r.Count() > 1 && p.short():
		p.briefKernels(r, s)
	case r.Count() > 1:
		p.overview(r, s)
	}
	switch {
	case r.Metrics != nil:
		p.metrics(r)
	case r.Checked != finding.None || r.Count() == 0:
	case brief:
		p.brief(s)
		if p.notes(r); len(r.Notes) > 0 {
			p.line("")
		}
		p.line("All figures: --format full. As a page: --report page.html")
		p.line("")
	default:
		for _, k := range s.kernels {
			p.launch(k.longest, len(s.kernels) < r.Count())
		}
	}
	if r.Metrics == nil && r.Checked == finding.None {
		p.timeline(r.Timeline)
		p.power(r.Power)
	}
	p.mistakes(r, s)
	p.checks(r, unlaunched)
	if r.Failure != "" {
		p.wrappedIn(styleBad, "", "The run ended early: "+firstLine(r.Failure))
		p.line("")
	}
	p.speed(r, &s.took)
	if _, err := io.WriteString(w, p.out.String()); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// notes writes what the reader has to know about how the run was made.
func (p *printer) notes(r *Run) {
	for _, n := range r.Notes {
		p.indented(styleNote, "note: "+n)
	}
}

// printer collects the text.
type printer struct {
	out   strings.Builder
	color bool
	width int // where sentences wrap, in characters; 0 means fullWidth
}

// short reports whether the text is the short report.
func (p *printer) short() bool { return p.width == briefWidth }

func (p *printer) line(format string, arguments ...any) {
	fmt.Fprintf(&p.out, format+"\n", arguments...)
}

// table writes rows with aligned columns, indented by two: the first column left-aligned, the others right-aligned.
func (p *printer) table(rows [][]string) { p.columns(rows, 1) }

// columns is table with the first left columns left-aligned.
func (p *printer) columns(rows [][]string, left int) {
	widths := map[int]int{}
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], len([]rune(cell)))
		}
	}
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			pad := strings.Repeat(" ", widths[i]-len([]rune(cell)))
			if i < left {
				line.WriteString("  " + cell + pad)
			} else {
				line.WriteString("  " + pad + cell)
			}
		}
		p.line("%s", strings.TrimRight(line.String(), " "))
	}
}

// fields writes names with their values.
func (p *printer) fields(pairs [][2]string) {
	t := tabwriter.NewWriter(&p.out, 0, 0, 2, ' ', 0)
	for _, pair := range pairs {
		if pair[1] != "" {
			fmt.Fprintf(t, "  %s\t%s\n", pair[0], pair[1])
		}
	}
	_ = t.Flush() // a strings.Builder never fails
}

// shortName returns a kernel's name without its parameter types.
func shortName(l *stats.Launch) string {
	name, _, _ := strings.Cut(l.DisplayName(), "(")
	return name
}

// metric returns a metric's value by name. It panics if there is no such metric.
func metric(l *stats.Launch, name string) float64 {
	d, ok := stats.Find(name)
	if !ok {
		panic("report: no metric " + name)
	}
	return d.Value(l)
}

// heading writes an underlined title.
func (p *printer) heading(s style, title string) {
	p.indented(s, title)
	width := len([]rune(title))
	if p.short() {
		width = min(width, p.width)
	}
	p.styled(s, "%s", strings.Repeat("=", width))
}

// launch writes one launch in full.
func (p *printer) launch(l *stats.Launch, longest bool) {
	heading := fmt.Sprintf("%s on %s", l.DisplayName(), l.Chip.Title())
	if longest {
		heading += " (its longest launch)"
	}
	p.heading(styleTitle, heading)
	if l.Interrupted {
		p.line("  stopped after %s of %s blocks; all figures are of that part", count(l.BlocksDone), count(l.BlocksTotal()))
	}
	p.fields(summary(l))
	p.line("")
	if !l.Functional {
		p.why(l)
	}
	p.memory(l)
	p.roofline(l)
	p.nested(l)
	p.source(l)
	p.mix(l)
}

// summary returns the launch in a few lines.
func summary(l *stats.Launch) [][2]string {
	shared := "no shared memory"
	if l.StaticShared+l.DynamicShared > 0 {
		shared = fmt.Sprintf("%s bytes of shared memory a block", count(uint64(l.StaticShared+l.DynamicShared)))
	}
	resources := fmt.Sprintf("%d registers a thread, %s", l.Registers, shared)
	if l.LoweredRegisters > 0 {
		resources = fmt.Sprintf("%d registers a thread, as with --maxrregcount %[1]d (a block of %d threads has no room for the %d "+
			"that lowering "+
			"gave first), %s", l.Registers, l.ThreadsPerBlock(), l.LoweredRegisters, shared)
	}
	if l.LocalBytes > 0 {
		resources += fmt.Sprintf(", %s bytes of local memory a thread", count(uint64(l.LocalBytes)))
	}
	chip := fmt.Sprintf("%s, compute capability %s, %s at %d MHz", l.Chip.Name, l.Chip.Capability, plural(uint64(l.Chip.SMXs), "SMX"),
		l.Chip.CoreMHz)
	rows := [][2]string{
		{"chip", chip},
		{
			"grid",
			fmt.Sprintf("%s of %s (%s in all)", counted(extent(l.Grid), "block"), counted(extent(l.Block), "thread"),
				count(l.BlocksTotal()*uint64(l.ThreadsPerBlock()))),
		},
		{"uses", resources},
	}
	executed := fmt.Sprintf("%s warp instructions%s, %s of %d lanes active", count(l.Total.InstExecuted), withChildren(l),
		significant(metric(l, "warp_execution_efficiency")/100*stats.WarpSize), stats.WarpSize)
	if l.Functional {
		return append(rows, [2]string{"executed", executed}, [2]string{"time", "not simulated (--functional)"},
			[2]string{"barriers", findPartialBarriers(l)})
	}
	rows = append(rows, [2]string{"time", duration(l)})
	if l.Estimate != nil {
		rows = append(rows, [2]string{"estimate", estimated(l)})
	}
	if trust, ok := TrustOf(l); ok {
		rows = append(rows, [2]string{"trust", trust.Text})
	}
	return append(rows,
		[2]string{"executed", executed},
		[2]string{"speed", speed(l)},
		[2]string{"arithmetic", arithmetic(l)},
		[2]string{"occupancy", fmt.Sprintf("%s achieved of %s possible: %d blocks, %d of %d warps an SMX, limited by %s",
			percent(l.Achieved()), percent(l.Theoretical()),
			l.Occupancy.Blocks, l.Occupancy.Warps, l.Chip.WarpsPerSMX, limiters(l))},
		[2]string{"power", powerOf(l)},
	)
}

// estimated says what a launch's cycles were estimated from, and how certain they are.
func estimated(l *stats.Launch) string {
	e := l.Estimate
	from := fmt.Sprintf("%s with timing, %s of the instructions", counted(count(uint64(e.Windows)), "window"), percent(e.Detailed))
	switch {
	case e.Windows > 0:
	case e.OtherGrids:
		from = fmt.Sprintf("%s before it of the same kernel with other grids", plural(uint64(e.Launches), "launch"))
	case e.Launches > 0:
		from = fmt.Sprintf("%s before it of the same kernel and grid", plural(uint64(e.Launches), "launch"))
	default:
		from = "itself, timed after launches without timing, which left the caches as they were"
	}
	text := fmt.Sprintf("from %s: ± %s elapsed cycles (%s) in %.0f of 100 cases; counters of time and memory are extrapolated", from,
		count(uint64(e.Half)), percent(e.Half/float64(max(1, l.Cycles))), 100*e.Confidence)
	if e.Partial {
		text += "; not all blocks ran: results are incomplete, and what was executed is extrapolated too"
	}
	return text
}

// duration returns a launch's time with its counts of cycles.
func duration(l *stats.Launch) string {
	return fmt.Sprintf("%s: %s launch cycles at %d MHz; %s kernel cycles; nvprof would show %s elapsed cycles", microseconds(l.TimeUS),
		count(l.LaunchCycles), l.Chip.CoreMHz, count(l.KernelCycles), count(l.Cycles))
}

// speed returns the issue rate, and the part of the issue slots that instructions and their replays took.
func speed(l *stats.Launch) string {
	t := &l.Total
	used, most := metric(l, "issue_slot_utilization")/100, l.Chip.IssuesPerCycle()
	text := fmt.Sprintf("ipc %s of %d; %s of the issue slots used, of these %s by two instructions",
		significant(metric(l, "ipc")), most, percent(used), percent(ratio(t.IssuedDual, t.IssuedSingle+t.IssuedDual)))
	if again := replays(l); again > 0 {
		text += fmt.Sprintf(" and %s by replays of memory accesses", percent(again))
	}
	return text
}

// limiters names what keeps one more block out of an SMX.
func limiters(l *stats.Launch) string {
	names, last := l.Occupancy.Limiters, len(l.Occupancy.Limiters)-1
	if last < 0 {
		return "nothing"
	}
	text := names[last]
	if last > 0 {
		text = strings.Join(names[:last], ", ") + " and " + text
	}
	return strings.ReplaceAll(text, "_", " ")
}

// arithmetic returns the rates of floating-point operations, "" if there are none.
func arithmetic(l *stats.Launch) string {
	var parts []string
	for _, k := range []struct{ name, count, efficiency string }{
		{"single", "flop_count_sp", "flop_sp_efficiency"}, {"double", "flop_count_dp", "flop_dp_efficiency"},
	} {
		if n := metric(l, k.count); n > 0 && l.TimeUS > 0 {
			parts = append(parts, fmt.Sprintf(
				"%s %s precision, %s of the peak", flops(n/l.TimeUS*1e6), k.name, percent(metric(l, k.efficiency)/100),
			))
		}
	}
	return strings.Join(parts, "; ")
}

// why writes what held the launch up: the stall reasons, and findings.
func (p *printer) why(l *stats.Launch) {
	if shares := stallShares(l); len(shares) > 0 {
		p.styled(styleTitle, "  Why warps did not issue")
		rows := make([][2]string, len(shares))
		for i, s := range shares {
			rows[i] = [2]string{fmt.Sprintf("  %7s", percent(s.part)), fmt.Sprintf("%s\t%s", s.reason, s.reason.Meaning())}
		}
		p.fields(rows)
		p.line("")
	}
	if found := Findings(l); len(found) > 0 {
		p.styled(styleTitle, "  What held it up")
		for _, f := range found {
			p.wrapped("    - ", f)
		}
		p.line("")
	}
}

// longestQuote is the most characters of source code that a sentence of the short report quotes.
const longestQuote = 60

// fullWidth is where sentences of the full report wrap, in characters.
const fullWidth = 110

// quoted matches source text in a sentence.
var quoted = pattern.Lazy("`[^`]*`")

// wrapped writes a text after a bullet, with its further lines aligned.
func (p *printer) wrapped(bullet, text string) { p.wrappedIn("", bullet, text) }

func (p *printer) wrappedIn(s style, bullet, text string) {
	line := bullet
	// Do not break between a number and its percent sign, nor within quoted code.
	text = strings.ReplaceAll(text, " %", "\u00a0%")
	text = quoted().ReplaceAllStringFunc(text, func(code string) string {
		if p.short() && len([]rune(code)) > longestQuote {
			code = cutTo(code, longestQuote-1) + "`"
		}
		return strings.ReplaceAll(code, " ", "\u00a0")
	})
	width := cmp.Or(p.width, fullWidth)
	for i, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' }) {
		if i > 0 && len([]rune(line))+1+len([]rune(word)) > width {
			p.wrappedLine(s, line)
			line = strings.Repeat(" ", len([]rune(bullet)))
		} else if i > 0 {
			line += " "
		}
		line += word
	}
	p.wrappedLine(s, line)
}

func (p *printer) wrappedLine(s style, line string) {
	p.styled(s, "%s", strings.ReplaceAll(line, "\u00a0", " "))
}

// indented writes lines and keeps their indentation; the short report wraps them.
func (p *printer) indented(s style, text string) {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		words := strings.TrimLeft(line, " ")
		if !p.short() || len([]rune(line)) <= p.width {
			p.styled(s, "%s", line)
			continue
		}
		p.wrappedIn(s, line[:len(line)-len(words)], words)
	}
}

// memory writes the table of memory traffic.
func (p *printer) memory(l *stats.Launch) {
	t := &l.Total
	rows := [][]string{{"memory", "instructions", "transactions", "each", "asked for", "moved", "efficiency", "rate"}}
	for _, k := range []struct {
		name    string
		traffic *stats.Traffic
		pass    int // bytes of a transaction if sectors are not counted
	}{
		{"global loads", &t.GlobalLoad, 0}, {"global stores", &t.GlobalStore, 0}, {"read-only loads", &t.ReadOnlyLoad, 0},
		{"texture reads", &t.Texture, 0}, {"local loads", &t.LocalLoad, 0}, {"local stores", &t.LocalStore, 0},
		{"shared loads", &t.SharedLoad, l.Chip.SharedBytesPerPass}, {"shared stores", &t.SharedStore, l.Chip.SharedBytesPerPass},
		{"atomics", &t.Atomics, 0}, {"reductions", &t.Reductions, 0}, {"shared atomics", &t.SharedAtomics, 0},
	} {
		if k.traffic.Requests == 0 {
			continue
		}
		moved := 32 * float64(k.traffic.Sectors)
		if k.pass > 0 {
			moved = float64(k.pass) * float64(k.traffic.Transactions)
		}
		row := []string{k.name, count(k.traffic.Requests), count(k.traffic.Transactions),
			significant(ratio(k.traffic.Transactions, k.traffic.Requests)), inBytes(float64(k.traffic.Bytes))}
		if moved > 0 {
			row = append(row, inBytes(moved), percent(float64(k.traffic.Bytes)/moved), p.rate(l, moved))
		}
		rows = append(rows, row)
	}
	if !l.Functional {
		rows = append(rows, p.sectors(l, "L2 reads", "l2_read_transactions"), p.sectors(l, "L2 writes", "l2_write_transactions"),
			p.sectors(l, "L2 atomics", "l2_atomic_transactions"), p.sectors(l, "DRAM reads", "dram_read_transactions"),
			p.sectors(l, "DRAM writes", "dram_write_transactions"),
			p.sectors(l, "DRAM check bits", "ecc_transactions"))
	}
	for _, k := range []struct {
		name    string
		sectors uint64
	}{
		{"host memory reads", l.Memory.HostReadSectors}, {"host memory writes", l.Memory.HostWriteSectors},
		{"peer memory reads", l.Memory.PeerReadSectors}, {"peer memory writes", l.Memory.PeerWriteSectors},
	} {
		if bytes := 32 * float64(k.sectors); k.sectors > 0 && !l.Functional {
			rows = append(rows, []string{k.name, "", count(k.sectors), "", "", inBytes(bytes), "", p.rate(l, bytes)})
		}
	}
	if rows = slices.DeleteFunc(rows, func(r []string) bool { return r == nil }); len(rows) > 1 {
		p.table(rows)
		p.line("")
	}
	if hits := hitRates(l); hits != "" && !l.Functional {
		p.wrapped("  cache hits: ", hits)
		p.line("")
	}
	if l.Memory.Reuse != nil {
		p.reuse(l.Memory.Reuse)
	}
}

// rate returns bytes over the launch's time, "" without timing.
func (p *printer) rate(l *stats.Launch, moved float64) string {
	if l.Functional || l.TimeUS == 0 {
		return ""
	}
	return rate(moved / l.TimeUS * 1e6)
}

// sectors returns the row for a count of 32-byte sectors, nil if it is 0.
func (p *printer) sectors(l *stats.Launch, name, metricName string) []string {
	n := metric(l, metricName)
	if n == 0 {
		return nil
	}
	return []string{name, "", count(uint64(n)), "", "", inBytes(32 * n), "", p.rate(l, 32*n)}
}

// hitRates lists the hit rates of the caches that were used.
func hitRates(l *stats.Launch) string {
	var parts []string
	for _, c := range []struct {
		name  string
		count stats.CacheCount
	}{
		{"L1 local", l.Total.L1Local}, {"L1 global", l.Total.L1Global}, {"read-only", l.Total.ReadOnly}, {"texture", l.Total.TextureCache},
		{"constant", l.Total.Constant}, {"instruction", l.Total.Instruction},
	} {
		if c.count.Accesses > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", c.name, percent(ratio(c.count.Hits, c.count.Accesses))))
		}
	}
	if m := &l.Memory; m.L2ReadSectors > 0 {
		parts = append(parts, "L2 reads "+percent(ratio(m.L2ReadSectorHits, m.L2ReadSectors)))
	}
	return strings.Join(parts, ", ")
}

// mixShown is the least part of all instructions for which the mix names a class.
const mixShown = 0.02

// mix writes the classes of the executed instructions.
func (p *printer) mix(l *stats.Launch) {
	type share struct {
		class isa.Class
		n     uint64
	}
	var shares []share
	all, rest := uint64(0), uint64(0)
	for c, n := range l.Total.ByClass {
		all += n
		shares = append(shares, share{isa.Class(c), n})
	}
	if all == 0 {
		return
	}
	slices.SortStableFunc(shares, func(a, b share) int { return cmp.Compare(b.n, a.n) })
	var parts []string
	for _, s := range shares {
		if ratio(s.n, all) < mixShown {
			rest += s.n
			continue
		}
		parts = append(parts, fmt.Sprintf("%s %s", s.class, percent(ratio(s.n, all))))
	}
	if rest > 0 {
		parts = append(parts, fmt.Sprintf("others %s", percent(ratio(rest, all))))
	}
	p.wrapped("  instructions: ", strings.Join(parts, ", "))
	p.line("")
}

// checks writes the comparison with the expected results.
func (p *printer) checks(r *Run, unlaunched string) {
	if r.Incomplete {
		p.wrappedIn(styleBad, "", "results incomplete: work was left out (--sample=time), so that buffers are neither checked nor shown")
		p.line("")
	}
	if len(r.Checks) == 0 {
		return
	}
	var right []string
	for _, c := range r.Checks {
		if c.Mismatch == nil {
			right = append(right, c.Buffer)
		} else {
			first, rest, _ := strings.Cut(c.Mismatch.String(), "\n")
			p.wrappedIn(styleBad, "FAILED: ", first)
			p.indented("", rest)
		}
	}
	if len(right) > 0 {
		p.wrappedIn(styleGood, "", "as expected: "+strings.Join(right, ", "))
	}
	if unlaunched != "" && len(right) < len(r.Checks) {
		p.wrappedIn(styleBad, "because ", unlaunched)
	}
	p.line("")
}

// speed writes the line that differs from run to run.
func (p *printer) speed(r *Run, took *work) {
	text := fmt.Sprintf("simulated in %s with %s: %s warp instructions a second", wall(took.wall),
		plural(uint64(r.Host.Threads), "thread"), significant(took.speed()))
	if r.Host.PeakMemory > 0 && !p.short() {
		text += ", " + inBytes(float64(r.Host.PeakMemory)) + " of memory at most"
	}
	p.line("%s", text)
}

// firstLine returns the first line of a message.
func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}
