package decode

import (
	"slices"
	"strings"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/ptx"
)

// Operand kinds that exist only until the kernel is laid out.
const (
	// operandVariable is the address of Function.Variables[Symbol] + Immediate.
	operandVariable = isa.OperandKind(100) + iota
	// operandShared is the address of the shared symbol Program.Symbols[Symbol] + Immediate.
	operandShared
)

// body is a function's code before blocks are built.
type body struct {
	function *isa.Function
	index    int32
	module   *module
	items    []item
	labels   int
	inputs   []int32 // by parameter of a device function: its variable, -1 for a .reg parameter
	outputs  []int32 // the same by result
	// unresolved are the undefined names in the body itself.
	unresolved []isa.Unresolved
	// inlineRegions counts the pieces of code between inlined calls, with the inlined bodies.
	inlineRegions int32
}

// noUnrollPragma is the .pragma that forbids unrolling: of the loop at the label after it, or of all loops of a function or module.
const noUnrollPragma = "nounroll"

// functionDecoder decodes one body.
type functionDecoder struct {
	*module
	*body
	f *isa.Function
	// declaresParameters: a kernel without a parameter list declares its parameters in its body, as in PTX 1.x.
	declaresParameters bool
	noUnroll           bool         // .pragma "nounroll" of the module or the function
	at                 ptx.Position // the instruction being decoded
	scope              *scope
	// Instructions and their operands are slices of these.
	instructions []isa.Instruction
	operandArena []isa.Operand
}

// targetList is a .branchtargets or .calltargets list or a .callprototype.
type targetList struct {
	names     []ptx.Name
	scope     *scope
	calls     bool
	prototype *isa.Prototype
}

// decodeFunction decodes a function's body into a list of items.
func (m *module) decodeFunction(index int32, tree *ptx.Function) *body {
	f := m.program.Functions[index]
	b := &body{function: f, index: index, module: m}
	d := &functionDecoder{module: m, body: b, f: f, scope: newScope(m.names)}
	d.noUnroll = m.noUnroll || slices.ContainsFunc(tree.Directives, func(directive ptx.FunctionDirective) bool {
		return slices.Contains(directive.Strings, noUnrollPragma)
	})
	if len(m.outside) > 0 {
		d.scope.declare = d.declareUsed
	}
	d.declaresParameters = f.Kernel && !tree.HasParameters
	b.outputs = d.bindParameters(f.Returns, tree.Returns)
	b.inputs = d.bindParameters(f.Parameters, tree.Parameters)
	d.block(tree.Body.Statements)
	b.dropLastLabels()
	if !endsInReturn(b.items) {
		d.emit(&isa.Instruction{Op: isa.OpRet, Line: m.line(tree.Body.End)})
	}
	return b
}

// dropLastLabels removes labels at the end that no branch names: compilers mark the ends of functions for debuggers with them.
func (b *body) dropLastLabels() {
	named := b.namedLabels()
	for n := len(b.items); n > 0 && b.items[n-1].ins == nil && !named[b.items[n-1].label]; n-- {
		b.items = b.items[:n-1]
	}
}

// namedLabels returns, by label, whether a branch names it.
func (b *body) namedLabels() []bool {
	named := make([]bool, b.labels)
	for _, it := range b.items {
		if it.ins != nil {
			for _, label := range it.ins.Targets {
				named[label] = true
			}
		}
	}
	return named
}

// endsInReturn reports code that cannot run past its end.
func endsInReturn(items []item) bool {
	if len(items) == 0 {
		return false
	}
	last := items[len(items)-1].ins
	return last != nil && !last.Guard.Present && (last.Op == isa.OpRet || last.Op == isa.OpExit)
}

