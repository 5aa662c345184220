package code

import (
	"context"
	"fmt"

	"github.com/keplersim/keplersim/arch"
	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/cubin"
	"github.com/keplersim/keplersim/isa/lower"
	"github.com/keplersim/keplersim/isa/sass/assemble"
)

// Cubin returns a cubin with a program's kernels, and the machine program of each. They are lowered for a chip with a known machine code,
// with a limit on registers, 0 for none.
//
// Each operation of such a program does its own work. An instruction for which that is not possible fails with an error that names it.
func Cubin(ctx context.Context, program *isa.Program, chip *configs.Config, maxRegisters int) ([]byte, []*isa.MachineProgram, error) {
	return CubinWith(ctx, program, chip, Options(chip, maxRegisters))
}

// CubinWith is Cubin with all options of lowering.
func CubinWith(
	ctx context.Context, program *isa.Program, chip *configs.Config, o lower.Options,
) ([]byte, []*isa.MachineProgram, error) {
	if c := chip.ComputeCapability; !c.Abilities().MachineCode {
		return nil, nil, fmt.Errorf("machine code is written for %s, not for %s", arch.Encoded(), c.Target())
	}
	o.Encodable = true
	var kernels []*isa.MachineProgram
	for _, kernel := range program.Kernels() {
		mp, err := LowerWith(ctx, program, kernel, o)
		if err != nil {
			return nil, nil, err
		}
		if kernel.Machine != nil {
			return nil, nil, fmt.Errorf("kernel %s is machine code already", kernel.Name)
		}
		kernels = append(kernels, mp)
	}
	m, err := assemble.Program(program, kernels, int(chip.ComputeCapability), Latency(chip))
	if err != nil {
		return nil, nil, err
	}
	return cubin.Write(m), kernels, nil
}
