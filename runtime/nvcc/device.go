package nvcc

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/keplersim/keplersim/code"
	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/isa/cubin"
	"github.com/keplersim/keplersim/isa/decode"
	"github.com/keplersim/keplersim/toolchain"
)

// devicePTX returns the PTX of a source, which may be PTX itself.
func (m *maker) devicePTX(ctx context.Context, source string, o toolchain.Options) ([]byte, error) {
	if filepath.Ext(source) == ".ptx" {
		text, err := os.ReadFile(source)
		if err != nil {
			return nil, fmt.Errorf("nvcc: %w", err)
		}
		return text, nil
	}
	result, err := m.builder.Device(ctx, source, o)
	return result.PTX, err
}

// kept is the path of a source's device code for -keep.
func (m *maker) kept(source string) string {
	return filepath.Join(m.keepFolder, strings.TrimSuffix(filepath.Base(source), filepath.Ext(source))+".ptx")
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
