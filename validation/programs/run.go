package programs

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/keplersim/keplersim/code/sources"
	"github.com/keplersim/keplersim/host"
	"github.com/keplersim/keplersim/internal/files"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/sim/stats"
	"github.com/keplersim/keplersim/toolchain"
)

// Status is the outcome of a row.
type Status string

// The outcomes of a row.
const (
	Ran    Status = "ran"
	NotRun Status = "not run" // its source is missing, or it exceeds the budget
	Failed Status = "failed"
)

// Result is a row with its simulation.
type Result struct {
	Row    *Row
	Status Status
	Reason string // why it did not run or failed
	Launch *stats.Launch
}

// Microseconds is our time, scaled to the whole launch if only a part was simulated.
func (r *Result) Microseconds() float64 { return r.Launch.TimeUS / r.Row.Part }

// Error is the error of our time, in percent of the measured time: positive if ours is longer.
func (r *Result) Error() float64 { return percent(r.Microseconds(), r.Row.Measured.Microseconds) }

func percent(ours, theirs float64) float64 { return 100 * (ours - theirs) / theirs }

// Options say how to run rows.
type Options struct {
	Sources string  // the folder with the checkouts
	Workers int     // rows at a time; at least 1
	Budget  float64 // the most warp instructions of a row; 0 for no limit
	// Done, if not nil, is called when a row has ended, with its index in the list. Calls never overlap.
	Done func(place int, r *Result)
}

// Run compiles and simulates rows and returns their results in order.
func Run(ctx context.Context, rows []*Row, o Options) []Result {
	results := make([]Result, len(rows))
	var lock sync.Mutex
	next := make(chan int)
	var workers sync.WaitGroup
	for range max(o.Workers, 1) {
		workers.Go(func() {
			for i := range next {
				results[i] = runRow(ctx, rows[i], o)
				if o.Done != nil {
					lock.Lock()
					o.Done(i, &results[i])
					lock.Unlock()
				}
			}
		})
	}
	for i := range rows {
		next <- i
	}
	close(next)
	workers.Wait()
	return results
}

// runRow runs one row. An error becomes part of its result.
func runRow(ctx context.Context, row *Row, o Options) Result {
	result := Result{Row: row, Status: Ran}
	if n := row.Instructions(); o.Budget > 0 && n > o.Budget {
		result.Status = NotRun
		result.Reason = fmt.Sprintf("has about %.1f M warp instructions, the budget is %.1f M (--budget)", n/1e6, o.Budget/1e6)
		return result
	}
	launch, err := row.simulate(ctx, o.Sources)
	result.Launch = launch
	result.Status, result.Reason = statusOf(ctx, err)
	return result
}

// statusOf is the outcome of a row that ended with this error, or nil.
func statusOf(ctx context.Context, err error) (Status, string) {
	switch {
	case ctx.Err() != nil:
		return NotRun, "interrupted"
	case errors.Is(err, ErrNoCheckout):
		return NotRun, err.Error()
	case err != nil:
		return Failed, err.Error()
	}
	return Ran, ""
}

// simulate runs a row's launch and returns the last repetition.
func (r *Row) simulate(ctx context.Context, downloads string) (*stats.Launch, error) {
	folder, unit, err := r.source(downloads)
	if err != nil {
		return nil, err
	}
	launch, _, err := r.simulateUnit(ctx, folder, moduleName, []byte(unit), nil)
	return launch, err
}

// simulateUnit runs a row's launch from a file of code, and returns the sums of buffers.
func (r *Row) simulateUnit(
	ctx context.Context, folder, name string, unit []byte, buffers []string,
) (launch *stats.Launch, sums map[string][sha256.Size]byte, err error) {
	room, err := files.Temporary("keplersim-program-")
	if err != nil {
		return nil, nil, fmt.Errorf("folder for the row's files: %w", err)
	}
	defer room.Close()
	work := room.Path
	text, err := r.workload(name)
	if err != nil {
		return nil, nil, err
	}
	for file, data := range map[string][]byte{name: unit, workloadName: text} {
		if err := os.WriteFile(filepath.Join(work, file), data, 0o600); err != nil {
			return nil, nil, fmt.Errorf("the row's files: %w", err)
		}
	}
	job, err := host.Open(ctx, filepath.Join(work, workloadName), host.Options{
		Config: r.Config, Overrides: r.Overrides, Code: sources.Reader{Compile: r.compilation(folder)}, Simulator: sim.Options{Threads: 1},
	})
	if err != nil {
		return nil, nil, err
	}
	result, err := job.Run(ctx)
	if err != nil {
		return nil, nil, err
	}
	sums, err = checksums(buffers, func(buffer string) ([]byte, error) {
		path := filepath.Join(work, "dump")
		if err := job.Dump(buffer, path); err != nil {
			return nil, err
		}
		return os.ReadFile(path)
	})
	return result.Launches[len(result.Launches)-1], sums, err
}

// compilation returns the compiler options.
func (r *Row) compilation(folder string) toolchain.Options {
	o := toolchain.Options{Defines: r.Defines, FastMath: r.FastMath, Registers: r.MaxRegisters}
	for _, include := range r.Kernel.Include {
		o.IncludeDirs = append(o.IncludeDirs, filepath.Join(folder, filepath.FromSlash(include)))
	}
	return o
}

// The names of temporary files for a row.
const (
	moduleName   = "unit.cu"
	workloadName = "unit.json"
)

// workload is the launch as a workload file.
func (r *Row) workload(module string) ([]byte, error) {
	launch := map[string]any{
		"kernel": r.Kernel.Entry, "grid": r.Grid, "block": r.Block, "shared": r.Shared, "repeat": r.Repeat, "args": r.Args,
	}
	for key, value := range r.Kernel.Launch {
		launch[key] = value
	}
	text, err := json.Marshal(map[string]any{
		"name": "unit", "module": module, "buffers": r.Buffers, "steps": []any{map[string]any{"launch": launch}},
	})
	if err != nil {
		return nil, fmt.Errorf("the row's workload: %w", err)
	}
	return text, nil
}
