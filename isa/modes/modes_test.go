package modes

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/keplersim/keplersim/isa"
)

func r(n int) isa.Operand { return isa.Reg(isa.Register(n), isa.F32) }

func instruction(op isa.Opcode, mod isa.Modifiers, operands ...isa.Operand) *isa.Instruction {
	return &isa.Instruction{Op: op, Type: isa.F32, Mod: mod, Dst: operands[:1], Src: operands[1:]}
}

var rn = isa.Modifiers{Rounding: isa.RoundNearest}

func program(instructions ...*isa.Instruction) *isa.Program {
	return &isa.Program{Functions: []*isa.Function{{Name: "k", Registers: make([]isa.VirtualRegister, 10),
		Blocks: []*isa.Block{{Instructions: instructions}}}}}
}

// text prints a program's instructions, one after another, for comparison.
func text(p *isa.Program) string {
	var out []string
	for _, i := range p.Functions[0].Blocks[0].Instructions {
		s := i.Op.String()
		for _, flag := range []struct {
			on   bool
			name string
		}{{i.Mod.Rounding == isa.RoundNearest, ".rn"}, {i.Mod.Approx, ".approx"}, {i.Mod.Full, ".full"}, {i.Mod.Flush,
			".ftz"}, {i.Mod.Saturate, ".sat"}} {
			if flag.on {
				s += flag.name
			}
		}
		for _, o := range append(append([]isa.Operand(nil), i.Dst...), i.Src...) {
			if o.Kind == isa.OperandImmediate {
				s += fmt.Sprintf(" %x", o.Immediate)
			} else {
				s += fmt.Sprintf(" r%d", o.Register)
			}
		}
		out = append(out, s)
	}
	return strings.Join(out, "; ")
}

