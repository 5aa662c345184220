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

// MadeUp begins the notes on made-up parts of a launch.
const MadeUp = "made up: "

// inferWorkload makes up a workload for a code file without one, around the user's description of the launch.
func (j *Job) inferWorkload(ctx context.Context, path string) error {
	sources, err := j.readSources(ctx, path)
	if err != nil {
		return err
	}
	module, err := j.load(j.gpu, sources)
	if err != nil {
		return err
	}
	j.noteModule(module)
	kernel, err := code.Kernel(module.Kernels(), path, j.options.Kernel)
	if err != nil {
		return err
	}
	if err := kernel.Resolved(); err != nil {
		return err
	}
	if at := readsObjects(kernel); at != nil {
		return fmt.Errorf("%skernel %s reads a texture or surface, which a workload file must bind: write beside the kernel\n%s",
			place(module.Program(), at.Line), module.Program().Title(kernel.Name),
			exampleWorkload(path, kernel, module.Program()))
	}
	wishes := workload.Wishes{Grid: j.options.Grid, Block: j.options.Block, Shared: j.options.Shared, Args: j.options.Arguments,
		Symbols: j.options.Symbols, Title: module.Program().Title(kernel.Name)}
	j.modules = map[string]*sim.Module{"": module}
	load := func(gpu *sim.GPU) (*sim.Module, error) {
		return gpu.Load(sources[0].Name, sources[0].Text, sources[1:]...)
	}
	if err := j.checkExtents(wishes); err != nil {
		return err
	}
	if err := j.suit(ctx, path, module, load, kernel, &wishes); err != nil {
		return err
	}
	made, notes, err := workload.Infer(kernel.Name, path, Parameters(kernel), wishes)
	if err != nil {
		return err
	}
	for _, n := range notes {
		j.note(MadeUp+"%s", n)
	}
	j.Workload = made
	if err := j.bindSymbols(); err != nil {
		return err
	}
	j.noteZeroConstants(module)
	return j.checkArguments(kernel, made.Launches()[0])
}

// checkExtents rejects a launch that the chip cannot run, before buffers are made for its threads.
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

// suit completes the user's wishes for a launch with values that suit the kernel.
func (j *Job) suit(
	ctx context.Context, path string, module *sim.Module, load func(*sim.GPU) (*sim.Module, error), kernel *isa.Function,
	wishes *workload.Wishes,
) error {
	s, why := j.usualShape(kernel, module.Program())
	var best *outcome
	d, err := j.newDryRun(path, module, load, kernel, *wishes)
	if err != nil {
		return err
	}
	if d != nil && !s.triable() {
		d = nil // the launch is rejected or has too many threads: each buffer gets an element for each
	}
	if d != nil {
		if best, err = d.find(ctx, s); err != nil {
			return err
		}
		if best.ran() && best.shape != s {
			if best.shape.block != s.block {
				why = "with which the kernel reads no unwritten shared memory"
			}
			s = best.shape
		}
	}
	j.noteShape(s, why, kernel, wishes)
	wishes.Grid, wishes.Block, wishes.Shared = s.grid, s.block, s.shared
	switch {
	case d == nil:
	case best.err != nil:
		j.note(MadeUp+"in trials of the kernel no sizes were found that suit it: %s", firstLine(best.err))
	case !best.ran():
		j.note(MadeUp + "in trials of the kernel no sizes were found with which any thread accesses memory")
	default:
		wishes.Found = d.found(best, func(n int, name string) (workload.ArgText, string) { return d.buffer(best, n, name) })
		j.note(MadeUp+"buffer sizes are from a trial run: %d of %d threads access memory, and buffers are as large as "+
			"what they touch", best.threads, s.threads())
	}
	return nil
}

func firstLine(err error) string {
	text, _, _ := strings.Cut(err.Error(), "\n")
	return text
}

// readsObjects returns a kernel's first instruction that accesses a texture or surface, nil for none.
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

// exampleWorkload returns a workload file as a starting point for a kernel that reads textures: with the variables it names, or one texture
// passed as a handle.
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
	fmt.Fprintf(&b, "  module: %s\n  buffers:\n    texels: {type: f32, count: 4096, init: {random: {}}}\n  textures:\n",
		filepath.Base(path))
	for _, name := range names {
		kind := kinds[name]
		dimensions := map[string]string{"1d": "4096", "3d": "16, 16, 16", "a1d": "256, 16", "a2d": "16, 16, 16", "cube": "16",
			"acube": "8, 2"}[kind]
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
