package host

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/sim/stats"
)

const transpose = "../workloads/transpose/transpose.yaml"

// --kernel reports one kernel's launches. The others run because their results may be needed, and a note says so.
func TestLaunchesOfAKernelAlone(t *testing.T) {
	j, err := Open(t.Context(), transpose, Options{Kernel: "transpose_tiled"}.WithTiming(false))
	require.NoError(t, err)
	r, err := j.Run(t.Context())
	require.NoError(t, err)
	require.Len(t, r.Launches, 1)
	assert.Equal(t, "transpose_tiled", r.Launches[0].Kernel)
	require.NotEmpty(t, j.Notes)
	assert.Contains(t, j.Notes[0], "--kernel transpose_tiled: transpose_naive, transpose_padded also ran, but the report leaves that out")
	launches := j.Workload.Launches()
	assert.True(t, j.Launches(launches[1], "transpose_tiled"))
	assert.False(t, j.Launches(launches[0], "transpose_tiled"))
	assert.False(t, j.Launches(launches[0], "no_such"))

	_, err = Open(t.Context(), transpose, Options{Kernel: "transpose_none"})
	require.ErrorContains(t, err, "transpose_none")
}

// A job names every file that it reads, before and after it is opened, and rejects unknown buffers.
func TestFilesAndBuffersOfAJob(t *testing.T) {
	here := filepath.Dir(transpose)
	before := FilesOf(filepath.Join(here, "transpose.ptx"), []string{"other.ptx"}, "k40")
	for _, file := range []string{"transpose.ptx", "transpose.yaml"} {
		assert.Contains(t, before, filepath.Join(here, file))
	}
	assert.Contains(t, before, "other.ptx")
	assert.Subset(t, FilesOf(transpose, nil), []string{transpose, filepath.Join(here, "transpose.ptx")})
	assert.Equal(t, []string{"none.ptx"}, FilesOf("none.ptx", nil, "", "no-such-board"))

	j, err := Open(t.Context(), transpose, Options{}.WithTiming(false))
	require.NoError(t, err)
	assert.Subset(t, j.Inputs(), []string{transpose, filepath.Join(here, "transpose.ptx")})
	assert.Equal(t, "transpose_naive", j.Workload.Launches()[0].Kernel)
	assert.Contains(t, j.Line(stats.Place{File: filepath.Join(here, "transpose.ptx"), Line: 1}), "//")

	_, err = j.Run(t.Context())
	require.NoError(t, err)
	name := j.Workload.Buffers[0].Name
	require.NoError(t, j.CheckBuffer(name))
	require.ErrorContains(t, j.CheckBuffer("none"), `there is no buffer "none"; the buffers are `+name)
	file := filepath.Join(t.TempDir(), "dumped")
	require.NoError(t, j.Dump(name, file))
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.EqualValues(t, j.Workload.Buffers[0].Bytes(), len(data))
	assert.False(t, math.IsNaN(float64(math.Float32frombits(binary.LittleEndian.Uint32(data)))))
	require.ErrorContains(t, j.Dump("none", file), "there is no buffer")
	require.ErrorContains(t, j.Dump(name, filepath.Join(file, "below")), "write buffer "+name)
}

// An untrusted job reads only the files next to it and built-in configurations. Its errors do not tell whether other files exist.
func TestConfinedJobs(t *testing.T) {
	folder := t.TempDir()
	code, err := os.ReadFile("../workloads/vectoradd/vectoradd.ptx")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "k.ptx"), code, 0o600))
	const rest = "config: gk110\nbuffers: {a: {type: f32, count: 64}}\nsteps: []\n"
	for text, want := range map[string]string{
		"module: ../k.ptx\n" + rest:                       `"../k.ptx" is not a file of this run`,
		"module: /etc/passwd\n" + rest:                    `"/etc/passwd" is not a file of this run`,
		"module: k.ptx\nconfig: ./mine.yaml\nsteps: []\n": `"./mine.yaml" is not a configuration that comes with the simulator`,
	} {
		file := filepath.Join(folder, "w.yaml")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		_, err := Open(t.Context(), file, Options{Confined: true})
		require.ErrorContains(t, err, want)
	}
	_, err = Open(t.Context(), filepath.Join(folder, "k.ptx"), Options{Confined: true, Config: filepath.Join(folder, "own.yaml")})
	require.ErrorContains(t, err, "is not a configuration that comes with the simulator")
}

// WithTiming changes the timing option and nothing else.
func TestWithTiming(t *testing.T) {
	o := Options{Kernel: "k", Simulator: sim.Options{Functional: true}}
	assert.False(t, o.WithTiming(true).Simulator.Functional)
	assert.True(t, o.WithTiming(true).WithTiming(false).Simulator.Functional)
	assert.Equal(t, "k", o.WithTiming(true).Kernel)
	assert.Equal(t, "a; b", joined("a", "b"))
	assert.Equal(t, "b", joined("", "b"))
}
