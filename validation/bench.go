package validation

import (
	"context"
	"encoding/binary"
	"fmt"
	"io/fs"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/sim/stats"
)

// bench is a simulated board for the measurement of one row.
type bench struct {
	config       *configs.Config
	gpu          *sim.GPU
	instructions uint64 // warp instructions simulated so far
	shared       int    // dynamic shared memory of launches, in bytes
	waits        bool   // the host's clock times launches until the host has waited for them
	progress     func(warpInstructions uint64)
}

// newBench makes a board with empty memory. It uses one host thread, as several rows run at the same time.
func newBench(config *configs.Config, o sim.Options) (*bench, error) {
	b := &bench{config: config}
	o.Threads = 1
	o.Progress = func(p sim.Progress) {
		if b.progress != nil {
			b.progress(b.instructions + p.WarpInstructions)
		}
	}
	gpu, err := sim.New(config, o)
	if err != nil {
		return nil, err
	}
	b.gpu = gpu
	return b, nil
}

// target returns the .target line for the board's chip.
func (b *bench) target() string {
	return fmt.Sprintf("sm_%d", int(b.config.ComputeCapability))
}

// loadFile loads PTX from the folder kernels: NAME.ptx, or for chips before cc 3.5 NAME.sm_30.ptx if it exists.
func (b *bench) loadFile(name string) (*sim.Module, error) {
	file := "kernels/" + name + ".ptx"
	if before := "kernels/" + name + ".sm_30.ptx"; b.config.ComputeCapability < 35 {
		if _, err := fs.Stat(kernelFiles, before); err == nil {
			file = before
		}
	}
	text, err := kernelFiles.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("the kernel's PTX: %w", err)
	}
	return b.gpu.Load(file, text)
}

// arrays allocates an array of each size, in bytes.
func (b *bench) arrays(bytes ...int) (addresses []uint64, err error) {
	for i, n := range bytes {
		address, err := b.gpu.Allocate(fmt.Sprint("array ", i), uint64(n))
		if err != nil {
			return nil, err
		}
		addresses = append(addresses, address)
	}
	return addresses, nil
}

// second is the time of the second of two launches of a kernel on arrays of these sizes, in seconds. Published measurements also repeat.
func (b *bench) second(ctx context.Context, file, kernel string, grid, block [3]int, bytes []int, words ...uint32) (float64, error) {
	return b.last(ctx, 2, file, kernel, grid, block, bytes, words...)
}

// last is the time of the last of several launches of a kernel on arrays of these sizes, in seconds.
func (b *bench) last(
	ctx context.Context, launches int, file, kernel string, grid, block [3]int, bytes []int, words ...uint32,
) (float64, error) {
	module, err := b.loadFile(file)
	if err != nil {
		return 0, err
	}
	arrays, err := b.arrays(bytes...)
	if err != nil {
		return 0, err
	}
	var seconds float64
	for range launches {
		begin := b.gpu.Host().Clock(0)
		result, err := b.launch(ctx, module, kernel, grid, block, arrays, words...)
		if err != nil {
			return 0, err
		}
		seconds = float64(result.Cycles) / (float64(b.config.Clocks.Core) * 1e6)
		if b.waits {
			seconds = float64(b.gpu.Host().Clock(0)-begin) / 1e12
		}
	}
	return seconds, nil
}

// more is how much longer a kernel takes with more blocks than with fewer, in seconds.
func (b *bench) more(ctx context.Context, module *sim.Module, kernel string, block, fewer, more int, arrays []uint64) (float64, error) {
	var cycles [2]float64
	for n, blocks := range []int{fewer, more} {
		result, err := b.launch(ctx, module, kernel, [3]int{blocks}, [3]int{block}, arrays)
		if err != nil {
			return 0, err
		}
		cycles[n] = float64(result.Cycles)
	}
	return (cycles[1] - cycles[0]) / (float64(b.config.Clocks.Core) * 1e6), nil
}

// launch runs a kernel whose parameters are 64-bit addresses, then 32-bit words.
func (b *bench) launch(
	ctx context.Context, module *sim.Module, kernel string, grid, block [3]int, addresses []uint64, words ...uint32,
) (*stats.Launch, error) {
	var data []byte
	for _, a := range addresses {
		data = binary.LittleEndian.AppendUint64(data, a)
	}
	for _, w := range words {
		data = binary.LittleEndian.AppendUint32(data, w)
	}
	result, err := b.gpu.Launch(
		ctx, sim.Launch{Module: module, Kernel: kernel, Grid: grid, Block: block, Shared: b.shared, Parameters: data},
	)
	if result != nil {
		b.instructions += result.Total.InstExecuted
	}
	return result, err
}

// span says how to get the cycles of one step from a loop kernel's cycles. The kernel runs with two lengths of the body and two numbers of
// iterations, and
//
//	((T(long, more) - T(long, few)) - (T(short, more) - T(short, few))) / ((long - short)·(more - few))
//
// leaves out the launch, the first misses of caches, and the loop's own cost.
type span struct {
	short, long                   int // steps of the body
	fewIterations, moreIterations int // iterations
	grid, block                   int
	data                          uint64
}

// step is the time of one step of a loop kernel on the whole board, in cycles.
func (b *bench) step(ctx context.Context, k *loopKernel, s span) (float64, error) {
	out, err := b.gpu.Allocate("out", uint64(4*s.block))
	if err != nil {
		return 0, err
	}
	difference := func(steps int) (float64, error) {
		module, err := b.gpu.Load(fmt.Sprintf("%s-%d.ptx", loopName, steps), []byte(k.text(steps)))
		if err != nil {
			return 0, err
		}
		if k.machine != nil {
			if err := module.Rewrite(loopName, k.machine(steps)); err != nil {
				return 0, err
			}
		}
		if k.marked != nil {
			if err := module.Rewrite(loopName, k.marked); err != nil {
				return 0, err
			}
		}
		cycles := func(iterations int) (float64, error) {
			result, err := b.launch(ctx, module, loopName, [3]int{s.grid}, [3]int{s.block}, []uint64{out, s.data}, uint32(iterations))
			if err != nil {
				return 0, err
			}
			return float64(result.Cycles), nil
		}
		// A first run, so that L2 holds the data for the others.
		if _, err := cycles(s.fewIterations); err != nil {
			return 0, err
		}
		few, err := cycles(s.fewIterations)
		if err != nil {
			return 0, err
		}
		more, err := cycles(s.moreIterations)
		return more - few, err
	}
	short := 0.0
	if s.short > 0 {
		if short, err = difference(s.short); err != nil {
			return 0, err
		}
	}
	long, err := difference(s.long)
	if err != nil {
		return 0, err
	}
	return (long - short) / float64((s.long-s.short)*(s.moreIterations-s.fewIterations)), nil
}

// rewrite changes a kernel's machine program between lowering and running.
type rewrite = func(*isa.MachineProgram) error
