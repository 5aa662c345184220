package cli

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var goldenFrom = flag.String("golden-from", "", "write testdata/golden.txt from the JSON reports NAME.CHIP.json of a folder, which an "+
	"earlier version of keplersim made")

const goldenFile = "testdata/golden.txt"

// goldenSections are the parts of a launch's report with counters. Their lists have an entry for each SMX, line, function or unit.
var goldenSections = []string{"cycles", "time_us", "metrics", "smx", "source", "functions", "occupancy", "units"}

// golden has a launch's counters by name. For lists it has the sums over their entries, and a hash of the list, which shows changes that
// leave the sums equal.
type golden map[string]string

// goldenOf returns the counters of a launch of a JSON report.
func goldenOf(t *testing.T, raw json.RawMessage) golden {
	t.Helper()
	var all map[string]any
	require.NoError(t, json.Unmarshal(raw, &all))
	sums := map[string]float64{}
	g := golden{}
	for _, section := range goldenSections {
		goldenSums(sums, section, all[section])
		if list, ok := all[section].([]any); ok {
			text, err := json.Marshal(list) // keys in order
			require.NoError(t, err)
			g[section+".entries"] = fmt.Sprintf("%x", sha256.Sum256(text))[:16]
		}
	}
	for name, sum := range sums {
		g[name] = strconv.FormatFloat(sum, 'g', 12, 64)
	}
	return g
}

// goldenSums adds every number in a part of a report to the sum of its name.
func goldenSums(sums map[string]float64, name string, part any) {
	switch part := part.(type) {
	case float64:
		sums[name] += part
	case []any:
		for _, entry := range part {
			goldenSums(sums, name, entry)
		}
	case map[string]any:
		for key, value := range part {
			goldenSums(sums, name+"."+key, value)
		}
	}
}

// goldenLaunches returns the launches of a JSON report, by workload, chip and launch.
func goldenLaunches(t *testing.T, name, chip string, report []byte) (keys []string, launches map[string]golden) {
	t.Helper()
	var r struct{ Kernels []json.RawMessage }
	require.NoError(t, json.Unmarshal(report, &r))
	launches = map[string]golden{}
	for n, raw := range r.Kernels {
		var launch struct{ Symbol string }
		require.NoError(t, json.Unmarshal(raw, &launch))
		key := fmt.Sprintf("%s %s %d %s", name, chip, n, launch.Symbol)
		keys, launches[key] = append(keys, key), goldenOf(t, raw)
	}
	return keys, launches
}

// differences names the counters of a launch that have changed.
func (g golden) differences(want golden) (list []string) {
	for name := range want {
		if g[name] != want[name] {
			list = append(list, fmt.Sprintf("%s is %q, was %q", name, g[name], want[name]))
		}
	}
	for name := range g {
		if _, ok := want[name]; !ok {
			list = append(list, fmt.Sprintf("%s is %q, was not there", name, g[name]))
		}
	}
	slices.Sort(list)
	return list
}

// readGolden reads the golden file, a table. Its first line names the columns, each further line is a launch, and a counter that a launch
// does not have is empty.
func readGolden(t *testing.T) (keys []string, launches map[string]golden) {
	t.Helper()
	text, err := os.ReadFile(goldenFile)
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	names := strings.Split(lines[0], "\t")
	launches = map[string]golden{}
	for _, line := range lines[1:] {
		values := strings.Split(line, "\t")
		require.Len(t, values, len(names), "%s", values[0])
		g := golden{}
		for i, value := range values[1:] {
			if value != "" {
				g[names[i+1]] = value
			}
		}
		keys, launches[values[0]] = append(keys, values[0]), g
	}
	return keys, launches
}

// Every workload with sequential launches has the cycles and counters of the version before streams, in which each launch had the device to
// itself. The test uses three chips.
func TestCyclesAndCountersAreThoseOfLaunchesThatRunAlone(t *testing.T) {
	if *goldenFrom != "" {
		writeGolden(t)
	}
	keys, want := readGolden(t)
	of := map[[2]string][]string{}
	var order [][2]string
	for _, key := range keys {
		words := strings.Fields(key)
		run := [2]string{words[0], words[1]}
		if of[run] == nil {
			order = append(order, run)
		}
		of[run] = append(of[run], key)
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
			report = bytes.ReplaceAll(report, []byte("../"), nil) // file names relative to the repository's root
			keys, launches := goldenLaunches(t, key[0], key[1], report)
			require.Equal(t, of[key], keys)
			for _, launch := range keys {
				assert.Empty(t, launches[launch].differences(want[launch]), launch)
			}
		})
	}
}

func writeGolden(t *testing.T) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(*goldenFrom, "*.json"))
	require.NoError(t, err)
	require.NotEmpty(t, files, "no reports in the folder; a relative one is from cli/")
	var keys []string
	launches, named := map[string]golden{}, map[string]bool{}
	for _, file := range files {
		report, err := os.ReadFile(file)
		require.NoError(t, err)
		words := strings.Split(filepath.Base(file), ".")
		of, some := goldenLaunches(t, words[0], words[1], report)
		keys = append(keys, of...)
		maps.Copy(launches, some)
		for _, g := range some {
			for name := range g {
				named[name] = true
			}
		}
	}
	names := slices.Sorted(maps.Keys(named))
	var b strings.Builder
	b.WriteString(strings.Join(append([]string{"launch"}, names...), "\t") + "\n")
	for _, key := range keys {
		b.WriteString(key)
		for _, name := range names {
			b.WriteString("\t" + launches[key][name])
		}
		b.WriteString("\n")
	}
	require.NoError(t, os.WriteFile(goldenFile, []byte(b.String()), 0o644))
}

// The differences name the counters that have changed; the hash shows entries that have moved.
func TestGoldenNamesWhatDiffers(t *testing.T) {
	was := goldenOf(t, json.RawMessage(`{"cycles": 5, "metrics": {"a": 1, "b": 2}, "smx": [{"blocks": 1}, {"blocks": 2}]}`))
	is := goldenOf(t, json.RawMessage(`{"cycles": 5, "metrics": {"a": 3, "c": 2}, "smx": [{"blocks": 2}, {"blocks": 1}]}`))
	assert.Empty(t, was.differences(was))
	list := is.differences(was)
	require.Len(t, list, 4)
	assert.Equal(t, []string{`metrics.a is "3", was "1"`, `metrics.b is "", was "2"`, `metrics.c is "2", was not there`}, list[:3])
	assert.Contains(t, list[3], "smx.entries")
}
