package decode

import (
	"math"
	"strconv"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/ptx"
)

func itoa(n int) string { return strconv.Itoa(n) }

// shape is the size of a declared variable.
type shape struct {
	element isa.Type
	vector  int // components of an element
	count   int // elements, each component of a vector counted; 0 for an unsized array
	bytes   int
	align   int
	unsized bool
	lengths []int // of dimensions, outermost first
}

// stride returns the distance between elements of the first dimension, in bytes.
func (s *shape) stride() int32 {
	bytes := s.element.Bytes() * s.vector
	for i := 1; i < len(s.lengths); i++ {
		bytes *= s.lengths[i]
	}
	return int32(min(bytes, math.MaxInt32))
}

// maximumBytes is the largest variable that may be declared: 16 GiB, more than any Kepler board has.
const maximumBytes = 16 << 30

// shape computes a declarator's size and alignment.
func (m *module) shape(v *ptx.Variable, d *ptx.Declarator) (shape, bool) {
	t, ok := isa.ParseType(v.Type)
	if !ok {
		m.errorf(v.Pos, "`.%s` is not a type that a variable on a Kepler can have", v.Type)
		return shape{}, false
	}
	s := shape{element: t, vector: max(v.Vector, 1), count: 1}
	for i, dimension := range d.Dimensions {
		if dimension == nil {
			if i != 0 {
				m.errorf(d.Name.Pos, "`%s`: only the first dimension may be left out", d.Name.Text)
				return shape{}, false
			}
			s.unsized = true
			s.lengths = append(s.lengths, 0)
			continue
		}
		c, err := dimension.Constant()
		if err != nil || int64(c.Bits) < 0 || c.Bits > maximumBytes {
			m.errorf(d.Name.Pos, "`%s`: the length of an array must be a constant from 0 to %d", d.Name.Text, maximumBytes)
			return shape{}, false
		}
		s.lengths = append(s.lengths, int(c.Bits))
		s.count *= int(c.Bits)
		if s.count > maximumBytes {
			m.errorf(d.Name.Pos, "`%s` is larger than the memory of any Kepler", d.Name.Text)
			return shape{}, false
		}
	}
	s.count *= s.vector
	if s.unsized {
		s.count = 0
	}
	s.bytes = s.count * t.Bytes()
	s.align = max(t.Bytes()*s.vector, 1)
	if v.Align != nil {
		c, err := v.Align.Constant()
		if err != nil || c.Bits == 0 || c.Bits&(c.Bits-1) != 0 || c.Bits > 1<<20 {
			m.errorf(v.Pos, "`.align` takes a power of two")
			return shape{}, false
		}
		s.align = max(int(c.Bits), 1)
	}
	return s, true
}

// declareVariable declares variables outside the register space in a scope.
func (m *module) declareVariable(v *ptx.Variable, names *scope, owner int32) {
	for i := range v.Declarators {
		d := &v.Declarators[i]
		s, ok := m.shape(v, d)
		if !ok {
			continue
		}
		if d.Range < 0 {
			m.declareSymbol(v, d, d.Name.Text, s, names, owner)
			continue
		}
		for n := range min(d.Range, 1<<16) {
			m.declareSymbol(v, d, d.Name.Text+itoa(n), s, names, owner)
		}
	}
}

// declareSymbol declares one variable with an address.
func (m *module) declareSymbol(v *ptx.Variable, d *ptx.Declarator, name string, s shape, names *scope, owner int32) {
	symbol := &isa.Symbol{
		Name: name, Space: spaceOf(v.Space), Type: s.element, Bytes: s.bytes, Align: s.align, Owner: owner,
		Extern: v.Linkage == ptx.LinkageExtern, Weak: v.Linkage == ptx.LinkageWeak, Common: v.Linkage == ptx.LinkageCommon,
		Visible: v.Linkage == ptx.LinkageVisible,
	}
	if symbol.Space == isa.SpaceShared && (s.unsized || s.bytes == 0) {
		symbol.Dynamic, symbol.Extern = true, false
	}
	if index, merged := m.merge(d.Name.Pos, symbol, s.stride(), names, owner); merged {
		if d.Initializer != nil && m.program.Symbols[index] == symbol {
			m.starts = append(m.starts, pendingSymbol{index, v, d, names})
		}
		return
	}
	symbol.Line = m.line(d.Name.Pos)
	index := int32(len(m.program.Symbols))
	m.program.Symbols = append(m.program.Symbols, symbol)
	r := reference{kind: referenceSymbol, index: index, stride: s.stride()}
	names.names[name] = r
	if owner < 0 && isGlobal(v.Linkage) {
		m.global[name] = r
	}
	if d.Initializer != nil {
		m.starts = append(m.starts, pendingSymbol{index, v, d, names})
	}
}

// merge merges a declaration with an earlier one of the same name, if there is one; the index is the symbol's. A definition replaces an
// extern or weak one.
func (m *module) merge(pos ptx.Position, symbol *isa.Symbol, stride int32, names *scope, owner int32) (int32, bool) {
	r, ok := names.names[symbol.Name]
	global := symbol.Extern || symbol.Weak || symbol.Common || symbol.Visible
	if !ok && owner < 0 && global {
		r, ok = m.global[symbol.Name]
	}
	if !ok {
		return 0, false
	}
	if r.kind != referenceSymbol {
		m.errorf(pos, "`%s` is declared already", symbol.Name)
		return 0, true
	}
	have := m.program.Symbols[r.index]
	r.stride = stride
	names.names[symbol.Name] = r
	switch {
	case have.Space != symbol.Space:
		m.errorf(pos, "`%s` is declared in .%s here and in .%s at %s", symbol.Name, symbol.Space, have.Space, m.where(have.Line))
	case symbol.Extern || have.Dynamic && symbol.Dynamic:
		have.Align = max(have.Align, symbol.Align)
	case have.Extern || have.Weak && !symbol.Weak && !symbol.Common:
		symbol.Line = m.line(pos)
		m.program.Symbols[r.index] = symbol
	case have.Common && symbol.Common:
		have.Bytes, have.Align = max(have.Bytes, symbol.Bytes), max(have.Align, symbol.Align)
	case symbol.Weak || symbol.Common:
	case have.Common:
		symbol.Line = m.line(pos)
		m.program.Symbols[r.index] = symbol
	default:
		m.errorf(pos, "`%s` is defined twice; the first definition is at %s", symbol.Name, m.where(have.Line))
	}
	return r.index, true
}
