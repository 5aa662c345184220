package report

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/keplersim/keplersim/sim/stats"
)

func init() { RegisterFormat("csv", "a line for each launch", CSV, csvOfAll) }

// column is one column of the CSV report before the metrics.
type column struct {
	name  string
	value func(*stats.Launch) string
}

var columns = []column{
	{"name", (*stats.Launch).DisplayName},
	{"config", func(l *stats.Launch) string { return l.Chip.Config }},
	{"overrides", func(l *stats.Launch) string { return strings.Join(l.Chip.Overrides, " ") }},
	{"grid_x", func(l *stats.Launch) string { return strconv.Itoa(l.Grid[0]) }},
	{"grid_y", func(l *stats.Launch) string { return strconv.Itoa(l.Grid[1]) }},
	{"grid_z", func(l *stats.Launch) string { return strconv.Itoa(l.Grid[2]) }},
	{"block_x", func(l *stats.Launch) string { return strconv.Itoa(l.Block[0]) }},
	{"block_y", func(l *stats.Launch) string { return strconv.Itoa(l.Block[1]) }},
	{"block_z", func(l *stats.Launch) string { return strconv.Itoa(l.Block[2]) }},
	{"registers", func(l *stats.Launch) string { return strconv.Itoa(l.Registers) }},
	{"shared_bytes", func(l *stats.Launch) string { return strconv.Itoa(l.StaticShared + l.DynamicShared) }},
	{"local_bytes", func(l *stats.Launch) string { return strconv.Itoa(l.LocalBytes) }},
	countColumn("kernel_cycles"), countColumn("launch_cycles"), countColumn("elapsed_cycles"), countColumn("cycles"),
	{"time_us", func(l *stats.Launch) string { return number(rounded(l.TimeUS, stats.Ratio)) }},
}

// countColumn returns the column for a count of cycles.
func countColumn(name string) column {
	of, _ := stats.FindCycleCount(name)
	return column{name, func(l *stats.Launch) string { return strconv.FormatUint(of.Of(l), 10) }}
}

// number returns the shortest text that reads back as the same float.
func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// CSV writes a head line and a line for each launch; metrics without a value are empty.
func CSV(w io.Writer, r *Run) error { return writeCSV(w, []*Run{r}) }

// writeCSV is CSV for several runs with the same metrics.
func writeCSV(w io.Writer, runs []*Run) error {
	out := csv.NewWriter(w)
	metrics := runs[0].metrics()
	line := make([]string, 0, len(columns)+len(metrics))
	for _, c := range columns {
		line = append(line, c.name)
	}
	for _, d := range metrics {
		line = append(line, d.Name)
	}
	err := out.Write(line)
	for _, r := range runs {
		for _, l := range r.All() {
			line = csvLine(line[:0], l, metrics)
			err = errors.Join(err, out.Write(line))
		}
	}
	return flushed(out, err)
}

// flushed ends a table; err is the error of writing its lines.
func flushed(out *csv.Writer, err error) error {
	out.Flush()
	if err = errors.Join(err, out.Error()); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// csvLine appends a launch's columns to a line.
func csvLine(line []string, l *stats.Launch, metrics []stats.Definition) []string {
	for _, c := range columns {
		line = append(line, c.value(l))
	}
	for _, d := range metrics {
		text := ""
		if !d.Timed || !l.Functional {
			text = number(rounded(d.Value(l), d.Unit))
		}
		line = append(line, text)
	}
	return line
}
