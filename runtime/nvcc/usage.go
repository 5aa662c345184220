package nvcc

import (
	"context"
	"fmt"
	"io"

	"github.com/keplersim/keplersim/code"
	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/decode"
	"github.com/keplersim/keplersim/toolchain"
)

// constantHead is where a kernel's parameters begin in constant bank 0, in bytes. The driver uses the bytes before.
const constantHead = 0x140

// chips are the chips that an architecture's code is lowered for.
var chips = map[string]string{"sm_30": "gk104", "sm_32": "gk20a", "sm_35": "gk110", "sm_37": "gk210"}

// note prints the resources of a source's kernels, for -Xptxas -v.
func (m *maker) note(ctx context.Context, source string, ptx []byte, o toolchain.Options) error {
	if !m.usage {
		return nil
	}
	return writeUsage(ctx, m.out.Err, source, ptx, o.Arch, m.registers)
}

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
