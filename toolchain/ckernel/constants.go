package ckernel

import (
	"math"
	"math/bits"
)

// normal is the form in which constants are kept: integers are extended to 64 bits by their type, floats keep their own size.
func normal(t *ctype, v uint64) uint64 {
	switch {
	case t.kind == boolKind:
		if v != 0 {
			return 1
		}
		return 0
	case t.kind == floatKind:
		return uint64(uint32(v))
	case t.size >= 8:
		return v
	case t.signed:
		shift := 64 - t.bits()
		return uint64(int64(v<<shift) >> shift)
	}
	return v & (1<<t.bits() - 1)
}

// floating returns the value of a floating-point constant.
func floating(t *ctype, v uint64) float64 {
	if t.kind == floatKind {
		return float64(math.Float32frombits(uint32(v)))
	}
	return math.Float64frombits(v)
}

// floatBits is the reverse.
func floatBits(t *ctype, v float64) uint64 {
	if t.kind == floatKind {
		return uint64(math.Float32bits(float32(v)))
	}
	return math.Float64bits(v)
}

// convertBits converts a constant. ok is false where the result depends on the target's instruction.
func convertBits(from, to *ctype, v uint64) (uint64, bool) {
	switch {
	case from.isFloating() && to.isFloating():
		if from.kind == to.kind {
			return v, true
		}
		f := floating(from, v)
		return floatBits(to, f), f == f
	case from.isFloating() && to.kind == boolKind:
		f := floating(from, v)
		return normal(to, b2u(f != 0)), true
	case from.isFloating():
		f := math.Trunc(floating(from, v))
		limit := math.Ldexp(1, int(to.bits()))
		switch {
		case to.signed && f >= -limit/2 && f < limit/2:
			return normal(to, uint64(int64(f))), true
		case !to.signed && f >= 0 && f < limit/2:
			return normal(to, uint64(int64(f))), true
		}
		return 0, false
	case to.isFloating() && from.isPointer():
		return 0, false
	case to.kind == floatKind && from.signed:
		return uint64(math.Float32bits(float32(int64(v)))), true
	case to.kind == floatKind:
		return uint64(math.Float32bits(float32(v))), true
	case to.kind == doubleKind && from.signed:
		return math.Float64bits(float64(int64(v))), true
	case to.kind == doubleKind:
		return math.Float64bits(float64(v)), true
	}
	return normal(to, v), true
}

