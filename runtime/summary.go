package runtime

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/keplersim/keplersim/sim/stats"
)

// Summary is the program's activity: kernels, copies and calls, summed by name, in µs of simulated time.
type Summary struct {
	Kernels, Calls []*Sum
	Launches       []*stats.Launch
	Elapsed        float64        // of the whole program
	Detail         string         // the timed part; "" for all
	Power          []*stats.Power // each device's board power; nil if not requested
	Notes          []string       // what the reader must know first
	Failure        string         // the first reason why a kernel ended early; "" for none
	Unread         int            // bytes of kernel output that no call of the program waited for
	isPaused       bool           // outside cudaProfilerStart and cudaProfilerStop
	sums           map[string]*Sum
}

// Sum is one row: count, total time, and the shortest and longest time.
type Sum struct {
	Name        string
	Count       int
	Total       float64 // µs
	Least, Most float64 // µs
}

// Average is the mean time, in µs.
func (s *Sum) Average() float64 { return s.Total / float64(s.Count) }

func newSummary() *Summary { return &Summary{sums: map[string]*Sum{}} }

// window starts or stops counting.
func (s *Summary) window(open bool) { s.isPaused = !open }

// add counts one event in a row of a list.
func (s *Summary) add(list *[]*Sum, name string, us float64) {
	if s.isPaused {
		return
	}
	row := s.sums[name]
	if row == nil {
		row = &Sum{Name: name, Least: us, Most: us}
		s.sums[name] = row
		*list = append(*list, row)
	}
	row.Count++
	row.Total += us
	row.Least, row.Most = min(row.Least, us), max(row.Most, us)
}

// kernel counts a launch, and reports whether it keeps the launch's counters.
func (s *Summary) kernel(us float64, l *stats.Launch) (kept bool) {
	s.add(&s.Kernels, l.DisplayName(), us)
	if kept = !s.isPaused && len(s.Launches) < mostLaunches; kept {
		s.Launches = append(s.Launches, l)
	}
	return kept
}

// mostLaunches is the number of launches whose counters are kept; sums include all launches.
const mostLaunches = 2000

// ways are nvprof's names for copies.
var ways = [...]string{"[CUDA memcpy HtoD]", "[CUDA memcpy DtoH]", "[CUDA memcpy DtoD]", "[CUDA memcpy PtoP]", "[CUDA memcpy HtoH]"}

// memset is nvprof's name for a memset.
const memset = "[CUDA memset]"

// moved counts a copy or memset by nvprof's name.
func (s *Summary) moved(word string, us float64) { s.add(&s.Kernels, word, us) }

func (s *Summary) call(name string, us float64) { s.add(&s.Calls, name, us) }

// Parts selects the tables of a summary to print.
type Parts struct{ GPU, API bool }

// table is one of a summary's lists.
type table struct {
	name string
	rows []*Sum
	all  float64
}

// tables returns the lists in nvprof's order, each sorted by time.
func (s *Summary) tables(p Parts) []table {
	var all []table
	for _, t := range []struct {
		wanted bool
		table
	}{{p.GPU, table{name: "GPU activities", rows: s.Kernels}}, {p.API, table{name: "API calls", rows: s.Calls}}} {
		if !t.wanted {
			continue
		}
		t.rows = slices.Clone(t.rows)
		slices.SortStableFunc(t.rows, func(a, b *Sum) int {
			return cmp.Or(cmp.Compare(b.Total, a.Total), strings.Compare(a.Name, b.Name))
		})
		for _, r := range t.rows {
			t.all += r.Total
		}
		all = append(all, t.table)
	}
	return all
}

func (t *table) percent(r *Sum) float64 {
	if t.all == 0 {
		return 0
	}
	return 100 * r.Total / t.all
}

// Write prints the summary as nvprof does: GPU activities, then API calls.
func (s *Summary) Write(w io.Writer) error { return s.WriteParts(w, Parts{GPU: true, API: true}) }

// WriteParts prints some of the tables.
func (s *Summary) WriteParts(w io.Writer, p Parts) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "Type\tTime(%%)\tTime\tCalls\tAvg\tMin\tMax\t  Name\n")
	for _, part := range s.tables(p) {
		name := part.name + ":"
		for _, r := range part.rows {
			fmt.Fprintf(t, "%s\t%.2f%%\t%s\t%d\t%s\t%s\t%s\t  %s\n",
				name, part.percent(r), Span(r.Total), r.Count, Span(r.Average()), Span(r.Least), Span(r.Most), r.Name)
			name = ""
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if s.Detail != "" {
		fmt.Fprintf(w, "%s\n", s.Detail)
	}
	_, err := fmt.Fprintf(w, "Simulated time of the program: %s\n", Span(s.Elapsed))
	return err
}

// WriteCSV prints the tables as nvprof --csv does, times in µs.
func (s *Summary) WriteCSV(w io.Writer, p Parts) error {
	us := Bare("us")
	rows := [][]any{{"Type", "Time(%)", "Time", "Calls", "Avg", "Min", "Max", "Name"}, {nil, Bare("%"), us, nil, us, us, us, nil}}
	for _, part := range s.tables(p) {
		for _, r := range part.rows {
			rows = append(rows, []any{part.name, part.percent(r), r.Total, r.Count, r.Average(), r.Least, r.Most, r.Name})
		}
	}
	return WriteQuoted(w, rows)
}

// Span formats a time in µs as nvprof does: five digits and a unit.
func Span(us float64) string {
	switch {
	case us == 0:
		return "0ns"
	case us < 1:
		return fmt.Sprintf("%.0fns", us*1000)
	case us < 1000:
		return fmt.Sprintf("%.4gus", us)
	case us < 1e6:
		return fmt.Sprintf("%.5gms", us/1000)
	}
	return fmt.Sprintf("%.5gs", us/1e6)
}
