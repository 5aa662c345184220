package cli

import (
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/keplersim/keplersim/report"
	"github.com/keplersim/keplersim/runtime"
	"github.com/keplersim/keplersim/sim/stats"
)

// deviceName returns a device's name in nvprof's form.
func (o *profileOptions) deviceName(number int) string {
	return fmt.Sprintf("%s (%d)", o.board, number)
}

// line prints a line about the profiler itself, as nvprof does, unless --quiet is given.
func (o *profileOptions) line(out io.Writer, format string, args ...any) {
	if !o.quiet {
		fmt.Fprintf(out, "==%d== %s\n", os.Getpid(), fmt.Sprintf(format, args...))
	}
}

// writeMetrics prints events, then metrics. Each line has a kernel and a name, with minimum, maximum and average over the launches, and for
// events the sum.
func (o *profileOptions) writeMetrics(out io.Writer, s *runtime.Summary, events, metrics []stats.Definition) error {
	launches := o.chosen(s)
	ran := 0
	for _, sum := range s.Kernels {
		if !strings.HasPrefix(sum.Name, "[CUDA ") {
			ran += sum.Count
		}
	}
	if ran > len(s.Launches) {
		o.line(out, "Warning: the first %d of %d launches are counted", len(s.Launches), ran)
	}
	for _, t := range []struct {
		title, name string
		list        []stats.Definition
		trailing    []any // columns after the metric's
	}{
		{"Event result:", "Event Name", events, []any{"Min", "Max", "Avg", "Total"}},
		{"Metric result:", "Metric Name", metrics, []any{"Metric Description", "Min", "Max", "Avg"}},
	} {
		if len(t.list) == 0 {
			continue
		}
		o.line(out, "%s", t.title)
		write := o.metricText
		if o.csv {
			write = o.metricCSV
		}
		head := append([]any{"Device", "Kernel", "Invocations", t.name}, t.trailing...)
		if err := write(out, head, report.Measure(slices.All(launches), t.list), t.list); err != nil {
			return err
		}
	}
	return nil
}

// chosen returns the launches of the kernels that --kernels selects.
func (o *profileOptions) chosen(s *runtime.Summary) []*stats.Launch {
	if len(o.kernels) == 0 {
		return s.Launches
	}
	detail := runtime.Detail{Kernels: o.kernels}
	return slices.DeleteFunc(slices.Clone(s.Launches), func(l *stats.Launch) bool { return !detail.Names(l.Kernel) })
}

// writeLaunchMetrics prints a line for each launch with its events and metrics, as nvprof does with --print-gpu-trace.
func (o *profileOptions) writeLaunchMetrics(out io.Writer, s *runtime.Summary, list []stats.Definition) error {
	value := metricShort
	if o.csv {
		value = metricExact
	}
	rows := [][]any{{"Device", "Context", "Stream", "Kernel"}}
	for i := range list {
		rows[0] = append(rows[0], list[i].Name)
	}
	for _, l := range o.chosen(s) {
		row := []any{o.deviceName(l.Device), onlyContext, strconv.Itoa(l.Stream), l.DisplayName()}
		for i := range list {
			if list[i].Timed && l.Functional {
				row = append(row, nil)
				continue
			}
			row = append(row, value(list[i].Value(l), list[i].Unit))
		}
		rows = append(rows, row)
	}
	if o.csv {
		return runtime.WriteQuoted(out, rows)
	}
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, row := range rows {
		fmt.Fprintln(t, strings.Join(texts(row), "\t")+"\t")
	}
	return t.Flush()
}

// metricCells returns the cells after the metric's name in a kernel's line. value formats each number.
func metricCells(k *report.Measured, d *stats.Definition, at int, columns []any, value func(float64, stats.Unit) any) []any {
	s, list := k.Values[at], make([]any, len(columns))
	for i, column := range columns {
		switch {
		case column == "Metric Description":
			list[i] = described(d)
		case d.Timed && k.First.Functional:
		default:
			v := map[any]float64{"Min": s.Least, "Max": s.Most, "Avg": s.Sum / float64(k.Launches), "Total": s.Sum}[column]
			list[i] = value(v, d.Unit)
		}
	}
	return list
}

