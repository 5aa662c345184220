package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/host"
	report "github.com/keplersim/keplersim/report/occupancy"
	"github.com/keplersim/keplersim/sim/smx/occupancy"
)

// openKernel reads a kernel of a PTX or .cu file for keplersim occupancy; an empty name means the file's only kernel.
var openKernel = openLowered

// takeFiles lets the command read a kernel from a file.
func (o *occupancyOptions) takeFiles(command *cobra.Command) {
	command.Use = "occupancy [FILE]"
	command.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 && len(o.link) == 0 {
			return nil // the launch is given by numbers
		}
		return linkedArgs(&o.link)(cmd, args)
	}
	command.Long += `

FILE is a PTX or .cu file. Registers and static shared memory then come from lowering the kernel for each chip; --shared
is dynamic shared memory in addition, --registers takes the place of lowering's count, and --maxrregcount makes lowering
spill beyond so many. Without --block and --shared the launch is that of the workload file beside FILE, or else has the
block size that the kernel asks for (.reqntid, .maxntid), or 256, and no dynamic shared memory.
` + linkHelp
	command.Example += "\n  keplersim occupancy workloads/spmv/spmv.ptx --kernel spmv_scalar --maxrregcount 32"
	command.Flags().StringVar(&o.kernel, "kernel", "", "the kernel of FILE, where it has several")
	o.code = codeFlags(command, &o.link)
	command.Flags().StringVar(&o.registersOf, "registers-of", "",
		"take lowering's registers for this chip or board on every chip, so that these stay the same")
	command.Flags().IntVar(&o.maxRegisters, "maxrregcount", 0, "registers per thread that lowering may use; 0 is the chip's limit")
}

// loweredKernel is a kernel from a file, lowered for each chip by name.
type loweredKernel struct {
	name    string
	source  report.Source
	configs map[string]*configs.Config
	kernels map[string]report.Kernel
}

// lower reads the file and lowers its kernel for each chip.
func (o *occupancyOptions) lower(ctx context.Context, chips []chip) (*loweredKernel, error) {
	source, err := openKernel(ctx, o.studied())
	if err != nil {
		return nil, err
	}
	var reference *configs.Config
	if o.registersOf != "" {
		if reference, err = configs.Load(o.registersOf, nil); err != nil {
			return nil, fmt.Errorf("--registers-of: %w", err)
		}
	}
	k := &loweredKernel{source: source, configs: map[string]*configs.Config{}, kernels: map[string]report.Kernel{}}
	for _, c := range chips {
		if c.config == nil {
			return nil, fmt.Errorf("a kernel cannot be lowered for %s: it is known only by its limits; give --registers and --shared "+
				"instead of a file", c.limits.Name)
		}
		compiled := c.config
		if reference != nil {
			compiled = reference
		}
		kernel, err := source.Kernel(compiled, o.maxRegisters)
		if err != nil {
			return nil, fmt.Errorf("for %s: %w", c.limits.Name, err)
		}
		k.name, k.configs[c.limits.Name], k.kernels[c.limits.Name] = kernel.Name, compiled, kernel
	}
	return k, nil
}

// studied returns the kernel that the command line names.
func (o *occupancyOptions) studied() kernelFile {
	return kernelFile{reader: o.code, path: o.file, link: o.link, kernel: o.kernel}
}

// launch returns the launch on a chip: what the user gave, else what lowering found.
func (k *loweredKernel) launch(o *occupancyOptions, chip string, given occupancy.Launch) occupancy.Launch {
	kernel := k.kernels[chip]
	if !o.given("registers") {
		given.Registers = kernel.Registers
	}
	switch {
	case o.given("block"):
	case kernel.Block > 0:
		given.Threads = kernel.Block
	case kernel.Threads > 0:
		given.Threads = kernel.Threads
	}
	if !o.given("shared") {
		given.Shared = kernel.Dynamic
	}
	given.Shared += kernel.Shared
	return given
}

// spills says what a register cap costs on a chip.
func (k *loweredKernel) spills(chip string, registers int) string {
	kernel, err := k.source.Kernel(k.configs[chip], registers)
	if err != nil {
		return err.Error()
	}
	return kernel.Spills()
}

// inputs returns the files that the command reads.
func (o *occupancyOptions) inputs() []string {
	list := configFiles(o.configs)
	if o.file != "" {
		list = append(list, host.FilesOf(o.file, o.link)...)
	}
	return list
}
