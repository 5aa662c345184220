package decode

import "github.com/keplersim/keplersim/isa"

// line returns the line-table row of an inlined line: the callee's row, with the call as its inline site.
func (c *copier) line(index isa.LineIndex) isa.LineIndex {
	if index == 0 {
		return c.call.Line
	}
	if have, ok := c.lines[index]; ok {
		return have
	}
	p := c.caller.module.program
	row := p.Lines[index]
	if row.InlinedAt != 0 {
		row.InlinedAt = c.line(row.InlinedAt)
	} else {
		row.InlinedAt = c.call.Line
	}
	if row.Function == "" {
		row.Function = c.callee.function.Name
	}
	p.Lines = append(p.Lines, row)
	if c.lines == nil {
		c.lines = map[isa.LineIndex]isa.LineIndex{}
	}
	c.lines[index] = isa.LineIndex(len(p.Lines) - 1)
	return c.lines[index]
}

// eachInFrame visits the parameters and results of a device function that are in its frame, with their variables.
func (b *body) eachInFrame(visit func(p *isa.Parameter, variable int32)) {
	for k, v := range b.inputs {
		if v >= 0 && !b.function.Parameters[k].InReg {
			visit(&b.function.Parameters[k], v)
		}
	}
	for k, v := range b.outputs {
		if v >= 0 && !b.function.Returns[k].InReg {
			visit(&b.function.Returns[k], v)
		}
	}
}

// frameAddresses marks where a device function takes the address of one of its variables: its frame has another place in local memory at
// every call. Accesses at constant offsets in the frame keep their numbers.
func (b *body) frameAddresses() {
	if b.function.Kernel {
		return
	}
	for _, it := range b.items {
		if it.ins == nil {
			continue
		}
		it.ins.Sources(func(o *isa.Operand) {
			direct := it.ins.Memory != nil && o == &it.ins.Memory.Base && it.ins.Memory.Space != isa.SpaceGeneric
			if o.Kind == operandVariable && !direct {
				at := b.function.Variables[o.Symbol].Offset
				o.Kind, o.Immediate, o.Symbol = isa.OperandFrame, o.Immediate+uint64(at), 0
			}
		})
	}
}
