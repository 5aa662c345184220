package gather_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/host"
	"github.com/keplersim/keplersim/report"
	"github.com/keplersim/keplersim/report/gather"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/sim/check/finding"
)

const (
	screenWidth = 80
	screenLines = 40 // for the report of one kernel without launches from kernels
)

// ran returns the reports of a workload with timing, without timing, and with checks.
func ran(t *testing.T, name string) map[string]*report.Run {
	t.Helper()
	all := map[string]*report.Run{}
	config := "gk110"
	if name == "multi-gpu" {
		config = "k80"
	}
	for mode, options := range map[string]host.Options{
		"timed": {Config: config}, "functional": {Config: config, Simulator: sim.Options{Functional: true}},
		"other chip": {Config: "gtx680"},
	} {
		options.Simulator.Threads = 2
		job, err := host.Open(context.Background(), "../../workloads/"+name+"/"+name+".yaml", options)
		if err != nil && mode == "other chip" {
			continue // the chip lacks a feature that it needs
		}
		require.NoError(t, err)
		result, err := job.Run(context.Background())
		if mode != "other chip" {
			require.NoError(t, err)
		}
		all[mode] = gather.Run(job, result, err)
	}
	return all
}

// No line of a report is wider than 80 columns, and the report of one kernel fits a screen. A word that is too long for a line, such as a
// path, is on its own line.
func TestWidth(t *testing.T) {
	names := []string{"vectoradd", "mariani-silver", "overlap", "bfs", "hotspot"}
	if !testing.Short() {
		names = append(names, "dot-product", "transpose", "sgemm-tiled", "hyperq", "histogram", "spmv", "quicksort", "scan", "compaction",
			"needleman-wunsch", "reduction-shuffle", "saxpy", "fft", "dgemm", "bitonic", "bfs-nested", "multi-gpu", "mps", "rotate")
	}
	for _, name := range names {
		for mode, r := range ran(t, name) {
			what := name + ", " + mode
			var out bytes.Buffer
			require.NoError(t, report.Text(&out, r))
			assertNarrow(t, what, out.String())
			if r.Count() == 1 && r.Launches[0].Nested == nil {
				assert.Less(t, strings.Count(out.String(), "\n"), screenLines, "%s\n%s", what, &out)
			}
			r.Metrics = []string{"ipc", "gld_efficiency", "shared_load_transactions_per_request", "stall_constant_memory_dependency"}
			out.Reset()
			require.NoError(t, report.Text(&out, r))
			assertNarrow(t, what+", metrics", out.String())
		}
	}
	long := strings.Repeat("a_rather_long_name", 6)
	f := &finding.Finding{Rule: finding.Rules[0], Places: []finding.Place{{
		Does: "writes 4 bytes", Kernel: long, File: long + ".cu", Line: 8, PTXFile: long + ".ptx", PTXLine: 9,
		Calls: []string{"called from " + long + " at " + long},
	}}, Detail: strings.Repeat("word ", 40)}
	var out bytes.Buffer
	require.NoError(t, report.Text(&out, &report.Run{Workload: long, Config: long, Notes: []string{strings.Repeat("word ", 40)},
		Checked: finding.All, Mistakes: []*finding.Finding{f}, Failure: strings.Repeat("it failed ", 20),
		Checks: []report.Check{{Buffer: "a"}, {Buffer: "b"}}}))
	assertNarrow(t, "long names", out.String())
}

func assertNarrow(t *testing.T, what, text string) {
	t.Helper()
	for n, line := range strings.Split(text, "\n") {
		if utf8.RuneCountInString(line) > screenWidth && len(strings.Fields(strings.TrimLeft(line, " -"))) > 1 {
			assert.Fail(t, fmt.Sprintf("%s: line %d of the report has %d characters:\n%s", what, n+1, utf8.RuneCountInString(line), line))
		}
	}
}
