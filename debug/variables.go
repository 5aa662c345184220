package debug

import (
	"errors"
	"fmt"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/debuginfo"
	"github.com/keplersim/keplersim/sim/observe"
)

// frame is a function on the lane's call stack and its current place.
type frame struct {
	observe.Frame
	site     *site
	function *isa.Function
}

var errNoFrame = errors.New("there are fewer calls on the stack")

// function is the frame that the scope looks at.
func (s *scope) function() (f frame, err error) {
	w := s.issue.Warp
	if w == nil || w.State == nil {
		return f, errNoWarp
	}
	frames := w.State.Frames()
	if s.frame >= len(frames) {
		return f, errNoFrame
	}
	f.Frame = frames[s.frame]
	machine := w.Block.Grid.Machine
	op := s.issue.Op
	if s.frame > 0 {
		op = f.Op
	}
	if f.function = machine.Kernel; f.Section > 0 {
		f.function = machine.Program.Functions[machine.Stack[f.Section].Function]
	}
	if f.site = s.w.session.siteOf(machine, op); f.site == nil {
		f.site = &site{}
	}
	return f, nil
}

// local finds a source variable by name, in the innermost enclosing scope that has it.
func (s *scope) local(name string) (v *debuginfo.Local, within *debuginfo.Scope, f frame, ok bool) {
	if s.w.session == nil {
		return nil, nil, f, false
	}
	f, err := s.function()
	if err != nil {
		return nil, nil, f, false
	}
	for _, scope := range f.site.chain {
		for n := len(scope.Variables) - 1; n >= 0; n-- {
			if scope.Variables[n].Name == name {
				return scope.Variables[n], scope, f, true
			}
		}
	}
	return nil, nil, f, false
}

// global finds a variable outside functions by name.
func (s *scope) global(name string) (v *debuginfo.Local, f frame, ok bool) {
	if s.w.session == nil {
		return nil, f, false
	}
	f, err := s.function()
	if err != nil || f.site.module == nil || f.site.module.scopes == nil {
		return nil, f, false
	}
	for _, v := range f.site.module.scopes.Globals {
		if v.Name == name && v.Type.Bytes > 0 {
			return v, f, true
		}
	}
	return nil, f, false
}

// variable is the value of a source variable.
func (s *scope) variable(v *debuginfo.Local, within *debuginfo.Scope, f frame) (value, error) {
	if s.issue.Active>>s.lane&1 == 0 && within != nil {
		return value{}, unavailable("<the lane is not active here>")
	}
	if v.Constant != nil && v.Type.Scalar() {
		var bits uint64
		for n, b := range v.Constant {
			bits |= uint64(b) << (8 * n)
		}
		return value{typ: v.Type, bits: fit(v.Type, bits)}, nil
	}
	if at, ok := v.At(f.site.offset); ok && at.Register != "" {
		return s.inRegister(v.Type, at.Register, f)
	}
	at, err := s.place(v, within, f)
	if err != nil {
		return value{}, err
	}
	return s.load(v.Type, at)
}

// place is a variable's address.
func (s *scope) place(v *debuginfo.Local, within *debuginfo.Scope, f frame) (storage, error) {
	at, ok := v.At(f.site.offset)
	if !ok || at.Symbol == "" {
		return storage{}, optimizedOut
	}
	// A stack variable is up to date in memory only in unoptimised code, and has a place only in its own function: an inlined function has
	// no frame.
	for _, variable := range f.function.Variables {
		if variable.Name != at.Symbol || variable.Space != isa.SpaceLocal {
			continue
		}
		if !s.w.session.options.Host.Simulator.Unoptimised || f.site.function != f.function.Name || at.Offset < 0 ||
			at.Offset+v.Type.Bytes > int64(variable.Bytes) {
			return storage{}, optimizedOut
		}
		if within != nil && f.site.offset <= f.site.module.setBehind(v, within, at.Offset) {
			return storage{}, notYetSet
		}
		return storage{isa.SpaceLocal, f.Local + uint64(variable.Offset) + uint64(at.Offset)}, nil
	}
	if f.function.Kernel && f.site.function == f.function.Name {
		for _, p := range f.function.Parameters {
			if p.Name == at.Symbol {
				return storage{isa.SpaceParam, uint64(int64(isa.ParameterBase+p.Offset) + at.Offset)}, nil
			}
		}
	}
	return s.static(at)
}

