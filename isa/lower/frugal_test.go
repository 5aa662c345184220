package lower

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa/decode"
	"github.com/keplersim/keplersim/isa/lower/target"
	"github.com/keplersim/keplersim/isa/lower/value"
	"github.com/keplersim/keplersim/isa/ptx"
)

// TestFrugalOrders: where scheduling says that the order is a frugal one, it is what being frugal gives; and it says so of some kernels
// that spill, and not of all.
func TestFrugalOrders(t *testing.T) {
	files, err := filepath.Glob("../../workloads/*/*.ptx")
	require.NoError(t, err)
	frugal, other := 0, 0
	for _, file := range files {
		if testing.Short() && len(file)%4 != 0 {
			continue
		}
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		module, err := ptx.Parse(file, string(text))
		require.NoError(t, err)
		p, err := decode.Program([]*ptx.File{module}, decode.Options{ComputeCapability: 35})
		require.NoError(t, err)
		for _, kernel := range p.Kernels() {
			for _, cap := range []int{16, 24, 32, 40} {
				run := func(frugal bool) (order string, spilled, same bool) {
					o := target.Options{MaxRegisters: cap, Frugal: frugal}.WithDefaults()
					f, err := runPasses(value.New(t.Context(), p, kernel, 0, o), watcher{})
					require.NoError(t, err)
					return f.Listing(), f.Spills.Accesses() > 0, f.Frugal
				}
				order, spilled, same := run(false)
				if !spilled {
					continue
				}
				other++
				if same {
					again, _, _ := run(true)
					require.Equal(t, order, again, "%s with %d registers", kernel.Name, cap)
					frugal, other = frugal+1, other-1
				}
			}
		}
	}
	t.Log(frugal, other)
	assert.NotZero(t, frugal)
	assert.NotZero(t, other)
}
