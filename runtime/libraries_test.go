package runtime

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/keplersim/keplersim/testkit/need"
)

// Thrust and CUB as Debian ships them, on KEPLERSIM_LIBRARIES elements: each takes clang half a minute to compile. What they compute is
// held against the C++ library in the programs.
func TestLibraries(t *testing.T) {
	elements := os.Getenv("KEPLERSIM_LIBRARIES")
	if elements == "" {
		t.Skip("KEPLERSIM_LIBRARIES=1048576 runs Thrust and CUB on a million elements; make libraries")
	}
	if _, err := os.Stat("/usr/include/thrust/sort.h"); err != nil {
		need.Missing(t, "thrust", "apt-get install libthrust-dev libcub-dev")
	}
	need.Builder(t)
	for source, want := range map[string]string{
		"thrust.cu": "sort right\nsort_by_key right\nreduce right\nscan right\ntransform right\nunique_by_key right\n",
		"cub.cu":    "reduce right\nscan right\nradix sort right\nhistogram right\nprimitives right\nno error\n",
	} {
		r := runProgram(t, t.Context(), 1, true, "", []string{elements}, filepath.Join("..", "libraries", source))
		assert.Equal(t, want, r.out, r.messages)
	}
}
