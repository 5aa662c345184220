package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Two launches of one kernel, compared: as many threads, in blocks of another size.
func TestCompareRuns(t *testing.T) {
	folder := t.TempDir()
	narrow, wide := filepath.Join(folder, "narrow.json"), filepath.Join(folder, "wide.json")
	for file, shape := range map[string][2]string{narrow: {"32", "64"}, wide: {"8", "256"}} {
		code, _, errOut := keplersim(t, append([]string{"run", "testdata/add.ptx", "--format", "json", "-o", file, "--grid", shape[0], "--block", shape[1]}, small...)...)
		require.Equal(t, exitRan, code, errOut)
	}
	code, out, errOut := keplersim(t, "compare", narrow, wide)
	require.Equal(t, exitRan, code, errOut)
	assert.Regexp(t, `(?m)^ +narrow +wide$`, out)
	assert.Regexp(t, `(?m)^  grid +32 +8$`, out)
	assert.Regexp(t, `(?m)^  block +64 +256$`, out)
	assert.Regexp(t, `(?m)^  theoretical occupancy +% +50\.0 +100\.0 +\+50\.0 points$`, out)
	assert.Regexp(t, `(?m)^  wide (is|takes) .* narrow$`, out)
	code, out, errOut = keplersim(t, "compare", "--metrics", "warps_launched", "--format", "csv", narrow, wide)
	require.Equal(t, exitRan, code, errOut)
	assert.Contains(t, out, "add,warps_launched,count,64,64\n")
	assert.NotContains(t, out, "inst_executed")

	for _, test := range []struct{ args, part string }{
		{"compare " + narrow, "two reports at least; keplersim compare --help shows examples"},
		{"compare testdata/add-right.yaml testdata/add-wrong.yaml", "add-right.yaml is no report of a run: keplersim run --format json -o REPORT.json FILE writes one"},
		{"compare " + narrow + " no-such.json", "no-such.json: there is no such file"},
		{"compare --format xml a.json b.json", "none of text, csv, json"},
		{"compare --metrics ipcc a.json b.json", "there is no metric"},
		{"compare " + narrow + " " + wide + " -o " + wide, "would overwrite the input"},
	} {
		code, _, errOut := keplersim(t, strings.Fields(test.args)...)
		assert.Equal(t, exitBadInput, code, test.args)
		assert.Contains(t, errOut, test.part)
	}
}
