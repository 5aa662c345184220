package inspect

import (
	"fmt"
	"slices"
	"strings"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/debuginfo"
)

// Variable is a variable with an address: at module scope, or of one function's .shared or .global memory. A workload file can set those in
// constant and global memory under symbols.
type Variable struct {
	Name      string `json:"name"`
	Demangled string `json:"demangled"`
	Function  string `json:"function,omitempty"` // the function that declares it; "" at module scope
	Space     string `json:"space"`
	Type      string `json:"type"` // of an element
	Bytes     int    `json:"bytes"`
	Align     int    `json:"align"`
	// Initialised says that the text gives it a value; Extern, that it is declared and not defined; Dynamic, that it is dynamic shared
	// memory, whose size the launch sets.
	Initialised bool `json:"initialised"`
	Extern      bool `json:"extern"`
	Dynamic     bool `json:"dynamic"`
}

// variables lists the program's variables in the order of the text.
func variables(p *isa.Program) []Variable {
	list := []Variable{}
	for _, s := range p.Symbols {
		v := Variable{Name: s.Name, Demangled: debuginfo.Demangle(s.Name), Space: s.Space.String(), Type: s.Type.String(), Bytes: s.Bytes,
			Align:       s.Align,
			Initialised: len(s.Initial) > 0 || len(s.Relocations) > 0, Extern: s.Extern && !s.Dynamic, Dynamic: s.Dynamic}
		if s.Owner >= 0 && int(s.Owner) < len(p.Functions) {
			v.Function = p.Functions[s.Owner].Name
		}
		list = append(list, v)
	}
	return list
}

// variablesText writes the variables as text.
func variablesText(b *strings.Builder, list []Variable) {
	if len(list) > 0 {
		b.WriteString("\nvariables\n")
	}
	for i := range list {
		v := &list[i]
		size := fmt.Sprintf("%d bytes", v.Bytes)
		if v.Dynamic {
			size = "as many bytes as the launch gives"
		}
		fmt.Fprintf(b, "  .%-7s %-24s %-5s %s, aligned to %d", v.Space, v.Demangled, v.Type, size, v.Align)
		if v.Initialised {
			b.WriteString(", initialised")
		}
		if v.Extern {
			b.WriteString(", extern")
		}
		b.WriteString("\n")
	}
}

// Only keeps one kernel with the functions that it calls, directly or indirectly. It drops all other functions and their variables.
func (p *Program) Only(kernel string) {
	kept := map[string]bool{}
	for work := []string{kernel}; len(work) > 0; {
		name := work[0]
		work = work[1:]
		n := slices.IndexFunc(p.Functions, func(f Function) bool { return f.Name == name })
		if n < 0 || kept[name] {
			continue
		}
		kept[name] = true
		for _, c := range p.Functions[n].Callees {
			if c.How == howIndirect { // it may call any function that is no kernel
				for _, f := range p.Functions {
					if !f.Kernel {
						work = append(work, f.Name)
					}
				}
			}
			work = append(work, c.Name)
		}
	}
	p.Functions = slices.DeleteFunc(p.Functions, func(f Function) bool { return !kept[f.Name] })
	for i := range p.Unresolved {
		p.Unresolved[i].NeededBy = slices.DeleteFunc(p.Unresolved[i].NeededBy, func(name string) bool { return !kept[name] })
	}
	p.Unresolved = slices.DeleteFunc(p.Unresolved, func(m Missing) bool { return len(m.NeededBy) == 0 })
	p.Variables = slices.DeleteFunc(p.Variables, func(v Variable) bool { return v.Function != "" && !kept[v.Function] })
}
