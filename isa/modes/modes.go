package modes

import (
	"fmt"

	"github.com/keplersim/keplersim/isa"
)

// Override says which flags to override, and how; a nil flag changes nothing.
type Override struct {
	FTZ      *bool // --ftz: f32 instructions flush subnormals
	PrecDiv  *bool // --prec-div: f32 divisions and reciprocals become correctly rounded; false: div.full and rcp.approx
	PrecSqrt *bool // --prec-sqrt: f32 square roots become correctly rounded; false: sqrt.approx
	Fuse     *bool // --fuse: products and sums become fused multiply-adds even if both say .rn; false: fused multiply-adds are split
}

// Change is what one flag changed, for the report.
type Change struct {
	Flag         string // as given: --ftz=true
	Instructions int    // how many instructions were rewritten
}

// String returns the change as a sentence.
func (c Change) String() string {
	noun := "instructions"
	if c.Instructions == 1 {
		noun = "instruction"
	}
	return fmt.Sprintf("%s: %d %s rewritten", c.Flag, c.Instructions, noun)
}

// Apply rewrites the program in place. It returns one change for each flag that is set, in the order of Override's fields.
func Apply(p *isa.Program, o Override) []Change {
	var changes []Change
	for _, flag := range []struct {
		name  string
		value *bool
		apply func(f *isa.Function, value bool) int
	}{
		{"--ftz", o.FTZ, each(flush)},
		{"--prec-div", o.PrecDiv, each(preciseDivision)},
		{"--prec-sqrt", o.PrecSqrt, each(preciseRoot)},
		{"--fuse", o.Fuse, multiplyAdd},
	} {
		if flag.value == nil {
			continue
		}
		change := Change{Flag: fmt.Sprintf("%s=%t", flag.name, *flag.value)}
		for _, f := range p.Functions {
			change.Instructions += flag.apply(f, *flag.value)
		}
		changes = append(changes, change)
	}
	return changes
}

// each applies a rewrite of single instructions to a function; rewrite reports whether it changed the instruction.
func each(rewrite func(i *isa.Instruction, value bool) bool) func(*isa.Function, bool) int {
	return func(f *isa.Function, value bool) int {
		changed := 0
		for _, b := range f.Blocks {
			for _, i := range b.Instructions {
				if rewrite(i, value) {
					changed++
				}
			}
		}
		return changed
	}
}

// flushable are the opcodes with .ftz, with the condition that f32 is the right type.
var flushable = map[isa.Opcode]func(i *isa.Instruction) bool{
	isa.OpAdd: ofSingle, isa.OpSub: ofSingle, isa.OpMul: ofSingle, isa.OpFma: ofSingle, isa.OpDiv: ofSingle, isa.OpRcp: ofSingle,
	isa.OpSqrt: ofSingle, isa.OpRsqrt: ofSingle, isa.OpSin: ofSingle, isa.OpCos: ofSingle, isa.OpLg2: ofSingle, isa.OpEx2: ofSingle,
	isa.OpAbs: ofSingle, isa.OpNeg: ofSingle, isa.OpMin: ofSingle, isa.OpMax: ofSingle, isa.OpSetp: ofSingle,
	isa.OpSet: fromSingle, isa.OpSlct: fromSingle,
	isa.OpCvt: func(i *isa.Instruction) bool { return ofSingle(i) || fromSingle(i) },
}

func ofSingle(i *isa.Instruction) bool   { return i.Type == isa.F32 }
func fromSingle(i *isa.Instruction) bool { return i.From == isa.F32 }

func flush(i *isa.Instruction, value bool) bool {
	applies, ok := flushable[i.Op]
	if !ok || !applies(i) || i.Mod.Flush == value {
		return false
	}
	i.Mod.Flush = value
	return true
}

func preciseDivision(i *isa.Instruction, value bool) bool {
	if i.Type != isa.F32 {
		return false
	}
	switch {
	case i.Op == isa.OpDiv && value && i.Mod.Full, i.Op == isa.OpRcp && value && i.Mod.Approx:
		i.Mod.Full, i.Mod.Approx, i.Mod.Rounding = false, false, isa.RoundNearest
	case i.Op == isa.OpDiv && !value && i.Mod.Rounding == isa.RoundNearest:
		i.Mod.Full, i.Mod.Rounding = true, isa.RoundNone
	case i.Op == isa.OpRcp && !value && i.Mod.Rounding == isa.RoundNearest:
		i.Mod.Approx, i.Mod.Rounding = true, isa.RoundNone
	default:
		return false
	}
	return true
}

func preciseRoot(i *isa.Instruction, value bool) bool {
	if i.Op != isa.OpSqrt || i.Type != isa.F32 {
		return false
	}
	switch {
	case value && i.Mod.Approx:
		i.Mod.Approx, i.Mod.Rounding = false, isa.RoundNearest
	case !value && i.Mod.Rounding == isa.RoundNearest:
		i.Mod.Approx, i.Mod.Rounding = true, isa.RoundNone
	default:
		return false
	}
	return true
}