func b2u(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// foldBinary applies an operator to constants of one type. ok is false if there is no result.
func foldBinary(operator string, t *ctype, a, b uint64) (result uint64, ok bool) {
	if t.isFloating() {
		return foldFloating(operator, t, floating(t, a), floating(t, b))
	}
	if c, is := compare(operator, func() int {
		switch {
		case a == b:
			return 0
		case t.signed && int64(a) < int64(b), !t.signed && a < b:
			return -1
		}
		return 1
	}); is {
		return c, true
	}
	switch operator {
	case "+":
		a += b
	case "-":
		a -= b
	case "*":
		a *= b
	case "&":
		a &= b
	case "|":
		a |= b
	case "^":
		a ^= b
	case "/", "%":
		return divide(operator, t, a, b)
	case "<<", ">>":
		if b >= uint64(t.bits()) {
			return 0, false
		}
		switch {
		case operator == "<<":
			a <<= b
		case t.signed:
			a = uint64(int64(a) >> b)
		default:
			a >>= b
		}
	default:
		return 0, false
	}
	return normal(t, a), true
}

func divide(operator string, t *ctype, a, b uint64) (uint64, bool) {
	if b == 0 {
		return 0, false
	}
	if t.signed {
		if int64(b) == -1 {
			if operator == "%" {
				return 0, true
			}
			return normal(t, -a), true
		}
		if operator == "/" {
			return normal(t, uint64(int64(a)/int64(b))), true
		}
		return normal(t, uint64(int64(a)%int64(b))), true
	}
	if operator == "/" {
		return a / b, true
	}
	return a % b, true
}

// compare is the result of a comparison.
func compare(operator string, order func() int) (uint64, bool) {
	switch operator {
	case "==":
		return b2u(order() == 0), true
	case "!=":
		return b2u(order() != 0), true
	case "<":
		return b2u(order() < 0), true
	case "<=":
		return b2u(order() <= 0), true
	case ">":
		return b2u(order() > 0), true
	case ">=":
		return b2u(order() >= 0), true
	}
	return 0, false
}

func foldFloating(operator string, t *ctype, a, b float64) (uint64, bool) {
	switch operator {
	case "==":
		return b2u(a == b), true
	case "!=":
		return b2u(a != b), true
	case "<":
		return b2u(a < b), true
	case "<=":
		return b2u(a <= b), true
	case ">":
		return b2u(a > b), true
	case ">=":
		return b2u(a >= b), true
	}
	var r float64
	single := t.kind == floatKind
	// For floats, a double holds the exact product, and rounds sums and quotients so that the second rounding changes nothing.
	switch operator {
	case "+":
		r = a + b
	case "-":
		r = a - b
	case "*":
		r = a * b
	case "/":
		r = a / b
	default:
		return 0, false
	}
	if single {
		r = float64(float32(r))
	}
	return floatBits(t, r), r == r
}

// foldUnary applies + - ~ ! to a constant.
func foldUnary(operator string, t *ctype, a uint64) (uint64, bool) {
	switch {
	case operator == "+":
		return a, true
	case operator == "!" && t.isFloating():
		return b2u(floating(t, a) == 0), true
	case operator == "!":
		return b2u(a == 0), true
	case operator == "-" && t.kind == floatKind:
		return a ^ 1<<31, true
	case operator == "-" && t.kind == doubleKind:
		return a ^ 1<<63, true
	case operator == "-":
		return normal(t, -a), true
	case operator == "~" && t.isInteger():
		return normal(t, ^a), true
	}
	return 0, false
}

// constantValue evaluates an expression at compile time.
func constantValue(e *expression) (value uint64, t *ctype, ok bool) {
	switch e.op {
	case constantNode:
		return e.bits, e.typ, true
	case variableNode:
		if e.variable.value != nil && e.variable.special == "" && e.typ.isArithmetic() &&
			(e.typ.constant || e.variable.storage == knownStorage) {
			return constantValue(e.variable.value)
		}
	case unaryNode:
		v, t, ok := constantNumber(e.parts[0])
		if !ok {
			return 0, nil, false
		}
		v, ok = foldUnary(e.text, t, v)
		return v, e.typ, ok
	case binaryNode:
		return constantBinary(e)
	case chooseNode:
		c, _, ok := constantValue(e.parts[0])
		if !ok {
			return 0, nil, false
		}
		if c != 0 {
			return constantValue(e.parts[1])
		}
		return constantValue(e.parts[2])
	case castNode:
		v, from, ok := constantNumber(e.parts[0])
		if !ok || !from.isArithmetic() || !(e.typ.isArithmetic() || e.typ.isPointer() && v == 0) {
			return 0, nil, false
		}
		v, ok = convertBits(from, e.typ, v)
		return v, e.typ.bare(), ok
	}
	return 0, nil, false
}

// constantNumber is constantValue for arithmetic values.
func constantNumber(e *expression) (uint64, *ctype, bool) {
	v, t, ok := constantValue(e)
	return v, t, ok && t.isArithmetic()
}

func constantBinary(e *expression) (uint64, *ctype, bool) {
	a, t, ok := constantNumber(e.parts[0])
	if !ok {
		return 0, nil, false
	}
	switch {
	case e.text == "&&" && a == 0:
		return 0, boolType, true
	case e.text == "||" && a != 0:
		return 1, boolType, true
	}
	b, u, ok := constantNumber(e.parts[1])
	if !ok {
		return 0, nil, false
	}
	switch e.text {
	case "&&", "||":
		return b2u(b != 0), boolType, true
	case ",":
		return b, e.typ, true
	case "<<", ">>":
	default:
		if t.kind != u.kind {
			return 0, nil, false
		}
	}
	v, ok := foldBinary(e.text, t, a, b)
	return v, e.typ.bare(), ok
}

// powerOfTwo returns the exponent of a power of two.
func powerOfTwo(v uint64) (int, bool) {
	if v == 0 || v&(v-1) != 0 {
		return 0, false
	}
	return bits.TrailingZeros64(v), true
}

// constantOf evaluates the tokens of an #if, in 64 bits.
func constantOf(tokens []token, at position) (uint64, error) {
	if len(tokens) == 0 {
		return 0, errorAt(at, "#if has no condition")
	}
	p := newParser()
	v, err := p.constantWithin(tokens, at)
	return v, err
}

// constantWithin evaluates tokens outside the parser's own list.
func (p *parser) constantWithin(tokens []token, at position) (uint64, error) {
	whole, next := p.tokens, p.next
	p.tokens, p.next = tokens, 0
	defer func() { p.tokens, p.next = whole, next }()
	e, err := p.conditional()
	if err != nil {
		return 0, err
	}
	v, t, ok := constantValue(e)
	if !ok || !t.isInteger() || p.next < len(tokens) {
		return 0, errorAt(at, "expected a constant integer")
	}
	return v, nil
}
