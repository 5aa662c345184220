package sim

import (
	"context"
	"fmt"
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
	name     string // of the first text
	program  *isa.Program
	changes  []modes.Change
	programs map[string]*smx.Program // by the kernel's name, and limitedName's
	// rewritten are the kernels whose machine programs Rewrite has changed.
	rewritten map[string]bool
	// constants are the .const variables' bytes, once a host program has written one; until then each launch begins with those of the text.
	constants []byte
	// home is where the constants' bytes lie in device memory, once a host program has asked for the address of one; else 0.
	home uint64
}

// Load parses, decodes and links PTX, and places its global variables in device memory. An error of the text is a list with
// positions.
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

const (
	// leastAlignment is that of allocations, in bytes.
	leastAlignment = 256
	// ownPages is the alignment, in bytes, from which on nothing else lies in a variable's last page.
	ownPages = 4096
)

// place gives global symbols their addresses and initial bytes; addresses first, since initial bytes hold addresses.
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
		if alignment >= ownPages { // a program may have the pages, too
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

// prepared lowers and binds a kernel, once.
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

// limitedName names a kernel's program with at most so many registers a thread.
func limitedName(kernel string, registers int) string { return fmt.Sprintf("%s:%d", kernel, registers) }

// limited is prepared with at most so many registers a thread.
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

// Rewrite changes a kernel's machine program before the kernel's first launch: for experiments on registers and pairs that
// no PTX can choose.
func (m *Module) Rewrite(kernel string, change func(*isa.MachineProgram) error) error {
	p, err := m.prepare(context.Background(), kernel, m.gpu.options.MaxRegisters, change)
	if err == nil {
		m.programs[kernel], m.rewritten[kernel] = p, true
	}
	return err
}

// noSpills asks prepare for as many registers as the kernel needs; see configs.Ideal.
const noSpills = -1

// prepare lowers a kernel, lets change have it, and binds it. A thread has so many registers at most; 0 is as many as the chip has.
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
