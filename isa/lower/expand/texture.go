package expand

import (
	"strings"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/virtual"
)

// textureForm has the mnemonic and the class of an opcode's machine operation.
type textureForm struct {
	mnemonic string
	class    isa.Class
}

var textureForms = map[isa.Opcode]textureForm{
	isa.OpTex: {"TEX", isa.ClassTexture}, isa.OpTld4: {"TLD4", isa.ClassTexture}, isa.OpTxq: {"TXQ", isa.ClassTexture},
	isa.OpSuld: {"SULD", isa.ClassSurface}, isa.OpSust: {"SUST", isa.ClassSurface}, isa.OpSured: {"SURED", isa.ClassSurface},
	isa.OpSuq: {"SUQ", isa.ClassConstant},
}

// surfaceAddress has the operations that compute an address from surface coordinates on Kepler before the access: clamp each coordinate,
// join rows and slices, add the base. Kinds and order are Mesa nouveau's for the same chips; nvcc's differ in a few. Bounds and pitch come
// from constant memory (c Mesa NAK). The rates are not published: the operations count as multiplications.
var surfaceAddress = map[string][]string{
	"1d":  {"SUCLAMP", "SUEAU"},
	"a1d": {"SUCLAMP", "SUCLAMP", "IMADSP", "SUEAU"},
	"2d":  {"SUCLAMP", "SUCLAMP", "SUBFM", "SUEAU"},
	"a2d": {"SUCLAMP", "SUCLAMP", "SUCLAMP", "SUBFM", "IMADSP", "SUEAU"},
	"3d":  {"SUCLAMP", "SUCLAMP", "SUCLAMP", "IMADSP", "SUBFM", "SUEAU"},
}

// texture expands texture and surface operations. Coordinates are in consecutive registers; a level of detail or gradients are in a second
// such row. Stored values and results are in rows too, without unused results.
func (x *expander) texture(i *isa.Instruction) error {
	form := textureForms[i.Op]
	mnemonic, t := textureMnemonic(i), i.Memory.Texture
	var reads []isa.Register
	if strings.HasSuffix(t.Geometry, "cube") {
		reads = append(reads, x.cubeCoordinates(i))
	}
	reads = append(reads, x.group(i, operandList(t.Coordinates))...)
	behind := operandList(t.Gradient)
	if t.Level.Kind != isa.OperandNone {
		behind = append(behind, &t.Level)
	}
	reads = append(reads, x.group(i, behind)...)
	if i.Memory.Space == isa.SpaceSurface && t.Query == "" {
		reads = x.surfaceAddress(i, reads)
	}
	for _, o := range []*isa.Operand{&t.Object, &t.Sampler} {
		if virtual.IsRegister(o) {
			reads = append(reads, x.Span(o)...)
		}
	}
	reads = append(reads, x.values(i)...)
	if len(i.Dst) == 0 {
		x.Emit(i, mnemonic, form.class).Uses = reads
		return nil
	}
	x.results(i, mnemonic, form.class, reads)
	return nil
}

// textureMnemonic returns the operation's name as Kepler's disassembler prints it. Integer coordinates and gradients have their own
// operations.
func textureMnemonic(i *isa.Instruction) string {
	t := i.Memory.Texture
	name := textureForms[i.Op].mnemonic
	switch {
	case t.Query != "":
		return name
	case i.Op == isa.OpTex && t.MipMode == "grad":
		name = "TXD"
	case i.Op == isa.OpTex && i.From != isa.F32:
		name = "TLD"
	}
	if t.MipMode == "level" {
		name += ".LL"
	}
	return name + "." + strings.ToUpper(t.Geometry)
}

// cubeCoordinates adds the timing of dividing a direction by its largest coordinate, which the texture unit expects (Mesa nouveau, and what
// a current GPU's results show). The last product's register represents all three.
func (x *expander) cubeCoordinates(i *isa.Instruction) isa.Register {
	scale := x.Temporary(isa.B32)
	coordinates := i.Memory.Texture.Coordinates
	direction := coordinates[len(coordinates)-3:]
	for n, step := range []struct {
		mnemonic string
		class    isa.Class
		reads    []int // coordinates
	}{
		{"FMNMX", isa.ClassFP32Compare, []int{0, 1}}, {"FMNMX", isa.ClassFP32Compare, []int{2}}, {"MUFU.RCP", isa.ClassSFU, nil},
		{"FMUL", isa.ClassFP32, []int{0}}, {"FMUL", isa.ClassFP32, []int{1}}, {"FMUL", isa.ClassFP32, []int{2}},
	} {
		op := x.Emit(i, step.mnemonic, step.class)
		op.Effect, op.PTXCount, op.Defines = nil, 0, []isa.Register{scale}
		if n > 0 {
			op.Uses = append(op.Uses, scale)
		}
		for _, k := range step.reads {
			if virtual.IsRegister(&direction[k]) {
				op.Uses = append(op.Uses, direction[k].Register)
			}
		}
	}
	return scale
}

func operandList(list []isa.Operand) []*isa.Operand {
	pointers := make([]*isa.Operand, len(list))
	for k := range list {
		pointers[k] = &list[k]
	}
	return pointers
}

