package report

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/report/roofline"
	"github.com/keplersim/keplersim/sim/stats"
)

// roofed returns a launch of 10 µs that moves 320 kB to and from DRAM, whose peak is 50 GB/s, with one operation for four bytes.
func roofed() *stats.Launch {
	l := small("add", 10, 16, 100)
	l.Chip.LanesFP32, l.Chip.DRAMBytesPerSecond = 1000, 50e9
	l.SMXs[0].FlopAdd32 = 80000
	l.Sum()
	l.Memory.DRAMReadSectors = 10000
	return l
}

func TestRooflineIsReported(t *testing.T) {
	run := &Run{Workload: "w", Config: "gk110", Launches: []*stats.Launch{roofed()}}
	var out strings.Builder
	require.NoError(t, Full(&out, run))
	text := strings.Join(strings.Fields(out.String()), " ")
	assert.Contains(
		t, text, "roofline ceiling reached flop/byte allows single precision 200 GFLOP/s 4.0 % DRAM 50.0 GB/s 64.0 % 0.250 12.5 GFLOP/s",
	)
	assert.Contains(t, text, "nearest ceiling: DRAM, 64.0 % of it reached; at 0.250 flop/byte it allows 6.2 % of the single-precision peak")

	out.Reset()
	require.NoError(t, JSON(&out, run))
	var got struct {
		Kernels []struct {
			Roofline struct {
				Ceilings map[string]float64
				Points   []map[string]any
				Nearest  string  `json:"nearest_ceiling"`
				Reached  float64 `json:"nearest_reached"`
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(out.String()), &got))
	r := got.Kernels[0].Roofline
	assert.Equal(t, 50e9, r.Ceilings["dram_bytes_per_second"])
	assert.Equal(
		t,
		[]map[string]any{{"precision": "single", "level": "DRAM", "flop_per_byte": 0.25, "flops": 8e9, "allows_flops": 12.5e9,
			"reached": 0.64}}, r.Points,
	)
	assert.Equal(t, "DRAM", r.Nearest)

	functional := roofed()
	functional.Functional = true
	out.Reset()
	require.NoError(t, Text(&out, &Run{Launches: []*stats.Launch{functional}}))
	assert.NotContains(t, out.String(), "roofline")
}

// Launches of one kernel are one series; a comparison's picture has the kernels of all reports.
func TestRooflinePictures(t *testing.T) {
	names := func(p roofline.Picture) (list []string) {
		for _, s := range p.Series {
			list = append(list, s.Name+" on "+s.Chip)
		}
		return list
	}
	other := roofed()
	other.Kernel, other.Name, other.Chip.Overrides = "scan", "scan(int*)", []string{"smx.count=13"}
	run := &Run{Workload: "w", Config: "gk110", Overrides: []string{"smx.count=13"}, Launches: []*stats.Launch{roofed(), other, roofed()}}
	one := &Comparison{Reports: []Saved{saved(run)}}
	picture := one.Rooflines()
	assert.Equal(t, []string{"add on gk110", "scan on gk110 with smx.count=13"}, names(picture))
	assert.InDelta(t, 2*roofline.Of(roofed()).Seconds, picture.Series[0].Seconds, 1e-15, "two launches of add")

	c, text := comparisonOf(t, &Run{Launches: []*stats.Launch{roofed(), roofed()}}, run)
	assert.Equal(t, []float64{0.25, 0.25}, numbers(t, rowOf(t, c.Kernels[0], "flop/byte of DRAM")))
	assert.Contains(t, text, "nearest ceiling DRAM DRAM")
	picture = c.Rooflines()
	assert.Equal(t, "a, b", picture.Title)
	assert.Equal(t, []string{"a: add on gk110", "b: add on gk110", "b: scan on gk110 with smx.count=13"}, names(picture))
}
