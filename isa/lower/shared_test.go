package lower_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower"
)

// Lowerings that share their work before register limits matter make the same programs as separate ones: with spills, calls and divisions,
// and in any order of limits.
func TestSharedLowerings(t *testing.T) {
	for _, name := range []string{"sgemm-tiled", "spmv", "quicksort"} {
		p := workload(t, "../../workloads/"+name+"/"+name+".ptx")
		for _, kernel := range p.Kernels() {
			shared := &lower.Shared{}
			for _, o := range []lower.Options{{MaxRegisters: 16}, {}, {Unoptimised: true}, {MaxRegisters: 24}, {MaxRegisters: 16}} {
				alone, err := lower.Program(t.Context(), p, kernel, o)
				require.NoError(t, err)
				o.Shared = shared
				together, err := lower.Program(t.Context(), p, kernel, o)
				require.NoError(t, err)
				require.Equal(t, described(alone), described(together), "%s with at most %d registers", kernel.Name, o.MaxRegisters)
			}
			require.NotEmpty(t, shared.Kept)
		}
	}
}

// described is a machine program without pointers to its source.
func described(mp *isa.MachineProgram) isa.MachineProgram {
	d := *mp
	d.Program, d.Kernel = nil, nil
	return d
}
