package host

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/sim/check/finding"
)

// inOrders runs a kernel of testdata/checks in the usual order and in others.
func inOrders(t *testing.T, file, kernel, variant string) (usual, others []*finding.Finding) {
	for _, f := range readFlawed(t, "../testdata/checks/"+file+".cu") {
		if f.kernel != kernel {
			continue
		}
		open := func(seed uint64) (*Job, error) {
			o := f.options(t, true)
			o.Simulator.Order = seed
			return Open(t.Context(), f.file+"."+variant+".ptx", o)
		}
		job, err := open(0)
		require.NoError(t, err)
		result, err := job.Run(t.Context())
		require.NoError(t, err)
		others, err = job.Orders(t.Context(), 8, result, open)
		require.NoError(t, err)
		return result.Mistakes, others
	}
	t.Fatalf("there is no kernel %s", kernel)
	return nil, nil
}

// A result that depends on the order of warps or blocks is reported with two outcomes. Corrected twins have one outcome in all orders.
func TestOtherOrders(t *testing.T) {
	for file, kernels := range map[string][]string{
		"shared": {"reverse", "tree_sum", "histogram", "scan", "transpose"}, "global": {"shift_in_place", "same_element", "maximum"},
	} {
		for _, kernel := range kernels {
			_, others := inOrders(t, file, kernel, "fixed")
			assert.Empty(t, others, kernel)
		}
	}
	for file, kernel := range map[string]string{"shared": "reverse", "global": "same_element"} {
		_, others := inOrders(t, file, kernel, "bug")
		found := false
		for _, f := range others {
			if f.Rule == finding.OrderDependent {
				found = true
				assert.Regexp(t, `^o\[\d+\] is \d+ in the usual order and \d+ in order \d; \d+ elements differ$`, f.Detail)
			}
		}
		assert.True(t, found, kernel)
	}
}