// registerRows are rows of consecutive registers with operands. Texture operations with the same coordinates share them.
type registerRows struct {
	vector map[rowOperands]isa.Register
	of     map[isa.Register][]rowOperands // the rows that contain a register's value
}

// rowOperands are the operands of a row, at most four.
type rowOperands [4]isa.Operand

// add records that a row's registers hold its operands.
func (rows *registerRows) add(row rowOperands, vector isa.Register) {
	if rows.vector == nil {
		rows.vector, rows.of = map[rowOperands]isa.Register{}, map[isa.Register][]rowOperands{}
	}
	rows.vector[row] = vector
	for _, o := range row {
		if virtual.IsRegister(&o) {
			rows.of[virtual.Whole(o.Register)] = append(rows.of[virtual.Whole(o.Register)], row)
		}
	}
}

// forget drops the rows that contain registers written since.
func (rows *registerRows) forget(written []isa.Register) {
	if len(rows.vector) == 0 {
		return
	}
	for _, r := range written {
		r = virtual.Whole(r)
		for _, row := range rows.of[r] {
			delete(rows.vector, row)
		}
		delete(rows.of, r)
	}
}

// group puts 32-bit operands into rows of up to four consecutive registers, and returns the registers that the operation reads.
func (x *expander) group(i *isa.Instruction, list []*isa.Operand) (reads []isa.Register) {
	for len(list) > 0 {
		row := list[:min(4, len(list))]
		list = list[len(row):]
		if len(row) == 1 && virtual.IsRegister(row[0]) {
			reads = append(reads, row[0].Register)
			continue
		}
		t := isa.B32
		if len(row) > 1 {
			t = vectorType(len(row))
		}
		var operands rowOperands
		for k, o := range row {
			operands[k] = *o
		}
		vector, known := x.rows.vector[operands]
		if !known {
			vector = x.Temporary(t)
			if !i.Guard.Present {
				x.rows.add(operands, vector)
			}
		}
		for k, o := range row {
			to := isa.Reg(vector, isa.B32)
			if len(row) > 1 {
				to.Register = virtual.Part(vector, k)
			}
			if !known {
				x.moveWord(i, to, x.wordOf(*o, 0))
			}
			*o = to
		}
		reads = append(reads, vector)
	}
	return reads
}

// values puts the operands of a surface store or reduction into consecutive registers.
func (x *expander) values(i *isa.Instruction) []isa.Register {
	if each := i.Type.Bytes() / 4; len(i.Src) > 1 && each > 0 {
		vector := x.Temporary(vectorType(each * len(i.Src)))
		for k, s := range i.Src {
			for w := range each {
				x.moveWord(i, isa.Reg(virtual.Part(vector, k*each+w), isa.B32), x.wordOf(s, w))
			}
			i.Src[k] = isa.Reg(virtual.Part(vector, k*each), i.Type)
		}
		return []isa.Register{vector}
	}
	var reads []isa.Register
	for k := range i.Src {
		if virtual.IsRegister(&i.Src[k]) {
			reads = append(reads, x.Span(&i.Src[k])...)
		}
	}
	return reads
}

// surfaceAddress adds the timing of computing an address from coordinates. The carrier has the whole effect.
func (x *expander) surfaceAddress(i *isa.Instruction, coordinates []isa.Register) []isa.Register {
	address := x.Temporary(isa.B32)
	for n, mnemonic := range surfaceAddress[i.Memory.Texture.Geometry] {
		op := x.Emit(i, mnemonic, isa.ClassMultiply)
		op.Effect, op.PTXCount = nil, 0
		op.Defines, op.Uses = []isa.Register{address}, coordinates
		if n > 0 {
			op.Uses = append([]isa.Register{address}, coordinates...)
		}
	}
	return append([]isa.Register{address}, coordinates...)
}

// results appends the carrier, with its results in consecutive registers, and moves them to their destinations.
func (x *expander) results(i *isa.Instruction, mnemonic string, class isa.Class, reads []isa.Register) {
	words, live := 0, 0
	for k := range i.Dst {
		if virtual.IsRegister(&i.Dst[k]) {
			words += max(1, i.Type.Bytes()/4)
			live++
		}
	}
	if live < 2 || i.Type.Bytes() < 4 || words > 4 {
		op := x.Emit(i, mnemonic, class)
		op.Uses = reads
		for k := range i.Dst {
			if virtual.IsRegister(&i.Dst[k]) {
				op.Defines = append(op.Defines, x.Span(&i.Dst[k])...)
			}
		}
		return
	}
	vector, each, next := x.Temporary(vectorType(words)), words/live, 0
	destinations := append([]isa.Operand(nil), i.Dst...)
	for k, d := range destinations {
		if virtual.IsRegister(&d) {
			i.Dst[k] = isa.Reg(virtual.Part(vector, next), i.Type)
			next += each
		}
	}
	op := x.Emit(i, mnemonic, class)
	op.Uses, op.Defines = reads, []isa.Register{vector}
	next = 0
	for _, d := range destinations {
		if !virtual.IsRegister(&d) {
			continue
		}
		for w := range x.OperandWords(&d) {
			source := isa.Imm(0, isa.B32)
			if w < each {
				source = isa.Reg(virtual.Part(vector, next+w), isa.B32)
			}
			x.moveWord(i, x.wordOf(d, w), source)
		}
		next += each
	}
}
