package cli

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/keplersim/keplersim/arch"
	"github.com/keplersim/keplersim/code"
	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/decode"
	report "github.com/keplersim/keplersim/report/occupancy"
	"github.com/keplersim/keplersim/workload"
)

// loweredSource is a kernel of a PTX or .cu file. The file is decoded once for each compute capability.
type loweredSource struct {
	kernelFile
	ctx      context.Context
	programs map[arch.Capability]*isa.Program
}

// openLowered reads a kernel for keplersim occupancy.
func openLowered(ctx context.Context, k kernelFile) (report.Source, error) {
	if err := checkCode(k.reader, k.path); err != nil {
		return nil, err
	}
	return &loweredSource{kernelFile: k, ctx: ctx, programs: map[arch.Capability]*isa.Program{}}, nil
}

// Kernel implements report.Source.
func (s *loweredSource) Kernel(chip *configs.Config, maxRegisters int) (report.Kernel, error) {
	program, err := s.program(chip.ComputeCapability)
	if err != nil {
		return report.Kernel{}, err
	}
	function, err := code.Kernel(program.Kernels(), s.path, s.kernel)
	if err != nil {
		return report.Kernel{}, err
	}
	machine, err := code.Lower(s.ctx, program, function, chip, maxRegisters)
	if err != nil {
		return report.Kernel{}, err
	}
	k := report.Kernel{
		Name: program.Title(function.Name), Registers: machine.Registers, Shared: machine.SharedBytes,
		Threads: askedThreads(function.Limits), SpillBytes: machine.SpillBytes, SpillLoads: machine.SpillLoads,
		SpillStores: machine.SpillStores,
	}
	if l := s.launched(program, function); l != nil {
		k.Block, k.Dynamic = l.Block[0]*l.Block[1]*l.Block[2], l.Shared
	}
	return k, nil
}

// launched returns the first launch of a kernel in the workload file next to it, nil if there is none.
func (s *loweredSource) launched(program *isa.Program, function *isa.Function) *workload.Launch {
	beside, ok := workload.Beside(s.path)
	if !ok {
		return nil
	}
	w, err := workload.Load(beside)
	if err != nil {
		return nil // occupancy needs no workload file; running it reports mistakes
	}
	for _, l := range w.Launches() {
		if k, err := code.Kernel(program.Kernels(), s.path, l.Kernel); err == nil && k == function {
			return l
		}
	}
	return nil
}

// program decodes the file for a compute capability. A .cu file is compiled for it. For an older chip, NAME.sm_30.ptx next to a PTX file
// takes its place.
func (s *loweredSource) program(capability arch.Capability) (*isa.Program, error) {
	if program := s.programs[capability]; program != nil {
		return program, nil
	}
	path := s.path
	if !strings.EqualFold(filepath.Ext(path), ".cu") {
		path = (&workload.Workload{}).ModuleFor(path, int(capability))
	}
	program, _, err := linkModules(s.ctx, s.reader, append([]string{path}, s.link...), capability, decode.Options{})
	if err != nil {
		return nil, err
	}
	s.programs[capability] = program
	return program, nil
}

// askedThreads returns the block size that a kernel's directives request, 0 if none.
func askedThreads(l isa.Limits) int {
	dims := l.RequiredThreads
	if dims == [3]int{} {
		dims = l.MaxThreads
	}
	if dims == [3]int{} {
		return 0
	}
	return max(dims[0], 1) * max(dims[1], 1) * max(dims[2], 1)
}
