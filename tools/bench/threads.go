package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
)

// threadsResult is the measurement of one workload with several numbers of threads.
type threadsResult struct {
	Workload string `json:"workload"`
	// Blocks is the number of blocks in its largest launch.
	Blocks uint64 `json:"blocks"`
	// Seconds are the times of the fastest run for each number of threads; Ratios are the speedups over the first.
	Threads []int     `json:"threads"`
	Seconds []float64 `json:"seconds"`
	Ratios  []float64 `json:"ratios"`
	Failure string    `json:"failure,omitempty"`
}

// threadsReport has the measurements of all workloads.
type threadsReport struct {
	Workloads []threadsResult `json:"workloads"`
	// Means are the geometric means of the ratios, by number of threads.
	Means []float64 `json:"geometric_means"`
}

// compareThreads runs workloads with several numbers of threads in turn.
func (o *options) compareThreads(ctx context.Context, out io.Writer, files []string) error {
	w := out
	if o.format != "text" {
		w = io.Discard
	}
	fmt.Fprintf(w, "%-18s %7s%s\n", "workload", "blocks", headsOf(o.threads))
	var report threadsReport
	failures := 0
	for _, file := range files {
		r, err := o.inTurn(ctx, file)
		switch {
		case ctx.Err() != nil:
			return fmt.Errorf("interrupted: %w", ctx.Err())
		case err != nil:
			failures++
			r.Failure = err.Error()
			fmt.Fprintf(w, "%-18s failed: %s\n", r.Workload, r.Failure)
		case r.Blocks < uint64(o.blocks):
			continue
		default:
			fmt.Fprintf(w, "%-18s %7d%s\n", r.Workload, r.Blocks, r.columns())
		}
		report.Workloads = append(report.Workloads, r)
	}
	report.Means = geometricMeans(report.Workloads, len(o.threads))
	if report.Means == nil && failures == 0 {
		return fmt.Errorf("no workload has a launch of %d blocks or more (-blocks)", o.blocks)
	}
	if report.Means != nil {
		fmt.Fprintf(w, "%-18s %7s", "geometric mean", "")
		for _, mean := range report.Means {
			fmt.Fprintf(w, " %10s %6.2f", "", mean)
		}
		fmt.Fprintln(w)
	}
	return o.finish(out, report, failures, len(files))
}

// headsOf are the column headings for some numbers of threads.
func headsOf(threads []int) string {
	var b strings.Builder
	for _, n := range threads {
		fmt.Fprintf(&b, " %10s %6s", fmt.Sprintf("s with %d", n), "times")
	}
	return b.String()
}

// columns are a workload's seconds and ratios.
func (r *threadsResult) columns() string {
	var b strings.Builder
	for i := range r.Seconds {
		fmt.Fprintf(&b, " %10.3f %6.2f", r.Seconds[i], r.Ratios[i])
	}
	return b.String()
}

// inTurn runs a workload with each number of threads as often as requested, or once if it has too few blocks.
func (o *options) inTurn(ctx context.Context, file string) (threadsResult, error) {
	r := threadsResult{Workload: nameOf(file), Threads: o.threads, Seconds: make([]float64, len(o.threads))}
	for range o.runs {
		for i, threads := range o.threads {
			one, err := o.once(ctx, file, threads)
			if err != nil {
				return r, err
			}
			if one.Seconds == 0 {
				return r, errors.New("its launches take no time")
			}
			if r.Blocks = one.blocks; r.Blocks < uint64(o.blocks) {
				return r, nil
			}
			if r.Seconds[i] == 0 || one.Seconds < r.Seconds[i] {
				r.Seconds[i] = one.Seconds
			}
		}
	}
	for _, seconds := range r.Seconds {
		r.Ratios = append(r.Ratios, r.Seconds[0]/seconds)
	}
	return r, nil
}

// geometricMeans returns the means of the workloads' ratios for each number of threads; nil if there are none.
func geometricMeans(list []threadsResult, count int) (means []float64) {
	for i := range count {
		sum, n := 0.0, 0
		for _, r := range list {
			if r.Failure == "" {
				sum += math.Log(r.Ratios[i])
				n++
			}
		}
		if n == 0 {
			return nil
		}
		means = append(means, math.Exp(sum/float64(n)))
	}
	return means
}
