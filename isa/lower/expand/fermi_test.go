package expand

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/keplersim/keplersim/arch"
)

// TestFermiRefusesOnlyWhatKeplerBrought: every row can be expanded for Fermi, except for instructions that came with Kepler or later.
func TestFermiRefusesOnlyWhatKeplerBrought(t *testing.T) {
	refused := map[string]bool{}
	for name, f := range tablesOf(arch.Capability(20).Generation()).forms() {
		if f.parse() == nil {
			opcode, _, _ := strings.Cut(name, ".")
			refused[opcode] = true
		}
	}
	want := map[string]bool{"shfl": true, "shf": true, "match": true, "redux": true}
	for _, simd := range []string{"add", "sub", "avrg", "absdiff", "min", "max", "set"} {
		want["v"+simd+"2"], want["v"+simd+"4"] = true, true
	}
	assert.Equal(t, want, refused)
}
