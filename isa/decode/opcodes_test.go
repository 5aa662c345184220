package decode

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/keplersim/keplersim/isa"
)

// TestEveryOpcodeHasForms: every opcode has a form in a table. Its row says that it can be executed exactly if one of its forms is not
// refused.
func TestEveryOpcodeHasForms(t *testing.T) {
	for o := isa.OpNone + 1; o < isa.OpcodeCount; o++ {
		if o.Facts().MachineCode {
			assert.Empty(t, formsOf(o), "%s is no instruction of PTX", o)
			continue
		}
		accepted := false
		for _, f := range formsOf(o) {
			accepted = accepted || f.Status != Refused && f.Reason == ""
		}
		assert.NotEmpty(t, formsOf(o), "%s stands in no table of forms (forms.txt)", o)
		assert.Equal(t, accepted, o.Facts().Effect != isa.EffectNone,
			"%s: isa/opcodes.go and forms.txt disagree on whether it can be executed", o)
	}
}
