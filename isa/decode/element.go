package decode

import (
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/ptx"
)

// element is `name[index]`, an element of an array. The index is a constant, a register, or a register plus a constant (PTX ISA, arrays as
// operands).
type element struct {
	array reference
	index isa.Operand // a register, or OperandNone
	bytes int64       // from the array's beginning, or from the element at index
}

// element parses `name[index]`.
func (d *functionDecoder) element(o *ptx.Operand) (element, bool) {
	r, ok := d.scope.find(o.Name)
	if !ok || r.kind != referenceSymbol && r.kind != referenceVariable && r.kind != referenceParameter {
		d.unknownName(&ptx.Operand{Kind: ptx.OperandName, Pos: o.Pos, Name: o.Name}, "variable")
		return element{}, false
	}
	a, err := o.Value.Address()
	if err != nil {
		d.errorf(o.Pos, "%v", err)
		return element{}, false
	}
	e := element{array: r, bytes: int64(a.Addend.Bits) * int64(r.stride)}
	if a.Symbol == "" {
		return e, true
	}
	index, ok := d.scope.find(a.Symbol)
	if !ok || index.kind != referenceRegister || a.Generic {
		d.unknownName(&ptx.Operand{Kind: ptx.OperandName, Pos: o.Pos, Name: a.Symbol}, "register that can be an index")
		return element{}, false
	}
	t := d.f.Registers[index.index].Type
	if t.Float() || t == isa.Pred || t.Bytes() != 4 && t.Bytes() != d.program.AddressBytes {
		d.errorf(o.Pos, "`%s` is a .%s register; an index is an integer of 32 bits or of an address's size", a.Symbol, t)
		return element{}, false
	}
	e.index = isa.Reg(isa.Register(index.index), t)
	return e, true
}

// place returns a register with base plus the scaled index.
func (d *functionDecoder) place(e *element, base isa.Operand, i *isa.Instruction) isa.Operand {
	address := resize(isa.U32, d.program.AddressBytes)
	multiply := isa.Instruction{Op: isa.OpMad, Type: address, Mod: isa.Modifiers{Half: isa.Lo}, Line: i.Line}
	if e.index.Type.Bytes() < address.Bytes() {
		multiply.Type, multiply.Mod.Half = isa.U32, isa.Wide
		if e.index.Type.Signed() {
			multiply.Type = isa.S32
		}
	}
	fresh := isa.Reg(d.register("", address), address)
	index := isa.Reg(e.index.Register, resize(multiply.Type, e.index.Type.Bytes()))
	multiply.Dst = []isa.Operand{fresh}
	multiply.Src = []isa.Operand{index, isa.Imm(uint64(e.array.stride), multiply.Type), d.throughMove(base, address, i)}
	d.emit(&multiply)
	return fresh
}

// accessElement sets the address of an access to an element.
func (d *functionDecoder) accessElement(i *isa.Instruction, o *ptx.Operand) {
	e, ok := d.element(o)
	if !ok {
		return
	}
	plain := *o
	plain.Value = &ptx.Expression{Kind: ptx.ExpressionName, Text: o.Name, Pos: o.Pos}
	before := len(d.linker.errors)
	d.relativeTo(i, &plain, e.array, e.bytes)
	if e.index.Kind == isa.OperandNone || len(d.linker.errors) > before {
		return
	}
	m := i.Memory
	if e.array.kind == referenceParameter {
		m.Base, m.Offset = d.place(&e, isa.Imm(uint64(m.Offset), resize(isa.U32, d.program.AddressBytes)), i), 0
		return
	}
	m.Base = d.place(&e, m.Base, i)
}

// elementAddress returns the address of an element as a value, for mov.
func (d *functionDecoder) elementAddress(o *ptx.Operand, t isa.Type, i *isa.Instruction) isa.Operand {
	e, ok := d.element(o)
	if !ok {
		return isa.Operand{}
	}
	if e.index.Kind == isa.OperandNone {
		return d.symbolic(o, e.array, e.bytes, t, i)
	}
	if t != isa.TypeNone && t.Bytes() != d.program.AddressBytes || t == isa.Pred || t.Float() {
		d.errorf(o.Pos, "`%s[…]` is an address of %d bits; a .%s is expected here", o.Name, 8*d.program.AddressBytes, t)
		return isa.Operand{}
	}
	return d.place(&e, d.reference(e.array, e.bytes), i)
}
