package roofline

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim/stats"
)

// The peaks in NVIDIA's data sheets: TFLOP/s of single and double precision, GB/s of memory.
func TestCeilingsAreThoseOfTheDataSheets(t *testing.T) {
	for board, sheet := range map[string][3]float64{
		"k20": {3.52, 1.17, 208}, "k20x": {3.95, 1.31, 250}, "k40": {4.29, 1.43, 288}, "gtx680": {3.09, 0.129, 192},
	} {
		c, err := configs.Load(board, nil)
		require.NoError(t, err)
		chip := stats.NewChip(c)
		got := CeilingsOf(&chip)
		assert.InEpsilon(t, sheet[0], got.Single/1e12, 0.01, board)
		assert.InEpsilon(t, sheet[1], got.Double/1e12, 0.01, board)
		assert.InEpsilon(t, sheet[2], got.DRAM/1e9, 0.01, board)
	}
	// 32 banks of 8 bytes in each of 15 SMXs, 12 slices of L2 with 64 bytes, at 745 MHz.
	c, err := configs.Load("k40", nil)
	require.NoError(t, err)
	chip := stats.NewChip(c)
	assert.Equal(t, 15*256*745e6, CeilingsOf(&chip).Shared)
	assert.Equal(t, 12*64*745e6, CeilingsOf(&chip).L2)
}

// worked returns a launch of 2 µs on a chip with round numbers, whose figures can be computed by hand.
func worked() *stats.Launch {
	l := &stats.Launch{Kernel: "k", TimeUS: 2, Chip: stats.Chip{
		SMXs: 2, CoreMHz: 1000, LanesFP32: 100, LanesFP64: 50, SharedBytesPerPass: 256, L2BytesPerCycle: 200, DRAMBytesPerSecond: 50e9,
	}}
	l.SMXs = []stats.SMX{
		{FlopAdd32: 1000, FlopFMA32: 3500, FlopMul64: 800, SharedLoad: stats.Traffic{Transactions: 100},
			SharedStore: stats.Traffic{Transactions: 25}},
	}
	l.Sum()
	l.Memory = stats.Memory{
		L2ReadSectors: 800, L2WriteSectors: 150, L2AtomicSectors: 50, DRAMReadSectors: 400, DRAMWriteSectors: 90, ECCReadSectors: 10,
	}
	return l
}

func TestRooflineByHand(t *testing.T) {
	r := Of(worked())
	assert.Equal(t, &Roofline{Ceilings: Ceilings{Single: 400e9, Double: 200e9, Shared: 512e9, L2: 200e9, DRAM: 50e9}, Seconds: 2e-6,
		Single: 8000, Double: 800, Shared: 32000, L2: 32000, DRAM: 16000}, r)
	precisions, levels := r.Precisions(), r.Levels()
	require.Len(t, precisions, 2)
	require.Len(t, levels, 3)
	single, dram := precisions[0], levels[2]
	assert.InDelta(t, 4e9, single.Rate(r), 1)
	assert.InDelta(t, 0.5, dram.Intensity(single), 1e-12)
	assert.InDelta(t, 25e9, dram.Allows(single), 1, "half an operation for each of 50 GB")
	assert.InDelta(t, 0.16, dram.Reached(r), 1e-12, "8 of 50 GB/s")
	assert.InDelta(t, 0.05, dram.Intensity(precisions[1]), 1e-12)
	name, reached := r.Nearest()
	assert.Equal(t, "DRAM", name)
	assert.InDelta(t, 0.16, reached, 1e-12)

	r.Add(Of(worked()))
	assert.InDelta(t, 0.16, dram.Reached(r)*2, 1e-12, "the same bytes in twice the time")
	assert.Equal(t, 16000.0, r.Single)

	busy := worked()
	busy.SMXs[0].FlopFMA32 = 350000
	busy.Sum()
	name, reached = Of(busy).Nearest()
	assert.Equal(t, "single precision", name)
	assert.InDelta(t, 701000/800000.0, reached, 1e-12)
	assert.InDelta(t, 400e9, levels[2].Allows(Of(busy).Precisions()[0]), 1, "no more than the arithmetic can")

	functional := worked()
	functional.Functional = true
	assert.Nil(t, Of(functional))
}
