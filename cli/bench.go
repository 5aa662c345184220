package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/keplersim/keplersim/code/sources"
	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/internal/command"
)

// benchOptions are the flags of keplersim bench.
type benchOptions struct {
	config     string
	threads    []int
	blocks     int
	runs       int
	functional bool
	format     string
}

// newBenchCommand measures the simulator's own speed.
func newBenchCommand() *cobra.Command {
	o := &benchOptions{}
	command := &cobra.Command{
		Use:   "bench [FILE...]",
		Short: "Measure the simulator: warp instructions a second and peak memory, workload by workload",
		Long: `Run workloads and print how fast the simulator is: warp instructions and simulated cycles a second of the launches alone
(loading and filling buffers left out), and the most memory that the process took. Each run is a process of its own, so
that one workload's memory does not count for the next; of several runs the fastest counts.

--format benchstat prints each run in the format of Go's benchmarks. benchstat then compares two versions: medians, how sure they are,
and geometric means. make bench does this against the baseline of make bench-baseline.

With several numbers of threads, as in --threads 1,2, it prints the speedup of each over the first, and the geometric mean. Only workloads
with a launch of --blocks blocks or more count. The numbers take turns, so that other load on the machine affects all alike.

Without FILE it runs every workload of the folder workloads.`,
		Example: "  keplersim bench\n  keplersim bench --threads 2 --runs 3 workloads/sgemm-tiled/sgemm-tiled.yaml\n" +
			"  keplersim bench --threads 1,2 --runs 5",
		RunE: o.run,
	}
	f := command.Flags()
	f.StringVar(&o.config, "config", "", "the chip or board (default: each workload's)")
	f.IntSliceVar(&o.threads, "threads", []int{1}, "host threads to simulate with; several numbers are compared")
	f.IntVar(&o.blocks, "blocks", 100, "with several numbers of threads: the blocks that a workload's largest launch has at least")
	f.IntVar(&o.runs, "runs", 1, "runs of each workload; the fastest counts")
	f.BoolVar(&o.functional, "functional", false, "measure results alone, without timing")
	f.StringVar(&o.format, "format", "text", "text, json or benchstat")
	return command
}

// benchResult is what one workload gave.
type benchResult struct {
	Workload         string  `json:"workload"`
	WarpInstructions uint64  `json:"warp_instructions"`
	Cycles           uint64  `json:"cycles"`
	Seconds          float64 `json:"seconds"`
	Speed            float64 `json:"warp_instructions_per_second"`
	CyclesPerSecond  float64 `json:"cycles_per_second"`
	PeakMemory       uint64  `json:"peak_memory_bytes"`
	Failure          string  `json:"failure,omitempty"`

	blocks uint64 // of the largest launch
}

func (o *benchOptions) run(cmd *cobra.Command, files []string) error {
	if !slices.Contains([]string{"text", "json", "benchstat"}, o.format) {
		return fmt.Errorf("--format %s: choose one of text, json, benchstat", o.format)
	}
	if o.runs < 1 || len(o.threads) == 0 || slices.Min(o.threads) < 1 {
		return errors.New("--runs and --threads must be 1 or more")
	}
	if len(o.threads) > 1 && o.format == "benchstat" {
		return errors.New("--format benchstat prints one number of threads: give --threads one, or leave out --format")
	}
	if o.config != "" {
		if _, err := configs.Load(o.config, nil); err != nil {
			return err
		}
	}
	if len(files) == 0 {
		var err error
		if files, err = filepath.Glob(filepath.Join("workloads", "*", "*.yaml")); err != nil || len(files) == 0 {
			return errors.New("there is no workload in the folder workloads; run it in the project's folder, or name files")
		}
	}
	for _, file := range files {
		if err := (&sources.Reader{}).Check(file); err != nil {
			return err
		}
	}
	if len(o.threads) > 1 {
		return o.compareThreads(cmd, files)
	}
	var results []benchResult
	failures := 0
	table := newBenchTable(cmd.OutOrStdout(), o.format == "text")
	for _, file := range files {
		r, err := o.measure(cmd.Context(), cmd.OutOrStdout(), file)
		if cmd.Context().Err() != nil {
			return runFailure{fmt.Errorf("interrupted: %w", cmd.Context().Err())}
		}
		if err != nil {
			r = benchResult{Workload: benchName(file), Failure: err.Error()}
			failures++
		}
		results = append(results, r)
		table.row(r)
	}
	return o.finish(cmd, results, failures, len(files))
}

