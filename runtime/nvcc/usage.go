package nvcc

import (
	"context"
	"fmt"
	"io"

	"github.com/keplersim/keplersim/code"
	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/decode"
)

// constantHead is where a kernel's parameters begin in constant bank 0, in bytes: what lies before them belongs to the driver.
const constantHead = 0x140

// chips are those that code of an architecture is lowered for.
var chips = map[string]string{"sm_30": "gk104", "sm_32": "gk20a", "sm_35": "gk110", "sm_37": "gk210"}

// writeUsage prints what ptxas -v does: what each kernel of a file's PTX takes. What is left to linking is not counted.
func writeUsage(ctx context.Context, out io.Writer, source string, ptx []byte, arch string, registers int) error {
	chip, err := configs.Load(chips[arch], nil)
	if err != nil {
		return err
	}
	program, _, err := code.Link([]code.Source{{Name: source, Text: ptx}}, decode.Options{ComputeCapability: int(chip.ComputeCapability)})
	if err != nil {
		return err
	}
	for _, kernel := range program.Kernels() {
		if kernel.Resolved() != nil {
			continue // device code of other files
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

// usage is one kernel's paragraph.
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
