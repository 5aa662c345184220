package decode

import (
	"strings"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/ptx"
)

// address parses `[base+offset]` or `name[index]` into the instruction's Memory.
func (d *functionDecoder) address(i *isa.Instruction, o *ptx.Operand) {
	m := i.Memory
	e := o.Value
	if o.Kind == ptx.OperandIndexed {
		d.accessElement(i, o)
		return
	}
	if o.Kind != ptx.OperandAddress || e == nil {
		d.errorf(o.Pos, "an address in brackets is expected here, for instance `[%%rd1+4]`")
		return
	}
	a, err := e.Address()
	if err != nil {
		d.errorf(o.Pos, "%v", err)
		return
	}
	if a.Symbol == "" {
		d.absolute(m, a.Addend.Bits)
		return
	}
	r, ok := d.scope.find(a.Symbol)
	if !ok {
		if base, component, dotted := strings.Cut(a.Symbol, "."); dotted {
			r, ok = d.scope.find(base + "." + component)
		}
	}
	switch {
	case !ok:
		d.unknownName(&ptx.Operand{Kind: ptx.OperandName, Pos: o.Pos, Name: a.Symbol}, "register or variable")
	case r.kind == referenceRegister:
		m.Base = d.registerOperand(&ptx.Operand{Pos: o.Pos, Name: a.Symbol}, isa.Register(r.index), isa.TypeNone, i)
		m.Offset = int64(a.Addend.Bits)
	default:
		d.relativeTo(i, o, r, int64(a.Addend.Bits))
	}
}

// absolute sets an address that is written as a number.
func (d *functionDecoder) absolute(m *isa.Memory, address uint64) {
	if m.Space == isa.SpaceParam {
		m.Offset = int64(address)
		return
	}
	m.Base = isa.Imm(address, resize(isa.U32, d.program.AddressBytes))
}

// relativeTo sets an address relative to a variable. An access without a space takes the variable's space: the generic address is known
// too, but direct access is simpler.
func (d *functionDecoder) relativeTo(i *isa.Instruction, o *ptx.Operand, r reference, addend int64) {
	m := i.Memory
	d.noteOverrun(i, o.Pos, r, addend)
	switch r.kind {
	case referenceParameter:
		if m.Space != isa.SpaceParam && m.Space != isa.SpaceNone {
			d.errorf(o.Pos, "`%s` is a kernel parameter; read it with ld.param", d.f.Parameters[r.index].Name)
			return
		}
		if i.Op == isa.OpSt || i.Op == isa.OpAtom || i.Op == isa.OpRed {
			d.errorf(o.Pos, "`%s` is a kernel parameter, which cannot be written", d.f.Parameters[r.index].Name)
			return
		}
		m.Space = isa.SpaceParam
		m.Offset = int64(d.f.Parameters[r.index].Offset) + addend
		return
	case referenceVariable, referenceSymbol:
		v := d.reference(r, 0)
		space := d.spaceOfOperand(v)
		if m.Space != isa.SpaceNone && m.Space != space {
			d.errorf(o.Pos, "`%s` is a .%s variable; it cannot be accessed as .%s", baseName(o.Value), space, m.Space)
			return
		}
		if space == isa.SpaceConst && i.Op != isa.OpLd && i.Op != isa.OpPrefetch {
			d.errorf(o.Pos, "`%s` is a .const variable, which cannot be written", baseName(o.Value))
			return
		}
		m.Space, m.Base, m.Offset = space, v, addend
		return
	}
	d.errorf(o.Pos, "`%s` is a function; its code cannot be accessed", baseName(o.Value))
}