// bindParameters declares the names of parameters: a kernel's are in parameter space, a device function's in variables. It returns the
// variables.
func (d *functionDecoder) bindParameters(list []isa.Parameter, trees []*ptx.Variable) []int32 {
	var variables []int32
	for i := range list {
		p := &list[i]
		r := reference{kind: referenceParameter, index: int32(i), stride: int32(p.Type.Bytes())}
		switch {
		case p.Vector > 0:
			p.Register = d.bindComponent(list[:i+1])
			variables = append(variables, -1)
			continue
		case p.InReg:
			p.Register = d.register(p.Name, p.Type)
			r = reference{kind: referenceRegister, index: int32(p.Register)}
			variables = append(variables, -1)
		case !d.f.Kernel:
			r.kind, r.index = referenceVariable, d.variable(p.Name, isa.SpaceParam, p.Bytes, p.Align)
			variables = append(variables, r.index)
		}
		if _, twice := d.scope.names[p.Name]; twice && i < len(trees) {
			d.errorf(trees[i].Pos, "`%s` is declared twice", p.Name)
		}
		d.scope.names[p.Name] = r
	}
	return variables
}

// bindComponent returns the register of the last parameter of a list, a component of a vector. The first component declares the vector.
func (d *functionDecoder) bindComponent(list []isa.Parameter) isa.Register {
	p := &list[len(list)-1]
	name, _, _ := strings.Cut(p.Name, ".")
	if first := len(list) == 1 || list[len(list)-2].Vector != p.Vector+1; first {
		d.declareVector(name, p.Type, p.Vector)
	}
	return isa.Register(d.scope.names[p.Name].index)
}

// register adds a virtual register.
func (d *functionDecoder) register(name string, t isa.Type) isa.Register {
	d.f.Registers = append(d.f.Registers, isa.VirtualRegister{Name: name, Type: t})
	return isa.Register(len(d.f.Registers) - 1)
}

// variable adds a variable of the frame.
func (d *functionDecoder) variable(name string, space isa.Space, bytes, align int) int32 {
	d.f.Variables = append(d.f.Variables, isa.Variable{Name: name, Space: space, Bytes: bytes, Align: align})
	return int32(len(d.f.Variables) - 1)
}

func (b *body) newLabel() labelID {
	b.labels++
	return labelID(b.labels - 1)
}

// block decodes the statements between braces, labels first, since they may be used before their definition.
func (d *functionDecoder) block(list []ptx.Statement) {
	for _, s := range list {
		switch s := s.(type) {
		case *ptx.Label:
			if _, twice := d.scope.labels[s.Name]; twice {
				d.errorf(s.Pos, "label `%s` is defined twice in this block", s.Name)
			}
			d.scope.labels[s.Name] = d.newLabel()
		case *ptx.TargetList:
			d.scope.lists[s.Label.Text] = &targetList{names: s.Targets, scope: d.scope, calls: s.Calls}
		case *ptx.CallPrototype:
			d.scope.lists[s.Label.Text] = &targetList{scope: d.scope, calls: true, prototype: &isa.Prototype{
				Returns: d.parameters(s.Returns), Parameters: d.parameters(s.Parameters)}}
		}
	}
	d.items, d.program.Lines = slices.Grow(d.items, len(list)), slices.Grow(d.program.Lines, len(list))
	for _, s := range list {
		switch s := s.(type) {
		case *ptx.Label:
			d.items = append(d.items, item{label: d.scope.labels[s.Name], name: s.Name, noUnroll: d.noUnroll})
		case *ptx.Pragma:
			for n := len(d.items) - 1; n >= 0 && d.items[n].ins == nil; n-- {
				d.items[n].noUnroll = d.items[n].noUnroll || slices.Contains(s.Strings, noUnrollPragma)
			}
		case *ptx.Block:
			d.scope = newScope(d.scope)
			d.block(s.Statements)
			d.scope = d.scope.outer
		case *ptx.Variable:
			d.declareLocal(s)
		case *ptx.Instruction:
			d.instruction(s)
		}
	}
}

