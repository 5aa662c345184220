package decode

import (
	"maps"
	"slices"

	"github.com/keplersim/keplersim/arch"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/ptx"
)

// template decodes a mnemonic, once per program.
func (d *functionDecoder) template(s *ptx.Instruction) *template {
	if t, ok := d.templates[s.Mnemonic]; ok {
		if t != nil && t.form.Status == Emulated && d.options.StrictTarget {
			d.errorf(s.MnemonicPos, "`%s` is not a Kepler instruction (%s); it is refused because of --strict-target", t.text,
				t.form.origin())
			return nil
		}
		return t
	}
	t, message := resolve(s.Mnemonic)
	if message == "" {
		message = d.refusal(t)
	}
	if message != "" {
		// Not cached, so that each use of the mnemonic is reported.
		d.errorf(s.MnemonicPos, "%s", message)
		return nil
	}
	if d.mapF64 {
		t.demote()
	}
	if d.target > 0 && d.target < 20 && flushes(&t.ins) {
		// Code for sm_1x flushes subnormals on later chips too (PTX ISA, floating-point instructions).
		t.ins.Mod.Flush = true
	}
	d.templates[s.Mnemonic] = t
	if t.form.Status == Emulated && !d.emulated[t.text] {
		d.emulated[t.text] = true
		d.program.Emulated = append(d.program.Emulated, isa.EmulatedUse{Name: t.text, Line: d.line(s.MnemonicPos),
			Since: t.form.introduced()})
	}
	return t
}

// flushes reports single-precision instructions that have an .ftz form.
func flushes(i *isa.Instruction) bool {
	for _, f := range formsOf(i.Op) {
		if slices.ContainsFunc(f.groups, func(g groupUse) bool { return g.name == "ftz" }) {
			return i.Type == isa.F32 || i.From == isa.F32
		}
	}
	return false
}

// refusal says why a known form cannot run, "" if it can.
func (d *functionDecoder) refusal(t *template) string {
	switch {
	case t.form.Reason != "":
		return "`" + t.text + "` is refused: " + t.form.Reason
	case t.form.Status == Refused:
		return "`" + t.text + "` needs later hardware: " + t.form.origin() + "; refused, since no " + arch.Latest().String() + " can run it"
	case t.form.Status == Emulated && d.options.StrictTarget:
		return "`" + t.text + "` is not a Kepler instruction (" + t.form.origin() + "); it is refused because of --strict-target"
	case t.form.Status != Emulated && t.form.Since > int(d.options.ComputeCapability):
		return "`" + t.text + "` was introduced with sm_" + itoa(t.form.Since) + "; this chip is " + d.options.ComputeCapability.Target()
	case t.legacy && d.version >= 14 && t.ins.Type == isa.F32 && (t.ins.Op == isa.OpDiv || t.ins.Op == isa.OpRcp || t.ins.Op == isa.OpSqrt):
		return "`" + t.text + "` lacks a rounding mode (.rn .rz .rm .rp) or .approx, which PTX ISA 1.4 and later require"
	}
	return ""
}

// origin names the architecture and PTX version that introduced a form.
func (f *Form) origin() string {
	out := "introduced with "
	if f.Since > int(arch.Latest().Newest()) {
		out += "sm_" + itoa(f.Since)
		if f.PTX != "" {
			out += " and "
		}
	}
	if f.PTX != "" {
		out += "PTX ISA " + f.PTX
	}
	return out
}

// instruction decodes an instruction and emits it.
func (d *functionDecoder) instruction(s *ptx.Instruction) {
	d.at = s.Pos
	t := d.template(s)
	if t == nil {
		return
	}
	if len(d.instructions) == 0 {
		d.instructions = make([]isa.Instruction, min(max(len(d.items), 1), instructionsPerChunk))
	}
	i := &d.instructions[0]
	d.instructions = d.instructions[1:]
	*i = t.ins
	i.Line = d.line(s.Pos)
	before := len(d.linker.errors)
	d.guard(i, s)
	switch i.Op {
	case isa.OpBra:
		d.branch(i, s)
	case isa.OpBrx:
		d.indexedBranch(i, s)
	case isa.OpCall:
		d.call(i, s)
		return
	case isa.OpRet:
		d.returnOperands(s)
	default:
		d.operands(i, t, s)
	}
	if len(d.linker.errors) > before {
		return
	}
	if i.Op == isa.OpMov && len(i.Dst) > 1 && len(i.Src) > 1 {
		d.vectorMove(i)
		return
	}
	if t.demoted && i.Memory != nil && i.Memory.Vector > 1 {
		d.demotedVector(i)
		return
	}
	d.emit(i)
}

