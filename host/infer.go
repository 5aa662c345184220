package host

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/keplersim/keplersim/code"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/workload"
)

// MadeUp begins the notes of what a launch was given that nobody said.
const MadeUp = "made up: "

// inferWorkload makes up the workload of a file of code that has none, around what the user said of the launch.
func (j *Job) inferWorkload(ctx context.Context, path string) error {
	module, err := j.loadModule(ctx, path)
	if err != nil {
		return err
	}
	kernel, err := code.Kernel(module.Kernels(), path, j.options.Kernel)
	if err != nil {
		return err
	}
	if err := kernel.Resolved(); err != nil {
		return err
	}
	if at := readsObjects(kernel); at != nil {
		return fmt.Errorf("%skernel %s reads a texture or surface, which a workload file must bind: write beside the kernel\n%s", place(module.Program(), at.Line), module.Program().Title(kernel.Name),
			exampleWorkload(path, kernel, module.Program()))
	}
	wishes := workload.Wishes{Grid: j.options.Grid, Block: j.options.Block, Shared: j.options.Shared, Args: j.options.Arguments, Symbols: j.options.Symbols, Title: module.Program().Title(kernel.Name)}
	// A kernel that says what block it was compiled for gets that block.
	if asked := kernel.Limits.RequiredThreads; wishes.Block == [3]int{} && asked[0] > 0 {
		wishes.Block = [3]int{asked[0], max(asked[1], 1), max(asked[2], 1)}
		j.note("block: %d × %d × %d threads, as the kernel requires (.reqntid)", wishes.Block[0], wishes.Block[1], wishes.Block[2])
	} else if most := kernel.Limits.MaxThreads; wishes.Block == [3]int{} && most[0] > 0 && most[0]*max(most[1], 1)*max(most[2], 1) < workload.DefaultThreads {
		wishes.Block = [3]int{most[0], max(most[1], 1), max(most[2], 1)}
		j.note("block: %d × %d × %d threads, the most that the kernel allows (.maxntid)", wishes.Block[0], wishes.Block[1], wishes.Block[2])
	}
	if err := j.checkExtents(wishes); err != nil {
		return err
	}
	wishes.Shared = j.madeUpShared(kernel, wishes)
	made, notes, err := workload.Infer(kernel.Name, path, Parameters(kernel), wishes)
	if err != nil {
		return err
	}
	for _, n := range notes {
		j.note(MadeUp+"%s", n)
	}
	j.Workload = made
	j.modules = map[string]*sim.Module{"": module}
	if err := j.bindSymbols(); err != nil {
		return err
	}
	j.noteZeroConstants(module)
	return j.checkArguments(kernel, made.Launches()[0])
}

// checkExtents refuses a launch that the chip cannot have, before buffers are made for its threads.
func (j *Job) checkExtents(wishes workload.Wishes) error {
	smx := &j.Config.SMX
	for i, axis := range []string{"x", "y", "z"} {
		if n, most := wishes.Grid[i], smx.MaxGridDim[i]; n > most {
			return fmt.Errorf("a grid of %d blocks in %s: at most %d", n, axis, most)
		}
		if n, most := wishes.Block[i], smx.MaxBlockDim[i]; n > most {
			return fmt.Errorf("a block of %d threads in %s: at most %d", n, axis, most)
		}
	}
	return nil
}

// madeUpShared is the dynamic shared memory of a launch that is made up, in bytes: an element for each thread, where the kernel names such
// memory and the user gives none.
func (j *Job) madeUpShared(kernel *isa.Function, wishes workload.Wishes) int {
	if kernel.DynamicAlign == 0 || wishes.Shared != 0 {
		return wishes.Shared
	}
	threads := workload.DefaultThreads
	if b := wishes.Block; b[0] > 0 {
		threads = b[0] * max(b[1], 1) * max(b[2], 1)
	}
	element := max(kernel.DynamicAlign, 4)
	j.note(MadeUp+"shared: %d bytes of dynamic shared memory, %d for each thread", threads*element, element)
	return threads * element
}

// readsObjects is a kernel's first instruction that reads or writes a texture or surface, nil where it has none.
func readsObjects(kernel *isa.Function) *isa.Instruction {
	for _, b := range kernel.Blocks {
		for _, i := range b.Instructions {
			if i.Memory != nil && i.Memory.Texture != nil {
				return i
			}
		}
	}
	return nil
}

// exampleWorkload is a workload file to begin with for a kernel that reads textures: the variables that it names, or one that it gets as
// a handle.
func exampleWorkload(path string, kernel *isa.Function, program *isa.Program) string {
	names, kinds := []string{}, map[string]string{}
	for _, b := range kernel.Blocks {
		for _, i := range b.Instructions {
			if i.Memory == nil || i.Memory.Texture == nil {
				continue
			}
			name := "NAME"
			if o := i.Memory.Texture.Object; o.Kind == isa.OperandSymbol {
				name = program.Symbols[o.Symbol].Name
			}
			if _, known := kinds[name]; !known {
				names = append(names, name)
			}
			if g := i.Memory.Texture.Geometry; g != "" || kinds[name] == "" {
				kinds[name] = g
			}
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "  module: %s\n  buffers:\n    texels: {type: f32, count: 4096, init: {random: {}}}\n  textures:\n", filepath.Base(path))
	for _, name := range names {
		kind := kinds[name]
		dimensions := map[string]string{"1d": "4096", "3d": "16, 16, 16", "a1d": "256, 16", "a2d": "16, 16, 16", "cube": "16", "acube": "8, 2"}[kind]
		if dimensions == "" {
			kind, dimensions = "2d", "64, 64"
		}
		fmt.Fprintf(&b, "    %s: {buffer: texels, kind: %s, dimensions: [%s], format: f32}\n", name, kind, dimensions)
	}
	handle := ""
	if _, ok := kinds["NAME"]; ok {
		handle = ", with {texture: NAME} or {surface: NAME} for a handle"
	}
	fmt.Fprintf(&b, "  steps:\n    - launch: {kernel: %s, grid: [16], block: [256], args: [ARGUMENTS%s]}", kernel.Name, handle)
	return b.String()
}