// finish writes the results where JSON is asked for, and tells how many workloads failed.
func (o *benchOptions) finish(cmd *cobra.Command, results any, failures, workloads int) error {
	if o.format == "json" {
		if err := writeJSON(cmd.OutOrStdout(), results); err != nil {
			return err
		}
	}
	if failures > 0 {
		return runFailure{fmt.Errorf("%d of %d workloads failed", failures, workloads)}
	}
	return nil
}

// benchName returns a workload's name in the table.
func benchName(file string) string {
	return strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
}

// benchstatLine is a run as benchstat reads it: a name, a count, and values with their units.
const benchstatLine = "BenchmarkRun/%s 1 %.0f ns/op %.0f warp-instructions/s %d peak-B\n"

// measure runs a workload and keeps its fastest run.
func (o *benchOptions) measure(ctx context.Context, w io.Writer, file string) (benchResult, error) {
	var best benchResult
	for range o.runs {
		r, err := o.once(ctx, file, o.threads[0])
		if err != nil {
			return best, err
		}
		if o.format == "benchstat" {
			fmt.Fprintf(w, benchstatLine, r.Workload, r.Seconds*1e9, r.Speed, r.PeakMemory)
		}
		if best.Seconds == 0 || r.Seconds < best.Seconds {
			best = r
		}
	}
	return best, nil
}

// once runs a workload in a process of its own, with some threads, and reads the JSON report.
func (o *benchOptions) once(ctx context.Context, file string, threads int) (benchResult, error) {
	self, err := os.Executable()
	if err != nil {
		return benchResult{}, fmt.Errorf("find the simulator's program: %w", err)
	}
	arguments := []string{"run", "--format", "json", "--threads", strconv.Itoa(threads)}
	if o.config != "" {
		arguments = append(arguments, "--config", o.config)
	}
	if o.functional {
		arguments = append(arguments, "--functional")
	}
	var out, messages bytes.Buffer
	child := command.Program(ctx, self, append(arguments, command.File(file))...)
	child.Stdout, child.Stderr = &out, &messages
	if err := child.Run(); err != nil {
		return benchResult{}, fmt.Errorf("%s: %w: %s", file, err, strings.TrimSpace(messages.String()))
	}
	r, err := readBench(out.Bytes())
	if err != nil {
		return r, fmt.Errorf("%s: %w", file, err)
	}
	r.Workload, r.PeakMemory = benchName(file), max(r.PeakMemory, peakMemoryOf(child.ProcessState))
	return r, nil
}

// readBench takes the measurement out of a JSON report.
func readBench(text []byte) (benchResult, error) {
	var report struct {
		Kernels []struct {
			Cycles  uint64
			Grid    []uint64
			Metrics map[string]float64
		}
		Host struct {
			Kernels []float64 `json:"kernel_seconds"`
			Peak    uint64    `json:"peak_memory_bytes"`
		} `json:"wall_clock"`
	}
	if err := json.Unmarshal(text, &report); err != nil {
		return benchResult{}, fmt.Errorf("read the report: %w", err)
	}
	r := benchResult{PeakMemory: report.Host.Peak}
	for _, k := range report.Kernels {
		r.Cycles += k.Cycles
		blocks := uint64(1)
		for _, extent := range k.Grid {
			blocks *= extent
		}
		r.blocks = max(r.blocks, blocks)
		r.WarpInstructions += uint64(k.Metrics["inst_executed"])
	}
	for _, seconds := range report.Host.Kernels {
		r.Seconds += seconds
	}
	if r.Seconds > 0 {
		r.Speed, r.CyclesPerSecond = float64(r.WarpInstructions)/r.Seconds, float64(r.Cycles)/r.Seconds
	}
	return r, nil
}

// benchTable prints results as they come.
type benchTable struct {
	out io.Writer // nil for silence
}

const benchRow = "%-18s %14v %13v %9v %12v %12v %9v\n"

func newBenchTable(w io.Writer, show bool) *benchTable {
	if !show {
		return &benchTable{}
	}
	t := &benchTable{out: w}
	fmt.Fprintf(t.out, benchRow, "workload", "instructions", "cycles", "seconds", "instr/s", "cycles/s", "peak MB")
	return t
}

func (t *benchTable) row(r benchResult) {
	if t.out == nil {
		return
	}
	if r.Failure != "" {
		fmt.Fprintf(t.out, "%-18s failed: %s\n", r.Workload, r.Failure)
	} else {
		fmt.Fprintf(t.out, benchRow, r.Workload, r.WarpInstructions, r.Cycles, fmt.Sprintf("%.2f", r.Seconds), fmt.Sprintf("%.0f", r.Speed),
			fmt.Sprintf("%.0f", r.CyclesPerSecond), fmt.Sprintf("%.1f", float64(r.PeakMemory)/1e6))
	}
}
