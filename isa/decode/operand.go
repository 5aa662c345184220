package decode

import (
	"maps"
	"slices"
	"strings"

	"github.com/keplersim/keplersim/arch"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/ptx"
)

// operand parses one operand into its place.
func (d *functionDecoder) operand(i *isa.Instruction, spec *operandSpec, o *ptx.Operand) {
	t := spec.of(i)
	switch spec.role {
	case roleAddress:
		d.address(i, o)
	case roleLoaded, rolePacked:
		d.destinations(i, o, t, spec)
	case roleStored, roleUnpacked:
		d.sources(i, o, t, spec)
	case roleTexture:
		d.textureOperand(i, o)
	case roleLevel:
		if spec.fixed == isa.TypeNone {
			t = i.From
		}
		i.Memory.Texture.Level = d.source(o, t, i)
	case roleGradient:
		for _, e := range d.elements(o) {
			i.Memory.Texture.Gradient = append(i.Memory.Texture.Gradient, d.source(&e, isa.F32, i))
		}
	case roleImmediate:
		v := d.source(o, t, i)
		if v.Kind != isa.OperandImmediate {
			d.errorf(o.Pos, "a constant is expected here")
		}
		i.Src = append(i.Src, v)
	case roleDestination:
		d.destinationPair(i, spec, o, t)
	default:
		switch spec.kind {
		case "h":
			i.Src = append(i.Src, d.selected(i, o, t))
		case "2", "4":
			i.Src = append(i.Src, d.permuted(i, o, t, spec))
		default:
			i.Src = append(i.Src, d.source(o, t, i))
		}
	}
}

// destinationPair parses a destination, or `d|p`.
func (d *functionDecoder) destinationPair(i *isa.Instruction, spec *operandSpec, o *ptx.Operand, t isa.Type) {
	if o.Kind == ptx.OperandPair && spec.pair && len(o.Elements) == 2 {
		i.Dst = append(i.Dst, d.destination(&o.Elements[0], t, i), d.destination(&o.Elements[1], isa.Pred, i))
		return
	}
	if spec.pair && spec.pairNeeds {
		d.errorf(o.Pos, "two destinations `d|p` are expected here")
		return
	}
	switch spec.kind {
	case "v":
		i.Dst = append(i.Dst, d.selectedDestination(i, o, t))
	case "2", "4":
		if o.Kind == ptx.OperandName && o.Component != "" {
			mask, ok := writeMask(o.Component, spec.kind == "2")
			if ok {
				i.Mod.SelectMask = mask
				plain := *o
				plain.Component = ""
				o = &plain
			}
		}
		i.Dst = append(i.Dst, d.destination(o, t, i))
	default:
		i.Dst = append(i.Dst, d.destination(o, t, i))
	}
}

// destination parses a destination register, or `_`.
func (d *functionDecoder) destination(o *ptx.Operand, t isa.Type, i *isa.Instruction) isa.Operand {
	switch o.Kind {
	case ptx.OperandSink:
		return isa.Operand{Kind: isa.OperandSink, Type: t}
	case ptx.OperandName:
		if r, ok := d.scope.find(o.FullName()); ok && r.kind == referenceRegister {
			if o.Not {
				d.errorf(o.Pos, "a destination cannot be negated")
			}
			return d.registerOperand(o, isa.Register(r.index), t, i)
		}
		d.unknownName(o, "register")
		return isa.Operand{}
	}
	d.errorf(o.Pos, "a register is expected here")
	return isa.Operand{}
}

// unknownName reports a name that does not mean what is wanted.
func (d *functionDecoder) unknownName(o *ptx.Operand, wanted string) {
	name := o.FullName()
	if r, ok := d.scope.find(name); ok && r.kind != referenceNone {
		d.errorf(o.Pos, "`%s` is no %s", name, wanted)
		return
	}
	if _, ok := isa.ParseSpecial(name); ok {
		d.errorf(o.Pos, "the special register `%s` can only be read", name)
		return
	}
	if since, ok := laterSpecials[strings.TrimRight(name, "0123456789xyzw_.")]; ok {
		d.errorf(o.Pos, "the special register `%s` was introduced with sm_%d; no %s has it", name, since, arch.Latest())
		return
	}
	var names []string
	for s := d.scope; s != nil; s = s.outer {
		names = append(names, slices.Sorted(maps.Keys(s.names))...)
	}
	d.errorf(o.Pos, "`%s` is not declared%s", name, suggestion(name, names))
}

