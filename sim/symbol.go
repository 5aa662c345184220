package sim

import (
	"fmt"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/exec"
)

// WriteSymbol copies bytes to a .global or .const variable of the module at an offset, for all later launches, like cudaMemcpyToSymbol.
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
	if m.home != 0 {
		return m.gpu.global.Write(m.home+s.Address+offset, data)
	}
	return nil
}

// ReadSymbol copies bytes from a .global or .const variable, like cudaMemcpyFromSymbol.
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

// SymbolAddress returns the address of a variable in device memory. The first call for a .const variable gives the module's constants
// addresses: from then on each launch begins with their contents in device memory.
func (m *Module) SymbolAddress(name string) (uint64, error) {
	s, err := m.symbol(name, 0, 0)
	if err != nil {
		return 0, err
	}
	if s.Space == isa.SpaceGlobal {
		return s.Address, nil
	}
	m.keepConstants()
	if m.home == 0 {
		if m.home, err = m.gpu.Allocate("constants of "+m.name, uint64(len(m.constants))); err != nil {
			return 0, err
		}
		if err := m.gpu.Write(m.home, m.constants); err != nil {
			return 0, err
		}
	}
	return m.home + s.Address, nil
}

// fetchConstants reads the constants from device memory, if they have addresses there that the program has not freed.
func (m *Module) fetchConstants() {
	if m.home != 0 && m.gpu.global.Read(m.home, m.constants) != nil {
		m.home = 0
	}
}

// HostVisible reports whether a host program can name a variable: one in global or constant memory that the module defines.
func HostVisible(s *isa.Symbol) bool {
	return (s.Space == isa.SpaceGlobal || s.Space == isa.SpaceConst) && !s.Extern && !s.Opaque()
}

// Symbol finds a variable that the host can name, or returns nil. A static variable has its own name with nvcc, and C++'s internal one with
// clang; a variable that has the name itself comes first.
func (m *Module) Symbol(name string) *isa.Symbol {
	for _, called := range []string{name, fmt.Sprintf("_ZL%d%s", len(name), name)} {
		for _, s := range m.program.Symbols {
			if s.Name == called && HostVisible(s) {
				return s
			}
		}
	}
	return nil
}

// symbol finds a variable and checks a range of its bytes.
func (m *Module) symbol(name string, offset uint64, bytes int) (*isa.Symbol, error) {
	s := m.Symbol(name)
	if s == nil {
		return nil, fmt.Errorf("the module has no .global or .const variable %s", name)
	}
	if end := offset + uint64(bytes); end < offset || end > uint64(s.Bytes) {
		return nil, fmt.Errorf("bytes %d to %d of %s, which has %d", offset, end, name, s.Bytes)
	}
	return s, nil
}

// keepConstants starts to keep the constants from launch to launch, and brings the copy up to date.
func (m *Module) keepConstants() {
	if m.constants != nil {
		m.fetchConstants()
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