// described returns a metric's meaning in a few words. It cuts at a comma, because nvprof's descriptions have none and readers split lines
// at commas.
func described(d *stats.Definition) string {
	if at := strings.IndexAny(d.Meaning, ",.:;("); at > 0 {
		return strings.TrimSpace(d.Meaning[:at])
	}
	return d.Meaning
}

func (o *profileOptions) metricCSV(out io.Writer, head []any, kernels []*report.Measured, list []stats.Definition) error {
	rows := [][]any{head}
	for _, k := range kernels {
		for i := range list {
			row := []any{o.deviceName(k.First.Device), k.First.DisplayName(), k.Launches, list[i].Name}
			rows = append(rows, append(row, metricCells(k, &list[i], i, head[4:], metricExact)...))
		}
	}
	return runtime.WriteQuoted(out, rows)
}

func (o *profileOptions) metricText(out io.Writer, head []any, kernels []*report.Measured, list []stats.Definition) error {
	lines := [][]string{texts(head[2:])}
	for _, k := range kernels {
		for i := range list {
			row := []any{k.Launches, list[i].Name}
			lines = append(lines, texts(append(row, metricCells(k, &list[i], i, head[4:], metricShort)...)))
		}
	}
	wide := make([]int, len(lines[0]))
	for _, line := range lines {
		for i, cell := range line {
			wide[i] = max(wide[i], len(cell), 10)
		}
	}
	write := func(line []string) {
		for i, cell := range line {
			fmt.Fprintf(out, "%*s", wide[i]+min(2*i, 2), cell)
		}
		fmt.Fprintln(out)
	}
	write(lines[0])
	device := -1
	for n, k := range kernels {
		if k.First.Device != device {
			device = k.First.Device
			fmt.Fprintf(out, "Device %q\n", o.deviceName(device))
		}
		fmt.Fprintf(out, "    Kernel: %s\n", k.First.DisplayName())
		for _, line := range lines[1+n*len(list):][:len(list)] {
			write(line)
		}
	}
	_, err := fmt.Fprintln(out)
	return err
}

func texts(cells []any) []string {
	list := make([]string, len(cells))
	for i, cell := range cells {
		if list[i] = "-"; cell != nil {
			list[i] = fmt.Sprint(cell)
		}
	}
	return list
}

// metricExact returns a value for nvprof's comma-separated tables, metricShort for its text.
func metricExact(v float64, unit stats.Unit) any { return metricCell(v, unit, "%.6f", "%.6f") }

func metricShort(v float64, unit stats.Unit) any { return metricCell(v, unit, "%.2f", "%.5g") }

// metricCell returns a value with its unit, as nvprof writes it. share is the format of percentages, rate that of rates.
func metricCell(v float64, unit stats.Unit, share, rate string) any {
	switch unit {
	case stats.Count, stats.Cycles, stats.Bytes:
		return uint64(math.Round(v))
	case stats.Percent:
		return runtime.Bare(fmt.Sprintf(share+"%%", v))
	case stats.GBps:
		for _, name := range []string{"GB/s", "MB/s", "KB/s"} {
			if v >= 1 {
				return runtime.Bare(fmt.Sprintf(rate+name, v))
			}
			v *= 1000
		}
		return runtime.Bare(fmt.Sprintf(rate+"B/s", v))
	case stats.Level:
		return report.LevelText(v)
	}
	return runtime.Bare(fmt.Sprintf("%.6f", v))
}

// The columns of the GPU trace as in nvprof: as text, and as comma-separated values with their units.
var (
	traceColumns = []string{"Start", "Duration", "Grid Size", "Block Size", "Regs*", "SSMem*", "DSMem*", "Size", "Throughput", "SrcMemType",
		"DstMemType", "Device", "Context", "Stream", "Name"}
	traceNames = []any{"Start", "Duration", "Grid X", "Grid Y", "Grid Z", "Block X", "Block Y", "Block Z", "Registers Per Thread",
		"Static SMem", "Dynamic SMem", "Size", "Throughput", "SrcMemType", "DstMemType", "Device", "Context", "Stream", "Name"}
	traceUnits = []any{runtime.Bare("us"), runtime.Bare("us"), nil, nil, nil, nil, nil, nil, nil, runtime.Bare("B"), runtime.Bare("B"),
		runtime.Bare("KB"), runtime.Bare("GB/s"), nil, nil, nil, nil, nil, nil}
)

