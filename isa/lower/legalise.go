package lower

import "github.com/keplersim/keplersim/isa"

// operandRule says which sources of an opcode may be an immediate or a constant: Kepler has one such place in an
// operation, the second source, or the third of those with three.
type operandRule struct {
	places   []int // sources that may be no register, best first
	swap     bool  // the first two sources may change places
	anything bool  // all may
}

var operandRules = map[isa.Opcode]operandRule{
	isa.OpAdd: {places: []int{1}, swap: true}, isa.OpSub: {places: []int{1}}, isa.OpMul: {places: []int{1}, swap: true}, isa.OpMul24: {places: []int{1}, swap: true},
	isa.OpAddc: {places: []int{1}, swap: true}, isa.OpSubc: {places: []int{1}},
	isa.OpMad: {places: []int{1, 2}, swap: true}, isa.OpMadc: {places: []int{1, 2}, swap: true}, isa.OpMad24: {places: []int{1, 2}, swap: true}, isa.OpFma: {places: []int{1, 2}, swap: true},
	isa.OpSad: {places: []int{1, 2}, swap: true}, isa.OpMin: {places: []int{1}, swap: true}, isa.OpMax: {places: []int{1}, swap: true},
	isa.OpAnd: {places: []int{1}, swap: true}, isa.OpOr: {places: []int{1}, swap: true}, isa.OpXor: {places: []int{1}, swap: true}, isa.OpNot: {places: []int{0}},
	isa.OpShl: {places: []int{1}}, isa.OpShr: {places: []int{1}}, isa.OpSetp: {places: []int{1}}, isa.OpSet: {places: []int{1}}, isa.OpSelp: {places: []int{1}},
	isa.OpSlct: {places: []int{1}}, isa.OpMov: {anything: true}, isa.OpCvt: {places: []int{0}}, isa.OpCvta: {anything: true},
	isa.OpBar: {anything: true}, isa.OpPmevent: {anything: true}, isa.OpNanosleep: {anything: true}, isa.OpCall: {anything: true},
	isa.OpBfe: {places: []int{1, 2}, anything: true}, isa.OpBfi: {places: []int{2, 3}, anything: true}, isa.OpShf: {places: []int{2}}, isa.OpPrmt: {places: []int{2, 1}},
	isa.OpShfl: {anything: true}, isa.OpVote: {anything: true}, isa.OpLop3: {places: []int{3}},
	isa.OpLd: {anything: true}, isa.OpPrefetch: {anything: true}, isa.OpPrefetchu: {anything: true}, isa.OpNeg: {places: []int{0}}, isa.OpAbs: {places: []int{0}},
}

// legalise puts operands that Kepler's operation cannot hold into registers.
func (x *expander) legalise(i *isa.Instruction) {
	rule := operandRules[i.Op]
	if rule.anything {
		return
	}
	if rule.swap && len(i.Src) > 1 && inline(&i.Src[0]) && register(&i.Src[1]) {
		i.Src[0], i.Src[1] = i.Src[1], i.Src[0]
	}
	free := -1
	for _, place := range rule.places {
		if place < len(i.Src) && inline(&i.Src[place]) && fits(i, place) {
			free = place
			break
		}
	}
	for n := range i.Src {
		if n != free && inline(&i.Src[n]) && !zero(i, n) {
			x.materialise(i, &i.Src[n])
		}
	}
}

// inline reports an operand that is neither a register nor nothing.
func inline(o *isa.Operand) bool {
	return o.Kind == isa.OperandImmediate || o.Kind == isa.OperandConstant || o.Kind == isa.OperandSymbol || o.Kind == isa.OperandFunction
}

// zero reports an immediate zero, which every operation can read as RZ.
func zero(i *isa.Instruction, n int) bool {
	return i.Src[n].Kind == isa.OperandImmediate && i.Src[n].Immediate == 0
}

// fits reports whether the operation can hold the operand: constants always; immediates of 20 bits (the upper ones for
// floats), and of 32 bits where the operation has a form for them.
func fits(i *isa.Instruction, n int) bool {
	o := &i.Src[n]
	if o.Kind != isa.OperandImmediate {
		return o.Kind == isa.OperandConstant
	}
	switch i.Type {
	case isa.F32:
		return o.Immediate&0xfff == 0 || i.Op == isa.OpAdd || i.Op == isa.OpMul || i.Op == isa.OpSub
	case isa.F64:
		return o.Immediate&(1<<44-1) == 0
	}
	switch i.Op {
	case isa.OpAdd, isa.OpSub, isa.OpMul, isa.OpAnd, isa.OpOr, isa.OpXor:
		return true
	}
	v := int64(o.Immediate)
	if o.Type.Bytes() == 4 {
		v = int64(int32(o.Immediate))
	}
	return v >= -1<<19 && v < 1<<19
}

// materialise replaces an operand by a register that a move fills.
func (x *expander) materialise(i *isa.Instruction, o *isa.Operand) {
	t := o.Type
	if t.Registers() == 0 {
		t = isa.B32
	}
	r := x.temporary(t)
	x.plain(&isa.Instruction{Op: isa.OpMov, Type: t, Dst: []isa.Operand{isa.Reg(r, t)}, Src: []isa.Operand{*o}, Line: i.Line})
	*o = isa.Reg(r, t)
}
