package validation

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/keplersim/keplersim/sim"
)

// Status is the outcome of a row.
type Status string

// The outcomes of a row.
const (
	Met          Status = "met"           // within the row's tolerance
	Missed       Status = "missed"        // beyond it
	NotRun       Status = "not run"       // more work than the budget allows
	NotSimulated Status = "not simulated" // the simulator does not support it yet
	Failed       Status = "failed"        // the simulation ended with an error
)

// Comparison is one figure of a row.
type Comparison struct {
	Name   string
	Unit   string
	Theirs Value
	Ours   float64
	// Error is in percent of theirs, or in percentage points if Points is set; positive if ours is larger.
	Error  float64
	Points bool
}

// Result is the outcome of a row.
type Result struct {
	Row    *Row
	Status Status
	Reason string // why it was not run or simulated, or failed
	// Comparisons has the row's figure; for a kernel the cycles first, then the other counters.
	Comparisons  []Comparison
	Instructions uint64 // warp instructions simulated
}

// Main is the row's main figure, nil for none.
func (r *Result) Main() *Comparison {
	if len(r.Comparisons) == 0 {
		return nil
	}
	return &r.Comparisons[0]
}

// Options say how to run rows.
type Options struct {
	// Workers is the number of rows at a time; 0 is one for each processor. It changes no figure.
	Workers int
	// Budget is the most warp instructions, on the real card, of a kernel to run; 0 for no limit.
	Budget uint64
	// Progress is called when a row begins or ends, and now and then in between. Calls never overlap.
	Progress func(Progress)
}

// Progress is the progress of a run.
type Progress struct {
	Done, Total  int
	Row          string // the last to begin or end
	Instructions uint64 // warp instructions simulated so far
}

// Run simulates rows and returns their results in order. When ctx ends, it returns early with the finished rows.
func Run(ctx context.Context, rows []*Row, o Options) []Result {
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	results := make([]Result, len(rows))
	running := make([]uint64, len(rows))
	var lock sync.Mutex
	done := 0
	report := func(i int, instructions uint64, ended bool) {
		lock.Lock()
		defer lock.Unlock()
		running[i] = instructions
		if ended {
			done++
		}
		if o.Progress == nil {
			return
		}
		total := uint64(0)
		for _, n := range running {
			total += n
		}
		o.Progress(Progress{Done: done, Total: len(rows), Row: rows[i].Name, Instructions: total})
	}
	next := make(chan int)
	var workers sync.WaitGroup
	for range min(o.Workers, max(len(rows), 1)) {
		workers.Go(func() {
			for i := range next {
				results[i] = runRow(ctx, rows[i], o.Budget, func(n uint64) { report(i, n, false) })
				report(i, results[i].Instructions, true)
			}
		})
	}
	for _, i := range longestFirst(rows) {
		next <- i
	}
	close(next)
	workers.Wait()
	return results
}

// longestFirst orders rows by falling work, so that no long row comes last.
func longestFirst(rows []*Row) []int {
	order := make([]int, 0, len(rows))
	for i := range rows {
		at := len(order)
		for at > 0 && rows[order[at-1]].Work() < rows[i].Work() {
			at--
		}
		order = append(order, 0)
		copy(order[at+1:], order[at:])
		order[at] = i
	}
	return order
}

// runRow simulates one row. An error becomes part of its result.
func runRow(ctx context.Context, row *Row, budget uint64, progress func(uint64)) Result {
	result := Result{Row: row}
	switch work := row.Work(); {
	case row.Missing != "":
		result.Status, result.Reason = NotSimulated, row.Missing
		return result
	case budget > 0 && work > budget:
		result.Status = NotRun
		result.Reason = fmt.Sprintf(
			"needs %.1f M warp instructions, the budget is %.1f M (--budget)", float64(work)/1e6, float64(budget)/1e6,
		)
		return result
	case ctx.Err() != nil:
		result.Status, result.Reason = NotRun, "interrupted"
		return result
	}
	err := measure(ctx, row, &result, progress)
	switch {
	case errors.Is(err, sim.ErrInterrupted):
		result.Status, result.Reason = NotRun, "interrupted"
	case err != nil:
		result.Status, result.Reason = Failed, err.Error()
	default:
		result.Status = Met
		if e := result.Main().Error; e > row.Tolerance || e < -row.Tolerance {
			result.Status = Missed
		}
	}
	return result
}

// measure runs a row's experiment or kernel and compares the figures.
func measure(ctx context.Context, row *Row, result *Result, progress func(uint64)) error {
	config, err := row.load()
	if err != nil {
		return err
	}
	options := sim.Options{}
	if row.experiment != nil {
		options.BankMode = row.experiment.BankMode
	}
	b, err := newBench(config, options)
	if err != nil {
		return err
	}
	b.progress = progress
	defer func() { result.Instructions = b.instructions }()
	if row.kernel == nil {
		ours, err := methods[row.experiment.Kind](ctx, b, row)
		if err != nil {
			return err
		}
		result.Comparisons = []Comparison{
			{Name: row.Unit, Unit: row.Unit, Theirs: row.Measured, Ours: ours, Error: row.Measured.Error(ours)},
		}
		return nil
	}
	launch, err := row.kernel.run(ctx, b)
	if err != nil {
		return err
	}
	for _, c := range counters {
		compared := Comparison{
			Name: c.name, Unit: c.unit, Theirs: Exactly(c.theirs(row.kernel, launch)), Ours: c.ours(row.kernel, launch),
			Points: c.isPercentagePoints,
		}
		compared.Error = compared.Theirs.Error(compared.Ours)
		if c.isPercentagePoints {
			compared.Error = compared.Ours - compared.Theirs.Middle()
		}
		result.Comparisons = append(result.Comparisons, compared)
	}
	return nil
}
