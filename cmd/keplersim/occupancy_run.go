package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/host"
	"github.com/keplersim/keplersim/internal/piped"
	report "github.com/keplersim/keplersim/report/occupancy"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/sim/smx/occupancy"
	"github.com/keplersim/keplersim/workload"
)

// studyKernel runs one kernel of a file under the launches of an occupancy study. Its workload is the one beside the file, or one
// that is made up for the threads that the user asked for.
type studyKernel struct {
	path, kernel string
	link         []string
	blocks       int // of the launch that is made up where there is no workload file
	inputs       []byte
}

func openStudyKernel(ctx context.Context, path string, link []string, kernel string, blocks int) (pointSimulator, error) {
	k := &studyKernel{path: path, link: link, kernel: kernel, blocks: blocks}
	files := append([]string{path}, link...)
	if beside, ok := workload.Beside(path); ok {
		files = append(files, beside)
	}
	for _, file := range files {
		text, err := piped.ReadFile(ctx, file)
		if err != nil {
			return nil, fmt.Errorf("read the kernel to simulate: %w", err)
		}
		k.inputs = append(k.inputs, text...)
	}
	k.inputs = fmt.Appendf(k.inputs, "%s %s %d", filepath.Base(path), kernel, blocks)
	return k, nil
}

// Inputs is the program, its workload, and which launch of it is studied.
func (k *studyKernel) Inputs() []byte { return bytes.Clone(k.inputs) }

// Run simulates the kernel once under a launch, with as many threads as its workload has.
func (k *studyKernel) Run(ctx context.Context, chip *configs.Config, launch occupancy.Launch) (report.Measured, error) {
	o := host.Options{
		Chip: chip, Link: k.link,
		Simulator: sim.Options{
			Threads: 1, MaxRegisters: launch.Registers, Registers: launch.Registers, CacheConfig: launch.Cache.String(), Progress: nil,
		},
	}
	if _, ok := workload.Beside(k.path); !ok {
		o.Kernel, o.Grid = k.kernel, [3]int{k.blocks, 1, 1}
	}
	job, err := host.Open(ctx, k.path, o)
	if err == nil {
		err = k.reshape(job, launch)
	}
	if err != nil {
		return report.Measured{}, &host.Refused{Err: err}
	}
	result, err := job.Run(ctx)
	if err != nil {
		return report.Measured{}, err
	}
	var m report.Measured
	var instructions, active, warps uint64
	for _, l := range result.Launches {
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
	return m, nil
}

// reshape gives the studied kernel's launches the block size and the shared memory of a point, and keeps their threads. Other
// kernels' launches, and what the results are expected to be, are left out: a study asks for time.
func (k *studyKernel) reshape(job *host.Job, launch occupancy.Launch) error {
	w := *job.Workload
	w.Steps, w.Expect = nil, nil
	for _, s := range job.Workload.Steps {
		if s.Launch == nil || k.kernel != "" && !job.Launches(s.Launch, k.kernel) {
			continue
		}
		l := *s.Launch
		static, err := job.StaticShared(&l)
		if err != nil {
			return err
		}
		rest := l.Block[1] * l.Block[2]
		if launch.Threads%rest != 0 {
			return fmt.Errorf("a block of %d threads: %s is launched with blocks of %d × %d × %d, of which a study changes x alone", launch.Threads, l.Kernel, l.Block[0], l.Block[1], l.Block[2])
		}
		threads := l.Grid[0] * l.Block[0]
		l.Block[0] = launch.Threads / rest
		l.Grid[0] = (threads + l.Block[0] - 1) / l.Block[0]
		l.Shared = max(launch.Shared-static, 0)
		l.Repeat = 1
		s.Launch = &l
		w.Steps = append(w.Steps, s)
	}
	if len(w.Steps) == 0 {
		return errors.New("the workload launches no such kernel")
	}
	job.Workload = &w
	return nil
}
