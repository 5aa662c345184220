package memory

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// strideRate reads lines with a stride, cyclically within a span, and returns the rate in bytes per cycle. There is no translation: its
// cost is another matter.
func strideRate(t testing.TB, chip string, stride uint64) float64 {
	cfg := load(t, chip)
	cfg.TLB.Levels = nil
	const lines, span = 12_000, 1 << 30
	cores := newStreams(cfg, lines/streamBlock, func(w int, into []uint64) []uint64 {
		at := uint64(w) * stride
		return append(into, firstAddress+at%span+at/span*128)
	}, func(_ int, into []uint64) []uint64 { return into })
	end := drive(t, New(cfg, NewGlobal(cfg)), cores)
	return lines * 128 / float64(end)
}

// Lines whose distance is any power of two, or close to one, spread over slices, channels and banks. If each is in a row of its own,
// GDDR5's distance between activates (9 clocks for a line's 8) allows most of a stream's rate. A measured K40c adds matrices with rows of 1
// to 16 KB at one and the same rate, whatever the blocks.
func TestNoStrideIsPathological(t *testing.T) {
	for _, chip := range []string{"gtx660", "k40"} {
		sequential := strideRate(t, chip, 128)
		for stride := uint64(256); stride <= 64<<20; stride *= 4 {
			for _, s := range []uint64{stride, stride + 128, stride * 3 / 2 &^ 127} {
				rate := strideRate(t, chip, s)
				t.Logf("%s stride %d: %.0f %% of a stream", chip, s, 100*rate/sequential)
				require.Greater(t, rate, 0.65*sequential, "%s: stride %d", chip, s)
			}
		}
	}
}

// With four partitions, strides of an even number of KB stay in half of the slices, and some in fewer. A measured GTX 680 and a GK110B of
// 256 bits take 2.0 to 2.3 times as long for 8 KB as for 7, and 3.6 to 4.2 times for 6 and 12 KB. For 7, 11 and 13 KB they take equally
// long.
func TestStridesOfFourPartitions(t *testing.T) {
	rates := map[uint64]float64{}
	for _, stride := range []uint64{6, 7, 8, 11, 12, 13} {
		rates[stride] = strideRate(t, "gtx680", stride<<10)
		t.Logf("%d KB: %.0f B a cycle", stride, rates[stride])
	}
	require.InEpsilon(t, rates[7], rates[11], 0.15)
	require.InEpsilon(t, rates[7], rates[13], 0.15)
	require.InDelta(t, 1/2.1, rates[8]/rates[7], 0.15)
	for _, slow := range []uint64{6, 12} {
		require.Less(t, rates[slow], 0.85*rates[8])
	}
}
