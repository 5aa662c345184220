package isa_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/fp"
)

// isa/fp comes below isa and has its own rounding modes and comparisons. Conversions between the two rely on equal numbers.
func TestNumbersOfFP(t *testing.T) {
	for theirs, ours := range map[fp.Rounding]isa.Rounding{
		fp.RoundNone: isa.RoundNone, fp.RoundNearest: isa.RoundNearest, fp.RoundZero: isa.RoundZero, fp.RoundMinus: isa.RoundMinus,
		fp.RoundPlus:           isa.RoundPlus,
		fp.RoundNearestInteger: isa.RoundNearestInt, fp.RoundZeroInteger: isa.RoundZeroInt, fp.RoundMinusInteger: isa.RoundMinusInt,
		fp.RoundPlusInteger: isa.RoundPlusInt,
	} {
		assert.EqualValues(t, ours, theirs, theirs)
	}
	for theirs, ours := range map[fp.Compare]isa.Compare{
		fp.EQ: isa.EQ, fp.NE: isa.NE, fp.LT: isa.LT, fp.LE: isa.LE, fp.GT: isa.GT, fp.GE: isa.GE, fp.LO: isa.LO, fp.LS: isa.LS,
		fp.HI: isa.HI, fp.HS: isa.HS,
		fp.EQU: isa.EQU, fp.NEU: isa.NEU, fp.LTU: isa.LTU, fp.LEU: isa.LEU, fp.GTU: isa.GTU, fp.GEU: isa.GEU, fp.NUM: isa.NUM,
		fp.NAN: isa.NAN,
	} {
		assert.EqualValues(t, ours, theirs, theirs)
	}
}