// instructionsPerChunk is the most instructions in one allocation.
const instructionsPerChunk = 128

// allocateOperands reserves room for one destination, and for as many sources as the instruction has other operands.
func (d *functionDecoder) allocateOperands(i *isa.Instruction, operands int) {
	if operands == 0 {
		return
	}
	if operands > len(d.operandArena) {
		d.operandArena = make([]isa.Operand, max(operands, min(4*len(d.items), 4*instructionsPerChunk)))
	}
	i.Dst, i.Src = d.operandArena[:0:1], d.operandArena[1:1:operands]
	d.operandArena = d.operandArena[operands:]
}

// returnOperands checks that ret has no operand. nvopencc wrote `ret 0;` for PTX ISA 2.0 to 2.3.
func (d *functionDecoder) returnOperands(s *ptx.Instruction) {
	old := d.version >= 20 && d.version <= 23 && len(s.Operands) == 1 && s.Operands[0].Kind == ptx.OperandImmediate
	if len(s.Operands) > 0 && !old {
		d.errorf(s.MnemonicPos, "`%s` takes 0 operands, not %d", s.Mnemonic.Text, len(s.Operands))
	}
}

// vectorMove emits one move per element. It reads all elements before it writes one: {a, b} = {b, a} swaps.
func (d *functionDecoder) vectorMove(i *isa.Instruction) {
	move := func(to, from isa.Operand) {
		one := *i
		one.Dst, one.Src = []isa.Operand{to}, []isa.Operand{from}
		d.emit(&one)
	}
	values := slices.Clone(i.Src)
	for k := range values {
		written := func(o isa.Operand) bool { return o.Kind == isa.OperandRegister && o.Register == values[k].Register }
		if values[k].Kind == isa.OperandRegister && slices.ContainsFunc(i.Dst[:k], written) {
			fresh := isa.Reg(d.register("", i.Type), i.Type)
			move(fresh, values[k])
			values[k] = fresh
		}
	}
	for k := range values {
		if i.Dst[k].Kind != isa.OperandSink {
			move(i.Dst[k], values[k])
		}
	}
}

// guard parses @p or @!p.
func (d *functionDecoder) guard(i *isa.Instruction, s *ptx.Instruction) {
	if s.Guard.Register == "" {
		return
	}
	r, ok := d.scope.find(s.Guard.Register)
	if !ok || r.kind != referenceRegister || d.f.Registers[r.index].Type != isa.Pred {
		d.errorf(s.Guard.Pos, "the guard `%s` is not a predicate register; declare it with `.reg .pred %s;`", s.Guard.Register,
			s.Guard.Register)
		return
	}
	i.Guard = isa.Guard{Present: true, Negate: s.Guard.Not, Register: isa.Register(r.index)}
}

// branch parses the label of bra.
func (d *functionDecoder) branch(i *isa.Instruction, s *ptx.Instruction) {
	if len(s.Operands) != 1 || s.Operands[0].Kind != ptx.OperandName {
		d.errorf(s.Pos, "`bra` takes one label")
		return
	}
	o := &s.Operands[0]
	label, ok := d.scope.label(o.FullName())
	if !ok {
		d.errorf(o.Pos, "no label `%s` is in reach%s", o.FullName(), d.nearLabel(o.FullName()))
		return
	}
	i.Targets = []isa.BlockID{label}
}

// nearLabel suggests a similar label, "" if there is none.
func (d *functionDecoder) nearLabel(name string) string {
	var names []string
	for s := d.scope; s != nil; s = s.outer {
		names = append(names, slices.Sorted(maps.Keys(s.labels))...)
	}
	return suggestion(name, names)
}

// indexedBranch parses the index and the target list of brx.idx.
func (d *functionDecoder) indexedBranch(i *isa.Instruction, s *ptx.Instruction) {
	if len(s.Operands) != 2 {
		d.errorf(s.Pos, "`brx.idx` takes an index and the label of a .branchtargets list")
		return
	}
	i.Src = []isa.Operand{d.source(&s.Operands[0], isa.U32, i)}
	list := d.scope.list(s.Operands[1].FullName())
	if list == nil || list.calls {
		d.errorf(s.Operands[1].Pos, "no .branchtargets list `%s` is in reach", s.Operands[1].FullName())
		return
	}
	for _, name := range list.names {
		label, ok := list.scope.label(name.Text)
		if !ok {
			d.errorf(name.Pos, "no label `%s` is in reach%s", name.Text, d.nearLabel(name.Text))
			return
		}
		i.Targets = append(i.Targets, label)
	}
}

