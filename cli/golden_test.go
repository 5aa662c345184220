package cli

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var goldenFrom = flag.String("golden-from", "", "write testdata/golden.txt from the JSON reports NAME.CHIP.json of a folder, which an "+
	"earlier version of keplersim made")

const goldenFile = "testdata/golden.txt"

// goldenLine returns a launch in one line: its cycles, and a hash of every counter that its report has.
func goldenLine(t *testing.T, name, chip string, n int, raw json.RawMessage) string {
	t.Helper()
	var all map[string]any
	require.NoError(t, json.Unmarshal(raw, &all))
	counters := map[string]any{}
	for _, key := range []string{"cycles", "time_us", "metrics", "smx", "source", "functions", "occupancy", "units"} {
		counters[key] = all[key]
	}
	text, err := json.Marshal(counters) // keys in order
	require.NoError(t, err)
	return fmt.Sprintf("%s %s %d %s %.0f %x", name, chip, n, all["symbol"], all["cycles"], sha256.Sum256(text))
}

// goldenLines returns the launches of a JSON report.
func goldenLines(t *testing.T, name, chip string, report []byte) (lines []string) {
	t.Helper()
	var r struct{ Kernels []json.RawMessage }
	require.NoError(t, json.Unmarshal(report, &r))
	for n, raw := range r.Kernels {
		lines = append(lines, goldenLine(t, name, chip, n, raw))
	}
	return lines
}

// Every workload whose launches follow each other has the cycles and counters that it had when a launch still had the device to itself, as
// the version before streams reported them, on three chips.
func TestCyclesAndCountersAreThoseOfLaunchesThatRunAlone(t *testing.T) {
	if *goldenFrom != "" {
		writeGolden(t)
	}
	text, err := os.ReadFile(goldenFile)
	require.NoError(t, err)
	want := map[[2]string][]string{}
	var order [][2]string
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		words := strings.Fields(lines.Text())
		key := [2]string{words[0], words[1]}
		if want[key] == nil {
			order = append(order, key)
		}
		want[key] = append(want[key], lines.Text())
	}
	require.GreaterOrEqual(t, len(order), 90)
	for n, key := range order {
		if testing.Short() && n%10 != 0 {
			continue
		}
		t.Run(key[0]+"."+key[1], func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "report.json")
			code, _, stderr := keplersim(t, "run", "--threads", "1", "--config", key[1], "--format", "json", "--output", file,
				"../workloads/"+key[0]+"/"+key[0]+".yaml")
			require.Zero(t, code, stderr)
			report, err := os.ReadFile(file)
			require.NoError(t, err)
			report = bytes.ReplaceAll(report, []byte("../"), nil) // the names of files as from the top
			assert.Equal(t, want[key], goldenLines(t, key[0], key[1], report))
		})
	}
}

func writeGolden(t *testing.T) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(*goldenFrom, "*.json"))
	require.NoError(t, err)
	var b strings.Builder
	for _, file := range files {
		report, err := os.ReadFile(file)
		require.NoError(t, err)
		words := strings.Split(filepath.Base(file), ".")
		for _, line := range goldenLines(t, words[0], words[1], report) {
			b.WriteString(line + "\n")
		}
	}
	require.NoError(t, os.WriteFile(goldenFile, []byte(b.String()), 0o644))
}
