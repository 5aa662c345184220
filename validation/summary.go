package validation

import (
	"math"
	"sort"
)

// Summary summarises the results of some rows.
type Summary struct {
	Name                                            string
	Rows, Met, Missed, NotRun, NotSimulated, Failed int
	// MeanError and WorstError are of absolute errors, in percent, over the rows that ran.
	MeanError, WorstError float64
	Worst                 string // the row
}

// Summarise summarises results by group, in the order of their first rows.
func Summarise(results []Result) []Summary {
	var list []Summary
	at := map[string]int{}
	for i := range results {
		r := &results[i]
		group := r.Row.Group()
		n, ok := at[group]
		if !ok {
			n = len(list)
			at[group] = n
			list = append(list, Summary{Name: group})
		}
		list[n].add(r)
	}
	for i := range list {
		if ran := list[i].Met + list[i].Missed; ran > 0 {
			list[i].MeanError /= float64(ran)
		}
	}
	return list
}

// add counts a result. MeanError is a sum until Summarise divides it.
func (s *Summary) add(r *Result) {
	s.Rows++
	switch r.Status {
	case Met:
		s.Met++
	case Missed:
		s.Missed++
	case NotRun:
		s.NotRun++
	case NotSimulated:
		s.NotSimulated++
	case Failed:
		s.Failed++
	}
	if m := r.Main(); m != nil && r.Ran() {
		e := math.Abs(m.Error)
		s.MeanError += e
		if e >= s.WorstError {
			s.WorstError, s.Worst = e, r.Row.Name
		}
	}
}

// Ran tells whether the row was simulated to its end.
func (r *Result) Ran() bool { return r.Status == Met || r.Status == Missed }

// KernelSummary compares one counter over all measured kernels that ran.
type KernelSummary struct {
	Counter, Board string // Board "" is all
	Rows           int
	Points         bool    // errors are percentage points
	MeanError      float64 // mean absolute error
	WorstError     float64
	Worst          string
	// Correlation is of ours with theirs, LogCorrelation of their logarithms; NaN for fewer than three rows and for shares.
	Correlation, LogCorrelation float64
}

// SummariseKernels compares the measured kernels counter by counter, over all boards and for each.
func SummariseKernels(results []Result) []KernelSummary {
	var boards []string
	seen := map[string]bool{"": true}
	for i := range results {
		if r := &results[i]; r.Row.Kernel() && r.Ran() && !seen[r.Row.Config] {
			seen[r.Row.Config] = true
			boards = append(boards, r.Row.Config)
		}
	}
	sort.Strings(boards)
	if len(boards) > 1 {
		boards = append([]string{""}, boards...)
	}
	var list []KernelSummary
	for _, board := range boards {
		for i := range counters {
			list = append(list, summariseCounter(results, i, board))
		}
	}
	return list
}

// summariseCounter compares one counter.
func summariseCounter(results []Result, index int, board string) KernelSummary {
	s := KernelSummary{Counter: counters[index].name, Points: counters[index].isPercentagePoints, Board: board}
	var ours, theirs, logOurs, logTheirs []float64
	for i := range results {
		r := &results[i]
		if !r.Row.Kernel() || !r.Ran() || board != "" && r.Row.Config != board {
			continue
		}
		c := &r.Comparisons[index]
		e := math.Abs(c.Error)
		s.Rows++
		s.MeanError += e
		if e >= s.WorstError {
			s.WorstError, s.Worst = e, r.Row.Name
		}
		ours, theirs = append(ours, c.Ours), append(theirs, c.Theirs.Middle())
		logOurs, logTheirs = append(logOurs, math.Log(c.Ours)), append(logTheirs, math.Log(c.Theirs.Middle()))
	}
	if s.Rows > 0 {
		s.MeanError /= float64(s.Rows)
	}
	s.Correlation, s.LogCorrelation = math.NaN(), math.NaN()
	if s.Rows >= 3 && !s.Points {
		s.Correlation, s.LogCorrelation = Correlation(ours, theirs), Correlation(logOurs, logTheirs)
	}
	return s
}
