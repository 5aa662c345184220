package decode

import "github.com/keplersim/keplersim/isa"

// sizeLists sizes the unsized arrays in which functions that are not inlined take variable arguments: as large as the longest list that any
// call passes. Inlined functions use the caller's own array.
func (l *linker) sizeLists() {
	most, align := 0, 1
	var lists []*isa.Variable
	for _, b := range l.bodies {
		if b == nil {
			continue
		}
		for _, it := range b.items {
			if it.ins == nil || it.ins.Op != isa.OpCall {
				continue
			}
			last := len(l.parametersOf(it.ins.Call)) - 1
			if last < 0 || l.parametersOf(it.ins.Call)[last].Count != 0 || last >= len(it.ins.Call.Arguments) {
				continue
			}
			if v := it.ins.Call.Arguments[last].Variable; v >= 0 {
				list := &b.function.Variables[v]
				lists = append(lists, list)
				most, align = max(most, list.Bytes), max(align, list.Align)
			}
		}
	}
	if most == 0 {
		return
	}
	for _, list := range lists {
		list.Bytes, list.Align = most, align
	}
	for _, b := range l.bodies {
		if b == nil || b.function.Kernel || len(b.function.Parameters) == 0 {
			continue
		}
		last := len(b.function.Parameters) - 1
		if p := &b.function.Parameters[last]; p.Count == 0 && b.inputs[last] >= 0 {
			p.Bytes, p.Align = most, max(p.Align, align)
			v := &b.function.Variables[b.inputs[last]]
			v.Bytes, v.Align = p.Bytes, p.Align
		}
	}
}

// parametersOf returns the parameters of a call's signature.
func (l *linker) parametersOf(c *isa.Call) []isa.Parameter {
	switch {
	case c.Function >= 0:
		return l.program.Functions[c.Function].Parameters
	case c.Prototype != nil:
		return c.Prototype.Parameters
	}
	return nil
}
