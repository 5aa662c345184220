package host

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/keplersim/keplersim/code"
	"github.com/keplersim/keplersim/internal/spelling"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/workload"
)

// variable is a module's variable that the workload uses as a symbol.
type variable struct {
	module *sim.Module
	symbol *isa.Symbol
	start  []byte // its contents before the first step, which also stand for the host's memory
}

// bindSymbols finds each symbol's variable, before anything runs.
func (j *Job) bindSymbols() error {
	j.variables = map[string]*variable{}
	for _, b := range j.Workload.Buffers {
		if b.Symbol == nil {
			continue
		}
		v, err := j.findVariable(&b)
		if err != nil {
			return fmt.Errorf("%s: %w", j.placeOf(&b), err)
		}
		j.variables[b.Name] = v
	}
	return nil
}

// placeOf is the place in the input that names a symbol.
func (j *Job) placeOf(b *workload.Buffer) string {
	if j.Workload.Path == "" {
		return "--symbol " + b.Name
	}
	return fmt.Sprintf("%s:%d:%d: symbol %s", j.Workload.Path, b.Position.Line, b.Position.Column, b.Name)
}

// findVariable looks for a symbol's variable in the module that it names, else in the workload's own module and then in the others.
func (j *Job) findVariable(b *workload.Buffer) (*variable, error) {
	modules, err := j.modulesOf(b.Symbol)
	if err != nil {
		return nil, err
	}
	var found []*variable
	var names []string
	for _, m := range modules {
		s, visible, err := chooseVariable(m, b.Symbol.Name)
		if err != nil {
			return nil, err
		}
		names = append(names, visible...)
		if s != nil {
			found = append(found, &variable{module: m, symbol: s})
		}
	}
	switch {
	case len(found) == 0:
		return nil, noVariable(b.Symbol.Name, names)
	case len(found) > 1 && found[0].module != j.modules[""]:
		return nil, fmt.Errorf("%d modules have a variable %s; say which with the key module", len(found), b.Symbol.Name)
	}
	if v := found[0]; b.Bytes() > int64(v.symbol.Bytes) {
		return nil, fmt.Errorf("%s[%d] is %d bytes, but the variable has %d", b.Type, b.Count, b.Bytes(), v.symbol.Bytes)
	}
	return found[0], nil
}

// modulesOf returns the modules that may contain a symbol's variable, each once, the workload's own first.
func (j *Job) modulesOf(s *workload.Symbol) ([]*sim.Module, error) {
	if s.Module != "" {
		for name, m := range j.modules {
			file := name
			if file == "" {
				file = j.Workload.Module
			}
			if filepath.Clean(j.Workload.File(file)) == filepath.Clean(j.Workload.File(s.Module)) {
				return []*sim.Module{m}, nil
			}
		}
		return nil, fmt.Errorf("no launch uses the module %s", s.Module)
	}
	var names []string
	for name := range j.modules {
		names = append(names, name)
	}
	slices.Sort(names) // the workload's own is ""
	var modules []*sim.Module
	for _, name := range names {
		if !slices.Contains(modules, j.modules[name]) {
			modules = append(modules, j.modules[name])
		}
	}
	return modules, nil
}

// chooseVariable finds a variable by its symbol, or by its C++ name if that is unique; nil for none. It also returns the names of all
// variables.
func chooseVariable(m *sim.Module, name string) (*isa.Symbol, []string, error) {
	var names []string
	var like []*isa.Symbol
	for _, s := range m.Program().Symbols {
		if !sim.HostVisible(s) {
			continue
		}
		if s.Name == name {
			return s, nil, nil
		}
		all := code.Spellings(s.Name)
		names = append(names, all[0])
		if code.Means(name, s.Name) {
			like = append(like, s)
		}
	}
	if len(like) > 1 {
		var symbols []string
		for _, s := range like {
			symbols = append(symbols, s.Name)
		}
		return nil, names, fmt.Errorf(
			"%d variables are called %s; say which with the key symbol: %s", len(like), name, strings.Join(symbols, ", "),
		)
	}
	if len(like) == 1 {
		return like[0], names, nil
	}
	return nil, names, nil
}

// noVariable is the error for an unknown variable; it lists the variables.
func noVariable(name string, names []string) error {
	if len(names) == 0 {
		return errors.New("the modules have no .const and no .global variable")
	}
	if near := spelling.Nearest(name, names); near != "" {
		return fmt.Errorf("there is no .const or .global variable %s; did you mean %s?", name, near)
	}
	slices.Sort(names)
	return fmt.Errorf("there is no .const or .global variable %s; there are %s", name, strings.Join(slices.Compact(names), ", "))
}

// fillSymbol sets a variable's initial value.
func (j *Job) fillSymbol(b *workload.Buffer) error {
	v := j.variables[b.Name]
	if b.Init.Kind != "" {
		if err := j.fill(b); err != nil {
			return err
		}
	}
	v.start = make([]byte, b.Bytes())
	return v.module.ReadSymbol(v.symbol.Name, 0, v.start)
}

// noteZeroConstants notes constant variables that stay zero in a made-up run: a host program would set them.
func (j *Job) noteZeroConstants(module *sim.Module) {
	for _, s := range module.Program().Symbols {
		if s.Space != isa.SpaceConst || !sim.HostVisible(s) || s.Owner >= 0 || len(s.Initial) > 0 || len(s.Relocations) > 0 ||
			s.Bytes == 0 {
			continue
		}
		set := false
		for _, v := range j.variables {
			set = set || v.symbol == s
		}
		if !set {
			t, name := s.Type, code.Spellings(s.Name)[0]
			if t == isa.B8 && s.Align == 4 && s.Bytes%4 == 0 { // compilers emit arrays and structs as bytes
				t = isa.F32
			}
			j.note("constant variable %s (%d bytes) is zero; --symbol %s=%s[%d]:random gives it a value", name, s.Bytes, name, t,
				s.Bytes/max(t.Bytes(), 1))
		}
	}
}