// static is the address of a variable of the program.
func (s *scope) static(at debuginfo.Location) (storage, error) {
	var found *isa.Symbol
	for _, symbol := range s.issue.Warp.Block.Grid.Machine.Program.Symbols {
		if symbol.Name != at.Symbol || symbol.Extern && !symbol.Dynamic || symbol.Opaque() {
			continue
		}
		if found != nil {
			return storage{}, unavailable("<several variables have this symbol>")
		}
		found = symbol
	}
	if found == nil {
		return storage{}, optimizedOut
	}
	return storage{found.Space, uint64(int64(found.Address) + at.Offset)}, nil
}

// named is a variable with its value.
type named struct {
	name  string
	value value
	err   error
}

// group is the variables of a running or inlined function.
type group struct {
	function              string
	inlined               bool
	parameters, variables []named
}

// groups are the frame's variables by function, the innermost first, without names that an inner block hides.
func (s *scope) groups() (list []group, err error) {
	f, err := s.function()
	if err != nil {
		return nil, err
	}
	g, hidden := group{}, map[string]bool{}
	for _, scope := range f.site.chain {
		for _, v := range scope.Variables {
			if hidden[v.Name] {
				continue
			}
			hidden[v.Name] = true
			value, err := s.variable(v, scope, f)
			if n := (named{v.Name, value, err}); v.Parameter {
				g.parameters = append(g.parameters, n)
			} else {
				g.variables = append(g.variables, n)
			}
		}
		if scope.Function {
			g.function, g.inlined = scope.Name, scope.Inlined
			list = append(list, g)
			g, hidden = group{}, map[string]bool{}
		}
	}
	return list, nil
}

// globals are the variables outside functions that are in memory.
func (s *scope) globals() (list []named) {
	f, err := s.function()
	if err != nil || f.site.module == nil || f.site.module.scopes == nil {
		return nil
	}
	for _, v := range f.site.module.scopes.Globals {
		if v.Type.Bytes == 0 || len(v.Places) == 0 {
			continue
		}
		if value, err := s.variable(v, nil, f); err == nil {
			list = append(list, named{v.Name, value, nil})
		}
	}
	return list
}

// parts are the components of a value: a struct's members, an array's elements, a pointer's target.
func (s *scope) parts(v value) (list []named) {
	switch t := v.typ; {
	case t == nil || v.at == nil && t.Kind != debuginfo.TypePointer:
	case t.Kind == debuginfo.TypeStruct:
		for _, f := range t.Fields {
			part, err := s.member(v, f)
			list = append(list, named{f.Name, part, err})
		}
	case t.Kind == debuginfo.TypeArray:
		for i := range min(s.count(v), mostParts) {
			part, err := s.element(v, i)
			list = append(list, named{fmt.Sprintf("[%d]", i), part, err})
		}
	case t.Kind == debuginfo.TypePointer && t.Element.Bytes > 0:
		part, err := s.element(v, 0)
		list = append(list, named{"*", part, err})
	}
	return list
}

// mostParts bounds the elements of an array that an editor gets.
const mostParts = 1024

// composed tells whether a value has parts.
func composed(v value) bool {
	switch v.kind() {
	case debuginfo.TypeStruct, debuginfo.TypeArray:
		return v.at != nil
	case debuginfo.TypePointer:
		return v.bits != 0 && v.typ.Element.Bytes > 0
	}
	return false
}
