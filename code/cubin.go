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

// Cubin returns a cubin of a program's kernels, and the machine program of each. They are lowered for a chip whose machine code is known,
// with a cap on registers, 0 for none.
//
// Each operation of such a program does its own work, and an instruction for which that is not known is an error that names it.
func Cubin(ctx context.Context, program *isa.Program, chip *configs.Config, maxRegisters int) ([]byte, []*isa.MachineProgram, error) {
	return CubinWith(ctx, program, chip, Options(chip, maxRegisters))
}

// CubinWith is Cubin with all that can be said of lowering for the chip.
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
