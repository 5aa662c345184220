package assemble

import "github.com/keplersim/keplersim/isa"

var compares = map[isa.Compare]string{isa.EQ: ".EQ", isa.NE: ".NE", isa.LT: ".LT", isa.LE: ".LE", isa.GT: ".GT", isa.GE: ".GE",
	isa.LO: ".LT", isa.LS: ".LE", isa.HI: ".GT", isa.HS: ".GE", isa.EQU: ".EQU", isa.NEU: ".NEU", isa.LTU: ".LTU", isa.LEU: ".LEU",
	isa.GTU: ".GTU", isa.GEU: ".GEU", isa.NUM: ".NUM", isa.NAN: ".NAN"}

// turned is each comparison with its operands exchanged.
var turned = map[isa.Compare]isa.Compare{isa.LT: isa.GT, isa.GT: isa.LT, isa.LE: isa.GE, isa.GE: isa.LE, isa.LO: isa.HI, isa.HI: isa.LO,
	isa.LS: isa.HS, isa.HS: isa.LS, isa.LTU: isa.GTU, isa.GTU: isa.LTU, isa.LEU: isa.GEU, isa.GEU: isa.LEU}

var combinations = map[isa.BoolOp]string{isa.BoolNone: ".AND", isa.BoolAnd: ".AND", isa.BoolOr: ".OR", isa.BoolXor: ".XOR"}

// comparison returns the text of a comparison: its name from the operation's letter on, and its sources. kind is the operation, t the
// compared type.
func (w *writer) comparison(kind string, t isa.Type) (name, sources string) {
	if w.Src[0].Kind != isa.OperandRegister && !zero(&w.Src[0]) {
		w.Src[0], w.Src[1] = w.Src[1], w.Src[0]
		if c, ok := turned[w.Mod.Compare]; ok {
			w.Mod.Compare = c
		}
	}
	c := compares[w.Mod.Compare]
	if c == "" {
		w.fail("no comparison")
	}
	sources = w.r(0) + ", " + w.b(1)
	boolean := combinations[w.Mod.Bool]
	switch {
	case t == isa.F32:
		return "F" + kind + c + when(".FTZ", w.Mod.Flush) + boolean, sources
	case t == isa.F64:
		return "D" + kind + c + boolean, sources
	case t.Bytes() != 4:
		w.fail("numbers of %d bits", 8*t.Bytes())
	}
	unsigned := !t.Signed() && w.Mod.Compare != isa.EQ && w.Mod.Compare != isa.NE
	return "I" + kind + c + when(".U32", unsigned) + when(".X", w.Op == isa.OpSetc) + boolean, sources
}

func compare(w *writer) string {
	name, sources := w.comparison("SETP", w.Type)
	return name + " " + w.p(0) + ", " + w.p(1) + ", " + sources + ", " + w.guardOr(2)
}

func set(w *writer) string {
	kind := "SET" + when(".BF", w.Type == isa.F32)
	name, sources := w.comparison(kind, w.From)
	return name + " " + w.d() + ", " + sources + ", " + w.guardOr(2)
}

func pick(w *writer) string {
	if w.Type.Bytes() == 8 {
		w.fail("64 bits")
	}
	w.Type = isa.B32 // integers
	if w.Src[0].Kind != isa.OperandRegister && !zero(&w.Src[0]) {
		return "SEL " + w.d() + ", " + w.r(1) + ", " + w.b(0) + ", " + opposite(w.guardOr(2))
	}
	return "SEL " + w.d() + ", " + w.r(0) + ", " + w.b(1) + ", " + w.guardOr(2)
}
