package inspect

import (
	"slices"

	"github.com/keplersim/keplersim/isa"
)

// Callee is a function that another calls.
type Callee struct {
	Name      string `json:"name"` // the symbol; "" for a call through a register
	Demangled string `json:"demangled"`
	// How is inlined (the body replaces the call), call, indirect (through a register), system (the driver provides it), or undefined (no
	// module defines it).
	How string `json:"how"`
}

// The ways in which a function is called.
const (
	howInlined  = "inlined"
	howCall     = "call"
	howIndirect = "indirect"
	howSystem   = "system"
	howMissing  = "undefined"
)

// callees lists the functions that a function calls. names are the names in the calls of its text.
func callees(p *isa.Program, f *isa.Function, names []string) []Callee {
	left := map[int32]bool{} // functions with calls that were not inlined
	indirect := false
	for _, b := range f.Blocks {
		for _, i := range b.Instructions {
			if i.Op != isa.OpCall {
				continue
			}
			if i.Call.Function >= 0 {
				left[i.Call.Function] = true
			} else {
				indirect = true
			}
		}
	}
	var all []Callee
	for _, name := range names {
		c := Callee{Name: name, Demangled: p.Title(name), How: howInlined}
		n := slices.IndexFunc(p.Functions, func(g *isa.Function) bool { return g.Name == name })
		switch {
		case slices.ContainsFunc(f.Unresolved, func(u isa.Unresolved) bool { return u.Function && u.Name == name }):
			c.How = howMissing
		case n >= 0 && !p.Functions[n].Defined:
			c.How = howSystem
		case n >= 0 && left[int32(n)]:
			c.How = howCall
		case n < 0 && indirect: // the name is a register
			c = Callee{Demangled: "a function in " + name, How: howIndirect}
		}
		all = append(all, c)
	}
	return all
}
