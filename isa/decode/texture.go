package decode

import (
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/ptx"
)

// coordinateCounts is how many coordinates a geometry takes, its array index included.
var coordinateCounts = map[string]int{
	"1d": 1, "2d": 2, "3d": 3, "a1d": 2, "a2d": 3, "cube": 3, "acube": 4, "2dms": 3, "a2dms": 4,
}

// textureOperand reads `[texture, {x, y}]`, `[texture, sampler, {x, y}]` or `[texture]`.
func (d *functionDecoder) textureOperand(i *isa.Instruction, o *ptx.Operand) {
	t := i.Memory.Texture
	if o.Kind != ptx.OperandAddress || o.Value == nil {
		d.errorf(o.Pos, "a texture or surface in brackets is expected here, for instance `[texture, {%%r1, %%r2}]`")
		return
	}
	t.Object = d.object(o, o.Value, i)
	rest := o.Elements
	if len(rest) == 2 {
		t.Sampler = d.object(o, rest[0].Value, i)
		if rest[0].Kind == ptx.OperandName {
			t.Sampler = d.objectNamed(&rest[0], rest[0].FullName(), i)
		}
		rest = rest[1:]
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

// coordinateType is the type of the k-th coordinate: array indices and samples are integers, surfaces are addressed in s32.
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

// object reads the texture, sampler or surface in an address expression.
func (d *functionDecoder) object(o *ptx.Operand, e *ptx.Expression, i *isa.Instruction) isa.Operand {
	if e == nil {
		return isa.Operand{}
	}
	a, err := e.Address()
	if err != nil || a.Symbol == "" || a.Addend.Bits != 0 {
		d.errorf(o.Pos, "a texture or surface must be a variable or a 64-bit register")
		return isa.Operand{}
	}
	return d.objectNamed(o, a.Symbol, i)
}

func (d *functionDecoder) objectNamed(o *ptx.Operand, name string, i *isa.Instruction) isa.Operand {
	r, ok := d.scope.find(name)
	switch {
	case ok && r.kind == referenceRegister:
		return d.registerOperand(&ptx.Operand{Pos: o.Pos, Name: name}, isa.Register(r.index), isa.B64, i)
	case ok && r.kind == referenceSymbol && (d.program.Symbols[r.index].Type.Kind() == isa.KindOpaque || d.program.Symbols[r.index].Space == isa.SpaceTexture):
		return d.reference(r, 0)
	case ok && r.kind == referenceParameter && d.f.Parameters[r.index].Type.Kind() == isa.KindOpaque:
		return d.throughLoad(r, i)
	case ok:
		d.errorf(o.Pos, "`%s` is no texture, sampler or surface", name)
	default:
		d.unknownName(&ptx.Operand{Kind: ptx.OperandName, Pos: o.Pos, Name: name}, "texture or surface")
	}
	return isa.Operand{}
}

// throughLoad loads a texture that is a kernel's parameter into a register.
func (d *functionDecoder) throughLoad(r reference, i *isa.Instruction) isa.Operand {
	fresh := isa.Reg(d.register("", isa.B64), isa.B64)
	d.emit(&isa.Instruction{Op: isa.OpLd, Type: isa.B64, Dst: []isa.Operand{fresh}, Line: i.Line,
		Memory: &isa.Memory{Space: isa.SpaceParam, Vector: 1, Offset: int64(d.f.Parameters[r.index].Offset)}})
	return fresh
}
