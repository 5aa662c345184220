package ckernel

import (
	"fmt"
	"math"
)

// operand returns a value as an instruction's operand.
func (g *generator) operand(v value) string {
	switch v.form {
	case numeric:
		return literal(v.typ, v.bits)
	case unset:
		return "0"
	case pointing:
		r, err := g.address(v, genericSpace)
		if err == nil {
			return r
		}
	}
	return v.reg
}

// inRegister returns a register with the value.
func (g *generator) inRegister(v value) string {
	if v.form == held {
		return v.reg
	}
	r := g.register(classOf(v.typ))
	g.emit("mov.%s %s, %s", bitType(v.typ), r, g.operand(v))
	return r
}

// bound is an upper bound of an unsigned or constant value; 0 if unknown.
func (g *generator) bound(v value) uint64 {
	if v.isNumber() && v.typ.isInteger() && int64(v.bits) >= 0 {
		return v.bits
	}
	return v.top
}

// result returns a new register of a type.
func (g *generator) result(t *ctype) value {
	return value{form: held, typ: t.bare(), reg: g.register(classOf(t))}
}

// arithmetic computes with two operands of one type; a shift's count has a type of its own.
func (g *generator) arithmetic(operator string, t *ctype, a, b value) value {
	if a.form == unset {
		a = zero(t)
	}
	if b.form == unset {
		b = zero(b.typeOr(t))
	}
	if a.isNumber() && b.isNumber() {
		if bits, ok := foldBinary(operator, t, a.bits, b.bits); ok {
			return number64(t, bits)
		}
	}
	if t.isFloating() {
		return g.floatArithmetic(operator, t, a, b)
	}
	if a.isNumber() && (operator == "+" || operator == "*" || operator == "&" || operator == "|" || operator == "^") {
		a, b = b, a
	}
	if v, done := simplified(operator, t, a, b); done {
		return v
	}
	switch operator {
	case "+", "-":
		return g.addition(operator, t, a, b)
	case "/", "%":
		return g.division(operator, t, a, b)
	case "<<", ">>":
		return g.shift(operator, t, a, b)
	}
	r := g.result(t)
	opcode := map[string]string{"*": "mul.lo." + arithmeticType(t), "&": "and." + bitType(t),
		"|": "or." + bitType(t), "^": "xor." + bitType(t)}[operator]
	g.emit("%s %s, %s, %s", opcode, r.reg, g.operand(a), g.operand(b))
	x, y := g.bound(a), g.bound(b)
	switch {
	case operator == "&" && (x > 0 || y > 0):
		r.top = min(x-1, y-1) + 1 // 0 means no bound
	case operator == "*" && x > 0 && y > 0 && x < 1<<31 && y < 1<<31 && x*y < 1<<31:
		r.top = x * y
	case (operator == "|" || operator == "^") && x > 0 && y > 0:
		r.top = upToPower(max(x, y))
	}
	return r
}

// typeOr is the value's type, or t if it has none.
func (v value) typeOr(t *ctype) *ctype {
	if v.typ != nil {
		return v.typ
	}
	return t
}

// upToPower is the largest number with as many bits as v.
func upToPower(v uint64) uint64 {
	n := uint64(1)
	for n <= v && n < 1<<62 {
		n <<= 1
	}
	return n - 1
}

// simplified handles operations that need no instruction. In commutative operations, a number is the second operand.
func simplified(operator string, t *ctype, a, b value) (value, bool) {
	if !b.isNumber() {
		return value{}, false
	}
	all := normal(t, math.MaxUint64)
	switch {
	case b.bits == 0 && (operator == "+" || operator == "-" || operator == "|" || operator == "^" || operator == "<<" || operator == ">>"):
		return a.as(t), true
	case b.bits == 1 && (operator == "*" || operator == "/"):
		return a.as(t), true
	case b.bits == 0 && (operator == "*" || operator == "&"):
		return zero(t), true
	case b.bits == all && operator == "&":
		return a.as(t), true
	case b.bits == all && operator == "|":
		return b.as(t), true
	}
	return value{}, false
}

