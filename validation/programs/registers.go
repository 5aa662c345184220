package programs

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/internal/files"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/debuginfo"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/toolchain"
)

// Compiled is our compilation of a row's kernel, next to NVIDIA's.
type Compiled struct {
	Row        *Row
	Status     Status
	Reason     string // why it did not run or failed
	Registers  int    // a thread
	LocalBytes int    // a thread: frame and spills
	Shared     int    // bytes a block, without the launch's dynamic part
}

// Near tells whether the registers are within four of nvcc's.
func (c *Compiled) Near() bool {
	return c.Row.Measured.near(c.Registers)
}

// SpillsAlike tells whether there is local memory exactly if nvcc has some; true if nvcc's is unknown.
func (c *Compiled) SpillsAlike() bool {
	return c.Row.Measured.Local == nil || c.Row.Measured.spillsAlike(c.LocalBytes)
}

// near tells whether registers are within four of nvcc's.
func (m *Measured) near(registers int) bool {
	return math.Abs(float64(registers)-m.Registers) <= registerTolerance
}

// spillsAlike tells whether there is local memory exactly if nvcc has some, which must be known.
func (m *Measured) spillsAlike(localBytes int) bool { return (localBytes > 0) == (*m.Local > 0) }

// Compile compiles the kernels of rows with known registers, and runs nothing. It leaves other rows out.
func Compile(ctx context.Context, rows []*Row, sources string) []Compiled {
	var list []Compiled
	for _, r := range rows {
		if r.Measured.Registers == 0 {
			continue
		}
		c := Compiled{Row: r}
		machine, err := r.compile(ctx, sources)
		if c.Status, c.Reason = statusOf(ctx, err); c.Status == Ran {
			c.Registers, c.LocalBytes, c.Shared = machine.Registers, machine.LocalBytes, machine.SharedBytes
		}
		list = append(list, c)
	}
	return list
}

// compile lowers a row's kernel for its card.
func (r *Row) compile(ctx context.Context, sources string) (*isa.MachineProgram, error) {
	folder, unit, err := r.source(sources)
	if err != nil {
		return nil, err
	}
	room, err := files.Temporary("keplersim-program-")
	if err != nil {
		return nil, fmt.Errorf("folder for the row's files: %w", err)
	}
	defer room.Close()
	work := room.Path
	file := filepath.Join(work, moduleName)
	if err := os.WriteFile(file, []byte(unit), 0o600); err != nil {
		return nil, fmt.Errorf("the row's files: %w", err)
	}
	config, err := configs.Load(r.Config, r.Overrides)
	if err != nil {
		return nil, err
	}
	options := r.compilation(folder)
	options.Arch = config.ComputeCapability.Target()
	compiled, err := toolchain.Compile(ctx, file, options)
	if err != nil {
		return nil, err
	}
	gpu, err := sim.New(config, sim.Options{Threads: 1})
	if err != nil {
		return nil, err
	}
	module, err := gpu.Load(moduleName, compiled.PTX)
	if err != nil {
		return nil, err
	}
	for _, k := range module.Kernels() {
		base := debuginfo.DemangledBase(k.Name)
		if k.Name == r.Kernel.Entry || base == r.Kernel.Entry || strings.HasPrefix(base, r.Kernel.Entry+"<") {
			return module.Lower(ctx, k.Name)
		}
	}
	return nil, fmt.Errorf("%s has no kernel %s", strings.Join(r.Kernel.Files, ", "), r.Kernel.Entry)
}
