package nvcc

import (
	"context"
	"fmt"
	"io"

	"github.com/keplersim/keplersim/code"
	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/cubin"
	"github.com/keplersim/keplersim/isa/decode"
	"github.com/keplersim/keplersim/toolchain"
)

// constantHead is where a kernel's parameters begin in constant bank 0, in bytes. The driver uses the bytes before.
const constantHead = 0x140

// chips are the chips that an architecture's code is lowered for.
var chips = map[string]string{"sm_30": "gk104", "sm_32": "gk20a", "sm_35": "gk110", "sm_37": "gk210"}

// writeUsage prints the resources of each kernel in a file's PTX, as ptxas -v does. Functions from other files do not count.
func writeUsage(ctx context.Context, out io.Writer, source string, ptx []byte, arch string, registers int) error {
	chip, err := configs.Load(chips[arch], nil)
	if err != nil {
		return err
	}
	program, _, err := code.Link([]code.Source{{Name: source, Text: ptx}}, decode.Options{ComputeCapability: chip.ComputeCapability})
	if err != nil {
		return err
	}
	for _, kernel := range program.Kernels() {
		if kernel.Resolved() != nil {
			continue // the device code is in other files
		}
		machine, err := code.Lower(ctx, program, kernel, chip, registers)
		if err != nil {
			return err
		}
		if _, err := io.WriteString(out, usage(kernel, machine, arch)); err != nil {
			return err
		}
	}
	return nil
}

// machineCode returns the cubin of a source's PTX, or a fatbin with cubin and PTX. If an instruction has no machine code here, the fatbin
// has the PTX alone.
func (m *maker) machineCode(ctx context.Context, source string, ptx []byte, o toolchain.Options) ([]byte, error) {
	chip, err := configs.Load(chips[o.Arch], nil)
	if err != nil {
		return nil, err
	}
	capability := chip.ComputeCapability
	images := []cubin.Image{{Architecture: int(capability), Name: source, PTX: ptx}}
	program, _, err := code.Link([]code.Source{{Name: source, Text: ptx}}, decode.Options{ComputeCapability: capability})
	if err != nil {
		return nil, err
	}
	made, machines, err := code.Cubin(ctx, program, chip, m.registers)
	switch {
	case err != nil && m.phase == machineCode:
		return nil, fmt.Errorf("%w; -fatbin writes the PTX instead, which runs", err)
	case err != nil:
		fmt.Fprintf(m.out.Err, "keplersim: note: %s: the fatbin holds PTX alone: %v\n", source, err)
		return cubin.WriteFatbin(images), nil
	}
	if m.usage {
		for _, machine := range machines {
			if _, err := io.WriteString(m.out.Err, usage(machine.Kernel, machine, o.Arch)); err != nil {
				return nil, err
			}
		}
	}
	if m.phase == machineCode {
		return made, nil
	}
	return cubin.WriteFatbin(append([]cubin.Image{{Architecture: int(capability), Name: source, ELF: made}}, images...)), nil
}

// usage formats one kernel's resources.
func usage(kernel *isa.Function, m *isa.MachineProgram, arch string) string {
	text := fmt.Sprintf("ptxas info    : Compiling entry function '%[1]s' for '%[2]s'\nptxas info    : Function properties for %[1]s\n"+
		"    %[3]d bytes stack frame, %[4]d bytes spill stores, %[5]d bytes spill loads\nptxas info    : Used %[6]d registers",
		kernel.Name, arch, m.LocalBytes, 4*m.SpillStores, 4*m.SpillLoads, m.Registers)
	if m.SharedBytes > 0 {
		text += fmt.Sprintf(", %d bytes smem", m.SharedBytes)
	}
	text += fmt.Sprintf(", %d bytes cmem[0]", constantHead+kernel.ParameterBytes())
	if m.LiteralBytes > 0 {
		text += fmt.Sprintf(", %d bytes cmem[2]", m.LiteralBytes)
	}
	return text + "\n"
}
