package programs

import (
	"math"
	"slices"
	"sort"

	"github.com/keplersim/keplersim/validation"
)

// Summary summarises the times of some rows. Errors are in percent of the measured time.
type Summary struct {
	Name                  string
	Rows, NotRun, Failed  int // counts; the figures below are for the other rows
	Mean, Median, Worst   float64
	WorstRow              string
	Bias                  float64 // the signed mean error: above 0 if ours is longer
	Correlation           float64 // of the logarithms of the times; NaN for fewer than three rows
	RankCorrelation       float64 // Spearman's
	Spaces                []SpaceSummary
	Counters              []CounterSummary
	Registers, RegisterOf int // rows whose registers are within 4 of nvcc's, and rows compared
	Spills, SpillsOf      int // rows with local memory exactly if nvcc has some, and rows compared
}

// SpaceSummary says how well the simulator finds the best point of a tuning space.
type SpaceSummary struct {
	Name            string
	Rows            int
	Mean            float64 // of the absolute errors of times, in percent
	RankCorrelation float64
	Regret          float64 // how much longer the card takes for our best point than for its own best, in percent
}

// CounterSummary is the error of a counter, in percent.
type CounterSummary struct {
	Name       string
	Rows       int
	Mean, Bias float64
}

// counters are compared where they were measured. Occupancy, too, is in percent of the measured one.
var counters = []struct {
	name         string
	theirs, ours func(*Result) float64
}{
	{"instructions", func(r *Result) float64 {
		return r.Row.Measured.Instructions
	}, func(r *Result) float64 { return float64(r.Launch.Total.InstExecuted) / r.Row.Part }},
	{"occupancy", func(r *Result) float64 { return r.Row.Measured.Occupancy }, func(r *Result) float64 { return r.Launch.Achieved() }},
	{"active cycles", func(r *Result) float64 {
		return r.Row.Measured.ActiveCycles
	}, func(r *Result) float64 { return float64(r.Launch.Total.ActiveCycles) / r.Row.Part }},
	{"elapsed cycles", func(r *Result) float64 {
		return r.Row.Measured.ElapsedCycles
	}, func(r *Result) float64 { return float64(r.Launch.Total.ElapsedCycles) / r.Row.Part }},
	{"L2 reads", func(r *Result) float64 {
		return r.Row.Measured.L2Reads
	}, func(r *Result) float64 { return float64(r.Launch.Memory.L2ReadSectors) / r.Row.Part }},
	{"L2 writes", func(r *Result) float64 {
		return r.Row.Measured.L2Writes
	}, func(r *Result) float64 { return float64(r.Launch.Memory.L2WriteSectors) / r.Row.Part }},
	{"DRAM reads", func(r *Result) float64 { return r.Row.Measured.DRAMReads }, func(r *Result) float64 {
		return float64(r.Launch.Memory.DRAMReadSectors+r.Launch.Memory.ECCReadSectors) / r.Row.Part
	}},
	{"DRAM writes", func(r *Result) float64 { return r.Row.Measured.DRAMWrites }, func(r *Result) float64 {
		return float64(r.Launch.Memory.DRAMWriteSectors+r.Launch.Memory.ECCWriteSectors) / r.Row.Part
	}},
}

// registerTolerance is the largest difference in registers that counts as equal.
const registerTolerance = 4

// Summarise summarises the results that which selects, nil for all.
func Summarise(name string, results []Result, which func(*Result) bool) Summary {
	s := Summary{Name: name}
	var ran, timed []*Result
	for i := range results {
		r := &results[i]
		if which != nil && !which(r) {
			continue
		}
		s.Rows++
		switch r.Status {
		case Ran:
			ran = append(ran, r)
			if !r.Row.Kernel.Ranks {
				timed = append(timed, r)
			}
		case NotRun:
			s.NotRun++
		case Failed:
			s.Failed++
		}
	}
	s.times(timed)
	s.spaces(ran)
	for _, c := range counters {
		sum := CounterSummary{Name: c.name}
		for _, r := range ran {
			if theirs := c.theirs(r); theirs > 0 {
				e := percent(c.ours(r), theirs)
				sum.Rows, sum.Mean, sum.Bias = sum.Rows+1, sum.Mean+math.Abs(e), sum.Bias+e
			}
		}
		if sum.Rows > 0 {
			sum.Mean, sum.Bias = sum.Mean/float64(sum.Rows), sum.Bias/float64(sum.Rows)
			s.Counters = append(s.Counters, sum)
		}
	}
	s.compiler(ran)
	return s
}

// compiler counts rows whose registers and spills agree with nvcc's.
func (s *Summary) compiler(ran []*Result) {
	for _, r := range ran {
		m := &r.Row.Measured
		if m.Registers > 0 {
			s.RegisterOf++
			if m.near(r.Launch.Registers) {
				s.Registers++
			}
		}
		if m.Local != nil {
			s.SpillsOf++
			if m.spillsAlike(r.Launch.LocalBytes) {
				s.Spills++
			}
		}
	}
}

