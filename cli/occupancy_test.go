package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/code/sources"
	"github.com/keplersim/keplersim/configs"
	report "github.com/keplersim/keplersim/report/occupancy"
	"github.com/keplersim/keplersim/sim/smx/occupancy"
)

func TestOccupancyOfTheTuningGuideExample(t *testing.T) {
	code, out, errOut := keplersim(
		t, "occupancy", "--registers", "63", "--block", "256", "--config", "fermi,gk104,gk110,gk210", "--format", "json",
	)
	require.Equal(t, exitRan, code, errOut)
	var got struct {
		Points []struct {
			Config string
			Warps  int `json:"active_warps"`
		}
	}
	require.NoError(t, json.Unmarshal([]byte(out), &got))
	warps := map[string]int{}
	for _, p := range got.Points {
		warps[p.Config] = p.Warps
	}
	assert.Equal(t, map[string]int{"fermi": 16, "gk104": 32, "gk110": 32, "gk210": 64}, warps)
}

func TestOccupancyOverridesTheChip(t *testing.T) {
	code, out, _ := keplersim(t, "occupancy", "--registers", "16", "--block", "64", "--set", "smx.blocks=32", "--picture", "always")
	assert.Equal(t, exitRan, code)
	assert.Contains(t, out, "gk110 (cc 3.5): 32 blocks of 64 threads, 64 of 64 warps, 100.0 %")
	assert.Contains(t, out, "* block slots")
}

func TestOccupancyWritesReportAndPlotToFiles(t *testing.T) {
	dir := t.TempDir()
	code, out, errOut := keplersim(t, "occupancy", "--sweep", "block=32..1024:32", "--sweep", "registers=16..63", "--format", "csv",
		"-o", filepath.Join(dir, "points.csv"))
	require.Equal(t, exitRan, code, errOut)
	assert.Empty(t, out)
	points, err := os.ReadFile(filepath.Join(dir, "points.csv"))
	require.NoError(t, err)
	assert.Equal(t, 1+32*48, strings.Count(string(points), "\n"))
	code, _, errOut = keplersim(t, "occupancy", "--sweep", "block=32..1024:32", "--plot", filepath.Join(dir, "block.svg"))
	require.Equal(t, exitRan, code, errOut)
	assert.FileExists(t, filepath.Join(dir, "block.svg"))
}

func TestImpossibleInputIsRefusedWithTheLimit(t *testing.T) {
	for _, test := range [][2]string{
		{"--block 0", "a block has 1 thread at least"},
		{"--block 1025", "gk110 has blocks of 1024 threads at most"},
		{"--shared 49K", "50176 bytes of shared memory a block: gk110 has 49152 at most"},
		{"--registers 300", "300 registers a thread: gk110 has 255 at most"},
		{"--registers 64 --config gk104", "64 registers a thread: gk104 has 63 at most"},
		{"--sweep block=1000..1100", "a block of 1032 threads: gk110 has blocks of 1024 threads at most"},
		{"--sweep warp=1", `there is no axis "warp": choose one of block, registers, shared`},
		{"--shared x", `--shared: "x" is not a number`},
		{"--cache-config most", "one of none, shared, l1, equal"},
		{"--format xml", "one of text, json, csv"},
		{"--picture maybe", "one of auto, always, never"},
		{"--config gk110,gk110", "names gk110 twice"},
		{"--config gk111", "did you mean gk110?"},
		{"--set smx.cuont=1", "did you mean smx.count?"},
		{"--plot plot.gif", "one of .svg, .png, .pdf"},
		{"-o no/such/folder/x", "there is no folder no/such/folder"},
	} {
		code, out, errOut := keplersim(t, append([]string{"occupancy"}, strings.Fields(test[0])...)...)
		assert.Equal(t, exitBadInput, code, test[0])
		assert.Contains(t, errOut, test[1])
		if !strings.Contains(test[0], "picture") {
			assert.Empty(t, out, test[0])
		}
	}
}

// aKernel is a kernel that needs 60 registers, and spills 4 bytes for each that it does not get.
type aKernel struct{}

func (aKernel) Kernel(chip *configs.Config, maxRegisters int) (report.Kernel, error) {
	k := report.Kernel{Name: "stencil", Registers: 60, Shared: 2048, Threads: 128}
	if chip.ComputeCapability == 30 {
		k.Registers = 50
	}
	if maxRegisters > 0 && maxRegisters < k.Registers {
		k.SpillBytes, k.SpillLoads, k.SpillStores = 4*(k.Registers-maxRegisters), 9, 7
		k.Registers = maxRegisters
	}
	return k, nil
}

