package sim

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/keplersim/keplersim/code"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/decode"
	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/isa/modes"
	"github.com/keplersim/keplersim/sim/check/finding"
	"github.com/keplersim/keplersim/sim/smx"
)

// Source is one PTX text.
type Source = code.Source

// Module is one or more PTX texts, linked and loaded: its global variables have addresses in device memory.
type Module struct {
	gpu      *GPU
	name     string // the first text's
	program  *isa.Program
	changes  []modes.Change
	programs map[string]*smx.Program // by the kernel's name or limitedName
	// rewritten has the kernels whose machine programs Rewrite has changed.
	rewritten map[string]bool
	// constants has the .const variables' bytes after a host program has written one. Before that each launch begins with the text's.
	constants []byte
	// home is the address of the constants in device memory after a host program has asked for one; else 0.
	home uint64
}

// Load parses, decodes and links PTX, and allocates its global variables. An error in the text is a list with positions.
func (g *GPU) Load(name string, text []byte, more ...Source) (*Module, error) {
	program, err := g.options.Programs.link(append([]Source{{Name: name, Text: text}}, more...),
		decode.Options{StrictTarget: g.options.StrictTarget, ComputeCapability: g.config.ComputeCapability,
			NoContraction: g.options.NoContraction, NoInlining: g.options.Unoptimised,
			ConstantGaps: g.options.Check.Has(finding.Memory) && g.options.Functional}, g.options.Modes)
	if err != nil {
		return nil, err
	}
	m := &Module{gpu: g, name: name, program: program, programs: map[string]*smx.Program{}, rewritten: map[string]bool{}}
	if program.AddressBytes == 4 {
		g.global.UseShortAddresses()
	}
	m.changes = modes.Apply(program, g.options.Modes)
	if err := m.place(); err != nil {
		return nil, err
	}
	g.modules = append(g.modules, m)
	return m, nil
}

// Unload has the device forget a module that runs no more, and frees its global variables.
func (m *Module) Unload() error {
	g := m.gpu
	g.modules = slices.DeleteFunc(g.modules, func(other *Module) bool { return other == m })
	for _, s := range m.program.Symbols {
		if s.Space == isa.SpaceGlobal && !s.Extern && !s.Opaque() {
			if err := g.Free(s.Address); err != nil {
				return fmt.Errorf("global variable %s: %w", s.Name, err)
			}
		}
	}
	return nil
}

const (
	// leastAlignment is the alignment of allocations, in bytes.
	leastAlignment = 256
	// ownPages is the alignment, in bytes, from which a variable shares its last page with nothing.
	ownPages = 4096
)

// place sets the addresses and initial bytes of global symbols. Addresses come first, because initial bytes may contain them.
func (m *Module) place() error {
	for i, s := range m.program.Symbols {
		if s.Opaque() && !s.Extern {
			if err := m.gpu.declare(s); err != nil {
				return err
			}
			continue
		}
		if s.Space != isa.SpaceGlobal || s.Extern {
			continue
		}
		bytes, alignment := uint64(max(s.Bytes, 1)), uint64(max(s.Align, leastAlignment))
		if alignment >= ownPages { // the program may also use the pages
			bytes = (bytes + alignment - 1) / alignment * alignment
		}
		address, err := m.gpu.AllocateAligned(s.Name, bytes, alignment)
		if err != nil {
			return fmt.Errorf("global variable %s: %w", s.Name, err)
		}
		m.program.Symbols[i].Address = address
	}
	for i, s := range m.program.Symbols {
		if s.Space == isa.SpaceGlobal && !s.Extern && !s.Opaque() && s.Bytes > 0 {
			if err := m.gpu.WritePart(s.Address, exec.InitialBytes(m.program, i)); err != nil {
				return fmt.Errorf("global variable %s: %w", s.Name, err)
			}
			m.gpu.Written(s.Address, uint64(s.Bytes))
		}
	}
	return nil
}

// Program returns the decoded program.
func (m *Module) Program() *isa.Program { return m.program }

// Kernels returns the module's entries in the order of the text.
func (m *Module) Kernels() []*isa.Function { return m.program.Kernels() }

// Notes returns the warnings of loading.
func (m *Module) Notes() []isa.Note { return m.program.Notes }

// Changes returns what Options.Modes changed in the program.
func (m *Module) Changes() []modes.Change { return m.changes }

// Lower returns a kernel's machine program for the device's chip.
func (m *Module) Lower(ctx context.Context, kernel string) (*isa.MachineProgram, error) {
	p, err := m.prepared(ctx, kernel)
	if err != nil {
		return nil, err
	}
	return p.Machine, nil
}

// prepared lowers and binds a kernel once.
func (m *Module) prepared(ctx context.Context, kernel string) (*smx.Program, error) {
	if p := m.programs[kernel]; p != nil {
		return p, nil
	}
	p, err := m.prepare(ctx, kernel, m.gpu.options.MaxRegisters, nil)
	if err == nil {
		m.programs[kernel] = p
	}
	return p, err
}

// limitedName names a kernel's program with a limit of registers.
func limitedName(kernel string, registers int) string { return fmt.Sprintf("%s:%d", kernel, registers) }

// limited is prepared with a limit of registers.
func (m *Module) limited(ctx context.Context, kernel string, registers int) (*smx.Program, error) {
	name := limitedName(kernel, registers)
	if p := m.programs[name]; p != nil {
		return p, nil
	}
	p, err := m.prepare(ctx, kernel, registers, nil)
	if err == nil {
		m.programs[name] = p
	}
	return p, err
}

// Rewrite changes a kernel's machine program before its first launch, for experiments with registers and pairs that PTX cannot express.
func (m *Module) Rewrite(kernel string, change func(*isa.MachineProgram) error) error {
	p, err := m.prepare(context.Background(), kernel, m.gpu.options.MaxRegisters, change)
	if err == nil {
		m.programs[kernel], m.rewritten[kernel] = p, true
	}
	return err
}

// noSpills makes prepare use as many registers as the kernel needs; see configs.Ideal.
const noSpills = -1

// prepare lowers a kernel, applies change, and binds it. registers limits those of a thread; 0: the chip's limit.
func (m *Module) prepare(ctx context.Context, kernel string, registers int, change func(*isa.MachineProgram) error) (*smx.Program, error) {
	f := m.program.Function(kernel)
	if f == nil || !f.Kernel || !f.Defined {
		var names []string
		for _, k := range m.Kernels() {
			names = append(names, k.Name)
		}
		return nil, fmt.Errorf("no kernel %s in the module; it has %s", kernel, strings.Join(names, ", "))
	}
	o := code.Options(m.gpu.compiledFor(), max(registers, 0))
	o.NoSpills = registers == noSpills
	o.Unoptimised = m.gpu.options.Unoptimised
	if change == nil {
		return m.gpu.options.Programs.lower(ctx, lowering{m.program, f, m.gpu.config, m.gpu.compiledFor(), registers, o.Unoptimised}, o)
	}
	machine, err := code.LowerWith(ctx, m.program, f, o)
	if err != nil {
		return nil, err // which names the kernel
	}
	if err := change(machine); err != nil {
		return nil, fmt.Errorf("kernel %s: %w", kernel, err)
	}
	return smx.Prepare(machine, m.gpu.config)
}
