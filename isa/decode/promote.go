package decode

import (
	"slices"

	"github.com/keplersim/keplersim/isa"
)

// promoteVariables turns .param variables into registers, one for each piece that code accesses, unless pieces overlap or an address is
// taken. The rest becomes frame memory.
func (b *body) promoteVariables() {
	variables := b.function.Variables
	pieces := make([]map[int]*piece, len(variables))
	kept := make([]bool, len(variables))
	for k, v := range variables {
		kept[k] = v.Space != isa.SpaceParam
		pieces[k] = map[int]*piece{}
	}
	b.collectPieces(pieces, kept)
	for k := range variables {
		kept[k] = kept[k] || overlap(pieces[k])
	}
	b.wholeArguments(pieces, kept)
	for k := range variables {
		if kept[k] {
			continue
		}
		offsets := make([]int, 0, len(pieces[k]))
		for offset := range pieces[k] {
			offsets = append(offsets, offset)
		}
		slices.Sort(offsets)
		for _, offset := range offsets {
			p := pieces[k][offset]
			t := resize(isa.B32, max(p.bytes, 4))
			b.function.Registers = append(b.function.Registers, isa.VirtualRegister{Name: variables[k].Name + "+" + itoa(offset), Type: t})
			p.register = isa.Reg(isa.Register(len(b.function.Registers)-1), t)
		}
	}
	b.bindFunction(pieces, kept)
	items := b.items
	b.items = make([]item, 0, len(items))
	for _, it := range items {
		switch {
		case it.ins == nil:
			b.items = append(b.items, it)
		case it.ins.Op == isa.OpCall:
			promoteCall(it.ins, pieces, kept)
			b.items = append(b.items, it)
		case accessesVariable(it.ins) && !kept[it.ins.Memory.Base.Symbol]:
			b.promoteAccess(it.ins, pieces[it.ins.Memory.Base.Symbol])
		default:
			b.items = append(b.items, it)
		}
	}
}

// piece is a part of a variable, in one register.
type piece struct {
	bytes    int
	register isa.Operand
}

func accessesVariable(i *isa.Instruction) bool {
	return (i.Op == isa.OpLd || i.Op == isa.OpSt) && i.Memory.Base.Kind == operandVariable
}

// collectPieces records every access to a variable, and the variables whose addresses are taken.
func (b *body) collectPieces(pieces []map[int]*piece, kept []bool) {
	for _, it := range b.items {
		if it.ins == nil {
			continue
		}
		direct := accessesVariable(it.ins)
		it.ins.Sources(func(o *isa.Operand) {
			if o.Kind == operandVariable && !(direct && o == &it.ins.Memory.Base) {
				kept[o.Symbol] = true
			}
		})
		if !direct {
			continue
		}
		k, size := it.ins.Memory.Base.Symbol, it.ins.Type.Bytes()
		offset := variableOffset(it.ins)
		for n := range int(it.ins.Memory.Vector) {
			at := offset + n*size
			have := pieces[k][at]
			switch {
			case at < 0 || at+size > b.function.Variables[k].Bytes:
				kept[k] = true
			case have == nil:
				pieces[k][at] = &piece{bytes: size}
			case have.bytes != size:
				kept[k] = true
			}
		}
	}
}

func variableOffset(i *isa.Instruction) int {
	return int(int64(i.Memory.Base.Immediate) + i.Memory.Offset)
}

// overlap reports pieces that share bytes.
func overlap(pieces map[int]*piece) bool {
	for at, p := range pieces {
		for n := 1; n < p.bytes; n++ {
			if pieces[at+n] != nil {
				return true
			}
		}
	}
	return false
}

// wholeArguments keeps arguments and results of calls in memory unless each fits one register as a whole.
func (b *body) wholeArguments(pieces []map[int]*piece, kept []bool) {
	check := func(k int32) {
		bytes := b.function.Variables[k].Bytes
		whole := bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8
		for at, p := range pieces[k] {
			whole = whole && at == 0 && p.bytes == bytes
		}
		if !whole {
			kept[k] = true
		} else if pieces[k][0] == nil {
			pieces[k][0] = &piece{bytes: bytes}
		}
	}
	for _, it := range b.items {
		if it.ins == nil || it.ins.Op != isa.OpCall {
			continue
		}
		for _, list := range [][]isa.CallArgument{it.ins.Call.Arguments, it.ins.Call.Returns} {
			for _, a := range list {
				if a.Variable >= 0 {
					check(a.Variable)
				}
			}
		}
	}
	for _, list := range [][]int32{b.inputs, b.outputs} {
		for _, k := range list {
			if k >= 0 {
				check(k)
			}
		}
	}
}

// bindFunction records the registers of a device function's parameters and results.
func (b *body) bindFunction(pieces []map[int]*piece, kept []bool) {
	bind := func(list []isa.Parameter, variables []int32) {
		for k, v := range variables {
			if v >= 0 && !kept[v] {
				list[k].InReg, list[k].Register = true, pieces[v][0].register.Register
			}
		}
	}
	bind(b.function.Parameters, b.inputs)
	bind(b.function.Returns, b.outputs)
}

// promoteCall turns promoted arguments and results of a call into operands.
func promoteCall(i *isa.Instruction, pieces []map[int]*piece, kept []bool) {
	for k := range i.Call.Arguments {
		if a := &i.Call.Arguments[k]; a.Variable >= 0 && !kept[a.Variable] {
			i.Src = append(i.Src, pieces[a.Variable][0].register)
			*a = isa.CallArgument{Variable: -1, Operand: int32(len(i.Src) - 1)}
		}
	}
	for k := range i.Call.Returns {
		if a := &i.Call.Returns[k]; a.Variable >= 0 && !kept[a.Variable] {
			i.Dst = append(i.Dst, pieces[a.Variable][0].register)
			*a = isa.CallArgument{Variable: -1, Operand: int32(len(i.Dst) - 1)}
		}
	}
}

// promoteAccess replaces a load or store of a variable by moves, or by conversions if the value is narrower than a register.
func (b *body) promoteAccess(i *isa.Instruction, pieces map[int]*piece) {
	size := i.Type.Bytes()
	offset := variableOffset(i)
	for n := range int(i.Memory.Vector) {
		register := pieces[offset+n*size].register
		out := &isa.Instruction{Guard: i.Guard, Line: i.Line}
		if i.Op == isa.OpLd {
			out.Dst, out.Src = []isa.Operand{i.Dst[n]}, []isa.Operand{register}
		} else {
			out.Dst, out.Src = []isa.Operand{register}, []isa.Operand{i.Src[n]}
		}
		d, s := &out.Dst[0], &out.Src[0]
		if size >= 4 && d.Type.Bytes() == size && s.Type.Bytes() == size {
			out.Op, out.Type = isa.OpMov, resize(isa.B32, size)
			if s.Kind == isa.OperandImmediate {
				s.Type = out.Type
			}
			b.emit(out)
			continue
		}
		integer := i.Type
		if !integer.Signed() {
			integer = resize(isa.U32, size)
		}
		out.Op, out.Type, out.From = isa.OpCvt, integer, integer
		b.emit(out)
	}
}
