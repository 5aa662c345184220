package main

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What the README shows of the first run is what that run prints: its words, and its figures within five percent, so that not every
// improvement of the models has to touch the README.
func TestReadmeShowsTheFirstRun(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	_, shown, found := strings.Cut(string(readme), "The report begins\n\n```\n")
	require.True(t, found)
	shown, _, _ = strings.Cut(shown, "```")
	code, out, errOut := keplersim(t, "run", "--config", "gk110.yaml", "../../workloads/vectoradd/vectoradd.ptx")
	require.Zero(t, code, errOut)
	printed := map[string][]float64{} // a line's words, and its figures
	for line := range strings.Lines(out) {
		printed[figures.ReplaceAllString(line, "N")] = values(t, line)
	}
	for line := range strings.Lines(shown) {
		if strings.TrimSpace(line) == "…" {
			continue
		}
		got, ok := printed[figures.ReplaceAllString(line, "N")]
		if !assert.True(t, ok, "the run prints no line like %q", line) {
			continue
		}
		for i, want := range values(t, line) {
			assert.InEpsilon(t, want+1, got[i]+1, 0.05, line)
		}
	}
}

// values are the figures of a line.
func values(t *testing.T, line string) (list []float64) {
	t.Helper()
	for _, text := range figures.FindAllString(line, -1) {
		v, err := strconv.ParseFloat(strings.ReplaceAll(strings.TrimRight(text, ".,"), ",", ""), 64)
		require.NoError(t, err, line)
		list = append(list, v)
	}
	return list
}
