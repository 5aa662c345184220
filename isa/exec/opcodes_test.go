package exec

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/fp"
)

// TestEveryEffectHasABinder: every effect that an opcode's row can name has a function here.
func TestEveryEffectHasABinder(t *testing.T) {
	assert.Nil(t, binders[isa.EffectNone])
	for e := isa.EffectNone + 1; e < isa.EffectCount; e++ {
		assert.NotNil(t, binders[e], "effect %d has no binder in binders.go", e)
	}
}

// TestEveryOpcodeHasAFunction: an opcode with an arithmetic effect has a function for integers, for floats or for its modifiers. One that
// accesses memory has a kind of access.
func TestEveryOpcodeHasAFunction(t *testing.T) {
	have := map[isa.Opcode]bool{}
	for f := range integer {
		have[f.op] = true
	}
	for o := range byModifiers {
		have[o] = true
	}
	for o := isa.OpNone + 1; o < isa.OpcodeCount; o++ {
		facts := o.Facts()
		switch {
		case facts.DecodedAs != isa.OpNone:
		case facts.Effect == isa.EffectArithmetic:
			assert.True(t, have[o] || hasFloatFunction(o), "%s has no function: add it to table.go, arithmetic.go or package fp", o)
		case facts.Effect == isa.EffectMemoryAccess || facts.Effect == isa.EffectImageAccess:
			assert.Contains(t, accessKinds, o, "%s", o)
		}
		delete(have, o)
	}
	assert.Empty(t, have)
}

// hasFloatFunction reports an opcode for which package fp has a function.
func hasFloatFunction(o isa.Opcode) bool {
	for _, change := range []func(*isa.Instruction){
		func(*isa.Instruction) {}, func(i *isa.Instruction) { i.Mod.Approx = true },
		func(i *isa.Instruction) { i.Mod.Rounding = isa.RoundNearest },
	} {
		i := &isa.Instruction{Op: o, Type: isa.F32}
		change(i)
		if _, ok := fp.Find(floatKey(i)); ok {
			return true
		}
	}
	return false
}
