package cli

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/lab/engine"
	"github.com/keplersim/keplersim/lab/exercise"
	"github.com/keplersim/keplersim/sim/stats"
)

// counted has a kernel's counts of cycles by name.
type counted map[string]uint64

// Each name of a count of cycles means the same number everywhere: in text, JSON, CSV, the page, the lab and its verdicts, and Watch.
func TestEveryCountOfCyclesHasOneName(t *testing.T) {
	const kernel, workload = "../workloads/dot-product/dot-product.ptx", "../workloads/dot-product/dot-product.yaml"
	want := counted{}
	page := filepath.Join(t.TempDir(), "page.html")
	_, out, _ := keplersim(t, "run", "--config", "gk110", "--format", "json", workload)
	var r struct{ Kernels []json.RawMessage }
	require.NoError(t, json.Unmarshal([]byte(out), &r))
	fromJSON(t, r.Kernels[0], want)
	assert.Less(t, want["kernel_cycles"], want["launch_cycles"])
	assert.Less(t, want["launch_cycles"], want["elapsed_cycles"])
	var timing struct {
		CoreMHz float64 `json:"core_mhz"`
		TimeUS  float64 `json:"time_us"`
		Cycles  uint64  `json:"cycles"`
		Symbol  string  `json:"symbol"`
	}
	require.NoError(t, json.Unmarshal(r.Kernels[0], &timing))
	assert.InEpsilon(t, float64(want["launch_cycles"]), timing.TimeUS*timing.CoreMHz, 1e-4, "time is launch cycles over the clock")
	assert.Equal(t, want["elapsed_cycles"], timing.Cycles)

	_, text, _ := keplersim(t, "run", "--config", "gk110", "--format", "full", "--report", page, workload)
	for _, c := range stats.CycleCounts {
		assert.Contains(t, text, grouped(want[c.Name])+" "+c.Title)
	}
	html, err := os.ReadFile(page)
	require.NoError(t, err)
	for name, n := range want {
		assert.Contains(t, string(html), fmt.Sprintf("%q:%d", name, n))
		assert.Contains(t, string(html), "k."+name, "the page shows them")
	}

	_, table, _ := keplersim(t, "run", "--config", "gk110", "--format", "csv", workload)
	rows, err := csv.NewReader(strings.NewReader(table)).ReadAll()
	require.NoError(t, err)
	seen := counted{}
	for i, name := range rows[0] {
		if _, ok := want[name]; ok {
			seen[name], err = strconv.ParseUint(rows[1][i], 10, 64)
			require.NoError(t, err)
		}
	}
	assert.Equal(t, want, seen, "CSV")

	ptx, err := os.ReadFile(kernel)
	require.NoError(t, err)
	yaml, err := os.ReadFile(workload)
	require.NoError(t, err)
	cell := &exercise.Cell{Workload: strings.ReplaceAll(string(yaml), "dot-product.ptx", "kernel.ptx")}
	q := cell.Request(string(ptx))
	q.Config, q.Watch = "gk110", &engine.Watch{Cycles: 1}
	ran, err := engine.Run(context.Background(), q, engine.Limits{})
	require.NoError(t, err)
	require.Empty(t, ran.Error)
	assert.EqualValues(t, want["kernel_cycles"], ran.Watched.End, "Watch")
	ofLab := counted{}
	var reported struct{ Kernels []json.RawMessage }
	require.NoError(t, json.Unmarshal(ran.Report, &reported))
	fromJSON(t, reported.Kernels[0], ofLab)
	assert.Equal(t, want, ofLab, "the lab")

	none := 0.0
	e := exercise.Exercise{Kernel: timing.Symbol}
	for name := range want {
		e.Bounds = append(e.Bounds, exercise.Bound{Metric: name, Below: &none})
	}
	grade, err := e.Grade(context.Background(), cell, string(ptx), engine.Limits{})
	require.NoError(t, err)
	for _, c := range grade.Checks {
		if n, ok := want[c.Name]; ok {
			assert.Contains(t, c.Detail, fmt.Sprintf("%d, and less than", n), c.Name)
		}
	}
}

// fromJSON reads the counts of a launch's object.
func fromJSON(t *testing.T, object []byte, into counted) {
	var all map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(object, &all))
	for _, c := range stats.CycleCounts {
		var n uint64
		require.NoError(t, json.Unmarshal(all[c.Name], &n), c.Name)
		into[c.Name] = n
	}
}

// grouped formats a number as reports do.
func grouped(n uint64) string {
	text := strconv.FormatUint(n, 10)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}
