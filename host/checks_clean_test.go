package host

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/sim/check/finding"
)

// explained are the intended findings in our own workloads and kernels, by file and rule.
var explained = map[string]string{
	"bfs.yaml race-block": "blocks and warps set a vertex's level that others look at: both set the " +
		"same, and a stale look costs a visit",
	"bfs-nested.yaml race-block":                            "as in bfs",
	"bfs-nested.yaml race-grid":                             "as in bfs",
	"bfs-nested.yaml warp-synchronous":                      "as in bfs",
	"bfs.yaml race-grid":                                    "the same between blocks",
	"bfs.yaml warp-synchronous":                             "the same within a warp",
	"barrier_with_warps_that_have_left.yaml barrier-exited": "what it tests: Kepler's barriers do not wait for warps that have exited",
}

// everyNth returns every n-th element.
func everyNth[T any](list []T, n int) (part []T) {
	for i := 0; i < len(list); i += n {
		part = append(part, list[i])
	}
	return part
}

// Our own workloads and kernels are clean, except for explained findings. Short test runs try only some of the kernels.
func TestOurOwnKernelsAreClean(t *testing.T) {
	files, err := filepath.Glob("../workloads/*/*.yaml")
	require.NoError(t, err)
	kernels, err := filepath.Glob("../testdata/kernels/*/*.yaml")
	require.NoError(t, err)
	require.Greater(t, len(kernels), 450)
	if testing.Short() {
		kernels, files = everyNth(kernels, 40), append(everyNth(files, 4), "../workloads/bfs/bfs.yaml")
	}
	met := map[string]bool{}
	for _, file := range append(files, kernels...) {
		job, err := Open(t.Context(), file, Options{Simulator: sim.Options{Threads: 1, Functional: true, Check: finding.All}})
		require.NoError(t, err, file)
		result, err := job.Run(t.Context())
		require.NoError(t, err, file)
		for _, f := range result.Mistakes {
			key := filepath.Base(file) + " " + f.Rule.ID
			met[key] = true
			assert.Contains(t, explained, key, "%s", f)
		}
	}
	for key := range explained {
		assert.True(t, met[key] || testing.Short() && !strings.HasPrefix(key, "bfs."), key)
	}
}
