package isa

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestEveryOpcodeHasARow: each opcode has a name of its own that parses, and a convention if it can be executed. A pure opcode writes a
// register, and neither branches nor accesses memory.
func TestEveryOpcodeHasARow(t *testing.T) {
	for o := OpNone + 1; o < OpcodeCount; o++ {
		f := o.Facts()
		if !assert.NotEmpty(t, f.Name, "opcode %d has no row in opcodes.go", o) {
			continue
		}
		same, ok := ParseOpcode(f.Name)
		assert.True(t, ok != f.MachineCode && (same == o || !ok), "two rows are called %s", f.Name)
		if f.Effect == EffectNone {
			assert.Equal(t, OpcodeFacts{Name: f.Name}, *f, "%s is refused and has facts", f.Name)
			continue
		}
		assert.Less(t, f.Effect, EffectCount, f.Name)
		assert.NotEmpty(t, f.Operands, "%s: say how its operands stand", f.Name)
		if f.Pure {
			assert.True(t, strings.HasPrefix(f.Operands, "Dst "), "%s is pure: its convention begins with what it writes", f.Name)
			assert.False(t, f.Branches, f.Name)
			assert.Contains(t, []MemoryUse{MemoryUnused, MemorySpace}, f.Memory, f.Name)
		}
		if f.Memory == MemoryAddress {
			assert.Equal(t, EffectMemoryAccess, f.Effect, f.Name)
		}
		if f.Memory == MemoryTexture || f.Memory == MemorySurface {
			assert.Equal(t, EffectImageAccess, f.Effect, f.Name)
		}
		if as := f.DecodedAs; as != OpNone {
			assert.Equal(t, as.Facts().Effect, f.Effect, f.Name)
			assert.Equal(t, as.Facts().Memory, f.Memory, f.Name)
			assert.Equal(t, OpNone, as.Facts().DecodedAs, f.Name)
		}
	}
	assert.Equal(t, OpcodeFacts{}, *OpNone.Facts())
}
