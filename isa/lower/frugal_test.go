package lower

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa/decode"
	"github.com/keplersim/keplersim/isa/lower/target"
	"github.com/keplersim/keplersim/isa/lower/value"
	"github.com/keplersim/keplersim/isa/ptx"
)

// TestFrugalOrders: where scheduling says that the order is a frugal one, being frugal gives the same; and it says so of some kernels that
// spill, and not of all.
func TestFrugalOrders(t *testing.T) {
	said := [2]int{} // how often it is not, and is
	for _, name := range []string{"bitonic", "black-scholes", "fft", "life", "nbody", "quicksort"} {
		text, err := os.ReadFile("../../workloads/" + name + "/" + name + ".ptx")
		require.NoError(t, err)
		file, err := ptx.Parse(name, string(text))
		require.NoError(t, err)
		p, err := decode.Program([]*ptx.File{file}, decode.Options{ComputeCapability: 35})
		require.NoError(t, err)
		for _, kernel := range p.Kernels() {
			for _, registers := range []int{16, 24} {
				o := target.Options{MaxRegisters: registers}.WithDefaults()
				f, err := runPasses(value.New(t.Context(), p, kernel, 0, o), watcher{})
				require.NoError(t, err)
				switch {
				case f.Spills.Accesses() == 0:
				case !f.Frugal:
					said[0]++
				default:
					said[1]++
					o.Frugal = true
					again, err := runPasses(value.New(t.Context(), p, kernel, 0, o), watcher{})
					require.NoError(t, err)
					require.Equal(t, f.Listing(), again.Listing(), "%s with %d registers", kernel.Name, registers)
				}
			}
		}
	}
	assert.NotZero(t, said[0])
	assert.NotZero(t, said[1])
}
