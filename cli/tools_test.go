package cli

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim/stats"
)

// The metrics, configuration keys and flags that docs/other-tools.md names exist.
func TestOtherToolsMapToWhatExists(t *testing.T) {
	page := documents(t)["other-tools.md"]
	var keys []string
	for _, k := range configs.Keys() {
		parts := strings.Split(k.Path, ".")
		for i := range parts {
			name, _, _ := strings.Cut(strings.Join(parts[:i+1], "."), "[")
			keys = append(keys, name)
		}
	}
	run, _, err := newRootCommand().Find([]string{"run"})
	require.NoError(t, err)
	quoted := regexp.MustCompile("`([^`]+)`")
	checked := 0
	for line := range strings.Lines(page) {
		cells := strings.Split(line, "|")
		if len(cells) < 4 || strings.HasPrefix(cells[1], "---") {
			continue
		}
		for _, m := range quoted.FindAllStringSubmatch(cells[2], -1) {
			name := m[1]
			flag, isFlag := strings.CutPrefix(strings.Fields(name)[0], "--")
			flag, _, _ = strings.Cut(flag, "=")
			known := isMetric(name) || slices.Contains(keys, name) || isFlag && run.Flags().Lookup(flag) != nil ||
				strings.HasPrefix(name, "keplersim ") ||
				slices.Contains([]string{"stall_…", "*", "all", "-o FILE", "fifo", "grr", "gto", "lrr", "oldest", "two-level"}, name)
			assert.True(t, known, "%s in %q", name, line)
			checked++
		}
	}
	assert.Greater(t, checked, 60)
	// The tables of metrics, and names in the text that look like metrics, contain only metrics and keys.
	theirs := map[string]bool{}
	for line := range strings.Lines(page) {
		if cells := strings.Split(line, "|"); len(cells) > 3 {
			for _, m := range quoted.FindAllStringSubmatch(cells[1], -1) {
				theirs[m[1]] = true
			}
		}
	}
	named := regexp.MustCompile("`([a-z0-9]+(?:_[a-z0-9]+)+)`")
	for _, m := range named.FindAllStringSubmatch(page, -1) {
		assert.True(t, isMetric(m[1]) || theirs[m[1]] || slices.Contains(keys, m[1]), "%s is no metric: keplersim metrics lists them", m[1])
	}
	_, table, _ := strings.Cut(page, "| statistic | metric |")
	for line := range strings.Lines(table) {
		cells := strings.Split(line, "|")
		if len(cells) < 4 {
			continue
		}
		for _, m := range quoted.FindAllStringSubmatch(cells[2], -1) {
			assert.True(t, isMetric(m[1]) || m[1] == "stall_…" || slices.Contains(keys, m[1]), "%s in %q is no metric", m[1], line)
		}
	}
}

// isMetric reports whether a name is a metric's or a count of cycles.
func isMetric(name string) bool {
	_, metric := stats.Find(name)
	_, count := stats.FindCycleCount(name)
	return metric || count
}