// addition adds. It records a signed sum's terms and combines constants.
func (g *generator) addition(operator string, t *ctype, a, b value) value {
	r := g.result(t)
	if operator == "-" && !b.isNumber() {
		g.emit("sub.s%d %s, %s, %s", t.bits(), r.reg, g.operand(a), g.operand(b))
		return r
	}
	x, y := g.bound(a), g.bound(b)
	add := int64(b.bits)
	if operator == "-" {
		add = -add
		b = integer(t, add)
		y = 0
	}
	if b.isNumber() {
		if s, known := g.sums[a.reg]; known && a.form == held {
			add += s.add
			a, b = s.base.as(t), integer(t, add)
			if b.bits == 0 {
				return a
			}
		}
		if t.signed {
			g.sums[r.reg] = sum{a, int64(b.bits)}
		}
	}
	g.emit("add.s%d %s, %s, %s", t.bits(), r.reg, g.operand(a), g.operand(b))
	if x > 0 && y > 0 && x < 1<<31 && y < 1<<31 && x+y < 1<<31 {
		r.top = x + y
	}
	return r
}

// division divides, by a power of two with shifts and masks.
func (g *generator) division(operator string, t *ctype, a, b value) value {
	exponent, power := 0, false
	if b.isNumber() && (!t.signed || int64(b.bits) > 0) {
		exponent, power = powerOfTwo(b.bits)
	}
	top := g.bound(a)
	natural := !t.signed || top > 0
	switch {
	case power && natural && operator == "/":
		r := g.result(t)
		g.emit("shr.u%d %s, %s, %d", t.bits(), r.reg, g.operand(a), exponent)
		r.top = top >> exponent
		if r.top == 0 && top > 0 {
			return zero(t)
		}
		return r
	case power && natural:
		r := g.result(t)
		g.emit("and.%s %s, %s, %s", bitType(t), r.reg, g.operand(a), literal(t, b.bits-1))
		r.top = b.bits - 1
		return r
	case power && exponent > 0: // rounds towards zero: add the divisor minus one to negative numbers first
		sign, part, sum, r := g.result(t), g.result(t), g.result(t), g.result(t)
		g.emit("shr.s%d %s, %s, %d", t.bits(), sign.reg, g.operand(a), t.bits()-1)
		g.emit("shr.u%d %s, %s, %d", t.bits(), part.reg, sign.reg, int(t.bits())-exponent)
		g.emit("add.s%d %s, %s, %s", t.bits(), sum.reg, g.operand(a), part.reg)
		if operator == "/" {
			g.emit("shr.s%d %s, %s, %d", t.bits(), r.reg, sum.reg, exponent)
			return r
		}
		multiple := g.result(t)
		g.emit("and.%s %s, %s, %s", bitType(t), multiple.reg, sum.reg, literal(t, -b.bits))
		g.emit("sub.s%d %s, %s, %s", t.bits(), r.reg, g.operand(a), multiple.reg)
		return r
	}
	r := g.result(t)
	opcode, kind := "div", arithmeticType(t)
	if operator == "%" {
		opcode = "rem"
	}
	if t.signed && top > 0 && top < 1<<31 && g.bound(b) > 0 { // neither is negative
		kind = "u" + kind[1:]
	}
	g.emitCost(expensive, "%s.%s %s, %s, %s", opcode, kind, r.reg, g.operand(a), g.operand(b))
	if natural && operator == "/" {
		r.top = top
	}
	return r
}

// shift shifts; its count has 32 bits.
func (g *generator) shift(operator string, t *ctype, a, b value) value {
	r := g.result(t)
	count := g.operand(b)
	if b.isNumber() {
		count = fmt.Sprint(b.bits & uint64(t.bits()-1))
	} else if b.typ.size == 8 {
		narrow, err := g.convert(b, unsignedType)
		if err == nil {
			count = narrow.reg
		}
	}
	top := g.bound(a)
	if operator == "<<" {
		g.emit("shl.%s %s, %s, %s", bitType(t), r.reg, g.operand(a), count)
		if b.isNumber() && top > 0 && top<<b.bits < 1<<31 && top < 1<<31 && b.bits < 31 {
			r.top = top << b.bits
		}
		return r
	}
	g.emit("shr.%s %s, %s, %s", arithmeticType(t), r.reg, g.operand(a), count)
	if b.isNumber() && top > 0 {
		r.top = max(top>>b.bits, 1)
	}
	return r
}

