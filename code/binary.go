package code

import (
	"fmt"
	"slices"

	"github.com/keplersim/keplersim/arch"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/cubin"
	"github.com/keplersim/keplersim/isa/lower"
	"github.com/keplersim/keplersim/isa/sass/translate"
)

// machineCode makes a program of a cubin, a fatbin or an executable with one: of its machine code for sm_35 or sm_37. Where a file has
// none, sources become the PTX that it holds. It returns nil for other sources.
func machineCode(sources *[]Source) (*isa.Program, error) {
	if !slices.ContainsFunc(*sources, func(s Source) bool { return cubin.IsMachineCode(s.Text) }) {
		return nil, nil
	}
	if len(*sources) > 1 {
		return nil, fmt.Errorf("%s: machine code is not linked to other files", (*sources)[0].Name)
	}
	source := (*sources)[0]
	images, err := cubin.Images(source.Text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", source.Name, err)
	}
	var modules []*cubin.Module
	var texts []Source
	var other []int
	for n, image := range images {
		switch {
		case image.ELF == nil:
			texts = append(texts, Source{Name: fmt.Sprintf("%s (PTX %d)", source.Name, n+1), Text: image.PTX})
		case arch.Capability(image.Architecture).Abilities().MachineCode:
			m, err := cubin.Parse(image.ELF)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", source.Name, err)
			}
			modules = append(modules, m)
		default:
			other = append(other, image.Architecture)
		}
	}
	switch {
	case len(modules) > 0:
		return translate.Program(source.Name, modules)
	case len(texts) > 0:
		*sources = texts
		return nil, nil
	}
	return nil, fmt.Errorf("%s has machine code for sm_%d: %s are known, and it has no PTX", source.Name, other, arch.Encoded())
}

// ready returns the machine program of a kernel that came as machine code, for a chip that runs it: a copy, which its user may change.
func ready(kernel *isa.Function, o lower.Options) (*isa.MachineProgram, error) {
	if c := o.ComputeCapability; !c.Abilities().MachineCode {
		return nil, fmt.Errorf("kernel %s is machine code for %s; the chip is %s", kernel.Name, arch.Encoded(), c.Target())
	}
	mp := *kernel.Machine
	mp.Ops = slices.Clone(mp.Ops)
	return &mp, nil
}
