package decode

import (
	"strings"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/ptx"
)

// pendingBody is a function body to decode once all names are known.
type pendingBody struct {
	function int32
	tree     *ptx.Function
}

// pendingSymbol is an initialiser to evaluate once all names are known.
type pendingSymbol struct {
	symbol      int32
	variable    *ptx.Variable
	declaration *ptx.Declarator
	names       *scope
}

// declare declares the module's functions and variables.
func (m *module) declare() {
	for _, s := range m.file.Statements {
		switch s := s.(type) {
		case *ptx.Variable:
			m.declareOutside(s)
		case *ptx.Function:
			m.declareFunction(s)
		}
	}
	for _, s := range m.file.Statements {
		if a, ok := s.(*ptx.Alias); ok {
			m.declareAlias(a)
		}
	}
}

// declareOutside declares a variable outside functions.
func (m *module) declareOutside(v *ptx.Variable) {
	switch {
	case v.Space != ptx.SpaceRegister && v.Space != ptx.SpaceLocal && v.Space != ptx.SpaceParam && v.Space != ptx.SpaceSpecialRegister:
		m.declareVariable(v, m.names, -1)
	case m.version > 0 && m.version < 30 && (v.Space == ptx.SpaceRegister || v.Space == ptx.SpaceLocal):
		m.outside = append(m.outside, v)
	default:
		m.errorf(v.Pos,
			"a variable outside a function must be .global, .const, .shared or .tex; declare this one in the functions that use it")
	}
}

func (m *module) declareAlias(a *ptx.Alias) {
	target, ok := m.names.find(a.Target.Text)
	if !ok || target.kind != referenceFunction {
		m.errorf(a.Target.Pos, "`.alias`: no function `%s` is declared in this module", a.Target.Text)
		return
	}
	if have, ok := m.names.names[a.Name.Text]; ok && (have.kind != referenceFunction || m.program.Functions[have.index].Defined) {
		m.errorf(a.Name.Pos, "`%s` is defined already", a.Name.Text)
		return
	}
	m.names.names[a.Name.Text] = target
	if m.program.Functions[target.index].Visible {
		m.global[a.Name.Text] = target
	}
}

// isGlobal reports a linkage that makes a name visible to other modules.
func isGlobal(l ptx.Linkage) bool { return l != ptx.LinkageNone }

// declareFunction declares a function, or completes an earlier declaration.
func (m *module) declareFunction(s *ptx.Function) {
	index, known := m.knownFunction(s)
	if !known {
		index = int32(len(m.program.Functions))
		m.program.Functions = append(m.program.Functions, &isa.Function{Name: s.Name.Text, Kernel: s.Entry, Line: m.line(s.Name.Pos)})
		m.bodies = append(m.bodies, nil)
	}
	f := m.program.Functions[index]
	r := reference{kind: referenceFunction, index: index}
	m.names.names[s.Name.Text] = r
	if isGlobal(s.Linkage) || s.Entry {
		m.global[s.Name.Text] = r
	}
	f.Visible = f.Visible || s.Linkage == ptx.LinkageVisible
	if s.Linkage == ptx.LinkageWeak && strings.HasPrefix(s.Name.Text, "cuda") && IsSystemCall(s.Name.Text) {
		s.Body = nil // a stub from nvcc; the simulator's device runtime replaces it
	}
	if s.Body == nil {
		if len(f.Parameters) == 0 && len(f.Returns) == 0 && !f.Defined {
			f.Parameters, f.Returns = m.parameters(s.Parameters), m.parameters(s.Returns)
		}
		m.readDirectives(f, s.Directives)
		return
	}
	switch {
	case f.Defined && s.Linkage == ptx.LinkageWeak:
		return
	case f.Defined && !f.Weak:
		m.errorf(s.Name.Pos, "`%s` is defined twice; the first definition is at %s", s.Name.Text, m.where(f.Line))
		return
	}
	replaces := f.Defined
	f.Defined, f.Kernel, f.Weak, f.Line = true, s.Entry, s.Linkage == ptx.LinkageWeak, m.line(s.Name.Pos)
	f.Parameters, f.Returns = m.parameters(s.Parameters), m.parameters(s.Returns)
	m.readDirectives(f, s.Directives)
	if replaces { // the earlier definition is weak
		m.forget(index)
	}
	m.pending = append(m.pending, pendingBody{function: index, tree: s})
}

// forget drops the bodies seen so far for a function.
func (l *linker) forget(function int32) {
	for _, m := range l.modules {
		for i := range m.pending {
			if m.pending[i].function == function {
				m.pending[i].tree = nil
			}
		}
	}
}

// knownFunction returns an earlier declaration of the same function.
func (m *module) knownFunction(s *ptx.Function) (int32, bool) {
	r, ok := m.names.names[s.Name.Text]
	if !ok && (isGlobal(s.Linkage) || s.Entry) {
		r, ok = m.global[s.Name.Text]
	}
	if ok && r.kind != referenceFunction {
		m.errorf(s.Name.Pos, "`%s` is declared as a variable already", s.Name.Text)
		return 0, false
	}
	return r.index, ok
}