// floatArithmetic computes with floats. It allows multiplications and additions to fuse, as clang does.
func (g *generator) floatArithmetic(operator string, t *ctype, a, b value) value {
	kind := bitType(t)
	one, minusZero := floatBits(t, 1), floatBits(t, math.Copysign(0, -1))
	if operator == "*" && a.isNumber() {
		a, b = b, a
	}
	switch {
	case b.isNumber() && b.bits == one && (operator == "*" || operator == "/"), b.isNumber() && b.bits == minusZero && operator == "+",
		b.isNumber() && b.bits == 0 && operator == "-":
		return a
	case operator == "/" && b.isNumber():
		if reciprocal, exact := exactReciprocal(t, b.bits); exact {
			return g.floatArithmetic("*", t, a, number64(t, reciprocal))
		}
	}
	if operator == "+" { // as clang does: a product with a negative number is subtracted
		for _, pair := range [][2]value{{a, b}, {b, a}} {
			if p, known := g.negative[pair[1].reg]; known && pair[1].form == held && g.current != nil {
				return g.floatArithmetic("-", t, pair[0], g.floatArithmetic("*", t, p.base, p.factor))
			}
		}
	}
	r := g.result(t)
	if operator == "*" && b.isNumber() && floating(t, b.bits) < 0 {
		g.negative[r.reg] = product{a, number64(t, floatBits(t, -floating(t, b.bits)))}
	}
	rounding := ""
	if g.options.NoContraction {
		rounding = ".rn"
	}
	switch operator {
	case "+", "-", "*":
		opcode := map[string]string{"+": "add", "-": "sub", "*": "mul"}[operator]
		g.emit("%s%s.%s %s, %s, %s", opcode, rounding, kind, r.reg, g.operand(a), g.operand(b))
	default:
		if a.isNumber() && a.bits == one {
			g.emitCost(expensive, "rcp.rn.%s %s, %s", kind, r.reg, g.operand(b))
		} else {
			g.emitCost(expensive, "div.rn.%s %s, %s, %s", kind, r.reg, g.operand(a), g.operand(b))
		}
	}
	return r
}

// exactReciprocal returns 1/x for a power of two; clang multiplies by it instead of dividing.
func exactReciprocal(t *ctype, bits uint64) (uint64, bool) {
	f := floating(t, bits)
	fraction, exponent := math.Frexp(f)
	if math.Abs(fraction) != 0.5 || exponent < -100 || exponent > 100 {
		return 0, false
	}
	return floatBits(t, 1/f), true
}

// compare compares two values of one type.
func (g *generator) compare(operator string, a, b value) value {
	t := a.typ
	if t == nil || a.form == unset {
		t = b.typ
		a = zero(t)
	}
	if a.isNumber() && b.isNumber() {
		if bits, ok := foldBinary(operator, t, a.bits, b.bits); ok {
			return number64(boolType, bits)
		}
	}
	if t.kind == boolKind {
		different := g.logic("or", g.logic("and", a, g.not(b)), g.logic("and", g.not(a), b))
		if operator == "!=" {
			return different
		}
		return g.not(different)
	}
	p := g.register(predicates)
	condition := unsignedComparisons[operator]
	if t.isFloating() && operator == "!=" {
		condition = "neu"
	}
	if a.isNumber() { // the number becomes the second operand
		a, b = b, a
		condition = map[string]string{"lt": "gt", "gt": "lt", "le": "ge", "ge": "le"}[condition]
		if condition == "" {
			condition = unsignedComparisons[operator]
			if t.isFloating() && operator == "!=" {
				condition = "neu"
			}
		}
	}
	g.emit("setp.%s.%s %s, %s, %s", condition, arithmeticType(t), p, g.operand(a), g.operand(b))
	return value{form: held, typ: boolType, reg: p}
}

