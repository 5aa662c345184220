package smx

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Warps of a block that goes forward without timing keep their distance, also in the middle of a loop. An exact turn makes up for inexact
// turns before it, and so does Settle.
func TestWarpsKeepTheirDistance(t *testing.T) {
	loop := "mov.u32 %r1, 0;\nloop:\n" + strings.Repeat("mad.lo.u32 %r2, %r2, %r1, %tid;\n", 37) +
		"add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 5000;\n@%p1 bra loop;\nst.global.u32 [%mine], %r2;\n"
	for _, exactly := range []bool{true, false} {
		b := newBench(t, kernelText(loop), setup{threads: 128})
		b.atOnce = true
		place := b.Begin(b.grid, 0)
		for i, w := range place.block.warps {
			for range 7 * i {
				b.step(w)
			}
		}
		executed := uint64(0)
		for _, most := range []uint64{100, 1, 777, 4_003, 50} {
			more, ended := place.Run(most, false)
			require.False(t, ended)
			executed += more
		}
		if exactly {
			more, ended := place.Run(4_001, true)
			require.False(t, ended)
			executed += more
		} else {
			place.Settle()
		}
		require.GreaterOrEqual(t, executed, uint64(4_900))
		left := make([]uint64, len(place.block.warps)) // operations to the end
		for i, w := range place.block.warps {
			for w.goesOn() {
				b.step(w)
				left[i]++
			}
		}
		require.Equal(t, []uint64{left[0], left[0] - 7, left[0] - 14, left[0] - 21}, left)
		require.Greater(t, left[0], uint64(100_000))
	}
}
