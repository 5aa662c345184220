package decode

import (
	"slices"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/ptx"
)

// undefined reports an .extern variable that no module defines. Dynamic shared memory does not count: the launch provides it.
func (m *module) undefined(symbol int32) bool {
	s := m.program.Symbols[symbol]
	return s.Extern && s.Space != isa.SpaceShared
}

// missing returns the record of an undefined variable's use.
func (m *module) missing(symbol int32, at ptx.Position) isa.Unresolved {
	name := m.program.Symbols[symbol].Name
	return isa.Unresolved{Name: name, Line: m.line(at),
		Err: m.file.Diagnostic(at, "`%s` is declared .extern and no module defines it: link the module that does as well", name)}
}

// listUnresolved records, by function, the undefined names that it or a function that it calls needs, each once.
func (l *linker) listUnresolved() {
	if len(l.pointsTo) == 0 && !slices.ContainsFunc(l.bodies, func(b *body) bool { return b != nil && len(b.unresolved) > 0 }) {
		return
	}
	for _, b := range l.bodies {
		if b == nil {
			continue
		}
		seen := map[int32]bool{b.index: true}
		for reached := []*body{b}; len(reached) > 0; reached = reached[1:] {
			for _, need := range l.needs(reached[0]) {
				if !slices.ContainsFunc(b.function.Unresolved, func(have isa.Unresolved) bool { return have.Name == need.Name }) {
					b.function.Unresolved = append(b.function.Unresolved, need)
				}
			}
			for _, callee := range reached[0].callees() {
				if !seen[callee] && l.bodies[callee] != nil {
					seen[callee] = true
					reached = append(reached, l.bodies[callee])
				}
			}
		}
	}
}

// needs returns the undefined names in a body, and in the initial values of the variables that it uses.
func (l *linker) needs(b *body) []isa.Unresolved {
	list := b.unresolved
	if len(l.pointsTo) > 0 {
		b.eachOperand(func(o *isa.Operand) {
			if o.Kind == isa.OperandSymbol {
				list = append(list, l.pointsTo[o.Symbol]...)
			}
		})
	}
	return list
}

// callees returns the functions that a body calls or takes the address of.
func (b *body) callees() []int32 {
	var list []int32
	b.eachOperand(func(o *isa.Operand) {
		if o.Kind == isa.OperandFunction {
			list = append(list, o.Symbol)
		}
	})
	for _, it := range b.items {
		if it.ins != nil && it.ins.Op == isa.OpCall && it.ins.Call.Function >= 0 {
			list = append(list, it.ins.Call.Function)
		}
	}
	return list
}
