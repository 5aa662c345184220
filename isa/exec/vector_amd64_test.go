package exec

import (
	"strings"
	"testing"

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