// convert converts a value to another type.
func (g *generator) convert(v value, to *ctype) (value, error) {
	to = to.bare()
	from := v.typ
	if v.form == unset {
		return zero(to), nil
	}
	if to.isPointer() || from != nil && from.isPointer() || v.form == pointing {
		return g.convertPointer(v, to)
	}
	if v.form == composite || from == to {
		return v.as(to), nil
	}
	if v.isNumber() {
		if bits, ok := convertBits(from, to, v.bits); ok {
			return number64(to, bits), nil
		}
	}
	switch {
	case to.kind == boolKind && from.kind == boolKind:
		return v.as(to), nil
	case to.kind == boolKind:
		p := g.register(predicates)
		if from.isFloating() {
			g.emit("setp.neu.%s %s, %s, %s", bitType(from), p, g.operand(v), literal(from, 0))
		} else {
			g.emit("setp.ne.%s %s, %s, 0", "s"+bitType(from)[1:], p, g.operand(v))
		}
		return value{form: held, typ: to, reg: p}, nil
	case from.kind == boolKind:
		return g.fromTruth(v, to), nil
	case from.isFloating() && to.isFloating():
		if from.kind == to.kind {
			return v, nil
		}
		r := g.result(to)
		if to.kind == doubleKind {
			g.emit("cvt.f64.f32 %s, %s", r.reg, g.operand(v))
		} else {
			g.emit("cvt.rn.f32.f64 %s, %s", r.reg, g.operand(v))
		}
		return r, nil
	case from.isFloating():
		wide := to
		if to.size < 4 {
			wide = intType
		}
		r := g.result(wide)
		g.emit("cvt.rzi.%s.%s %s, %s", arithmeticType(wide), bitType(from), r.reg, g.operand(v))
		return g.convert(r, to)
	case to.isFloating():
		r := g.result(to)
		g.emit("cvt.rn.%s.%s %s, %s", bitType(to), arithmeticType(from), r.reg, g.operand(v))
		return r, nil
	}
	return g.convertInteger(v, to), nil
}

// fromTruth converts a predicate to a number.
func (g *generator) fromTruth(v value, to *ctype) value {
	one, _ := convertBits(intType, to, 1)
	r := g.result(to)
	g.emit("selp.%s %s, %s, %s, %s", bitType(to), r.reg, literal(to, one), literal(to, 0), v.reg)
	if to.isInteger() {
		r.top = 1
	}
	return r
}

// convertInteger changes an integer's size or sign.
func (g *generator) convertInteger(v value, to *ctype) value {
	from := v.typ
	fits := v.top > 0 && v.top <= uint64(1)<<(to.bits()-1)-1
	if to.size == 8 && from.size == 8 {
		return v.as(to)
	}
	if to.size == 8 {
		r := g.result(to)
		sign := "u"
		if from.signed && v.top == 0 {
			sign = "s"
		}
		g.emit("cvt.%s64.%s32 %s, %s", sign, sign, r.reg, v.reg)
		r.top = v.top
		return r
	}
	if from.size == 8 {
		r := g.result(unsignedType)
		g.emit("cvt.u32.u64 %s, %s", r.reg, v.reg)
		if fits {
			r.top = v.top
		}
		v = r
	}
	if to.size == 4 || fits || from.size < to.size && (from.signed == to.signed || !from.signed) ||
		from.size == to.size && from.signed == to.signed {
		if !fits && v.top > 1<<31-1 {
			v.top = 0
		}
		return v.as(to)
	}
	r := g.result(to)
	if to.signed {
		g.emit("cvt.s32.s%d %s, %s", to.bits(), r.reg, v.reg)
	} else {
		g.emit("and.b32 %s, %s, %d", r.reg, v.reg, uint64(1)<<to.bits()-1)
		r.top = uint64(1)<<to.bits() - 1
	}
	return r
}

// convertPointer converts between pointers and integers.
func (g *generator) convertPointer(v value, to *ctype) (value, error) {
	switch {
	case to.isPointer() && v.form == pointing:
		return v.as(to), nil
	case to.isPointer() && v.isNumber():
		return number64(to, v.bits), nil
	case to.isPointer():
		w, err := v, error(nil)
		if !v.typ.isPointer() {
			w, err = g.convert(v, ulonglongType)
		}
		return value{form: pointing, typ: to, reg: w.reg}, err
	case v.isNumber():
		return number64(to, normal(to, v.bits)), nil
	case to.kind == boolKind:
		return g.comparePointers("!=", v, number64(v.typ, 0))
	}
	r, err := g.address(v, genericSpace)
	return value{form: held, typ: to, reg: r}, err
}

// bitCast reinterprets a value's bits as another type.
func (g *generator) bitCast(v value, to *ctype) value {
	to = to.bare()
	if v.form == unset {
		return zero(to)
	}
	if v.isNumber() {
		return number64(to, normal(to, v.bits))
	}
	if classOf(v.typ) == classOf(to) {
		return v.as(to)
	}
	r := g.result(to)
	g.emitCost(0, "mov.b%d %s, %s", to.bits(), r.reg, g.operand(v))
	return r
}
