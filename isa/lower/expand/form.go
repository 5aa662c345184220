package expand

import (
	"strings"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/value"
)

// feature returns one part of a form's name, "" if the instruction does not have it.
type feature func(*isa.Instruction) string

// features compute the parts of forms' names.
var features = [isa.FormFeatureCount]feature{
	isa.FormNone: func(*isa.Instruction) string { return "" }, isa.FormGroup: group, isa.FormSignedGroup: signedGroup,
	isa.FormFromGroup: fromGroup, isa.FormFromOrGroup: fromOrGroup, isa.FormHalf: half, isa.FormShiftedAdd: value.ShiftedAdd,
	isa.FormPrecision: precision, isa.FormSecondResult: secondResult, isa.FormShiftBy: immediateShift, isa.FormFieldBy: immediateField,
	isa.FormIntegral: roundsToIntegral, isa.FormSelection: selection, isa.FormSpace: space,
}

// byGroup is the only feature of most opcodes.
var byGroup = []isa.FormFeature{isa.FormGroup}

// formOf returns the name of an instruction's form in the table: the opcode and its features, joined by dots.
func formOf(i *isa.Instruction) string {
	facts := i.Op.Facts()
	name := facts.Name
	parts := facts.Lowering.Forms
	if parts == nil {
		parts = byGroup
	}
	for _, f := range parts {
		if s := features[f](i); s != "" {
			name += "." + s
		}
	}
	return name
}

// findForm finds the table's row for an instruction: its full form, else the longest prefix that has a row.
func (t *tables) findForm(i *isa.Instruction) (*expansion, string) {
	name, forms := formOf(i), t.forms()
	for key := name; ; {
		if f, ok := forms[key]; ok {
			return f.parse(), key
		}
		cut := strings.LastIndexByte(key, '.')
		if cut < 0 {
			return nil, name
		}
		key = key[:cut]
	}
}

func typeGroup(t isa.Type) string {
	switch t.Kind() {
	case isa.KindPredicate:
		return "pred"
	case isa.KindFloat:
		return t.String()
	case isa.KindNone, isa.KindOpaque:
		return ""
	}
	switch {
	case t.Bytes() < 4:
		return "i16"
	case t.Bytes() == 4:
		return "i32"
	}
	return "i64"
}

func group(i *isa.Instruction) string     { return typeGroup(i.Type) }
func fromGroup(i *isa.Instruction) string { return typeGroup(i.From) }

func fromOrGroup(i *isa.Instruction) string {
	if i.Type == isa.TypeNone || i.Type == isa.Pred {
		return fromGroup(i)
	}
	return group(i)
}

func signedGroup(i *isa.Instruction) string {
	g := group(i)
	if i.Type.Float() {
		return g
	}
	if i.Type.Signed() {
		return "s" + g[1:]
	}
	return "u" + g[1:]
}

func half(i *isa.Instruction) string {
	return [...]string{isa.HalfNone: "", isa.Lo: "lo", isa.Hi: "hi", isa.Wide: "wide"}[i.Mod.Half]
}

// precision distinguishes approximate forms with and without .ftz, .full and rounded forms.
func precision(i *isa.Instruction) string {
	switch {
	case !i.Type.Float():
		return ""
	case i.Mod.Approx && i.Mod.Flush:
		return "ftz"
	case i.Mod.Approx:
		return "approx"
	case i.Mod.Full:
		return "full"
	}
	return "rn"
}

func secondResult(i *isa.Instruction) string {
	if len(i.Dst) > 1 {
		return "pair"
	}
	return ""
}

func immediateShift(i *isa.Instruction) string {
	if i.Src[1].Kind == isa.OperandImmediate {
		return "constant"
	}
	return "variable"
}

// immediateField says whether a bit field's position and length, the last two operands, are constants.
func immediateField(i *isa.Instruction) string {
	n := len(i.Src)
	if n >= 3 && i.Src[n-1].Kind == isa.OperandImmediate && i.Src[n-2].Kind == isa.OperandImmediate {
		return "constant"
	}
	return "variable"
}

func roundsToIntegral(i *isa.Instruction) string {
	if i.Mod.Rounding >= isa.RoundNearestInt && i.Type == i.From {
		return "integral"
	}
	return ""
}

var selectionNames = map[isa.Sub]string{
	isa.VoteAll: "all", isa.VoteAny: "any", isa.VoteUni: "uni", isa.VoteBallot: "ballot",
	isa.ShflUp: "up", isa.ShflDown: "down", isa.ShflBfly: "bfly", isa.ShflIdx: "idx",
	isa.BarSync: "sync", isa.BarArrive: "arrive", isa.BarRed: "red", isa.BarWarp: "warp",
}

func selection(i *isa.Instruction) string { return selectionNames[i.Mod.Select] }

func space(i *isa.Instruction) string {
	if i.Memory == nil {
		return ""
	}
	return i.Memory.Space.String()
}
