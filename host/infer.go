package host

import (
	"context"

	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/workload"
)

// inferWorkload makes up the workload of a file of code that has none, around what the user said of the launch.
func (j *Job) inferWorkload(ctx context.Context, path string) error {
	module, err := j.loadModule(ctx, path)
	if err != nil {
		return err
	}
	kernel, err := kernelOf(module, path, j.options.Kernel)
	if err != nil {
		return err
	}
	wishes := workload.Wishes{Grid: j.options.Grid, Block: j.options.Block, Shared: j.options.Shared, Args: j.options.Arguments}
	// A kernel that says what block it was compiled for gets that block.
	if asked := kernel.Limits.RequiredThreads; wishes.Block == [3]int{} && asked[0] > 0 {
		wishes.Block = [3]int{asked[0], max(asked[1], 1), max(asked[2], 1)}
		j.note("block: %d × %d × %d threads, as the kernel requires (.reqntid)", wishes.Block[0], wishes.Block[1], wishes.Block[2])
	} else if most := kernel.Limits.MaxThreads; wishes.Block == [3]int{} && most[0] > 0 && most[0]*max(most[1], 1)*max(most[2], 1) < workload.DefaultThreads {
		wishes.Block = [3]int{most[0], max(most[1], 1), max(most[2], 1)}
		j.note("block: %d × %d × %d threads, the most that the kernel allows (.maxntid)", wishes.Block[0], wishes.Block[1], wishes.Block[2])
	}
	made, notes, err := workload.Infer(kernel.Name, path, Parameters(kernel), wishes)
	if err != nil {
		return err
	}
	for _, n := range notes {
		j.note("made up: %s", n)
	}
	j.Workload = made
	j.modules = map[string]*sim.Module{"": module}
	return nil
}
