package code

import (
	"context"
	"errors"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/decode"
	"github.com/keplersim/keplersim/isa/lower"
	"github.com/keplersim/keplersim/isa/ptx"
)

// Source is one PTX text.
type Source struct {
	Name string // the file's name, for messages
	Text []byte
}

// Parse returns the syntax trees of texts. Its error lists the errors of every text, with positions.
func Parse(sources []Source) ([]*ptx.File, error) {
	var files []*ptx.File
	var failures []error
	for _, source := range sources {
		file, err := ptx.Parse(source.Name, string(source.Text))
		if err != nil {
			failures = append(failures, err)
		}
		files = append(files, file)
	}
	return files, errors.Join(failures...)
}

// Link parses, decodes and links texts. It returns the program and the texts' syntax trees.
func Link(sources []Source, o decode.Options) (*isa.Program, []*ptx.File, error) {
	if program, err := machineCode(&sources, o.ComputeCapability); program != nil || err != nil {
		return program, nil, err
	}
	files, err := Parse(sources)
	if err != nil {
		return nil, nil, err
	}
	program, err := decode.Program(files, o)
	return program, files, err
}

// Lower compiles a kernel to the machine program that a chip runs, with at most maxRegisters registers per thread; 0 takes the chip's
// limit. The error names the kernel, or the undefined names that it uses; if ctx ends, it is ctx's error.
func Lower(
	ctx context.Context, program *isa.Program, kernel *isa.Function, chip *configs.Config, maxRegisters int,
) (*isa.MachineProgram, error) {
	return LowerWith(ctx, program, kernel, Options(chip, maxRegisters))
}

// LowerWith is Lower with all options of lowering.
func LowerWith(ctx context.Context, program *isa.Program, kernel *isa.Function, o lower.Options) (*isa.MachineProgram, error) {
	if err := kernel.Resolved(); err != nil {
		return nil, err
	}
	if kernel.Machine != nil {
		return ready(kernel, o)
	}
	return lower.Program(ctx, program, kernel, o)
}

// Options returns the lowering options for a chip and a limit on registers, 0 for none.
func Options(chip *configs.Config, maxRegisters int) lower.Options {
	return lower.Options{
		ComputeCapability: chip.ComputeCapability, MaxRegisters: maxRegisters, PerThread: chip.Registers.PerThread,
		RegistersPerSMX: chip.Registers.PerSMX, ThreadsPerSMX: chip.SMX.Threads, RegisterGranularity: chip.Registers.ThreadGranularity,
		RegisterBanks: chip.Registers.Banks, IssueCycles: chip.SMX.IssueCycles,
		Latency: Latency(chip), CoreAlone: chip.Pipelines.DualIssue.CompiledAlone,
	}
}

// Latency returns the latencies of a chip's operations, in core clock cycles.
func Latency(chip *configs.Config) func(isa.Class) int {
	return func(c isa.Class) int { return chip.Pipelines.Operations[c].Latency }
}
