package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/host"
	report "github.com/keplersim/keplersim/report/occupancy"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/sim/smx/occupancy"
	"github.com/keplersim/keplersim/sim/stats"
	"github.com/keplersim/keplersim/workload"
)

// studyKernel runs one kernel of a file under the launches of an occupancy study. Its workload is the one beside the file, or one
// that is made up for the threads that the user asked for.
type studyKernel struct {
	kernelFile
	blocks    int // of the launch that is made up where there is no workload file
	inputs    []byte
	unchanged references
}

func openStudyKernel(f kernelFile, blocks int) (pointSimulator, error) {
	k := &studyKernel{kernelFile: f, blocks: blocks}
	files := append([]string{f.path}, f.link...)
	if beside, ok := workload.Beside(f.path); ok {
		files = append(files, beside)
		w, err := workload.Load(beside)
		if err != nil {
			return nil, err
		}
		files = append(files, filesOf(w)...)
	}
	for _, file := range files {
		text, err := f.reader.Read(file)
		if err != nil {
			return nil, fmt.Errorf("read the kernel to simulate: %w", err)
		}
		k.inputs = append(k.inputs, text...)
	}
	k.inputs = fmt.Appendf(k.inputs, "%s %s %d %v", filepath.Base(f.path), f.kernel, blocks, f.reader.Compile)
	return k, nil
}

// filesOf returns the files that a workload reads: what buffers start with, and what is expected of them.
func filesOf(w *workload.Workload) (files []string) {
	for _, b := range w.Buffers {
		if b.Init.File != "" {
			files = append(files, w.File(b.Init.File))
		}
	}
	for _, e := range w.Expect {
		if e.File != "" {
			files = append(files, w.File(e.File))
		}
	}
	return files
}

// Inputs returns the program, its workload with the files that it reads, and which launch of it is studied.
func (k *studyKernel) Inputs() []byte { return bytes.Clone(k.inputs) }

// Run simulates the kernel once under a launch, with as many threads as its workload has, and checks what it computes. Only the studied
// kernel is timed, once each launch. Where the workload is nothing else, that run is checked; else the whole workload runs once more,
// without timing, with the launches changed.
func (k *studyKernel) Run(ctx context.Context, chip *configs.Config, launch occupancy.Launch) (report.Measured, error) {
	job, err := k.open(ctx, chip, launch, false)
	if err != nil {
		return report.Measured{}, err
	}
	changed, studied, err := k.reshape(job, launch)
	if err != nil {
		return report.Measured{}, &host.Refused{Err: err}
	}
	whole := sameWork(changed, studied)
	job.Workload = studied
	if whole {
		job.Workload = changed
	}
	result, err := job.Run(ctx)
	if err != nil {
		return report.Measured{}, err
	}
	m := measured(chip, result.Launches)
	if !whole {
		if job, err = k.open(ctx, chip, launch, true); err != nil {
			return report.Measured{}, err
		}
		if job.Workload, _, err = k.reshape(job, launch); err != nil {
			return report.Measured{}, &host.Refused{Err: err}
		}
		if result, err = job.Run(ctx); err != nil && ctx.Err() == nil {
			m.Outcome, m.Wrong = report.WrongResult, "the workload fails: "+firstLine(err.Error())
			return m, nil
		}
	}
	m.Outcome, m.Wrong = k.check(ctx, chip, launch, job, result)
	return m, ctx.Err()
}

// open prepares the kernel's workload on a chip, with the registers and the cache preference of a launch.
func (k *studyKernel) open(ctx context.Context, chip *configs.Config, launch occupancy.Launch, functional bool) (*host.Job, error) {
	o := host.Options{
		Chip: chip, Link: k.link, Code: *k.reader,
		Simulator: sim.Options{
			Threads: 1, MaxRegisters: launch.Registers, Registers: launch.Registers, CacheConfig: launch.Cache.String(),
			Functional: functional, Estimate: k.estimate && !functional,
		},
	}
	if _, ok := workload.Beside(k.path); !ok {
		o.Kernel, o.Grid = k.kernel, [3]int{k.blocks, 1, 1}
	}
	job, err := host.Open(ctx, k.path, o)
	if err != nil {
		return nil, &host.Refused{Err: err}
	}
	return job, nil
}

// measured sums up launches.
func measured(chip *configs.Config, launches []*stats.Launch) (m report.Measured) {
	var instructions, active, warps uint64
	for _, l := range launches {
		m.Cycles += int64(l.Cycles)
		m.TimeMicroseconds += l.TimeUS
		instructions += l.Total.InstExecuted
		active += l.Total.ActiveCycles
		warps += l.Total.ActiveWarpCycles
	}
	if active > 0 {
		m.IPC = float64(instructions) / float64(active)
		m.AchievedOccupancy = float64(warps) / float64(active) / float64(min(chip.SMX.Warps, chip.SMX.Threads/32))
	}
	return m
}

// reshape gives the studied kernel's launches the block size and the shared memory of a point, and keeps their threads. Changed is the
// whole workload with these launches; studied has them alone, each once, and expects nothing.
func (k *studyKernel) reshape(job *host.Job, launch occupancy.Launch) (changed, studied *workload.Workload, err error) {
	all, part := *job.Workload, *job.Workload
	part.Steps, part.Expect = nil, nil
	all.Steps, err = workload.ChangeLaunches(job.Workload.Steps, func(s *workload.Step) (*workload.Launch, error) {
		if k.kernel != "" && !job.Launches(s.Launch, k.kernel) {
			return s.Launch, nil
		}
		l, err := reshaped(job, s.Launch, launch)
		if err != nil {
			return nil, err
		}
		once := *l
		once.Repeat, once.Until = 1, nil
		part.Steps = append(part.Steps, workload.Step{Launch: &once, Position: s.Position})
		return l, nil
	})
	if err != nil {
		return nil, nil, err
	}
	if len(part.Steps) == 0 {
		return nil, nil, errors.New("the workload launches no such kernel")
	}
	return &all, &part, nil
}

// reshaped is one launch with the block size and the shared memory of a point, and as many threads as before or a few more.
func reshaped(job *host.Job, before *workload.Launch, launch occupancy.Launch) (*workload.Launch, error) {
	l := *before
	static, err := job.StaticShared(&l)
	if err != nil {
		return nil, err
	}
	rest := l.Block[1] * l.Block[2]
	if launch.Threads%rest != 0 {
		return nil, fmt.Errorf("a block of %d threads: %s is launched with blocks of %d × %d × %d, and a study changes only x",
			launch.Threads, l.Kernel, l.Block[0], l.Block[1], l.Block[2])
	}
	threads := l.Grid[0] * l.Block[0]
	l.Block[0] = launch.Threads / rest
	l.Grid[0] = (threads + l.Block[0] - 1) / l.Block[0]
	l.Shared = max(launch.Shared-static, 0)
	return &l, nil
}

// sameWork reports that a workload has the launches of another and nothing else, each once.
func sameWork(changed, studied *workload.Workload) bool {
	return len(changed.Steps) == len(studied.Steps) && !slices.ContainsFunc(changed.Steps, func(s workload.Step) bool {
		return s.Launch == nil || s.Launch.Repeat != 1
	})
}
