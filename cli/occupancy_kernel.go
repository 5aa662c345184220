package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/host"
	report "github.com/keplersim/keplersim/report/occupancy"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/sim/smx/occupancy"
	"github.com/keplersim/keplersim/workload"
)

// openKernel reads a kernel of a PTX or .cu file for keplersim occupancy. An empty name means the file's only kernel.
var openKernel = openLowered

// takeFiles makes the command accept a file with a kernel.
func (o *occupancyOptions) takeFiles(command *cobra.Command) {
	command.Use = "occupancy [FILE]"
	command.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 && len(o.link) == 0 {
			return nil // numbers describe the launch
		}
		return linkedArgs(&o.link)(cmd, args)
	}
	command.Flags().StringVar(&o.kernel, "kernel", "", "the kernel of FILE, where it has several")
	o.code = codeFlags(command, &o.link)
	command.Flags().StringVar(&o.registersOf, "registers-of", "",
		"take lowering's registers for this chip or board on every chip, so that these stay the same")
	command.Flags().IntVar(&o.maxRegisters, "maxrregcount", 0, "registers per thread that lowering may use; 0 is the chip's limit")
}

// loweredKernel is a kernel from a file, lowered for each chip; the maps are by chip name.
type loweredKernel struct {
	name    string
	source  report.Source
	configs map[string]*configs.Config
	kernels map[string]report.Kernel
	chips   map[string]*configs.Config // the chips that the kernel runs on; configs are those that it is lowered for
	ran     map[chipLaunch]float64     // cycles
}

type chipLaunch struct {
	chip   string
	launch occupancy.Launch
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
	k := &loweredKernel{source: source, configs: map[string]*configs.Config{}, kernels: map[string]report.Kernel{},
		chips: map[string]*configs.Config{}, ran: map[chipLaunch]float64{}}
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
		k.chips[c.limits.Name] = c.config
		k.name, k.configs[c.limits.Name], k.kernels[c.limits.Name] = kernel.Name, compiled, kernel
	}
	return k, nil
}

// studied returns the kernel that the command line names.
func (o *occupancyOptions) studied() kernelFile {
	return kernelFile{reader: o.code, path: o.file, link: o.link, kernel: o.kernel}
}

// launch returns the launch on a chip: the user's numbers, else those found by lowering.
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

// spillCost says what it costs a launch on a chip to have another launch's number of registers.
type spillCost func(chip string, from, to occupancy.Launch) string

const (
	// adviceBlocks is the grid of the made-up launch that shows what spills cost: several waves on any chip.
	adviceBlocks = 512
	// adviceTime limits such a launch's time on the host.
	adviceTime = 20 * time.Second
)

// spills says what lowering does with another launch's registers. If it spills, it runs both launches, because more warps may not be worth
// it.
func (k *loweredKernel) spills(ctx context.Context, o *occupancyOptions, chip string, from, to occupancy.Launch) string {
	kernel, err := k.source.Kernel(k.configs[chip], to.Registers)
	if err != nil {
		return err.Error()
	}
	text := kernel.Spills()
	if kernel.SpillBytes <= k.kernels[chip].SpillBytes {
		return text
	}
	before, err := k.cycles(ctx, o, chip, from)
	if err != nil {
		return text + ". Not run: " + firstLine(err.Error())
	}
	after, err := k.cycles(ctx, o, chip, to)
	switch {
	case err != nil:
		return text + ". Not run: " + firstLine(err.Error())
	case after >= before:
		return fmt.Sprintf("%s. Run, it takes %.2f times as long: keep the registers", text, after/before)
	}
	return fmt.Sprintf("%s. Run, it takes %.2f times as long", text, after/before)
}

// cycles runs or estimates a launch, once.
func (k *loweredKernel) cycles(ctx context.Context, o *occupancyOptions, chip string, launch occupancy.Launch) (float64, error) {
	key := chipLaunch{chip, launch}
	if c, ok := k.ran[key]; ok {
		return c, nil
	}
	limited, cancel := context.WithTimeout(ctx, adviceTime)
	defer cancel()
	cycles, err := timeKernel(limited, o.studied(), k.chips[chip], launch, o.given("block") || o.given("shared"))
	switch {
	case ctx.Err() == nil && limited.Err() != nil:
		return 0, fmt.Errorf("it takes longer than %s (keplersim run --maxrregcount waits for it)", adviceTime)
	case err != nil:
		return 0, err
	case cycles == 0:
		return 0, errors.New("no launch of the kernel was timed")
	}
	k.ran[key] = cycles
	return cycles, nil
}

// timeKernel runs a kernel with a launch's registers and returns its cycles. It runs the launches of the workload file next to the kernel.
// If there is none, or made is set, it makes up one from the launch's blocks.
var timeKernel = func(
	ctx context.Context, f kernelFile, chip *configs.Config, launch occupancy.Launch, made bool,
) (cycles float64, err error) {
	o := host.Options{Chip: chip, Kernel: f.kernel, Link: f.link, Code: *f.reader, Simulator: sim.Options{
		Threads: 1, MaxRegisters: launch.Registers, Registers: launch.Registers, CacheConfig: launch.Cache.String(), Estimate: true,
	}}
	if _, ok := workload.Beside(f.path); !ok || made {
		o.Grid, o.Block = [3]int{adviceBlocks, 1, 1}, [3]int{launch.Threads, 1, 1}
	}
	job, err := host.Open(ctx, f.path, o)
	if err != nil {
		return 0, err
	}
	result, err := job.Run(ctx)
	if err != nil {
		return 0, err
	}
	for _, l := range result.Launches {
		cycles += float64(l.Cycles)
	}
	return cycles, nil
}

// firstLine returns the first line of a message.
func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// inputs returns the files that the command reads.
func (o *occupancyOptions) inputs() []string {
	list := configFiles(o.configs)
	if o.file != "" {
		list = slices.Concat(list, host.FilesOf(o.file, o.link), o.code.Included)
	}
	return list
}