func TestOccupancyOfAKernelFromAFile(t *testing.T) {
	before := openKernel
	t.Cleanup(func() { openKernel = before })
	beforeTime := timeKernel
	t.Cleanup(func() { timeKernel = beforeTime })
	timeKernel = func(_ context.Context, _ kernelFile, _ *configs.Config, launch occupancy.Launch, _ bool) (float64, error) {
		if launch.Registers < 60 {
			return 5000, nil // fewer registers than the 60 on a GK110
		}
		return 4000, nil
	}
	openKernel = func(_ context.Context, k kernelFile) (report.Source, error) {
		if k.path != "stencil.ptx" || k.kernel != "" {
			return nil, fmt.Errorf("%s has no kernel %s", k.path, k.kernel)
		}
		return aKernel{}, nil
	}
	code, out, errOut := keplersim(t, "occupancy", "stencil.ptx", "--config", "gk104,gk110")
	require.Equal(t, exitRan, code, errOut)
	assert.Contains(t, out, "Occupancy of stencil")
	assert.Regexp(t, `gk104 +3.0 +128 +50 +2048`, out)
	assert.Regexp(t, `gk110 +3.5 +128 +60 +2048`, out)
	assert.Contains(
		t, out, "--maxrregcount 56: 9 blocks, 36 warps, 56.2 %; lowering then takes 56 and spills 16 bytes a thread (9 loads, 7 stores)."+
			" Run, it takes 1.25 times as long: keep the registers\n",
	)

	code, out, _ = keplersim(t, "occupancy", "stencil.ptx", "--maxrregcount", "40", "--block", "64", "--shared", "1K")
	require.Equal(t, exitRan, code)
	assert.Regexp(t, `gk110 +3.5 +64 +40 +3072`, out)

	code, _, errOut = keplersim(t, "occupancy", "stencil.ptx", "--config", "fermi")
	assert.Equal(t, exitBadInput, code)
	assert.Contains(t, errOut, "give --registers and --shared instead of a file")

	code, _, errOut = keplersim(t, "occupancy", "stencil.ptx", "--kernel", "other")
	assert.Equal(t, exitBadInput, code)
	assert.Contains(t, errOut, "stencil.ptx has no kernel other")
}

// Flags that would have no effect are errors.
func TestOccupancyRefusesIdleFlags(t *testing.T) {
	for args, want := range map[string]string{
		"--maxrregcount 32": "--maxrregcount needs a kernel: give a PTX or .cu file", "--kernel add": "--kernel needs a kernel",
		"-D N=1": "--define needs a kernel", "--sweep block=64 --sweep shared=1K --plot a.svg": "--plot draws one launch or one --sweep",
	} {
		code, _, errOut := keplersim(t, append([]string{"occupancy"}, strings.Fields(args)...)...)
		assert.Equal(t, exitBadInput, code, args)
		assert.Contains(t, errOut, want)
	}
}

// A study finds the kernel's launches by its name in C++, as other commands do, and takes block and shared memory from them.
func TestOccupancyTakesTheLaunchOfTheWorkload(t *testing.T) {
	folder := t.TempDir()
	text, err := os.ReadFile("testdata/add.ptx")
	require.NoError(t, err)
	mangled := strings.Replace(string(text), ".entry add(", ".entry _Z3addPfS_jf(", 1)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "k.ptx"), []byte(mangled), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "k.yaml"), []byte(`
module: k.ptx
buffers: {x: {type: f32, count: 1024}, z: {type: f32, count: 1024}}
steps:
  - launch: {kernel: add, grid: [8], block: [96], shared: 2048, args: [x, z, {u32: 768}, {f32: 1.0}]}
`), 0o644))
	file := filepath.Join(folder, "k.ptx")
	code, out, errOut := keplersim(t, "occupancy", file, "--kernel", "add")
	require.Equal(t, exitRan, code, errOut)
	assert.Contains(t, out, "Occupancy of add(float*, float*, unsigned int, float)")
	assert.Regexp(t, `gk110 +3.5 +96 +\d+ +2048 `, out)
	kernel := kernelFile{reader: &sources.Reader{}, path: file, kernel: "add"}
	chip, err := configs.Load("gk110", nil)
	require.NoError(t, err)
	for _, made := range []bool{false, true} {
		cycles, err := timeKernel(t.Context(), kernel, chip, occupancy.Launch{Threads: 96, Registers: 32}, made)
		require.NoError(t, err)
		assert.Positive(t, cycles)
	}
}