// times fills in the figures about times.
func (s *Summary) times(ran []*Result) {
	s.Correlation, s.RankCorrelation = math.NaN(), math.NaN()
	if len(ran) == 0 {
		return
	}
	var errors, ours, theirs []float64
	for _, r := range ran {
		e := r.Error()
		errors = append(errors, math.Abs(e))
		s.Mean, s.Bias = s.Mean+math.Abs(e)/float64(len(ran)), s.Bias+e/float64(len(ran))
		if math.Abs(e) >= s.Worst {
			s.Worst, s.WorstRow = math.Abs(e), r.Row.Name
		}
		ours, theirs = append(ours, math.Log(r.Microseconds())), append(theirs, math.Log(r.Row.Measured.Microseconds))
	}
	slices.Sort(errors)
	s.Median = errors[(len(errors)-1)/2]
	if len(ran) >= 3 {
		s.Correlation, s.RankCorrelation = validation.Correlation(ours, theirs), validation.Correlation(ranks(ours), ranks(theirs))
	}
}

// spaces fills in tuning spaces with at least three points.
func (s *Summary) spaces(ran []*Result) {
	bySpace := map[string][]*Result{}
	for _, r := range ran {
		if r.Row.Space != "" {
			bySpace[r.Row.Space] = append(bySpace[r.Row.Space], r)
		}
	}
	for name, points := range bySpace {
		if len(points) < 3 {
			continue
		}
		sum := SpaceSummary{Name: name, Rows: len(points)}
		var ours, theirs []float64
		for _, r := range points {
			sum.Mean += math.Abs(r.Error()) / float64(len(points))
			ours, theirs = append(ours, r.Microseconds()), append(theirs, r.Row.Measured.Microseconds)
		}
		sum.RankCorrelation = validation.Correlation(ranks(ours), ranks(theirs))
		best := 0
		for i := range ours {
			if ours[i] < ours[best] {
				best = i
			}
		}
		sum.Regret = percent(theirs[best], slices.Min(theirs))
		s.Spaces = append(s.Spaces, sum)
	}
	sort.Slice(s.Spaces, func(i, j int) bool { return s.Spaces[i].Name < s.Spaces[j].Name })
}

// ranks returns the values' ranks from 1; equal values share their mean rank.
func ranks(values []float64) []float64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	sort.Slice(order, func(i, j int) bool { return values[order[i]] < values[order[j]] })
	out := make([]float64, len(values))
	for i := 0; i < len(order); {
		j := i
		for j < len(order) && values[order[j]] == values[order[i]] {
			j++
		}
		for k := i; k < j; k++ {
			out[order[k]] = float64(i+j+1) / 2
		}
		i = j
	}
	return out
}

// Halves summarises the seen half and the blind half.
func Halves(results []Result) (seen, blind Summary) {
	return Summarise("seen", results, func(r *Result) bool {
		return !r.Row.Blind()
	}), Summarise("blind", results, func(r *Result) bool { return r.Row.Blind() })
}

// ByKind summarises results by what limits their launches.
func ByKind(results []Result) []Summary {
	var list []Summary
	for _, kind := range Kinds {
		if s := Summarise(kind, results, func(r *Result) bool { return r.Row.Kernel.Kind == kind }); s.Rows > 0 {
			list = append(list, s)
		}
	}
	return list
}

// ByProgram summarises results by program.
func ByProgram(results []Result) []Summary {
	var list []Summary
	for i := range results {
		name := results[i].Row.Program.Name
		if slices.ContainsFunc(list, func(s Summary) bool { return s.Name == name }) {
			continue
		}
		list = append(list, Summarise(name, results, func(r *Result) bool { return r.Row.Program.Name == name }))
	}
	return list
}

// Weighed summarises the times of rows with equal weight for each program, however many rows it has. Errors are in percent.
type Weighed struct {
	Name     string
	Programs int
	Mean     float64   // over programs: the mean of their rows' absolute errors
	Bias     float64   // over programs: the mean of their rows' signed errors
	Above    []Summary // programs with a mean above highError, the largest first
}

// highError is the mean error above which a program is listed, in percent.
const highError = 25

// Weigh summarises the seen or the blind rows by program.
func Weigh(name string, results []Result, blind bool) Weighed {
	w := Weighed{Name: name}
	seen := map[string]bool{}
	for i := range results {
		application := results[i].Row.Application()
		if seen[application] {
			continue
		}
		seen[application] = true
		s := Summarise(application, results, func(r *Result) bool { return r.Row.Application() == application && r.Row.Blind() == blind })
		if s.WorstRow == "" { // none was timed
			continue
		}
		w.Programs, w.Mean, w.Bias = w.Programs+1, w.Mean+s.Mean, w.Bias+s.Bias
		if s.Mean > highError {
			w.Above = append(w.Above, s)
		}
	}
	if w.Programs > 0 {
		w.Mean, w.Bias = w.Mean/float64(w.Programs), w.Bias/float64(w.Programs)
	}
	sort.SliceStable(w.Above, func(i, j int) bool { return w.Above[i].Mean > w.Above[j].Mean })
	return w
}
