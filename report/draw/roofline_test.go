package draw_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/report/draw"
	"github.com/keplersim/keplersim/report/roofline"
	"github.com/keplersim/keplersim/sim/stats"
)

// worked returns a launch of 2 µs on a chip with round numbers, whose figures can be computed by hand.
func worked() *stats.Launch {
	l := &stats.Launch{Kernel: "k", TimeUS: 2, Chip: stats.Chip{SMXs: 2, CoreMHz: 1000, LanesFP32: 100, LanesFP64: 50,
		SharedBytesPerPass: 256, L2BytesPerCycle: 200, DRAMBytesPerSecond: 50e9}}
	l.SMXs = []stats.SMX{{FlopAdd32: 1000, FlopFMA32: 3500, FlopMul64: 800,
		SharedLoad: stats.Traffic{Transactions: 100}, SharedStore: stats.Traffic{Transactions: 25}}}
	l.Sum()
	l.Memory = stats.Memory{
		L2ReadSectors: 800, L2WriteSectors: 150, L2AtomicSectors: 50, DRAMReadSectors: 400, DRAMWriteSectors: 90, ECCReadSectors: 10,
	}
	return l
}

func series(name, chip string, r *roofline.Roofline) roofline.Series {
	return roofline.Series{Name: name, Chip: chip, Roofline: r}
}

// texts returns the texts of a picture.
func texts(t *testing.T, all ...roofline.Series) (list []string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "roofline.svg")
	require.NoError(t, draw.Roofline(path, roofline.Picture{Title: "w on gk110", Series: all}))
	svg, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, m := range regexp.MustCompile(`(?s)<text[^>]*>(.*?)</text>`).FindAllStringSubmatch(string(svg), -1) {
		list = append(list, strings.TrimSpace(m[1]))
	}
	return list
}

func TestPictureNamesCeilingsAndPoints(t *testing.T) {
	one := texts(t, series("add", "gk110", roofline.Of(worked())))
	assert.Subset(t, one, []string{"Roofline: w on gk110", "single precision 400 GFLOP/s", "double precision 200 GFLOP/s",
		"shared memory 512 GB/s", "L2 200 GB/s", "DRAM 50 GB/s",
		"add: 4 GFLOP/s single, 400 MFLOP/s double, 16 % of DRAM", "by bytes of DRAM", "by bytes of DRAM, double precision",
		"by bytes of L2", "operations a second"})
	still := worked()
	still.SMXs[0].FlopAdd32, still.SMXs[0].FlopFMA32, still.SMXs[0].FlopMul64 = 0, 0, 0
	still.Sum()
	slow := worked()
	slow.Chip.CoreMHz = 500
	several := texts(t, series("add", "gk110", roofline.Of(worked())), series("scan", "gk110", roofline.Of(still)),
		series("add", "gk104", roofline.Of(slow)))
	assert.Subset(t, several, []string{"2  scan: no floating-point operations, 16 % of DRAM", "ceilings of gk110", "ceilings of gk104",
		"single precision 200 GFLOP/s", "1", "3"})
	assert.NotContains(t, several, "2", "a kernel without operations has no point")
	require.ErrorContains(t, draw.Roofline("x.svg", roofline.Picture{}), "no launch was timed")
	require.ErrorContains(t, draw.Roofline("x.gif", roofline.Picture{}), "one of .svg, .png, .pdf")
}
