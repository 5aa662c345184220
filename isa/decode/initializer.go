package decode

import (
	"encoding/binary"
	"math"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/ptx"
)

// initialise evaluates the module's initialisers.
func (m *module) initialise() {
	for _, p := range m.starts {
		m.initialiseSymbol(p)
	}
	m.starts = nil
}

// initialiserBytes is the largest initialised variable, in bytes.
const initialiserBytes = 1 << 30

func (m *module) initialiseSymbol(p pendingSymbol) {
	symbol := m.program.Symbols[p.symbol]
	if symbol.Opaque() {
		m.attributes(symbol, p.declaration.Initializer)
		return
	}
	switch symbol.Space {
	case isa.SpaceGlobal, isa.SpaceConst:
	default:
		m.errorf(p.declaration.Initializer.Pos, "`%s`: only .global and .const variables can be initialised", symbol.Name)
		return
	}
	s, ok := m.shape(p.variable, p.declaration)
	if !ok {
		return
	}
	w := &initialWriter{module: m, symbol: symbol, index: p.symbol, names: p.names, element: s.element}
	lengths := s.lengths
	if s.vector > 1 {
		lengths = append(append([]int(nil), lengths...), s.vector)
	}
	strides := make([]int, len(lengths)+1)
	strides[len(lengths)] = s.element.Bytes()
	for i := len(lengths) - 1; i >= 0; i-- {
		strides[i] = strides[i+1] * lengths[i]
	}
	end := w.write(p.declaration.Initializer, 0, strides)
	if s.unsized {
		symbol.Bytes = roundUp(end, strides[1])
	}
	if len(w.out) > symbol.Bytes {
		m.errorf(p.declaration.Initializer.Pos, "`%s` has %d bytes and %d bytes of initialisers", symbol.Name, symbol.Bytes, len(w.out))
		return
	}
	symbol.Initial = w.out
}

// initialWriter writes one variable's initial bytes.
type initialWriter struct {
	*module
	symbol  *isa.Symbol
	index   int32 // of symbol
	names   *scope
	element isa.Type
	out     []byte
}

// write writes an initialiser at an offset and returns the offset of the next one. strides[0] is the size of the initialised part,
// strides[1] that of its elements, and so on inward.
func (w *initialWriter) write(i *ptx.Initializer, offset int, strides []int) int {
	switch i.Kind {
	case ptx.InitializerList:
		inner := strides
		if len(inner) > 1 {
			inner = inner[1:]
		}
		at := offset
		for k := range i.Elements {
			// A list shorter than its row is not padded: the next row's values follow at once, as in the driver's assembler.
			at = w.write(&i.Elements[k], at, inner)
		}
		return at
	case ptx.InitializerString:
		w.place(offset, append([]byte(i.String), 0))
		return offset + len(i.String) + 1
	case ptx.InitializerValue:
		w.value(i, offset)
		return offset + w.element.Bytes()
	}
	w.errorf(i.Pos, "`%s`: a value or a list in braces is expected", w.symbol.Name)
	return offset
}

func (w *initialWriter) place(offset int, bytes []byte) {
	end := offset + len(bytes)
	if end > initialiserBytes {
		return
	}
	for len(w.out) < end {
		w.out = append(w.out, 0)
	}
	copy(w.out[offset:], bytes)
}

// value writes one element: a number or an address.
func (w *initialWriter) value(i *ptx.Initializer, offset int) {
	size, t := w.element.Bytes(), w.element
	if w.mapF64 && t == isa.F64 {
		t = isa.F32
	}
	if bits, ok, err := literalBits(i.Value, t); ok {
		if err != "" {
			w.errorf(i.Pos, "%s", err)
		}
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], bits)
		w.place(offset, word[:min(size, 8)])
		return
	}
	relocation := isa.Relocation{Offset: offset, Bytes: size, Symbol: -1, Function: -1}
	e := i.Value
	if mask, shift, inner, ok := maskOf(e); ok {
		relocation.Mask, relocation.Shift, e = mask, shift, inner
	}
	address, err := e.Address()
	if err != nil {
		w.errorf(i.Pos, "`%s`: %v", w.symbol.Name, err)
		return
	}
	w.place(offset, make([]byte, size))
	relocation.Addend, relocation.Generic = int64(address.Addend.Bits), address.Generic
	r, ok := w.names.find(address.Symbol)
	switch {
	case ok && r.kind == referenceSymbol:
		relocation.Symbol = r.index
		if w.undefined(r.index) {
			w.pointsTo[w.index] = append(w.pointsTo[w.index], w.missing(r.index, i.Pos))
		}
	case ok && r.kind == referenceFunction:
		relocation.Function = r.index
	default:
		w.errorf(i.Pos, "`%s`: no variable or function `%s` is declared", w.symbol.Name, address.Symbol)
		return
	}
	w.symbol.Relocations = append(w.symbol.Relocations, relocation)
}

