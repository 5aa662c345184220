package main

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What the README shows of the first run is what that run prints: new figures go there too.
func TestReadmeShowsTheFirstRun(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	_, shown, found := strings.Cut(string(readme), "The report begins\n\n```\n")
	require.True(t, found)
	shown, _, _ = strings.Cut(shown, "```")
	code, out, errOut := keplersim(t, "run", "--config", "gk110.yaml", "../../workloads/vectoradd/vectoradd.ptx")
	require.Zero(t, code, errOut)
	for line := range strings.Lines(shown) {
		if strings.TrimSpace(line) != "…" {
			assert.Contains(t, out, line)
		}
	}
}
