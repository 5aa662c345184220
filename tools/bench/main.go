// Command bench measures the simulator. It runs workloads and prints warp instructions and simulated cycles a second, for the launches
// alone (without loading and filling buffers), and the peak memory of the process. Each run is its own process, so that one workload's
// memory does not count for the next. Of several runs the fastest counts.
//
//	go run ./tools/bench -keplersim bin/keplersim -runs 3 workloads/sgemm-tiled/sgemm-tiled.yaml
//	go run ./tools/bench -keplersim bin/keplersim -threads 1,2 -runs 5
//
// With -format benchstat it prints each run in the format of Go's benchmarks, and benchstat compares two versions by medians, their
// uncertainty, and geometric means. The target bench of make compares with the baseline of make bench-baseline.
//
// With several numbers of threads it prints the speedup of each over the first, and the geometric mean. Only workloads with a launch of at
// least -blocks blocks count. The numbers of threads take turns, so that other load on the machine affects all alike.
//
// Without files it runs every workload in the folder workloads. Exit codes: 0 all ran, 1 some failed or the flags are wrong.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/keplersim/keplersim/internal/command"
)

// options are the command's flags.
type options struct {
	keplersim  string
	config     string
	threads    []int
	blocks     int
	runs       int
	functional bool
	format     string
}

func main() {
	o := &options{threads: []int{1}}
	flag.StringVar(&o.keplersim, "keplersim", "bin/keplersim", "the program to measure")
	flag.StringVar(&o.config, "config", "", "the chip or board (default: each workload's)")
	flag.Func("threads", "host threads to simulate with (default 1); several numbers with commas between them are compared", o.parseThreads)
	flag.IntVar(&o.blocks, "blocks", 100, "with several numbers of threads: the blocks that a workload's largest launch has at least")
	flag.IntVar(&o.runs, "runs", 1, "runs of each workload; the fastest counts")
	flag.BoolVar(&o.functional, "functional", false, "measure results alone, without timing")
	flag.StringVar(&o.format, "format", "text", "text, json or benchstat")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := o.run(ctx, os.Stdout, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// parseThreads reads numbers of threads, separated by commas.
func (o *options) parseThreads(text string) error {
	o.threads = nil
	for _, part := range strings.Split(text, ",") {
		n, err := strconv.Atoi(part)
		if err != nil {
			return err
		}
		o.threads = append(o.threads, n)
	}
	return nil
}

// result is the measurement of one workload.
type result struct {
	Workload         string  `json:"workload"`
	WarpInstructions uint64  `json:"warp_instructions"`
	Cycles           uint64  `json:"cycles"`
	Seconds          float64 `json:"seconds"`
	Speed            float64 `json:"warp_instructions_per_second"`
	CyclesPerSecond  float64 `json:"cycles_per_second"`
	PeakMemory       uint64  `json:"peak_memory_bytes"`
	Failure          string  `json:"failure,omitempty"`

	blocks uint64 // in the largest launch
}

func (o *options) run(ctx context.Context, w io.Writer, files []string) error {
	if !slices.Contains([]string{"text", "json", "benchstat"}, o.format) {
		return fmt.Errorf("-format %s: choose one of text, json, benchstat", o.format)
	}
	if o.runs < 1 || len(o.threads) == 0 || slices.Min(o.threads) < 1 {
		return errors.New("-runs and -threads must be 1 or more")
	}
	if len(o.threads) > 1 && o.format == "benchstat" {
		return errors.New("-format benchstat prints one number of threads: give -threads one, or leave out -format")
	}
	if len(files) == 0 {
		var err error
		if files, err = filepath.Glob(filepath.Join("workloads", "*", "*.yaml")); err != nil || len(files) == 0 {
			return errors.New("there is no workload in the folder workloads; run it in the project's folder, or name files")
		}
	}
	if len(o.threads) > 1 {
		return o.compareThreads(ctx, w, files)
	}
	var results []result
	failures := 0
	rows := newTable(w, o.format == "text")
	for _, file := range files {
		r, err := o.measure(ctx, w, file)
		if ctx.Err() != nil {
			return fmt.Errorf("interrupted: %w", ctx.Err())
		}
		if err != nil {
			r = result{Workload: nameOf(file), Failure: err.Error()}
			failures++
		}
		results = append(results, r)
		rows.row(r)
	}
	return o.finish(w, results, failures, len(files))
}

// finish writes the results as JSON if requested, and reports the number of failed workloads.
func (o *options) finish(w io.Writer, results any, failures, workloads int) error {
	if o.format == "json" {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		if err := e.Encode(results); err != nil {
			return err
		}
	}
	if failures > 0 {
		return fmt.Errorf("%d of %d workloads failed", failures, workloads)
	}
	return nil
}

// nameOf returns a workload's name in the table.
func nameOf(file string) string {
	return strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
}

// benchstatLine is a run in benchstat's format: a name, a count, and values with units.
const benchstatLine = "BenchmarkRun/%s 1 %.0f ns/op %.0f warp-instructions/s %d peak-B\n"

// measure runs a workload and keeps its fastest run.
func (o *options) measure(ctx context.Context, w io.Writer, file string) (result, error) {
	var best result
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

// once runs a workload in its own process with some threads, and reads the JSON report.
func (o *options) once(ctx context.Context, file string, threads int) (result, error) {
	arguments := []string{"run", "--format", "json", "--threads", strconv.Itoa(threads)}
	if o.config != "" {
		arguments = append(arguments, "--config", o.config)
	}
	if o.functional {
		arguments = append(arguments, "--functional")
	}
	var out, messages bytes.Buffer
	child := command.Program(ctx, o.keplersim, append(arguments, command.File(file))...)
	child.Stdout, child.Stderr = &out, &messages
	if err := child.Run(); err != nil {
		return result{}, fmt.Errorf("%s: %w: %s", file, err, strings.TrimSpace(messages.String()))
	}
	r, err := readBench(out.Bytes())
	if err != nil {
		return r, fmt.Errorf("%s: %w", file, err)
	}
	r.Workload = nameOf(file)
	return r, nil
}

// readBench extracts the measurement from a JSON report.
func readBench(text []byte) (result, error) {
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
		return result{}, fmt.Errorf("read the report: %w", err)
	}
	r := result{PeakMemory: report.Host.Peak}
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

// table prints results as they arrive.
type table struct {
	out io.Writer // nil prints nothing
}

const rowFormat = "%-18s %14v %13v %9v %12v %12v %9v\n"

func newTable(w io.Writer, show bool) *table {
	if !show {
		return &table{}
	}
	t := &table{out: w}
	fmt.Fprintf(t.out, rowFormat, "workload", "instructions", "cycles", "seconds", "instr/s", "cycles/s", "peak MB")
	return t
}

func (t *table) row(r result) {
	if t.out == nil {
		return
	}
	if r.Failure != "" {
		fmt.Fprintf(t.out, "%-18s failed: %s\n", r.Workload, r.Failure)
	} else {
		fmt.Fprintf(t.out, rowFormat, r.Workload, r.WarpInstructions, r.Cycles, fmt.Sprintf("%.2f", r.Seconds),
			fmt.Sprintf("%.0f", r.Speed), fmt.Sprintf("%.0f", r.CyclesPerSecond), fmt.Sprintf("%.1f", float64(r.PeakMemory)/1e6))
	}
}