// laterSpecials are special registers that no Kepler has, without numbers and components, by the architecture that introduced them (PTX
// ISA, special registers).
var laterSpecials = map[string]int{
	"%clusterid": 90, "%nclusterid": 90, "%cluster_ctaid": 90, "%cluster_nctaid": 90, "%cluster_ctarank": 90, "%cluster_nctarank": 90,
	"%is_explicit_cluster": 90, "%current_graph_exec": 50, "%pm": 50,
}

// suggestion returns ": did you mean …?" or "".
func suggestion(name string, candidates []string) string {
	if near := ptx.Nearest(name, candidates); near != "" && near != name {
		return "; did you mean `" + near + "`?"
	}
	return ""
}

// registerOperand returns an operand for a register in a place of type t, and checks that they fit.
func (d *functionDecoder) registerOperand(o *ptx.Operand, r isa.Register, t isa.Type, i *isa.Instruction) isa.Operand {
	declared := d.f.Registers[r].Type
	if (declared == isa.Pred) != (t == isa.Pred) && t != isa.TypeNone {
		if declared == isa.Pred {
			d.errorf(o.Pos, "`%s` is a predicate; a .%s register is expected here", o.FullName(), t)
		} else {
			d.errorf(o.Pos, "`%s` is a .%s register; a predicate is expected here", o.FullName(), declared)
		}
		return isa.Operand{}
	}
	if t == isa.Pred {
		return isa.Predicate(r, o.Not)
	}
	if t == isa.TypeNone {
		if declared.Bytes() < 4 {
			d.errorf(o.Pos, "`%s` is a .%s register; an address is expected here", o.FullName(), declared)
		}
		return isa.Reg(r, resize(isa.U32, declared.Bytes()))
	}
	if declared.Bytes() != t.Bytes() && (!i.Op.Facts().WideRegisters || declared.Bytes() < t.Bytes()) && !narrowSpecial(i) {
		d.errorf(o.Pos, "`%s` is a .%s register; a register of %d bits is expected here", o.FullName(), declared, 8*t.Bytes())
		return isa.Operand{}
	}
	if declared.Float() != t.Float() && declared.Kind() != isa.KindBits && t.Kind() != isa.KindBits && t != isa.F16 {
		d.errorf(o.Pos, "`%s` is a .%s register; a .%s register is expected here", o.FullName(), declared, t)
		return isa.Operand{}
	}
	return isa.Reg(r, resize(t, declared.Bytes()))
}

// narrowSpecial reports operands such as shift counts that old compilers wrote in registers of another width.
func narrowSpecial(i *isa.Instruction) bool {
	return (i.Op == isa.OpShl || i.Op == isa.OpShr) && len(i.Src) == 1
}

// source parses a source.
func (d *functionDecoder) source(o *ptx.Operand, t isa.Type, i *isa.Instruction) isa.Operand {
	switch o.Kind {
	case ptx.OperandName:
		return d.named(o, t, i)
	case ptx.OperandImmediate:
		return d.immediate(o, o.Value, t, i)
	case ptx.OperandSink:
		d.errorf(o.Pos, "`_` can only be a destination")
	case ptx.OperandIndexed:
		return d.elementAddress(o, t, i)
	case ptx.OperandAddress:
		d.errorf(o.Pos, "memory can only be read by ld; a register or constant is expected here")
	default:
		d.errorf(o.Pos, "a register or constant is expected here")
	}
	return isa.Operand{}
}

// named parses a register, special register, symbol or function.
func (d *functionDecoder) named(o *ptx.Operand, t isa.Type, i *isa.Instruction) isa.Operand {
	name := o.FullName()
	if r, ok := d.scope.find(name); ok {
		switch r.kind {
		case referenceRegister:
			v := d.registerOperand(o, isa.Register(r.index), t, i)
			if o.Minus {
				d.errorf(o.Pos, "`%s` cannot take a negated operand", i.Op)
			}
			return v
		case referenceVector:
			d.errorf(o.Pos, "`%s` is a vector; name one component, for instance `%s.x`", name, name)
			return isa.Operand{}
		}
		return d.symbolic(o, r, 0, t, i)
	}
	if name == "WARP_SZ" {
		return isa.Imm(warpSize, t)
	}
	if special, ok := isa.ParseSpecial(name); ok {
		return d.special(o, special, t, i)
	}
	if o.Minus && o.Value != nil {
		return d.immediate(o, o.Value, t, i)
	}
	d.unknownName(o, "register or symbol")
	return isa.Operand{}
}