// writeTrace prints the GPU's activities, sorted by their start.
func (o *profileOptions) writeTrace(out io.Writer, trace []runtime.Activity) error {
	if o.csv {
		rows := [][]any{traceNames, traceUnits}
		for _, a := range trace {
			rows = append(rows, o.traceRow(a))
		}
		return runtime.WriteQuoted(out, rows)
	}
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, line := range append([][]string{traceColumns}, o.traceLines(trace)...) {
		fmt.Fprintln(t, strings.Join(line[:len(line)-1], "\t")+"\t  "+line[len(line)-1])
	}
	return t.Flush()
}

// onlyContext is the number of a process's context: it has one for each device.
const onlyContext = "1"

// traceRow returns an activity's row of comma-separated values, with sizes in the units of traceUnits.
func (o *profileOptions) traceRow(a runtime.Activity) []any {
	row := make([]any, len(traceNames))
	row[0], row[1] = a.Start, a.End-a.Start
	if l := a.Launch; l != nil {
		for i := range 3 {
			row[2+i], row[5+i] = l.Grid[i], l.Block[i]
		}
		row[8], row[9], row[10] = l.Registers, float64(l.StaticShared), float64(l.DynamicShared)
	}
	if !a.Kernel {
		row[11] = float64(a.Bytes) / (1 << 10)
		if a.End > a.Start {
			row[12] = throughput(a)
		}
		for i, kind := range memoryKinds(a) {
			if kind != "" {
				row[13+i] = kind
			}
		}
	}
	row[15], row[16], row[17], row[18] = o.deviceName(a.Device), onlyContext, a.Stream, a.Name
	return row
}

func (o *profileOptions) traceLines(trace []runtime.Activity) (lines [][]string) {
	for _, a := range trace {
		line := slices.Repeat([]string{"-"}, len(traceColumns))
		line[0], line[1] = runtime.Span(a.Start), runtime.Span(a.End-a.Start)
		if l := a.Launch; l != nil {
			line[2], line[3] = dimensions(l.Grid), dimensions(l.Block)
			line[4], line[5], line[6] = strconv.Itoa(l.Registers), byteText(uint64(l.StaticShared)), byteText(uint64(l.DynamicShared))
		}
		if !a.Kernel {
			line[7] = byteText(a.Bytes)
			if a.End > a.Start {
				line[8] = fmt.Sprintf("%.4gGB/s", throughput(a))
			}
			for i, kind := range memoryKinds(a) {
				if kind != "" {
					line[9+i] = kind
				}
			}
		}
		line[11], line[12], line[13], line[14] = o.deviceName(a.Device), onlyContext, a.Stream, a.Name
		lines = append(lines, line)
	}
	return lines
}

// throughput returns a copy's throughput in nvprof's GB/s, of 2^30 bytes.
func throughput(a runtime.Activity) float64 {
	return float64(a.Bytes) / (a.End - a.Start) * 1e6 / (1 << 30)
}

// memoryKinds returns the kinds of memory that a copy reads and writes; for a memset the second is "".
func memoryKinds(a runtime.Activity) [2]string {
	host := "Pageable"
	if a.Pinned {
		host = "Pinned"
	}
	switch {
	case strings.Contains(a.Name, "HtoD"):
		return [2]string{host, "Device"}
	case strings.Contains(a.Name, "DtoH"):
		return [2]string{"Device", host}
	case strings.Contains(a.Name, "memset"):
		return [2]string{"Device", ""}
	}
	return [2]string{"Device", "Device"}
}

func dimensions(d [3]int) string { return fmt.Sprintf("(%d %d %d)", d[0], d[1], d[2]) }

// byteText returns a size in nvprof's form.
func byteText(n uint64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%dB", n)
	case n < 1<<20:
		return fmt.Sprintf("%.5gKB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%.5gMB", float64(n)/(1<<20))
}
