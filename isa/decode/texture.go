package decode

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/ptx"
)

// coordinateCounts is the number of coordinates of a geometry, array index included.
var coordinateCounts = map[string]int{
	"1d": 1, "2d": 2, "3d": 3, "a1d": 2, "a2d": 3, "cube": 3, "acube": 4, "2dms": 3, "a2dms": 4,
}

// textureOperand parses `[texture, {x, y}]`, `[texture, sampler, {x, y}]` or `[texture]`.
func (d *functionDecoder) textureOperand(i *isa.Instruction, o *ptx.Operand) {
	t := i.Memory.Texture
	if o.Kind != ptx.OperandAddress || o.Value == nil {
		d.errorf(o.Pos, "a texture or surface in brackets is expected here, for instance `[texture, {%%r1, %%r2}]`")
		return
	}
	t.Object = d.object(o, o.Value, i, objectTypes[i.Op]...)
	rest := o.Elements
	if len(rest) == 2 {
		if rest[0].Kind == ptx.OperandName {
			t.Sampler = d.objectNamed(&rest[0], rest[0].FullName(), i, isa.SamplerRef)
		} else {
			t.Sampler = d.object(o, rest[0].Value, i, isa.SamplerRef)
		}
		rest = rest[1:]
	}
	if d.independent && t.Sampler.Kind == isa.OperandNone && (i.Op == isa.OpTex || i.Op == isa.OpTld4) {
		d.errorf(o.Pos, "in a module with .target texmode_independent `%s` names a sampler as well: [texture, sampler, {…}]", i.Op)
		return
	}
	wanted := coordinateCounts[t.Geometry]
	if t.Query != "" {
		wanted = 0
	}
	if len(rest) == 0 && wanted == 0 {
		return
	}
	if len(rest) != 1 {
		d.errorf(o.Pos, "`%s` takes %d coordinates in braces", i.Op, wanted)
		return
	}
	list := d.elements(&rest[0])
	if len(list) < wanted {
		d.errorf(rest[0].Pos, "geometry .%s takes %d coordinates, not %d", t.Geometry, wanted, len(list))
		return
	}
	for k := range list[:wanted] {
		t.Coordinates = append(t.Coordinates, d.source(&list[k], coordinateType(i, k), i))
	}
}

// coordinateType returns the type of the k-th coordinate: array indices and samples are integers, coordinates of surfaces are s32.
func coordinateType(i *isa.Instruction, k int) isa.Type {
	geometry := i.Memory.Texture.Geometry
	switch {
	case i.Memory.Space == isa.SpaceSurface:
		return isa.B32
	case geometry[0] == 'a' && k == 0:
		return isa.U32
	case i.From == isa.TypeNone:
		return isa.B32
	}
	return i.From
}

// objectTypes are the allowed types of an opcode's object.
var objectTypes = map[isa.Opcode][]isa.Type{
	isa.OpTex: {isa.TexRef}, isa.OpTld4: {isa.TexRef}, isa.OpTxq: {isa.TexRef, isa.SamplerRef},
	isa.OpSuld: {isa.SurfRef}, isa.OpSust: {isa.SurfRef}, isa.OpSured: {isa.SurfRef}, isa.OpSuq: {isa.SurfRef},
}

// object parses the texture, sampler or surface in an address expression; wanted are the allowed types.
func (d *functionDecoder) object(o *ptx.Operand, e *ptx.Expression, i *isa.Instruction, wanted ...isa.Type) isa.Operand {
	if e == nil {
		return isa.Operand{}
	}
	a, err := e.Address()
	if err != nil || a.Symbol == "" || a.Addend.Bits != 0 {
		d.errorf(o.Pos, "a texture or surface must be a variable or a 64-bit register")
		return isa.Operand{}
	}
	return d.objectNamed(o, a.Symbol, i, wanted...)
}