// where returns a line of the program as file:line.
func (m *module) where(line isa.LineIndex) string {
	row := m.program.Lines[line]
	return m.program.Files[row.PTXFile] + ":" + itoa(int(row.PTXLine))
}

// parameters lays out a parameter list, each parameter at the next multiple of its alignment.
func (m *module) parameters(list []*ptx.Variable) []isa.Parameter {
	var out []isa.Parameter
	offset := 0
	for _, v := range list {
		if len(v.Declarators) == 0 {
			continue
		}
		shape, ok := m.shape(v, &v.Declarators[0])
		if !ok {
			continue
		}
		p := isa.Parameter{Name: v.Declarators[0].Name.Text, Type: shape.element, Count: shape.count, Align: shape.align,
			Bytes: shape.bytes}
		if m.mapF64 && p.Type == isa.F64 && p.Count == 1 {
			p.Type = isa.F32
		}
		if v.Space == ptx.SpaceRegister {
			out = append(out, m.registerParameter(p, v, shape)...)
			continue
		}
		offset = roundUp(offset, shape.align)
		p.Offset = offset
		offset += shape.bytes
		if v.Pointer != nil {
			p.Pointer, p.Space = true, spaceOf(v.Pointer.Space)
			if p.Space == isa.SpaceNone {
				p.Space = isa.SpaceGeneric
			}
		}
		out = append(out, p)
	}
	return out
}

// registerParameter returns a .reg parameter, or the components of one with .v2 or .v4.
func (m *module) registerParameter(p isa.Parameter, v *ptx.Variable, s shape) []isa.Parameter {
	p.InReg = true
	if s.vector == 1 {
		return []isa.Parameter{p}
	}
	if s.vector > len(componentNames) || s.count != s.vector {
		m.errorf(v.Pos, "a .reg parameter is a scalar or a vector of 2 or 4 elements")
		return nil
	}
	var out []isa.Parameter
	for n := range s.vector {
		c := p
		c.Name, c.Vector = p.Name+"."+componentNames[n][0], s.vector-n
		c.Count, c.Bytes, c.Align = 1, p.Type.Bytes(), p.Type.Bytes()
		out = append(out, c)
	}
	return out
}

// spaceOf returns the isa.Space of a declared state space.
func spaceOf(s ptx.Space) isa.Space {
	switch s {
	case ptx.SpaceConst:
		return isa.SpaceConst
	case ptx.SpaceGlobal:
		return isa.SpaceGlobal
	case ptx.SpaceLocal:
		return isa.SpaceLocal
	case ptx.SpaceParam:
		return isa.SpaceParam
	case ptx.SpaceShared:
		return isa.SpaceShared
	case ptx.SpaceTexture:
		return isa.SpaceTexture
	}
	return isa.SpaceNone
}

func roundUp(n, multiple int) int { return (n + multiple - 1) / multiple * multiple }

// readDirectives reads performance directives, and ignores those that do not concern a Kepler.
func (m *module) readDirectives(f *isa.Function, list []ptx.FunctionDirective) {
	for _, d := range list {
		switch d.Name {
		case "maxnreg":
			f.Limits.MaxRegisters = m.directiveValue(d, 0, 0)
		case "maxntid":
			for i := range f.Limits.MaxThreads {
				f.Limits.MaxThreads[i] = m.directiveValue(d, i, 1)
			}
		case "reqntid":
			for i := range f.Limits.RequiredThreads {
				f.Limits.RequiredThreads[i] = m.directiveValue(d, i, 1)
			}
		case "minnctapersm", "maxnctapersm":
			f.Limits.MinBlocksPerSMX = m.directiveValue(d, 0, 0)
		case "noreturn":
			f.NoReturn = true
		case "reqnctapercluster", "explicitcluster", "maxclusterrank", "blocksareclusters":
			m.errorf(d.Pos, "`.%s`: clusters of blocks were introduced with sm_90; no Kepler has them", d.Name)
		}
	}
}

func (m *module) directiveValue(d ptx.FunctionDirective, i, absent int) int {
	if i >= len(d.Arguments) {
		return absent
	}
	c, err := d.Arguments[i].Constant()
	if err != nil {
		m.errorf(d.Pos, "`.%s`: %v", d.Name, err)
		return absent
	}
	return int(c.Bits)
}

// decodeBodies decodes the module's function bodies.
func (m *module) decodeBodies() {
	for _, p := range m.pending {
		if p.tree != nil {
			m.bodies[p.function] = m.decodeFunction(p.function, p.tree)
		}
	}
}

// linkExterns binds declared names to other modules' definitions. An undefined function is an error only once it is called.
func (l *linker) linkExterns() {
	for _, m := range l.modules {
		for name, r := range m.names.names {
			if g, ok := l.global[name]; ok && r != g && l.isUndefined(r) {
				m.names.names[name] = g
			}
		}
	}
}

func (l *linker) isUndefined(r reference) bool {
	switch r.kind {
	case referenceFunction:
		return !l.program.Functions[r.index].Defined
	case referenceSymbol:
		return l.program.Symbols[r.index].Extern
	}
	return false
}
