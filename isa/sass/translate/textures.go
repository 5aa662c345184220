package translate

import (
	"strings"

	"github.com/keplersim/keplersim/isa"
)

// Textures. An operation names a word of constant bank 0. There the driver stores the number of a texture reference, which a relocation
// names, or the kernel has a texture object as a parameter.

// geometries are PTX's names for the shapes of textures.
var geometries = map[string]string{"1D": "1d", "2D": "2d", "3D": "3d", "ARRAY_1D": "a1d", "ARRAY_2D": "a2d", "CUBE": "cube",
	"ARRAY_CUBE": "acube"}

// coordinates is the number of coordinate registers of each shape.
var coordinates = map[string]int{"1d": 1, "2d": 2, "3d": 3, "a1d": 2, "a2d": 3, "cube": 3, "acube": 4}

// texture reads a texture by coordinates of a type. Results are the texture's words, whatever their type.
func texture(op isa.Opcode, from isa.Type) func(*builder) (*isa.Instruction, error) {
	return func(b *builder) (*isa.Instruction, error) {
		b.only("off", "dc", "ms")
		if strings.Contains(b.Format, ".B{") {
			b.fail("a texture whose handle is in a register is not simulated in machine code")
		}
		geometry := geometries[b.Modifier("geom")]
		i := &isa.Instruction{Op: op, Type: isa.U32, From: from, Memory: &isa.Memory{Space: isa.SpaceTexture, Vector: 4,
			Texture: &isa.TextureRef{Geometry: geometry}}}
		if f := b.Field("comp"); f != nil {
			i.Memory.Texture.Component = uint8(f.Value(b.Word))
		}
		t, operands := i.Memory.Texture, b.Operands()
		d, at, level := b.register(), isa.Register(operands[1].Value(b.Word)), isa.Register(operands[2].Value(b.Word))
		t.Object = b.textureObject(operands[3].Value(b.Word))
		for n := range coordinates[geometry] {
			c := from
			if n == 0 && geometry[0] == 'a' {
				c = isa.U32
			}
			t.Coordinates = append(t.Coordinates, isa.Reg(at+isa.Register(n), c))
		}
		switch lod := b.Modifier("lod") + b.Modifier("tldlod"); lod {
		case "", ".LZ":
		case ".LL":
			t.MipMode, t.Level = "level", isa.Reg(level, from)
		default:
			b.fail("%s is not simulated", lod)
		}
		mask := operands[4].Value(b.Word)
		for n := range 4 {
			if mask>>n&1 == 0 {
				i.Dst = append(i.Dst, isa.Operand{Kind: isa.OperandSink})
				continue
			}
			i.Dst = append(i.Dst, isa.Reg(d, isa.U32))
			d++
		}
		return i, nil
	}
}

// gradient reads with gradients. They select a level of detail, but a texture has only one here. The coordinates come first.
func gradient(b *builder) (*isa.Instruction, error) {
	if g := b.Modifier("geom"); g != "1D" && g != "2D" {
		b.fail("gradients of a texture %s are not simulated", g)
	}
	return texture(isa.OpTex, isa.F32)(b)
}

// sizes are the results of TXQ.DIMENSION for each bit of its mask.
var sizes = map[uint64]string{1: "width", 2: "height", 4: "depth"}

// textureQuery queries one of the sizes of a texture at a level of detail.
func textureQuery(b *builder) (*isa.Instruction, error) {
	operands := b.Operands()
	size, ok := sizes[operands[3].Value(b.Word)]
	if !ok || b.Modifier("txq")+b.Modifier("query") != ".DIMENSION" {
		b.fail("only one of width, height and depth can be asked for")
	}
	i := &isa.Instruction{Op: isa.OpTxq, Type: isa.B32, Dst: []isa.Operand{isa.Reg(b.register(), isa.B32)},
		Memory: &isa.Memory{Space: isa.SpaceTexture, Vector: 1, Texture: &isa.TextureRef{Query: size}}}
	i.Memory.Texture.Object = b.textureObject(operands[2].Value(b.Word))
	if level := isa.Register(operands[1].Value(b.Word)); level != isa.RZ {
		i.Memory.Texture.Level = isa.Reg(level, isa.B32)
	}
	return i, nil
}

// textureObject returns the texture that a word of constant bank 0 selects.
func (b *builder) textureObject(slot uint64) isa.Operand {
	offset := int(4 * slot)
	if name, ok := b.translator.function.Textures[offset]; ok {
		for n, s := range b.program.Symbols {
			if s.Name == name {
				return isa.Operand{Kind: isa.OperandSymbol, Symbol: int32(n), Type: isa.U64}
			}
		}
	}
	for _, p := range b.translator.function.Parameters {
		if offset >= b.translator.function.Base && p.Offset == offset-b.translator.function.Base && p.Bytes == 8 {
			return isa.Operand{Kind: isa.OperandConstant, Type: isa.U64, Offset: uint32(offset)}
		}
	}
	b.fail("no texture is in c[0x0][0x%x]", offset)
	return isa.Operand{}
}
