package cli

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"github.com/keplersim/keplersim/configs"
	report "github.com/keplersim/keplersim/report/occupancy"
	"github.com/keplersim/keplersim/sim/smx/occupancy"
	"github.com/keplersim/keplersim/study/store"
)

// pointSimulator runs one kernel under any launch, on any chip.
type pointSimulator interface {
	// Run simulates the kernel. The launch's registers are what lowering may use; its block is the block's size, and the
	// grid has as many blocks as keep the number of threads.
	Run(ctx context.Context, chip *configs.Config, launch occupancy.Launch) (report.Measured, error)
	// Inputs is everything that results depend on beside chip and launch: the program, the workload.
	Inputs() []byte
}

// openSimulator prepares the kernel of a file for --simulate; blocks is the size of a launch that has to be made up.
var openSimulator = openStudyKernel

// takeSimulation lets the command simulate its points.
func (o *occupancyOptions) takeSimulation(command *cobra.Command) {
	command.Long += `

--simulate runs the kernel of FILE at each point and puts cycles, instructions per cycle and achieved occupancy beside the
theory. The kernel's workload file says how many threads there are, and each point shares them out to blocks of its size;
without a workload file there are --grid blocks of 256 threads' worth. Points run on all cores at once. Results are kept, so that
nothing is run twice: a study that was stopped goes on where it was, and a changed kernel, chip or simulator is run anew.

A kernel may compute something else with another block size. Each point is held against what the workload file expects or, where it
expects nothing, against what the unchanged launch computes. Points with wrong results are marked in the report, the plot and the CSV, and
never recommended; where no point is right, the command exits with 1.`
	command.Example += "\n  keplersim occupancy kernel.ptx --sweep block=64..1024:64 --simulate --plot effect.svg"
	f := command.Flags()
	f.BoolVar(&o.simulate, "simulate", false, "run the kernel at each point")
	f.IntVar(&o.grid, "grid", 4096, "with --simulate and no workload file: the blocks of the launch that is made up, of 256 threads")
	f.StringVar(&o.cacheDir, "cache", "", "the folder that keeps results (default: keplersim/results in the user's cache folder, which "+
		"keplersim sweep has too)")
	f.IntVar(&o.workers, "jobs", runtime.NumCPU(), "points that run at once")
}

// simulatePoints runs the study's points.
func (o *occupancyOptions) simulatePoints(cmd *cobra.Command, study *report.Study) error {
	simulator, err := openSimulator(o.studied(), o.grid)
	if err != nil {
		return err
	}
	chips, err := loadChips(o.configs, o.overrides)
	if err != nil {
		return err
	}
	byName, values := map[string]*configs.Config{}, map[string][]byte{}
	for _, c := range chips {
		byName[c.limits.Name], values[c.limits.Name] = c.config, []byte(c.config.Values())
	}
	version, err := ownHash()
	if err != nil {
		return err
	}
	results, closeStore, err := openStore(cmd, "cache", o.cacheDir)
	if err != nil {
		return err
	}
	defer closeStore()
	inputs := simulator.Inputs()
	progress, done := progressOn(cmd.ErrOrStderr(), len(study.Points))
	defer reportsFromNow(cmd.Context())()
	err = study.Simulate(cmd.Context(), report.Simulation{
		Run: func(ctx context.Context, p report.Point) (report.Measured, error) {
			return simulator.Run(ctx, byName[p.Limits.Name], p.Launch)
		},
		Key: func(p report.Point) string {
			return store.Fingerprint([]byte("occupancy"), version, inputs, values[p.Limits.Name], fmt.Appendf(nil, "%+v", p.Launch))
		},
		Store: results, Workers: o.workers, Progress: progress,
		Warn: func(err error) {
			fmt.Fprintf(cmd.ErrOrStderr(), "warning: results are not kept in %s, and the next study runs these points again: %v\n",
				results.Folder(), err)
		},
	})
	done()
	if err != nil {
		return runFailure{err}
	}
	return nil
}

// ownHash returns the hash of the running program: another simulator's results are not taken.
func ownHash() ([]byte, error) {
	path, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("this simulator cannot be identified: %w", err)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("this simulator cannot be identified: %w", err)
	}
	defer file.Close()
	h := sha256.New()
	if _, err := io.Copy(h, file); err != nil {
		return nil, fmt.Errorf("this simulator cannot be identified: %w", err)
	}
	return h.Sum(nil), nil
}

// progressOn draws a progress bar where the output is a terminal, and nothing elsewhere. Done takes it away.
func progressOn(out io.Writer, total int) (progress func(report.Progress), done func()) {
	if _, ok := terminalOf(out); !ok {
		return func(report.Progress) {}, func() {}
	}
	bar := progressbar.NewOptions(total, progressbar.OptionSetWriter(out), progressbar.OptionSetDescription("simulating points"),
		progressbar.OptionShowCount(), progressbar.OptionSetPredictTime(false), progressbar.OptionSetElapsedTime(false),
		progressbar.OptionClearOnFinish())
	start := time.Now()
	draw := func(p report.Progress) {
		kept := ""
		if p.Cached > 0 {
			kept = fmt.Sprintf(" (%d kept from before)", p.Cached)
		}
		part := 0.0 // of what has to be run
		if p.Done > p.Cached {
			part = float64(p.Done-p.Cached) / float64(total-p.Cached)
		}
		bar.Describe(fmt.Sprintf("simulating points%s: %s", kept, times(time.Since(start), part)))
		_ = bar.Set(p.Done) // a bar that cannot be drawn stops nothing
	}
	return draw, func() { _ = bar.Finish() }
}