// declareLocal declares a variable in a body.
func (d *functionDecoder) declareLocal(v *ptx.Variable) {
	switch v.Space {
	case ptx.SpaceRegister:
		d.declareRegisters(v)
	case ptx.SpaceLocal, ptx.SpaceParam:
		if d.declaresParameters && v.Space == ptx.SpaceParam && d.scope.outer == d.names {
			d.declareParameter(v)
			return
		}
		for i := range v.Declarators {
			c := &v.Declarators[i]
			s, ok := d.shape(v, c)
			if !ok {
				continue
			}
			if s.bytes > localLimit {
				d.errorf(c.Name.Pos, "`%s` has %d bytes; a thread has at most %d bytes of local memory", c.Name.Text, s.bytes, localLimit)
				continue
			}
			names := []string{c.Name.Text}
			if c.Range >= 0 {
				names = names[:0]
				for n := range min(c.Range, 1<<16) {
					names = append(names, c.Name.Text+itoa(n))
				}
			}
			for _, name := range names {
				d.scope.names[name] = reference{kind: referenceVariable, index: d.variable(name, spaceOf(v.Space), s.bytes, s.align),
					stride: s.stride()}
			}
		}
	case ptx.SpaceSpecialRegister:
		d.errorf(v.Pos, "`.sreg` variables are predefined and cannot be declared")
	default:
		d.declareVariable(v, d.scope, d.index)
	}
}

// declareParameter declares a parameter in the body of a kernel of PTX 1.x.
func (d *functionDecoder) declareParameter(v *ptx.Variable) {
	end := d.f.ParameterBytes()
	for i := range v.Declarators {
		one := *v
		one.Declarators = v.Declarators[i : i+1]
		for _, p := range d.parameters([]*ptx.Variable{&one}) {
			p.Offset = roundUp(end, p.Align)
			end = p.Offset + p.Bytes
			d.scope.names[p.Name] = reference{kind: referenceParameter, index: int32(len(d.f.Parameters)), stride: int32(p.Type.Bytes())}
			d.f.Parameters = append(d.f.Parameters, p)
		}
	}
}

// localLimit is the most local memory of a thread on compute capability 3.x: 512 KB (CUDA C Programming Guide, technical specifications per
// compute capability).
const localLimit = 512 << 10

// registerLimit is the most registers that a body may declare.
const registerLimit = 1 << 20

// declareRegisters declares the registers of a `.reg`. A vector register is one register for each component.
func (d *functionDecoder) declareRegisters(v *ptx.Variable) {
	t, ok := isa.ParseType(v.Type)
	if !ok || t.Kind() == isa.KindOpaque || t == isa.B128 {
		d.errorf(v.Pos, "`.%s` is not a type that a register on a Kepler can have", v.Type)
		return
	}
	if d.mapF64 && t == isa.F64 {
		t = isa.F32
	}
	for i := range v.Declarators {
		c := &v.Declarators[i]
		name := c.Name.Text
		if _, twice := d.scope.names[name]; twice && c.Range < 0 {
			d.errorf(c.Name.Pos, "`%s` is declared twice in this block", name)
			continue
		}
		components := max(v.Vector, 1)
		if len(d.f.Registers)+max(c.Range, 1)*components > registerLimit {
			d.errorf(c.Name.Pos, "more than %d registers are declared in one function", registerLimit)
			return
		}
		switch {
		case c.Range >= 0 && components == 1:
			first := int32(len(d.f.Registers))
			for n := range c.Range {
				d.register(name+itoa(n), t)
			}
			d.scope.ranges = append(d.scope.ranges, registerRange{prefix: name, count: c.Range, first: first})
		case c.Range >= 0:
			for n := range c.Range {
				d.declareVector(name+itoa(n), t, components)
			}
		case components > 1:
			d.declareVector(name, t, components)
		default:
			d.scope.names[name] = reference{kind: referenceRegister, index: int32(d.register(name, t))}
		}
	}
}

// componentNames are the names of a vector's components, as position and as colour.
var componentNames = [...][2]string{{"x", "r"}, {"y", "g"}, {"z", "b"}, {"w", "a"}}

func (d *functionDecoder) declareVector(name string, t isa.Type, components int) {
	first := int32(len(d.f.Registers))
	for n := range components {
		if n >= len(componentNames) {
			break
		}
		r := reference{kind: referenceRegister, index: int32(d.register(name+"."+componentNames[n][0], t))}
		d.scope.names[name+"."+componentNames[n][0]] = r
		d.scope.names[name+"."+componentNames[n][1]] = r
	}
	d.scope.names[name] = reference{kind: referenceVector, index: first, count: int32(min(components, len(componentNames)))}
}
