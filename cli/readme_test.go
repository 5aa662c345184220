package cli

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What the README shows of the first run is what that run prints, to the digit; KEPLERSIM_UPDATE=1 writes it anew.
func TestReadmeShowsTheFirstRun(t *testing.T) {
	const file, begin, end = "../README.md", "The report begins\n\n```\n", "```"
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(text), begin)
	require.True(t, found)
	shown, after, found := strings.Cut(rest, end)
	require.True(t, found)
	code, out, errOut := keplersim(t, "run", "--config", "gk110.yaml", "../workloads/vectoradd/vectoradd.ptx")
	require.Zero(t, code, errOut)
	want := firstRun(t, out)
	if os.Getenv("KEPLERSIM_UPDATE") != "" && want != shown {
		require.NoError(t, os.WriteFile(file, []byte(before+begin+want+end+after), 0o644))
		shown = want
	}
	assert.Equal(t, want, shown, "%s: KEPLERSIM_UPDATE=1 go test ./cli -run Readme writes it anew", file)
}

// firstRun returns what the README shows of a report: all but what the host took. The user's first run is in the folder above.
func firstRun(t *testing.T, out string) string {
	head, _, found := strings.Cut(strings.ReplaceAll(out, "../workloads/", "workloads/"), "\nsimulated in ")
	require.True(t, found)
	return head
}
