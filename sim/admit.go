package sim

import (
	"context"
	"fmt"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/sim/smx"
	"github.com/keplersim/keplersim/sim/smx/occupancy"
)

// Refused is the error of a launch that its kernel or its chip does not allow.
type Refused struct {
	// Number is CUDA's error. It is cudaErrorInvalidConfiguration for a grid or block that the chip does not support. It is
	// cudaErrorInvalidValue if the kernel's directives or a block's limit of shared memory do not allow the launch, and
	// cudaErrorLaunchOutOfResources if no SMX has room.
	Number int
	error
}

// Unwrap returns the error without its number.
func (r *Refused) Unwrap() error { return r.error }

// CUDA returns the name of CUDA's error with its number, as in "cudaErrorInvalidValue (1)".
func (r *Refused) CUDA() string { return fmt.Sprintf("%s (%d)", cudaErrors[r.Number].name, r.Number) }

func refuse(number int, format string, arguments ...any) error {
	return &Refused{number, fmt.Errorf(format, arguments...)}
}

// Admit checks a launch as Start does, and returns the machine program that it runs: Module.Lower's, unless a block has no room for as many
// registers a thread. The error is a *Refused if the launch is not allowed.
func (g *GPU) Admit(ctx context.Context, l Launch) (*isa.MachineProgram, error) {
	program, _, err := g.admit(ctx, &l)
	if err != nil {
		return nil, err
	}
	return program.Machine, nil
}

// admit checks a launch against the kernel's directives and the chip's limits, and returns its program and how much of it an SMX holds.
func (g *GPU) admit(ctx context.Context, l *Launch) (*smx.Program, occupancy.Result, error) {
	none := occupancy.Result{}
	if err := CheckShape(g.config, l.Grid, l.Block); err != nil {
		return nil, none, err
	}
	threads := 1
	for _, n := range l.Block {
		threads *= max(n, 1)
	}
	program, limits, ask, err := g.fit(ctx, l, threads)
	if err != nil {
		return nil, none, err
	}
	if err := limits.Check(ask); err != nil {
		number := cudaLaunchOutOfResources
		switch {
		case threads > limits.ThreadsPerBlock:
			number = cudaInvalidConfiguration
		case ask.Shared > limits.SharedPerBlock:
			number = cudaInvalidValue
		}
		return nil, none, refuse(number, "the launch can never be resident: %w", err)
	}
	if err := checkDirectives(&program.Machine.Kernel.Limits, l.Block, threads); err != nil {
		return nil, none, err
	}
	result := limits.Calculate(ask)
	if result.Blocks > 0 {
		return program, result, nil
	}
	advice := ""
	if result.Limiters.Has(occupancy.Registers) {
		if most := limits.MostRegisters(ask, 1); most > 0 {
			advice = fmt.Sprintf("; with --maxrregcount %d (nvcc -maxrregcount=%[1]d) it does", most)
		}
	}
	return nil, none, refuse(cudaLaunchOutOfResources,
		"the launch can never be resident: a block of %d threads with %d registers each and %d "+
			"bytes of shared memory does not fit an SMX (limited by %s)%s", threads, ask.Registers, ask.Shared, result.Limiters, advice)
}

// CheckShape returns why a chip does not support a grid or block of some extents, nil if it does. The error is a *Refused.
func CheckShape(config *configs.Config, grid, block [3]int) error {
	for i, axis := range []string{"x", "y", "z"} {
		if most := config.SMX.MaxGridDim[i]; grid[i] > most {
			return refuse(cudaInvalidConfiguration, "a grid of %d blocks in %s: at most %d", grid[i], axis, most)
		}
		if most := config.SMX.MaxBlockDim[i]; block[i] > most {
			return refuse(cudaInvalidConfiguration,
				"a block of %d threads in %s: at most %d; give smaller blocks and a larger grid", block[i], axis, most)
		}
	}
	return nil
}

// checkDirectives checks a block against a kernel's .maxntid and .reqntid.
func checkDirectives(limits *isa.Limits, block [3]int, threads int) error {
	if required := limits.RequiredThreads; required != [3]int{} {
		for i, n := range required {
			if max(block[i], 1) != n {
				return refuse(cudaInvalidValue, "a block of %v threads: the kernel's .reqntid asks for %v", block, required)
			}
		}
	}
	if most := limits.MostThreads(); most > 0 && threads > most {
		return refuse(cudaInvalidValue, "a block of %d threads: the kernel's .maxntid (__launch_bounds__) allows %d", threads, most)
	}
	return nil
}

// fit is fitted, except for configurations without spills. For these the program is lowered with all registers that it needs, but asks an
// SMX for the resources of the program with spills, so that as many blocks are resident.
func (g *GPU) fit(ctx context.Context, l *Launch, threads int) (*smx.Program, occupancy.Limits, occupancy.Launch, error) {
	program, limits, ask, err := g.fitted(ctx, l, threads)
	if err == nil && g.config.Ideal.NoSpills && program.Machine.SpillBytes > 0 && !l.Module.rewritten[l.Kernel] {
		program, err = l.Module.limited(ctx, l.Kernel, noSpills)
	}
	return program, limits, ask, err
}

// fitted returns the program for a launch with some threads in a block, the chip's limits, and the resources that a block asks of an SMX.
// If an SMX has no room for the program's registers, and no option fixes their number, the kernel is lowered again with as many as there is
// room for, as if by -maxrregcount.
func (g *GPU) fitted(ctx context.Context, l *Launch, threads int) (*smx.Program, occupancy.Limits, occupancy.Launch, error) {
	m := l.Module
	program, err := m.prepared(ctx, l.Kernel)
	if err != nil {
		return nil, occupancy.Limits{}, occupancy.Launch{}, err
	}
	limits, ask, err := g.resources(program, l, threads)
	said := g.options.MaxRegisters > 0 || g.options.Registers > 0 || program.Machine.Kernel.Limits.MaxRegisters > 0 || m.rewritten[l.Kernel]
	if err != nil || said || limits.Check(ask) != nil {
		return program, limits, ask, err
	}
	if most := limits.MostRegisters(ask, 1); most > 0 && most < ask.Registers {
		again, err := m.limited(ctx, l.Kernel, most)
		switch {
		case ctx.Err() != nil:
			return nil, limits, ask, err
		case err == nil:
			program, ask.Registers = again, again.Machine.Registers
		}
	}
	return program, limits, ask, nil
}
