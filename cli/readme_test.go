package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The README's first run is exactly what that run prints; KEPLERSIM_UPDATE=1 writes it anew.
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

// firstRun returns the part of a report that the README shows: everything before its notes. The user's first run is in the folder above.
func firstRun(t *testing.T, out string) string {
	head, _, found := strings.Cut(strings.ReplaceAll(out, "../workloads/", "workloads/"), "\nnote: ")
	require.True(t, found)
	return head
}

// New words in the documents replace others.
func TestDocumentsKeepToTheirBudget(t *testing.T) {
	const mostWords = 60_000
	words := 0
	count := func(file string) {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		words += len(strings.Fields(string(text)))
	}
	count("../README.md")
	pages, err := filepath.Glob("../docs/*.md")
	require.NoError(t, err)
	for _, page := range pages {
		count(page)
	}
	assert.LessOrEqual(t, words, mostWords, "words of the README and docs")
}

// The README is short, and has the error from validation's page.
func TestReadmeIsShortAndHonest(t *testing.T) {
	text, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	assert.LessOrEqual(t, strings.Count(string(text), "\n"), 130)
	said := regexp.MustCompile(`(\d+) launches[^.]*\.[^.]*within (\d+ %) of[^,]*,\s*nine in ten within (\d+ %)`).
		FindStringSubmatch(documents(t)["validation.md"])
	require.NotNil(t, said, "the opening of docs/validation.md")
	assert.Contains(t, string(text), "half within "+said[2]+", nine in ten within "+said[3])
	assert.Contains(t, string(text), "["+said[1]+" launches]")
}