// operands parses the operands as the form specifies.
func (d *functionDecoder) operands(i *isa.Instruction, t *template, s *ptx.Instruction) {
	specs := t.form.operands
	required := 0
	for k := range specs {
		if !specs[k].optional {
			required++
		}
	}
	if len(s.Operands) > len(specs) && (i.Op == isa.OpTex || i.Op == isa.OpTld4) {
		d.errorf(s.Operands[len(specs)].Pos, "offsets of coordinates and depth comparisons are not simulated: add the offset to the "+
			"coordinates, and compare what `%s` returns", t.text)
		return
	}
	if len(s.Operands) < required || len(s.Operands) > len(specs) {
		d.errorf(s.MnemonicPos, "`%s` takes %s, not %d", t.text, operandCount(required, len(specs)), len(s.Operands))
		return
	}
	spare := len(s.Operands) - required
	if use := i.Op.Facts().Memory; use != isa.MemoryUnused {
		memory := t.memory
		if space := imageSpace(use); space != isa.SpaceNone {
			texture := t.texture
			memory.Texture, memory.Space = &texture, space
		}
		i.Memory = &memory
	}
	d.allocateOperands(i, len(s.Operands))
	next := 0
	for k := range specs {
		spec := &specs[k]
		if spec.optional {
			if spare == 0 {
				continue
			}
			spare--
		}
		d.operand(i, spec, &s.Operands[next])
		next++
	}
	if len(i.Dst) == 0 {
		i.Dst = nil
	}
	if len(i.Src) == 0 {
		i.Src = nil
	}
	d.complete(i, t, s)
}

func operandCount(least, most int) string {
	noun := " operands"
	if most == 1 {
		noun = " operand"
	}
	if least == most {
		return itoa(least) + noun
	}
	return itoa(least) + " to " + itoa(most) + noun
}

// imageSpace returns the space that an opcode accesses by coordinates, SpaceNone for other opcodes.
func imageSpace(use isa.MemoryUse) isa.Space {
	switch use {
	case isa.MemoryTexture:
		return isa.SpaceTexture
	case isa.MemorySurface:
		return isa.SpaceSurface
	}
	return isa.SpaceNone
}

// complete sets what follows from an instruction's operands together, and checks them.
func (d *functionDecoder) complete(i *isa.Instruction, t *template, s *ptx.Instruction) {
	switch i.Op {
	case isa.OpLd, isa.OpSt, isa.OpTex, isa.OpTld4, isa.OpSuld, isa.OpSust:
		components := len(i.Dst) + len(i.Src)
		if components != int(i.Memory.Vector) {
			d.errorf(s.MnemonicPos, "`%s` takes %d registers in its vector, not %d", t.text, i.Memory.Vector, components)
		}
		if i.Type.Bytes()*int(i.Memory.Vector) > 16 {
			d.errorf(s.MnemonicPos, "`%s` accesses %d bytes; at most 16 can be accessed at once", t.text,
				i.Type.Bytes()*int(i.Memory.Vector))
		}
	case isa.OpMov:
		if vector := int(t.memory.Vector); vector > 1 && (len(i.Dst) != vector || len(i.Src) != vector) {
			d.errorf(s.MnemonicPos, "`%s` takes two vectors of %d elements", t.text, vector)
		} else if vector == 1 && len(i.Dst) > 1 && len(i.Src) > 1 {
			d.errorf(s.MnemonicPos, "`%s` packs or unpacks one vector; write `mov.v%d` to move one", t.text, len(i.Dst))
		}
	case isa.OpMembar:
		i.Memory.Order = isa.OrderSeqCst
	case isa.OpFence:
		if i.Memory.Order == isa.OrderWeak {
			i.Memory.Order = isa.OrderAcqRel
		}
	case isa.OpPmevent:
		if !i.Mod.ShiftAmt && i.Src[0].Immediate < 32 {
			i.Src[0].Immediate = 1 << i.Src[0].Immediate
		}
		i.Mod.ShiftAmt = false
	}
	if i.Op.Facts().Memory == isa.MemoryAddress && i.Memory.Space == isa.SpaceNone {
		i.Memory.Space = isa.SpaceGeneric
	}
}