func TestApply(t *testing.T) {
	yes, no := true, false
	approx, full := isa.Modifiers{Approx: true}, isa.Modifiers{Full: true}
	flushed := isa.Modifiers{Rounding: isa.RoundNearest, Flush: true}
	saturated := isa.Modifiers{Rounding: isa.RoundNearest, Saturate: true}
	zero := isa.Modifiers{Rounding: isa.RoundZero}
	double := instruction(isa.OpAdd, rn, r(0), r(1), r(2))
	double.Type = isa.F64
	guarded := instruction(isa.OpAdd, rn, r(3), r(2), r(4))
	guarded.Guard.Present = true
	compare := &isa.Instruction{Op: isa.OpSet, Type: isa.U32, From: isa.F32, Dst: []isa.Operand{r(0)}, Src: []isa.Operand{r(1), r(2)}}
	for name, c := range map[string]struct {
		override Override
		program  *isa.Program
		want     string
		changed  int
	}{
		"ftz on": {Override{FTZ: &yes}, program(instruction(isa.OpAdd, rn, r(0), r(1), r(2)), double, compare,
			instruction(isa.OpCopysign, isa.Modifiers{}, r(0), r(1),
				r(2))), "add.rn.ftz r0 r1 r2; add.rn r0 r1 r2; set.ftz r0 r1 r2; copysign r0 r1 r2", 2},
		"ftz off": {Override{FTZ: &no}, program(instruction(isa.OpAdd, flushed, r(0), r(1), r(2)),
			instruction(isa.OpMul, rn, r(0), r(1), r(2))), "add.rn r0 r1 r2; mul.rn r0 r1 r2", 1},
		"div imprecise": {Override{PrecDiv: &no}, program(instruction(isa.OpDiv, rn, r(0), r(1), r(2)),
			instruction(isa.OpRcp, flushed, r(0), r(1)), instruction(isa.OpDiv, zero, r(0), r(1),
				r(2))), "div.full r0 r1 r2; rcp.approx.ftz r0 r1; div r0 r1 r2", 2},
		"div precise": {Override{PrecDiv: &yes}, program(instruction(isa.OpDiv, full, r(0), r(1), r(2)),
			instruction(isa.OpRcp, approx, r(0), r(1)), instruction(isa.OpDiv, approx, r(0), r(1),
				r(2))), "div.rn r0 r1 r2; rcp.rn r0 r1; div.approx r0 r1 r2", 2},
		"sqrt": {Override{PrecSqrt: &no}, program(instruction(isa.OpSqrt, rn, r(0), r(1)),
			instruction(isa.OpRsqrt, approx, r(0), r(1))), "sqrt.approx r0 r1; rsqrt.approx r0 r1", 1},
		"sqrt precise": {Override{PrecSqrt: &yes}, program(instruction(isa.OpSqrt, approx, r(0), r(1))), "sqrt.rn r0 r1", 1},
		"split": {Override{Fuse: &no}, program(instruction(isa.OpFma,
			isa.Modifiers{Rounding: isa.RoundNearest, Saturate: true, Flush: true}, r(0), r(1), r(2),
			r(3))), "mul.rn.ftz r10 r1 r2; add.rn.ftz.sat r0 r10 r3", 1},
		"split not rz": {Override{Fuse: &no}, program(instruction(isa.OpFma, zero, r(0), r(1), r(2), r(3))), "fma r0 r1 r2 r3", 0},
		"fuse": {Override{Fuse: &yes}, program(instruction(isa.OpMul, rn, r(2), r(0), r(1)),
			instruction(isa.OpAdd, saturated, r(3), r(4), r(2))), "fma.rn.sat r3 r0 r1 r4", 1},
		"fuse a*b-c": {Override{Fuse: &yes}, program(instruction(isa.OpMul, rn, r(2), r(0), r(1)),
			instruction(isa.OpSub, rn, r(3), r(2), r(4))), "neg r10 r4; fma.rn r3 r0 r1 r10", 1},
		"fuse c-a*b": {Override{Fuse: &yes}, program(instruction(isa.OpMul, rn, r(2), r(0), r(1)),
			instruction(isa.OpSub, rn, r(3), r(4), r(2))), "neg r10 r0; fma.rn r3 r10 r1 r4", 1},
		"fuse a*b-1": {Override{Fuse: &yes}, program(instruction(isa.OpMul, rn, r(2), r(0), r(1)),
			instruction(isa.OpSub, rn, r(3), r(2), isa.Imm(0x3f800000, isa.F32))), "fma.rn r3 r0 r1 bf800000", 1},
		"read twice": {Override{Fuse: &yes}, program(instruction(isa.OpMul, rn, r(2), r(0), r(1)),
			instruction(isa.OpAdd, rn, r(3), r(2), r(2))), "mul.rn r2 r0 r1; add.rn r3 r2 r2", 0},
		"factor gone": {Override{Fuse: &yes}, program(instruction(isa.OpMul, rn, r(2), r(0), r(1)),
			instruction(isa.OpMov, isa.Modifiers{}, r(0), r(5)),
			instruction(isa.OpAdd, rn, r(3), r(2), r(4))), "mul.rn r2 r0 r1; mov r0 r5; add.rn r3 r2 r4", 0},
		"own factor": {Override{Fuse: &yes}, program(instruction(isa.OpMul, rn, r(2), r(2), r(1)),
			instruction(isa.OpAdd, rn, r(3), r(2), r(4))), "mul.rn r2 r2 r1; add.rn r3 r2 r4", 0},
		"saturated mul": {Override{Fuse: &yes}, program(instruction(isa.OpMul, saturated, r(2), r(0), r(1)),
			instruction(isa.OpAdd, rn, r(3), r(2), r(4))), "mul.rn.sat r2 r0 r1; add.rn r3 r2 r4", 0},
		"guarded": {Override{Fuse: &yes}, program(instruction(isa.OpMul, rn, r(2), r(0), r(1)), guarded),
			"mul.rn r2 r0 r1; add.rn r3 r2 r4", 0},
	} {
		changes := Apply(c.program, c.override)
		assert.Equal(t, c.want, text(c.program), name)
		assert.Len(t, changes, 1, name)
		assert.Equal(t, c.changed, changes[0].Instructions, name)
	}
}

func TestNoOverrideNoChange(t *testing.T) {
	p := program(instruction(isa.OpFma, rn, r(0), r(1), r(2), r(3)))
	assert.Empty(t, Apply(p, Override{}))
	assert.Equal(t, "fma.rn r0 r1 r2 r3", text(p))
}

func TestChangeReads(t *testing.T) {
	yes := true
	p := program(instruction(isa.OpAdd, rn, r(0), r(1), r(2)))
	changes := Apply(p, Override{FTZ: &yes, Fuse: &yes})
	assert.Equal(t, []string{"--ftz=true: 1 instruction rewritten", "--fuse=true: 0 instructions rewritten"},
		[]string{changes[0].String(), changes[1].String()})
}
