package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/testkit/need"
)

// occupancyPoint is a point of the command's JSON.
type occupancyPoint struct {
	Config    string
	Block     int
	Registers int
	Shared    int
	Warps     int `json:"active_warps"`
}

func occupancyOf(t *testing.T, args ...string) []occupancyPoint {
	t.Helper()
	code, out, errOut := keplersim(t, append([]string{"occupancy", "--format", "json"}, args...)...)
	require.Equal(t, exitRan, code, errOut)
	var got struct{ Points []occupancyPoint }
	require.NoError(t, json.Unmarshal([]byte(out), &got))
	return got.Points
}

// Two tiles of 16 by 16 floats are 2,048 bytes; dynamic shared memory is added.
func TestOccupancyTakesRegistersAndSharedFromLowering(t *testing.T) {
	const file = "../workloads/sgemm-tiled/sgemm-tiled.ptx"
	points := occupancyOf(t, file, "--config", "gk104,gk110,gk210", "--shared", "1K")
	require.Len(t, points, 3)
	for _, p := range points {
		assert.Equal(t, 2048+1024, p.Shared, p.Config)
		assert.Equal(t, 256, p.Block, p.Config)
		assert.Greater(t, p.Registers, 8, p.Config)
		assert.LessOrEqual(t, p.Registers, 63, p.Config)
	}
}

func TestACapOnRegistersIsKeptAndSpills(t *testing.T) {
	const file = "../workloads/sha256/sha256.ptx"
	free, capped := occupancyOf(t, file)[0], occupancyOf(t, file, "--maxrregcount", "24")[0]
	require.Greater(t, free.Registers, 24, "the kernel no longer shows what it is for")
	assert.LessOrEqual(t, capped.Registers, 24)
	assert.Greater(t, capped.Warps, free.Warps)
	_, out, _ := keplersim(t, "occupancy", file)
	assert.Regexp(t, `--maxrregcount \d+: .*; lowering then takes \d+ and spills`, out)
}

func TestAFileOfSeveralKernelsNeedsAName(t *testing.T) {
	const file = "../workloads/transpose/transpose.ptx"
	for _, test := range [][2]string{
		{"", "3 kernels; say which with --kernel: transpose_naive, transpose_tiled, transpose_padded"},
		{"transpose", "has no kernel \"transpose\"; its kernels are transpose_naive"},
	} {
		code, _, errOut := keplersim(t, "occupancy", file, "--kernel", test[0])
		assert.Equal(t, exitBadInput, code)
		assert.Contains(t, errOut, test[1])
	}
	assert.Equal(t, 32*33*4, occupancyOf(t, file, "--kernel", "transpose_padded")[0].Shared)
	code, _, errOut := keplersim(t, "occupancy", "no-such.ptx")
	assert.Equal(t, exitBadInput, code)
	assert.Contains(t, errOut, "no-such.ptx: there is no such file")
}

func TestOccupancyOfCUDAC(t *testing.T) {
	need.Clang(t)
	p := occupancyOf(t, "../workloads/sgemm-tiled/sgemm-tiled.cu", "--config", "gk110")[0]
	assert.Equal(t, 2048, p.Shared)
	assert.Positive(t, p.Registers)
}

func TestHelpShowsHowAKernelIsRead(t *testing.T) {
	_, out, _ := keplersim(t, "occupancy", "--help")
	for _, want := range []string{"occupancy [FILE]", "--maxrregcount", "--kernel"} {
		assert.True(t, strings.Contains(out, want), want)
	}
}