// maskOf parses `0xFF00(x)` and `mask(x, 0xFF00)` into the mask, and the shift of the masked bits.
func maskOf(e *ptx.Expression) (mask uint64, shift uint8, inner *ptx.Expression, ok bool) {
	switch {
	case e.Kind == ptx.ExpressionMask:
		mask, inner = e.Bits, e.X
	case e.Kind == ptx.ExpressionCall && e.Text == "mask" && len(e.Arguments) == 2:
		c, err := e.Arguments[1].Constant()
		if err != nil {
			return 0, 0, nil, false
		}
		mask, inner = c.Bits, e.Arguments[0]
	default:
		return 0, 0, nil, false
	}
	for mask != 0 && mask>>shift&1 == 0 {
		shift++
	}
	return mask, shift, inner, mask != 0 && inner != nil
}

// literalBits returns the bits of a numeric expression in a type; ok is false if the expression names a symbol. message is "" if the number
// fits the type's kind.
func literalBits(e *ptx.Expression, t isa.Type) (bits uint64, ok bool, message string) {
	if bits, ok := exactFloat(e, t); ok {
		return bits, true, ""
	}
	if value, single, ok := floatValue(e); ok {
		switch {
		case t == isa.F64:
			return math.Float64bits(value), true, ""
		case t == isa.F32:
			return uint64(math.Float32bits(float32(value))), true, ""
		case single && (t == isa.B32 || t == isa.U32 || t == isa.S32):
			return uint64(math.Float32bits(float32(value))), true, ""
		case !single && t.Bytes() == 8:
			return math.Float64bits(value), true, ""
		case t == isa.B32:
			return uint64(math.Float32bits(float32(value))), true, ""
		}
		return 0, true, "a floating-point constant cannot be a ." + t.String()
	}
	c, err := e.Constant()
	if err != nil {
		return 0, false, ""
	}
	switch t {
	case isa.F32:
		return uint64(math.Float32bits(float32(integerValue(c)))), true, ""
	case isa.F64:
		return math.Float64bits(integerValue(c)), true, ""
	}
	return truncate(c.Bits, t.Bytes()), true, ""
}

// integerValue returns an integer constant as a number.
func integerValue(c ptx.Constant) float64 {
	if c.Unsigned {
		return float64(c.Bits)
	}
	return float64(int64(c.Bits))
}

// truncate returns the low bytes of a value.
func truncate(bits uint64, bytes int) uint64 {
	if bytes >= 8 || bytes <= 0 {
		return bits
	}
	return bits & (1<<(8*bytes) - 1)
}

// floatValue evaluates a floating-point expression of literals, signs and the four operations. single reports 0f literals.
func floatValue(e *ptx.Expression) (value float64, single, ok bool) {
	switch e.Kind {
	case ptx.ExpressionFloat32:
		return float64(math.Float32frombits(uint32(e.Bits))), true, true
	case ptx.ExpressionFloat64:
		return math.Float64frombits(e.Bits), false, true
	case ptx.ExpressionUnary:
		value, single, ok = floatValue(e.X)
		if e.Operator == ptx.OperatorSubtract {
			value = -value
		}
		return value, single, ok && (e.Operator == ptx.OperatorSubtract || e.Operator == ptx.OperatorAdd)
	case ptx.ExpressionBinary:
		x, s1, ok1 := floatValue(e.X)
		y, s2, ok2 := floatValue(e.Y)
		if !ok1 || !ok2 {
			return 0, false, false
		}
		switch e.Operator {
		case ptx.OperatorAdd:
			return x + y, s1 && s2, true
		case ptx.OperatorSubtract:
			return x - y, s1 && s2, true
		case ptx.OperatorMultiply:
			return x * y, s1 && s2, true
		case ptx.OperatorDivide:
			return x / y, s1 && s2, true
		}
	}
	return 0, false, false
}

// exactFloat returns the bits of a hexadecimal literal, perhaps negated, that has the type's width. It keeps a NaN's payload.
func exactFloat(e *ptx.Expression, t isa.Type) (uint64, bool) {
	switch {
	case e.Kind == ptx.ExpressionUnary && e.Operator == ptx.OperatorSubtract:
		bits, ok := exactFloat(e.X, t)
		return bits ^ 1<<(8*max(t.Bytes(), 1)-1), ok
	case e.Kind == ptx.ExpressionFloat32 && t.Bytes() == 4:
		return e.Bits & math.MaxUint32, true
	case e.Kind == ptx.ExpressionFloat64 && t.Bytes() == 8:
		return e.Bits, true
	}
	return 0, false
}
