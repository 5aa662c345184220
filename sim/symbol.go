package sim

import (
	"fmt"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/exec"
)

// WriteSymbol copies bytes to a .global or .const variable of the module, as cudaMemcpyToSymbol does: from an offset in bytes on, for every
// launch from now on.
func (m *Module) WriteSymbol(name string, offset uint64, data []byte) error {
	s, err := m.symbol(name, offset, len(data))
	if err != nil {
		return err
	}
	if s.Space == isa.SpaceGlobal {
		return m.gpu.Write(s.Address+offset, data)
	}
	m.keepConstants()
	copy(m.constants[s.Address+offset:], data)
	return nil
}

// ReadSymbol copies bytes from a .global or .const variable, as cudaMemcpyFromSymbol does.
func (m *Module) ReadSymbol(name string, offset uint64, data []byte) error {
	s, err := m.symbol(name, offset, len(data))
	if err != nil {
		return err
	}
	if s.Space == isa.SpaceGlobal {
		return m.gpu.Read(s.Address+offset, data)
	}
	m.keepConstants()
	copy(data, m.constants[s.Address+offset:])
	return nil
}

// SymbolAddress returns the address of a .global variable in device memory. A .const variable has none that a host program could pass on.
func (m *Module) SymbolAddress(name string) (uint64, error) {
	s, err := m.symbol(name, 0, 0)
	if err != nil {
		return 0, err
	}
	if s.Space != isa.SpaceGlobal {
		return 0, fmt.Errorf("%s is a .const variable, which has no address in global memory", name)
	}
	return s.Address, nil
}

// HostVisible reports whether a host program can name a variable: those of global and constant memory that the module defines.
func HostVisible(s *isa.Symbol) bool {
	return (s.Space == isa.SpaceGlobal || s.Space == isa.SpaceConst) && !s.Extern && !s.Opaque()
}

// symbol finds a variable and holds a range of bytes against it.
func (m *Module) symbol(name string, offset uint64, bytes int) (*isa.Symbol, error) {
	for _, s := range m.program.Symbols {
		if s.Name != name || !HostVisible(s) {
			continue
		}
		if end := offset + uint64(bytes); end < offset || end > uint64(s.Bytes) {
			return nil, fmt.Errorf("bytes %d to %d of %s, which has %d", offset, end, name, s.Bytes)
		}
		return s, nil
	}
	return nil, fmt.Errorf("the module has no .global or .const variable %s", name)
}

// keepConstants begins to keep the constants' bytes from launch to launch.
func (m *Module) keepConstants() {
	if m.constants != nil {
		return
	}
	m.constants = []byte{}
	for i, s := range m.program.Symbols {
		if s.Space != isa.SpaceConst {
			continue
		}
		if end := int(s.Address) + s.Bytes; end > len(m.constants) {
			m.constants = append(m.constants, make([]byte, end-len(m.constants))...)
		}
		copy(m.constants[s.Address:], exec.InitialBytes(m.program, i))
	}
}
