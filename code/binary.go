package code

import (
	"fmt"
	"slices"

	"github.com/keplersim/keplersim/arch"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/cubin"
	"github.com/keplersim/keplersim/isa/lower"
	"github.com/keplersim/keplersim/isa/sass"
	"github.com/keplersim/keplersim/isa/sass/translate"
)

// machineCode returns a program from the machine code for the chip in a cubin, a fatbin or an executable with one. If the file has only
// PTX, sources become that PTX. It returns nil for other sources.
func machineCode(sources *[]Source, chip arch.Capability) (*isa.Program, error) {
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
	var texts []Source
	var code, other []int
	for n, image := range images {
		switch {
		case image.ELF == nil:
			texts = append(texts, Source{Name: fmt.Sprintf("%s (PTX %d)", source.Name, n+1), Text: image.PTX})
		case arch.Capability(image.Architecture).Abilities().MachineCode:
			code = append(code, image.Architecture)
		default:
			other = append(other, image.Architecture)
		}
	}
	best := bestTarget(chip, code)
	switch {
	case len(texts) > 0 && !runs(chip, best):
		*sources = texts
		return nil, nil
	case best != 0:
		return modules(source.Name, images, best)
	}
	return nil, fmt.Errorf("%s has machine code for sm_%d: %s are known, and it has no PTX", source.Name, other, arch.Encoded())
}

// bestTarget returns the best of a file's targets for a chip: its own, else the newest that it runs, else the newest; 0 for none. Chip 0
// runs all.
func bestTarget(chip arch.Capability, targets []int) (best int) {
	for _, t := range targets {
		switch {
		case t == int(chip):
			return t
		case runs(chip, t) && !runs(chip, best), runs(chip, t) == runs(chip, best) && t > best:
			best = t
		}
	}
	return best
}

// runs reports whether a chip runs machine code for a target: both have the same encoding.
func runs(chip arch.Capability, target int) bool {
	e := sass.Of(target)
	return e != nil && (chip == 0 || e == sass.Of(int(chip)))
}

// modules returns the program in the images for a target.
func modules(name string, images []cubin.Image, target int) (*isa.Program, error) {
	var list []*cubin.Module
	for _, image := range images {
		if image.ELF == nil || image.Architecture != target {
			continue
		}
		m, err := cubin.Parse(image.ELF)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		list = append(list, m)
	}
	return translate.Program(name, list)
}

// ready returns a copy of the machine program of a kernel that came as machine code, if the chip runs it. The caller may change the copy.
func ready(kernel *isa.Function, o lower.Options) (*isa.MachineProgram, error) {
	mp := *kernel.Machine
	var target int
	if _, err := fmt.Sscanf(mp.Program.Target, "sm_%d", &target); err != nil || !runs(o.ComputeCapability, target) {
		return nil, fmt.Errorf("kernel %s is machine code for %s; the chip is %s", kernel.Name, mp.Program.Target,
			o.ComputeCapability.Target())
	}
	mp.Ops = slices.Clone(mp.Ops)
	return &mp, nil
}
