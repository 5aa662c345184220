package exec

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/testkit/oracle"
)

// TestStraightLoops runs the forms of integers once more without vectors, as hosts without AVX2 do.
func TestStraightLoops(t *testing.T) {
	if !hasVectors {
		t.Skip("the other tests have run without vectors")
	}
	hasVectors = false
	defer func() { hasVectors = true }()
	testForms(t, func(form oracle.Form) bool {
		return !strings.HasPrefix(form.Name, "cvt") && !strings.Contains(form.Name, ".f")
	})
	t.Run("masks", TestInactiveLanesKeepTheirRegisters)
	t.Run("memory", TestLoadsExtendAndStoresTruncate)
	t.Run("faults", TestFaults)
}

// The same lanes are outside a range with vectors and without.
func TestBeyond(t *testing.T) {
	var words isa.Lanes32
	expected := uint32(0)
	for lane := range words {
		words[lane] = uint32(lane) * 0x0f000000 // the sign is left out of the upper half
		if x := words[lane] &^ sign; x < 0x1e000000 || x > 0x69000000 {
			expected |= 1 << lane
		}
	}
	require.Equal(t, expected, beyond(&words, sign, 0x1e000000, 0x69000000))
	defer func(had bool) { hasVectors = had }(hasVectors)
	hasVectors = false
	require.Equal(t, expected, beyond(&words, sign, 0x1e000000, 0x69000000))
}
