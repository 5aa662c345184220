package draw_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/host"
	"github.com/keplersim/keplersim/report"
	"github.com/keplersim/keplersim/report/draw"
	"github.com/keplersim/keplersim/sim"
)

// saved runs a workload and returns its report as read from a file.
func saved(t *testing.T, workload string, functional bool) report.Saved {
	t.Helper()
	file := filepath.Join(t.TempDir(), workload+".json")
	require.NoError(t, os.WriteFile(file, []byte(savedText(t, workload, functional)), 0o644))
	list, err := report.ReadSaved([]string{file})
	require.NoError(t, err)
	return list[0]
}

// savedText runs a workload and returns its report.
func savedText(t *testing.T, workload string, functional bool) string {
	t.Helper()
	job, err := host.Open(context.Background(), "../../workloads/"+workload+"/"+workload+".yaml", host.Options{
		Config: "gk110", Simulator: sim.Options{Threads: 1, Functional: functional},
	})
	require.NoError(t, err)
	result, err := job.Run(context.Background())
	require.NoError(t, err)
	var text bytes.Buffer
	require.NoError(t, report.JSON(&text, &report.Run{
		Workload: workload, Config: "gk110", Launches: result.Launches,
		Timeline: &report.Timeline{Intervals: result.Timeline, HostUS: result.HostUS, DeviceUS: result.DeviceUS},
	}))
	return text.String()
}

// Each kind of drawing is written in each format, with its contents.
func TestSavedReportsAreDrawn(t *testing.T) {
	transpose, reduction := saved(t, "transpose", false), saved(t, "reduction-shared", false)
	folder := t.TempDir()
	for _, kind := range draw.Kinds {
		reports := []report.Saved{transpose, reduction}
		if kind.Name == "timeline" {
			reports = reports[:1]
		}
		for ending, magic := range map[string]string{"svg": "<?xml", "png": "\x89PNG", "pdf": "%PDF"} {
			file := filepath.Join(folder, kind.Name+"."+ending)
			require.NoError(t, kind.Draw(file, reports), "%s.%s", kind.Name, ending)
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			assert.True(t, strings.HasPrefix(string(text), magic), "%s.%s", kind.Name, ending)
			if ending == "svg" && kind.Name != "timeline" && kind.Name != "roofline" {
				assert.Contains(t, string(text), "transpose: transpose_naive", kind.Name)
				assert.Contains(t, string(text), "reduction-shared: reduce_shared", kind.Name)
			}
		}
	}
}

// Untimed reports have no such drawings, and a timeline needs exactly one report.
func TestWhatCannotBeDrawn(t *testing.T) {
	untimed := saved(t, "vectoradd", true)
	for _, kind := range draw.Kinds {
		if kind.Name == "stalls" {
			assert.Error(t, kind.Draw(filepath.Join(t.TempDir(), "x.svg"), []report.Saved{untimed}), kind.Name)
		}
		if kind.Name == "timeline" {
			assert.ErrorContains(t, kind.Draw("x.svg", []report.Saved{untimed, untimed}), "of one report")
		}
		if kind.Name == "bandwidth" {
			assert.ErrorContains(t, kind.Draw("x.svg", []report.Saved{untimed}), "functional")
		}
	}
}