// warpSize is WARP_SZ.
const warpSize = 32

// immediate parses a constant expression in a type.
func (d *functionDecoder) immediate(o *ptx.Operand, e *ptx.Expression, t isa.Type, i *isa.Instruction) isa.Operand {
	if t == isa.TypeNone {
		t = resize(isa.U32, d.program.AddressBytes)
	}
	if bits, ok, message := literalBits(e, t); ok {
		if message != "" {
			d.errorf(o.Pos, "%s", message)
		}
		if t == isa.Pred {
			return d.constantPredicate(bits&1 != 0, i)
		}
		return isa.Imm(bits, t)
	}
	a, err := e.Address()
	if err != nil {
		d.errorf(o.Pos, "%v", err)
		return isa.Operand{}
	}
	r, ok := d.scope.find(a.Symbol)
	if !ok || r.kind == referenceRegister || r.kind == referenceVector {
		d.errorf(o.Pos, "`%s` is not a constant: only constants and addresses of variables can be added here", a.Symbol)
		return isa.Operand{}
	}
	v := d.symbolic(o, r, int64(a.Addend.Bits), t, i)
	if a.Generic {
		v = d.generic(v, i)
	}
	return v
}

// constantPredicate emits a comparison of constants and returns its predicate, true or false.
func (d *functionDecoder) constantPredicate(value bool, i *isa.Instruction) isa.Operand {
	fresh := isa.Predicate(d.register("", isa.Pred), false)
	compare := isa.NE
	if value {
		compare = isa.EQ
	}
	zero := isa.Imm(0, isa.U32)
	d.emit(&isa.Instruction{Op: isa.OpSetp, Type: isa.U32, Mod: isa.Modifiers{Compare: compare}, Dst: []isa.Operand{fresh},
		Src: []isa.Operand{zero, zero}, Line: i.Line})
	return fresh
}

// symbolic returns the address of a variable, parameter or function in its own space. Instructions other than moves and address conversions
// get it from a move.
func (d *functionDecoder) symbolic(o *ptx.Operand, r reference, addend int64, t isa.Type, i *isa.Instruction) isa.Operand {
	if t == isa.Pred || t.Float() {
		d.errorf(o.Pos, "`%s` is an address; a .%s register or constant is expected here", o.FullName(), t)
		return isa.Operand{}
	}
	v := d.reference(r, addend)
	if i.Op.Facts().TakesSymbols {
		if v.Type.Bytes() != t.Bytes() && t != isa.TypeNone && i.Op == isa.OpMov && t.Bytes() < 4 {
			d.errorf(o.Pos, "the address of `%s` does not fit into %d bits", o.FullName(), 8*t.Bytes())
		}
		if t != isa.TypeNone && t.Bytes() >= 4 {
			v.Type = resize(t, t.Bytes())
		}
		return v
	}
	return d.throughMove(v, resize(isa.U32, v.Type.Bytes()), i)
}

// throughMove moves a value into a new register first.
func (d *functionDecoder) throughMove(v isa.Operand, t isa.Type, i *isa.Instruction) isa.Operand {
	fresh := d.register("", t)
	d.emit(&isa.Instruction{Op: isa.OpMov, Type: t, Dst: []isa.Operand{isa.Reg(fresh, t)}, Src: []isa.Operand{v}, Line: i.Line})
	return isa.Reg(fresh, t)
}

// reference returns the operand for a name's address plus an addend.
func (d *functionDecoder) reference(r reference, addend int64) isa.Operand {
	v := isa.Operand{Type: resize(isa.U32, d.program.AddressBytes), Symbol: r.index, Immediate: uint64(addend)}
	switch r.kind {
	case referenceVariable:
		v.Kind = operandVariable
	case referenceParameter:
		v.Kind, v.Symbol = isa.OperandImmediate, 0
		v.Immediate += uint64(d.f.Parameters[r.index].Offset)
	case referenceFunction:
		v.Kind = isa.OperandFunction
	case referenceSymbol:
		v.Kind = isa.OperandSymbol
		if d.undefined(r.index) {
			d.unresolved = append(d.unresolved, d.missing(r.index, d.at))
		}
		if d.program.Symbols[r.index].Space == isa.SpaceShared {
			v.Kind = operandShared
		}
	}
	return v
}