func (d *functionDecoder) objectNamed(o *ptx.Operand, name string, i *isa.Instruction, wanted ...isa.Type) isa.Operand {
	r, ok := d.scope.find(name)
	fits := func(t isa.Type) bool {
		if slices.Contains(wanted, t) {
			return true
		}
		d.errorf(o.Pos, "`%s` is a .%s; `%s` takes a .%s here", name, t, i.Op, wanted[0])
		return false
	}
	switch {
	case ok && r.kind == referenceRegister:
		return d.registerOperand(&ptx.Operand{Pos: o.Pos, Name: name}, isa.Register(r.index), isa.B64, i)
	case ok && r.kind == referenceSymbol && d.program.Symbols[r.index].Opaque():
		t := d.program.Symbols[r.index].Type
		if t.Kind() != isa.KindOpaque {
			t = isa.TexRef // .tex .u32 of PTX 1.x
		}
		if !fits(t) {
			return isa.Operand{}
		}
		return d.reference(r, 0)
	case ok && r.kind == referenceParameter && d.f.Parameters[r.index].Type.Kind() == isa.KindOpaque:
		if !fits(d.f.Parameters[r.index].Type) {
			return isa.Operand{}
		}
		return d.throughLoad(r, i)
	case ok:
		d.errorf(o.Pos, "`%s` is not a texture, sampler or surface", name)
	default:
		d.unknownName(&ptx.Operand{Kind: ptx.OperandName, Pos: o.Pos, Name: name}, "texture or surface")
	}
	return isa.Operand{}
}

// throughLoad loads a texture that is a kernel parameter into a register.
func (d *functionDecoder) throughLoad(r reference, i *isa.Instruction) isa.Operand {
	fresh := isa.Reg(d.register("", isa.B64), isa.B64)
	d.emit(&isa.Instruction{Op: isa.OpLd, Type: isa.B64, Dst: []isa.Operand{fresh}, Line: i.Line,
		Memory: &isa.Memory{Space: isa.SpaceParam, Vector: 1, Offset: int64(d.f.Parameters[r.index].Offset)}})
	return fresh
}

// attributeValues are the allowed words for an attribute of an opaque variable, nil for a number (PTX ISA, texture, sampler and surface
// types).
var attributeValues = func() map[string][]string {
	filters, modes := []string{"nearest", "linear"}, []string{"wrap", "mirror", "clamp_ogl", "clamp_to_edge", "clamp_to_border"}
	all := map[string][]string{"filter_mode": filters, "addr_mode_0": modes, "addr_mode_1": modes, "addr_mode_2": modes}
	for _, number := range []string{"width", "height", "depth", "normalized_coords", "force_unnormalized_coords", "channel_data_type",
		"channel_order", "array_size",
		"num_mipmap_levels", "num_samples", "memory_layout"} {
		all[number] = nil
	}
	return all
}()

// attributes parses the initial attributes of a texture, sampler or surface: {filter_mode = linear, addr_mode_0 = wrap}.
func (m *module) attributes(symbol *isa.Symbol, i *ptx.Initializer) {
	if i.Kind != ptx.InitializerList {
		m.errorf(i.Pos, "`%s`: attributes in braces are expected, for instance {filter_mode = linear}", symbol.Name)
		return
	}
	symbol.Attributes = map[string]string{}
	for k := range i.Elements {
		e := &i.Elements[k]
		values, known := attributeValues[e.Field]
		switch {
		case e.Kind != ptx.InitializerField || e.Value == nil:
			m.errorf(e.Pos, "`%s`: an attribute is written NAME = VALUE", symbol.Name)
		case !known:
			m.errorf(e.Pos, "`%s`: there is no attribute `%s`%s", symbol.Name, e.Field,
				suggestion(e.Field, slices.Sorted(maps.Keys(attributeValues))))
		case values == nil:
			c, err := e.Value.Constant()
			if err != nil {
				// Channel types and orders may be names; a binding replaces them anyway.
				symbol.Attributes[e.Field] = e.Value.Text
				continue
			}
			symbol.Attributes[e.Field] = strconv.FormatUint(c.Bits, 10)
		case !slices.Contains(values, e.Value.Text):
			m.errorf(e.Pos, "`%s`: `%s` is one of %s", symbol.Name, e.Field, strings.Join(values, ", "))
		default:
			symbol.Attributes[e.Field] = e.Value.Text
		}
	}
}
