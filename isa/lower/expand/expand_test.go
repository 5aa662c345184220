package expand

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/keplersim/keplersim/arch"
	"github.com/keplersim/keplersim/isa"
)

// TestEveryWayHasAFunction: every way of expansion, and every feature of forms, that an opcode's row can name has a function here.
func TestEveryWayHasAFunction(t *testing.T) {
	for way := range isa.ExpansionCount {
		assert.NotNil(t, expanders[way], "way %d of isa.ExpansionKind has no function in expand.go", way)
	}
	for f := range isa.FormFeatureCount {
		assert.NotNil(t, features[f], "feature %d of isa.FormFeature has no function in form.go", f)
	}
}

// TestEveryOpcodeHasOperations: an opcode that a Kepler executes has a row in the table of forms, unless its own row names another
// expansion. Every row can be read, and every row is of an opcode that exists.
func TestEveryOpcodeHasOperations(t *testing.T) {
	have := map[string]bool{}
	for name, f := range tablesOf(arch.Latest()).forms() {
		assert.NotPanics(t, func() { assert.NotNil(t, f.parse(), name) })
		opcode, _, _ := strings.Cut(name, ".")
		have[opcode] = true
	}
	for o := isa.OpNone + 1; o < isa.OpcodeCount; o++ {
		facts := o.Facts()
		if facts.Effect != isa.EffectNone && facts.DecodedAs == isa.OpNone && !facts.MachineCode && facts.Lowering.By == isa.ExpandByTable {
			assert.True(t, have[facts.Name], "%s has no Kepler operations: add a row to arch/kepler/expansions.txt", facts.Name)
		}
	}
	machine := map[string]bool{}
	for o := isa.OpNone + 1; o < isa.OpcodeCount; o++ {
		machine[o.Facts().Name] = o.Facts().MachineCode
	}
	for opcode := range have {
		_, known := isa.ParseOpcode(opcode)
		known = known || machine[opcode]
		assert.True(t, known, "a row of the table of forms begins with %s, which is no opcode", opcode)
	}
}