// generic converts an address to a generic one, for generic(x) in operands.
func (d *functionDecoder) generic(v isa.Operand, i *isa.Instruction) isa.Operand {
	space := d.spaceOfOperand(v)
	t := resize(isa.U32, d.program.AddressBytes)
	fresh := d.register("", t)
	d.emit(&isa.Instruction{Op: isa.OpCvta, Type: t, Dst: []isa.Operand{isa.Reg(fresh, t)}, Src: []isa.Operand{v},
		Memory: &isa.Memory{Space: space, Vector: 1}, Line: i.Line})
	return isa.Reg(fresh, t)
}

// spaceOfOperand returns the space of an address.
func (d *functionDecoder) spaceOfOperand(v isa.Operand) isa.Space {
	switch v.Kind {
	case operandVariable:
		return d.f.Variables[v.Symbol].Space
	case operandShared:
		return isa.SpaceShared
	case isa.OperandSymbol:
		return d.program.Symbols[v.Symbol].Space
	}
	return isa.SpaceGeneric
}

// special parses a special register. Code of PTX 1.x reads 32-bit ones as .u16: it gets the low half.
func (d *functionDecoder) special(o *ptx.Operand, s isa.SpecialRegister, t isa.Type, i *isa.Instruction) isa.Operand {
	natural := isa.U32
	switch s {
	case isa.Clock64, isa.GlobalTimer:
		natural = isa.U64
	case isa.GridID:
		if t.Bytes() == 8 {
			natural = isa.U64
		}
	}
	if t == isa.Pred || t.Float() {
		d.errorf(o.Pos, "`%s` is an integer; a .%s is expected here", o.FullName(), t)
		return isa.Operand{}
	}
	v := isa.Operand{Kind: isa.OperandSpecial, Special: s, Type: natural}
	if (i.Op == isa.OpMov || i.Op == isa.OpCvt) && t.Bytes() == natural.Bytes() {
		return v
	}
	wide := d.throughMove(v, natural, i)
	if t.Bytes() == natural.Bytes() || i.Op == isa.OpCvt && t.Bytes() < natural.Bytes() {
		return wide
	}
	narrow := resize(isa.U32, t.Bytes())
	fresh := d.register("", narrow)
	d.emit(&isa.Instruction{Op: isa.OpCvt, Type: narrow, From: natural, Dst: []isa.Operand{isa.Reg(fresh, narrow)},
		Src: []isa.Operand{wide}, Line: i.Line})
	return isa.Reg(fresh, narrow)
}

// destinations parses the destination of a load, an unpacking move or a vector move.
func (d *functionDecoder) destinations(i *isa.Instruction, o *ptx.Operand, t isa.Type, spec *operandSpec) {
	list := d.elements(o)
	if spec.role == rolePacked && len(list) > 1 {
		if t = d.part(o, t, len(list)); t == isa.TypeNone {
			return
		}
	}
	for k := range list {
		i.Dst = append(i.Dst, d.destination(&list[k], t, i))
	}
}

// sources parses the source of a store, a packing move or a vector move.
func (d *functionDecoder) sources(i *isa.Instruction, o *ptx.Operand, t isa.Type, spec *operandSpec) {
	list := d.elements(o)
	if spec.role == roleUnpacked && len(list) > 1 {
		if t = d.part(o, t, len(list)); t == isa.TypeNone {
			return
		}
	}
	for k := range list {
		i.Src = append(i.Src, d.source(&list[k], t, i))
	}
}

// part returns the type of one of n parts of a packed value, TypeNone if it cannot have n parts.
func (d *functionDecoder) part(o *ptx.Operand, t isa.Type, n int) isa.Type {
	if t == isa.Pred || n != 2 && n != 4 || t.Bytes()%n != 0 {
		d.errorf(o.Pos, "a .%s cannot be packed from %d registers", t, n)
		return isa.TypeNone
	}
	return resize(isa.B32, t.Bytes()/n)
}

// elements lists the elements of a vector operand: `{a, b}`, a vector register, or one operand.
func (d *functionDecoder) elements(o *ptx.Operand) []ptx.Operand {
	if o.Kind == ptx.OperandVector {
		return o.Elements
	}
	if o.Kind == ptx.OperandName && o.Component == "" {
		if r, ok := d.scope.find(o.Name); ok && r.kind == referenceVector {
			list := make([]ptx.Operand, r.count)
			for k := range list {
				list[k] = ptx.Operand{Kind: ptx.OperandName, Pos: o.Pos, Name: o.Name, Component: componentNames[k][0]}
			}
			return list
		}
	}
	return []ptx.Operand{*o}
}
