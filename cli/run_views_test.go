package cli

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/pprof/profile"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/recording"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/testkit/need"
)

// A recording has the requested cycles and SMXs, and is the same for any number of threads.
func TestRunRecords(t *testing.T) {
	folder := t.TempDir()
	one, two := filepath.Join(folder, "one.kst"), filepath.Join(folder, "two.kst")
	args := []string{"run", "../workloads/sgemm-tiled/sgemm-tiled.yaml", "--record-window", "2600..3000", "--record-smx", "0,2"}
	code, _, errOut := keplersim(t, append(args, "--record", one, "--threads", "1")...)
	require.Zero(t, code, errOut)
	code, _, errOut = keplersim(t, append(args, "--record", two, "--threads", "4")...)
	require.Zero(t, code, errOut)
	first, err := os.ReadFile(one)
	require.NoError(t, err)
	second, err := os.ReadFile(two)
	require.NoError(t, err)
	assert.Equal(t, first, second)

	r, err := recording.ReadFile(one)
	require.NoError(t, err)
	assert.Equal(t, "sgemm_tiled", r.Kernels[0].Symbol)
	assert.Nil(t, r.Track(0, 1))
	for _, smx := range []int{0, 2} {
		track := r.Track(0, smx)
		require.NotNil(t, track)
		require.NotEmpty(t, track.Issues)
		start := r.Grids[0].Start
		for _, e := range track.Issues {
			assert.GreaterOrEqual(t, e.Cycle-start, r.Window.From)
			assert.Less(t, e.Cycle-start, r.Window.To)
		}
		// In each recorded cycle, a resident warp either issues or waits.
		cycles := int64(0)
		for _, e := range track.Issues {
			if !e.Second {
				cycles++
			}
		}
		for _, e := range track.Stalls {
			assert.LessOrEqual(t, e.To-start, r.Window.To)
			cycles += int64(e.To - e.From)
		}
		assert.Equal(t, int64(len(residentAt(track, start+r.Window.From)))*int64(r.Window.To-r.Window.From), cycles,
			"no warp begins or ends in the window")
	}
	require.Len(t, r.Memory, 1)
	for _, f := range r.Memory[0].Flights {
		assert.Contains(t, []int{0, 2}, f.SMX)
	}
	assert.NotEmpty(t, r.Grids[0].Samples)
}

// A trace is written with and without a recording, and compressed if its name says so.
func TestRunTraces(t *testing.T) {
	folder := t.TempDir()
	plain, packed := filepath.Join(folder, "trace.json"), filepath.Join(folder, "trace.json.gz")
	args := []string{"run", "../workloads/vectoradd/vectoradd.yaml"}
	code, _, errOut := keplersim(t, append(args, "--trace", plain)...)
	require.Zero(t, code, errOut)
	text, err := os.ReadFile(plain)
	require.NoError(t, err)
	var object map[string]any
	require.NoError(t, json.Unmarshal(text, &object))
	assert.NotContains(t, string(text), `"cat":"issue"`)
	code, _, errOut = keplersim(t, append(args, "--trace", packed, "--record-smx", "0", "--record-window", "0..1000")...)
	require.Zero(t, code, errOut)
	file, err := os.Open(packed)
	require.NoError(t, err)
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	require.NoError(t, err)
	text, err = io.ReadAll(unpacked)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &object))
	assert.Contains(t, string(text), `"cat":"issue"`)
}

// Whole programs have the same views: copies and kernels on one timeline, and warps in a recorded window.
func TestProgramsHaveViews(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	need.Clang(t)
	folder := t.TempDir()
	traced, page := filepath.Join(folder, "trace.json"), filepath.Join(folder, "out.html")
	code, _, errOut := keplersim(t, "run", "../runtime/testdata/programs/jacobi.cu", "--trace", traced, "--report", page,
		"--record-smx", "0", "--record-window", "0..300")
	require.Zero(t, code, errOut)
	text, err := os.ReadFile(traced)
	require.NoError(t, err)
	require.True(t, json.Valid(text))
	for _, part := range []string{`"cat":"copy"`, `"cat":"kernel"`, `"cat":"block"`, `"cat":"issue"`} {
		assert.Contains(t, string(text), part)
	}
	text, err = os.ReadFile(page)
	require.NoError(t, err)
	assert.Contains(t, string(text), "jacobi.cu on gk110")
}

