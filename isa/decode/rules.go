package decode

import (
	"fmt"

	"github.com/keplersim/keplersim/isa"
)

// rules are checks that the table's columns cannot express, by their names in the table. A rule returns what is wrong with an instruction,
// "" if nothing is.
var rules = map[string]func(*template) string{
	"approximate": approximate, "legacyApproximate": legacyApproximate, "legacyNearest": legacyNearest, "narrowing": narrowing,
	"fourComponents": fourComponents,
}

// approximate marks a form that is approximate with or without .approx.
func approximate(t *template) string {
	t.ins.Mod.Approx = true
	return ""
}

// legacyApproximate applies the default of PTX before 1.4: without .approx these forms were approximate and flushed subnormals.
func legacyApproximate(t *template) string {
	if !t.ins.Mod.Approx {
		t.ins.Mod.Approx, t.ins.Mod.Flush, t.legacy = true, true, true
	}
	return ""
}

// legacyNearest applies the default of PTX before 1.4 to f64 forms without a rounding mode.
func legacyNearest(t *template) string {
	if t.ins.Mod.Rounding == isa.RoundNone {
		t.ins.Mod.Rounding, t.legacy = isa.RoundNearest, true
	}
	return ""
}

// fourComponents: a texture instruction always returns four components.
func fourComponents(t *template) string {
	if t.memory.Vector != 4 {
		return "`" + t.text + "` returns four components: write .v4"
	}
	return ""
}

// narrowing refuses .sat between integers if every source value is in the destination's range, as the assembler does.
func narrowing(t *template) string {
	d, s := t.ins.Type, t.ins.From
	if !t.ins.Mod.Saturate {
		return ""
	}
	wider := d.Bytes() > s.Bytes()
	if d.Signed() == s.Signed() && d.Bytes() >= s.Bytes() || d.Signed() && !s.Signed() && wider {
		return fmt.Sprintf("`%s`: .sat is not allowed: every .%s is a .%s already; leave .sat out", t.text, s, d)
	}
	return ""
}
