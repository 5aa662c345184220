package decode

import (
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/ptx"
)

var selectors = map[string]isa.Selector{
	"b0": isa.SelectB0, "b1": isa.SelectB1, "b2": isa.SelectB2, "b3": isa.SelectB3, "h0": isa.SelectH0, "h1": isa.SelectH1,
}

// selected parses a source of a scalar video instruction: a register, perhaps negated, with a selected byte or half.
func (d *functionDecoder) selected(i *isa.Instruction, o *ptx.Operand, t isa.Type) isa.Operand {
	if o.Kind != ptx.OperandName {
		return d.source(o, t, i)
	}
	plain := *o
	plain.Minus = false
	selector, ok := selectors[o.Component]
	if _, whole := d.scope.find(o.FullName()); ok && !whole {
		plain.Component = ""
	} else {
		selector = isa.SelectWord
	}
	v := d.source(&plain, t, i)
	v.Selector, v.Negate = selector, o.Minus
	if o.Minus && i.Op != isa.OpVmad {
		d.errorf(o.Pos, "only vmad takes negated operands")
	}
	return v
}

// selectedDestination parses the destination of a scalar video instruction.
func (d *functionDecoder) selectedDestination(i *isa.Instruction, o *ptx.Operand, t isa.Type) isa.Operand {
	if o.Kind != ptx.OperandName {
		return d.destination(o, t, i)
	}
	plain := *o
	selector, ok := selectors[o.Component]
	if _, whole := d.scope.find(o.FullName()); ok && !whole {
		plain.Component = ""
	} else {
		selector = isa.SelectWord
	}
	v := d.destination(&plain, t, i)
	v.Selector = selector
	return v
}

// permuted parses a source of a SIMD video instruction: a register, with elements selected from both sources.
func (d *functionDecoder) permuted(i *isa.Instruction, o *ptx.Operand, t isa.Type, spec *operandSpec) isa.Operand {
	halves := spec.kind == "2"
	defaults := map[string]uint16{"a2": 0x10, "b2": 0x32, "a4": 0x3210, "b4": 0x7654}
	permute := defaults[spec.name+spec.kind]
	plain := *o
	if o.Kind == ptx.OperandName && o.Component != "" {
		if p, ok := permutation(o.Component, halves); ok {
			permute, plain.Component = p, ""
		}
	}
	v := d.source(&plain, t, i)
	v.Permute = permute
	return v
}

// permutation parses `h10` or `b3210`.
func permutation(word string, halves bool) (uint16, bool) {
	letter, digits, most := byte('b'), 4, byte('7')
	if halves {
		letter, digits, most = 'h', 2, '3'
	}
	if len(word) != 1+digits || word[0] != letter {
		return 0, false
	}
	var out uint16
	for _, c := range []byte(word[1:]) {
		if c < '0' || c > most {
			return 0, false
		}
		out = out<<4 | uint16(c-'0')
	}
	return out, true
}

// writeMask parses `h0`, `h1`, `h10` or `b0` to `b3210`: the elements to write.
func writeMask(word string, halves bool) (uint8, bool) {
	letter, most := byte('b'), byte('3')
	if halves {
		letter, most = 'h', '1'
	}
	if len(word) < 2 || word[0] != letter {
		return 0, false
	}
	var mask uint8
	for _, c := range []byte(word[1:]) {
		if c < '0' || c > most {
			return 0, false
		}
		mask |= 1 << (c - '0')
	}
	return mask, true
}