// A page is written with a baseline.
func TestPageIsWritten(t *testing.T) {
	folder := t.TempDir()
	before, page := filepath.Join(folder, "before.json"), filepath.Join(folder, "out.html")
	args := []string{"run", "../workloads/vectoradd/vectoradd.yaml"}
	code, _, errOut := keplersim(t, append(args, "--format", "json", "-o", before)...)
	require.Zero(t, code, errOut)
	code, _, errOut = keplersim(t, append(args, "--report", page, "--baseline", before)...)
	require.Zero(t, code, errOut)
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	assert.Contains(t, string(text), "<h1>vectoradd on gk110</h1>")
	assert.Contains(t, string(text), `"baseline_names":["before.json"]`)
	for says, bad := range map[string][]string{
		"not a JSON report":      {"--report", page, "--baseline", page},
		"name one with --report": {"--baseline", before},
		"no such file":           {"--report", page, "--baseline", filepath.Join(folder, "none.json")},
		"leave out --functional": {"--report", page, "--functional"},
		"takes one run":          {"--report", page, "--config", "k20,k40"},
	} {
		code, _, errOut := keplersim(t, append(args, bad...)...)
		assert.Equal(t, 2, code, "%v", bad)
		assert.Contains(t, errOut, says)
	}
}

// A profile is written for go tool pprof.
func TestPprofIsWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "out.pb.gz")
	code, _, errOut := keplersim(t, "run", "../workloads/vectoradd/vectoradd.yaml", "--pprof", file)
	require.Zero(t, code, errOut)
	opened, err := os.Open(file)
	require.NoError(t, err)
	defer opened.Close()
	p, err := profile.Parse(opened)
	require.NoError(t, err)
	assert.Equal(t, "warp_cycles", p.DefaultSampleType)
}

// residentAt returns the warps of a track that are resident at a cycle and were before it.
func residentAt(t *recording.Track, at engine.Cycle) (list []int) {
	for i := range t.Warps {
		if b := &t.Blocks[t.Warps[i].Block]; b.Start <= at && b.End > at {
			list = append(list, i)
		}
	}
	return list
}

// Recordings that are impossible are errors before anything runs.
func TestRecordingFlagsAreChecked(t *testing.T) {
	file := filepath.Join(t.TempDir(), "run.kst")
	for _, test := range []struct {
		args []string
		says string
	}{
		{[]string{"--record", file, "--functional"}, "--record needs a timed run"},
		{[]string{"--record", file, "--config", "k20,k40"}, "--record takes one run"},
		{[]string{"--record", filepath.Join(file, "none", "run.kst")}, "there is no folder"},
		{[]string{"--record", file, "--record-window", "9..9"}, "it has no cycle"},
		{[]string{"--record", file, "--record-window", "soon"}, "as in 1000..3000"},
		{[]string{"--record", file, "--record-window", "-4..9"}, `"-4" is not a cycle`},
		{[]string{"--record", file, "--record-smx", "3..1"}, `"3..1" is not a number or range`},
		{[]string{"--record-smx", "1"}, "name a file with --record"},
		{[]string{"--record", "../workloads/vectoradd/vectoradd.yaml"}, "vectoradd.yaml"},
	} {
		code, _, errOut := keplersim(t, append([]string{"run", "../workloads/vectoradd/vectoradd.yaml"}, test.args...)...)
		assert.Equal(t, 2, code, "%v", test.args)
		assert.Contains(t, errOut, test.says, "%v", test.args)
	}
}
