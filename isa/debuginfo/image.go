package debuginfo

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/keplersim/keplersim/isa/ptx"
)

// symbolBase is the first address of symbols that are not code: beyond every offset in a PTX text.
const symbolBase = 1 << 31

// symbolSpacing is the distance between the addresses of symbols: an address then tells symbol and offset. symbolsIn32Bits is how many
// symbols have addresses in modules with 32-bit addresses.
const (
	symbolSpacing   = 1 << 20
	symbolsIn32Bits = (1<<32 - symbolBase) / symbolSpacing
)

// Image is the sections of a module as bytes, with every label and symbol resolved.
type Image struct {
	Sections map[string][]byte // by name with its dot; little-endian
	labels   map[string]label  // labels within sections
	code     map[string]int32  // by label or function: offset in the PTX text
	symbols  []string          // other names, by (address - symbolBase) / symbolSpacing
	known    map[string]uint64 // address by such a name
	file     *ptx.File
}

type label struct {
	section string
	offset  uint64
}

// Assemble returns the bytes of all .section blocks of a module. The error names the place of a value that cannot be computed.
func Assemble(file *ptx.File) (*Image, error) {
	m := &Image{
		Sections: map[string][]byte{}, labels: map[string]label{}, code: map[string]int32{}, known: map[string]uint64{}, file: file,
	}
	sections := collectSections(file)
	sizes := map[string]uint64{}
	for _, s := range sections {
		for _, line := range s.Lines {
			if line.Type == "" {
				m.labels[line.Label] = label{s.Name, sizes[s.Name]}
			}
			sizes[s.Name] += uint64(len(line.Values) * width(line.Type))
		}
	}
	m.collectCode(file.Statements)
	for _, s := range sections {
		if err := m.write(s); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// collectSections returns the sections at module scope, and those in @@DWARF lines.
func collectSections(file *ptx.File) []*ptx.Section {
	var out []*ptx.Section
	for _, s := range file.Statements {
		if section, ok := s.(*ptx.Section); ok {
			out = append(out, section)
		}
	}
	return append(out, legacySections(file)...)
}

// width returns the size in bytes of an element of a type such as b32; 0 for a label.
func width(dataType string) int {
	switch strings.TrimLeft(dataType, "bus") {
	case "8":
		return 1
	case "16":
		return 2
	case "32":
		return 4
	case "64":
		return 8
	}
	return 0
}

// collectCode records the text offsets of labels and functions. Of labels with the same name in several scopes, the first counts.
func (m *Image) collectCode(list []ptx.Statement) {
	note := func(name string, pos ptx.Position) {
		if _, ok := m.code[name]; !ok {
			m.code[name] = pos.Offset
		}
	}
	for _, s := range list {
		switch s := s.(type) {
		case *ptx.Label:
			note(s.Name, s.Pos)
		case *ptx.Block:
			m.collectCode(s.Statements)
		case *ptx.Function:
			if s.Body != nil {
				note(s.Name.Text, s.Body.Pos)
				m.collectCode(s.Body.Statements)
			}
		}
	}
}

// write appends the data of one section block.
func (m *Image) write(s *ptx.Section) error {
	data := m.Sections[s.Name]
	for _, line := range s.Lines {
		size := width(line.Type)
		for _, e := range line.Values {
			value, err := m.value(e)
			if err != nil {
				return m.file.Diagnostic(e.Pos, "section %s: %v", s.Name, err)
			}
			data = binary.LittleEndian.AppendUint64(data, value)
			data = data[:len(data)-8+size]
		}
	}
	m.Sections[s.Name] = data
	return nil
}

// value evaluates an expression in a section: integers, names, sums and differences.
func (m *Image) value(e *ptx.Expression) (uint64, error) {
	switch e.Kind {
	case ptx.ExpressionName:
		return m.name(e.Text), nil
	case ptx.ExpressionBinary:
		if e.Operator != ptx.OperatorAdd && e.Operator != ptx.OperatorSubtract {
			break
		}
		x, err := m.value(e.X)
		if err != nil {
			return 0, err
		}
		y, err := m.value(e.Y)
		if e.Operator == ptx.OperatorSubtract {
			y = -y
		}
		if err == nil && x >= symbolBase && e.X.Kind == ptx.ExpressionName && (x+y)/symbolSpacing != x/symbolSpacing {
			return 0, fmt.Errorf("%d bytes past %s is farther than registers are tracked", int64(y), e.X.Text)
		}
		return x + y, err
	}
	c, err := e.Constant()
	if err != nil {
		return 0, fmt.Errorf("this value is not computed: %w", err)
	}
	return c.Bits, nil
}

// name returns the value of a name. For a label of a section it is the offset in the section, for a section 0, for code the offset in the
// PTX text. Any other symbol gets an address of its own.
func (m *Image) name(name string) uint64 {
	if name[0] == '.' {
		return 0
	}
	if l, ok := m.labels[name]; ok {
		return l.offset
	}
	if offset, ok := m.code[name]; ok {
		return uint64(offset)
	}
	address, ok := m.known[name]
	if !ok {
		address = symbolBase + uint64(len(m.symbols))*symbolSpacing
		m.symbols = append(m.symbols, name)
		m.known[name] = address
	}
	return address
}

// Symbol returns the symbol at an address of the image, and the offset of the address in it; "" if there is none.
func (m *Image) Symbol(address uint64) (name string, offset uint64) {
	index := (address - symbolBase) / symbolSpacing
	if address < symbolBase || index >= uint64(len(m.symbols)) {
		return "", 0
	}
	return m.symbols[index], (address - symbolBase) % symbolSpacing
}

// stringAt returns the zero-terminated text at a label of a section plus a constant.
func (m *Image) stringAt(e *ptx.Expression) (string, bool) {
	address, err := e.Address()
	if err != nil || address.Symbol == "" {
		return "", false
	}
	section, offset := address.Symbol, address.Addend.Bits
	if l, ok := m.labels[address.Symbol]; ok {
		section, offset = l.section, l.offset+offset
	}
	data := m.Sections[section]
	if offset >= uint64(len(data)) {
		return "", false
	}
	text, _, _ := strings.Cut(string(data[offset:]), "\x00")
	return text, true
}
