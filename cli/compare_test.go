package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Two launches of one kernel, compared: the same number of threads in blocks of different sizes.
func TestCompareRuns(t *testing.T) {
	folder := t.TempDir()
	narrow, wide := filepath.Join(folder, "narrow.json"), filepath.Join(folder, "wide.json")
	for file, shape := range map[string][2]string{narrow: {"32", "64"}, wide: {"8", "256"}} {
		code, _, errOut := keplersim(
			t,
			append([]string{"run", "testdata/add.ptx", "--format", "json", "-o", file, "--grid", shape[0], "--block", shape[1]},
				small...)...,
		)
		require.Equal(t, exitRan, code, errOut)
	}
	code, out, errOut := keplersim(t, "compare", narrow, wide)
	require.Equal(t, exitRan, code, errOut)
	assert.Regexp(t, `(?m)^ +narrow +wide$`, out)
	assert.Regexp(t, `(?m)^  grid +32 +8$`, out)
	assert.Regexp(t, `(?m)^  block +64 +256$`, out)
	assert.Regexp(t, `(?m)^  theoretical occupancy +% +50\.0 +100\.0 +\+50\.0 points$`, out)
	assert.Regexp(t, `(?m)^  wide (is|takes) .* narrow$`, out)
	// Eight blocks of 256 threads leave SMXs idle, so it is known which one is slower.
	times := regexp.MustCompile(`(?m)^  time +\S+ +(\S+) +(\S+)`).FindStringSubmatch(out)
	require.NotNil(t, times, out)
	first, second := narrow, wide
	if before, _ := strconv.ParseFloat(times[1], 64); times[2] < times[1] || before == 0 {
		first, second = wide, narrow
	}
	code, _, errOut = keplersim(t, "compare", "--max-slowdown", "0", first, second)
	assert.Equal(t, exitFailed, code, errOut)
	assert.Regexp(t, `slower than --max-slowdown 0 allows: add takes \S+ % longer in`, errOut)
	for _, args := range [][]string{{"0", second, first}, {"1000", first, second}, {"0", first, first}} {
		code, _, errOut = keplersim(t, append([]string{"compare", "--max-slowdown"}, args...)...)
		assert.Equal(t, exitRan, code, errOut)
	}
	code, out, errOut = keplersim(t, "compare", "--metrics", "warps_launched", "--format", "csv", narrow, wide)
	require.Equal(t, exitRan, code, errOut)
	assert.Contains(t, out, "add,warps_launched,count,64,64\n")
	assert.NotContains(t, out, "inst_executed")

	for _, test := range []struct{ args, part string }{
		{"compare " + narrow, "at least two reports; keplersim compare --help shows examples"},
		{"compare testdata/add-right.yaml testdata/add-wrong.yaml",
			"add-right.yaml is not a report of a run: keplersim run --format json -o REPORT.json FILE writes one"},
		{"compare " + narrow + " no-such.json", "no-such.json: there is no such file"},
		{"compare --format xml a.json b.json", "one of text, csv, json"},
		{"compare --metrics ipcc a.json b.json", "there is no metric"},
		{"compare " + narrow + " " + wide + " -o " + wide, "would overwrite the input"},
	} {
		code, _, errOut := keplersim(t, strings.Fields(test.args)...)
		assert.Equal(t, exitBadInput, code, test.args)
		assert.Contains(t, errOut, test.part)
	}
}

// A failed run is marked, and the comparison fails with it. Reports and comparisons show the overrides of --set.
func TestCompareMarksFailedRuns(t *testing.T) {
	folder := t.TempDir()
	good, changed, wrong := filepath.Join(folder, "good.json"), filepath.Join(folder, "changed.json"), filepath.Join(folder, "wrong.json")
	code, _, errOut := keplersim(t, "run", "testdata/add-right.yaml", "--format", "json", "-o", good)
	require.Equal(t, exitRan, code, errOut)
	code, _, errOut = keplersim(t, "run", "testdata/add-right.yaml", "--format", "json", "-o", changed, "--set", "smx.count=3")
	require.Equal(t, exitRan, code, errOut)
	code, _, _ = keplersim(t, "run", "testdata/add-wrong.yaml", "--format", "json", "-o", wrong)
	require.Equal(t, exitFailed, code)

	code, out, errOut := keplersim(t, "compare", good, changed)
	require.Equal(t, exitRan, code, errOut)
	assert.Regexp(t, `(?m)^  overrides +- +smx.count=3$`, out)
	assert.NotContains(t, out, "other work")
	assert.NotContains(t, out, "other contents")

	code, out, errOut = keplersim(t, "compare", good, wrong)
	assert.Equal(t, exitFailed, code)
	assert.Regexp(t, `(?m)^FAILED: wrong: .* is not as expected`, out)
	assert.NotRegexp(t, `as (fast|long) as`, out)
	assert.Contains(t, errOut, "its figures say nothing")
	code, _, errOut = keplersim(t, "compare", good, wrong, "--format", "csv", "-o", filepath.Join(folder, "c.csv"))
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, errOut, "is not as expected")
}

func TestOverridesStandInReports(t *testing.T) {
	for _, test := range []struct{ args, part string }{
		{"run testdata/add-right.yaml --set smx.count=3", "on gk110 with smx.count=3\n"},
		{"run testdata/add-right.yaml --set smx.count=3 --format json", `"overrides": [`},
		{"run testdata/add-right.yaml --set smx.count=3 --format csv", ",gk110,smx.count=3,"},
		{"occupancy --set smx.blocks=32", "Occupancy, with smx.blocks=32\n"},
		{"occupancy --set smx.blocks=32 --format json", `"overrides": [`},
		{"occupancy --set smx.blocks=32 --format csv", ",smx.blocks=32\n"},
	} {
		code, out, errOut := keplersim(t, strings.Fields(test.args)...)
		require.Equal(t, exitRan, code, errOut)
		assert.Contains(t, out, test.part, test.args)
	}
}

// A roofline is drawn for one run and for several, but not for runs without timing.
func TestRooflineIsDrawn(t *testing.T) {
	folder := t.TempDir()
	a, b := filepath.Join(folder, "a.json"), filepath.Join(folder, "b.json")
	picture := filepath.Join(folder, "a.svg")
	code, _, errOut := keplersim(t, "run", "testdata/add-right.yaml", "--format", "json", "-o", a)
	require.Equal(t, exitRan, code, errOut)
	code, _, errOut = keplersim(t, "plot", "roofline", a, "-o", picture)
	require.Equal(t, exitRan, code, errOut)
	svg, err := os.ReadFile(picture)
	require.NoError(t, err)
	assert.Contains(t, string(svg), "on gk110<")
	assert.Contains(t, string(svg), "by bytes of L2")
	code, _, errOut = keplersim(t, "run", "testdata/add-right.yaml", "--format", "json", "-o", b, "--config", "k40")
	require.Equal(t, exitRan, code, errOut)
	both := filepath.Join(folder, "both.svg")
	change := filepath.Join(folder, "change.svg")
	code, out, errOut := keplersim(t, "compare", a, b, "--plot", change)
	require.Equal(t, exitRan, code, errOut)
	code, _, errOut = keplersim(t, "plot", "roofline", a, b, "-o", both)
	require.Equal(t, exitRan, code, errOut)
	assert.Regexp(t, `(?m)^  flop/byte of L2 `, out)
	svg, err = os.ReadFile(both)
	require.NoError(t, err)
	assert.Contains(t, string(svg), "ceilings of k40")
	svg, err = os.ReadFile(change)
	require.NoError(t, err)
	assert.Regexp(t, `>[-+]\d+\.\d %<`, string(svg), "the change of the kernel's time")

	for _, test := range []struct{ args, part string }{
		{"plot roofline " + a + " -o x.gif", "plot x.gif: the file's name must end in one of .svg"},
		{"compare " + a + " " + b + " --plot no/such/x.svg", "there is no folder no/such"},
	} {
		code, _, errOut := keplersim(t, strings.Fields(test.args)...)
		assert.Equal(t, exitBadInput, code, test.args)
		assert.Contains(t, errOut, test.part)
	}
}

// Each kernel has its own sheet; its counts are the warps of the run.
func TestInspectDrawsASheetAKernelWithTheRunsCounts(t *testing.T) {
	folder := t.TempDir()
	run := filepath.Join(folder, "run.json")
	file := filepath.Join(folder, "k.ptx")
	require.NoError(t, os.WriteFile(file, []byte(shapes), 0o644))
	code, _, errOut := keplersim(t, "run", file, "--kernel", "size", "--grid", "3", "--block", "64", "--format", "json", "-o", run)
	require.Equal(t, exitRan, code, errOut)
	code, out, errOut := keplersim(t, "inspect", file, "--run", run, "--sheets", folder)
	require.Equal(t, exitRan, code, errOut)
	assert.Len(t, strings.Fields(out), 3)
	sheet := func(kernel string) string {
		dot, err := os.ReadFile(filepath.Join(folder, kernel+".dot"))
		require.NoError(t, err)
		return string(dot)
	}
	assert.Contains(t, sheet("size"), "executed by 6 warps", "3 blocks of two warps")
	assert.NotContains(t, sheet("size"), "kernel twice")
	assert.NotContains(t, sheet("twice"), "executed by", "it did not run")
	code, out, _ = keplersim(t, "inspect", file, "--run", run, "--format", "json")
	require.Equal(t, exitRan, code)
	assert.Contains(t, out, `"executed_by_warps": 6`)

	code, _, errOut = keplersim(t, "inspect", "testdata/add.ptx", "--run", run)
	assert.Equal(t, exitBadInput, code)
	assert.Contains(t, errOut, "the run launched no kernel of this program")
	code, _, errOut = keplersim(t, "inspect", file, "--run", file)
	assert.Equal(t, exitBadInput, code)
	assert.Contains(t, errOut, "is not a report of a run")
}

// shapes has a kernel that counts its threads, one that writes its block's size, and one that reads the first one's results.
const shapes = `.version 4.2
.target sm_35
.address_size 64
.visible .entry threads(.param .u64 out) {
  .reg .u64 %o; .reg .u32 %r;
  ld.param.u64 %o, [out];
  red.global.add.u32 [%o], 1;
  ret;
}
.visible .entry size(.param .u64 out) {
  .reg .u64 %o; .reg .u32 %r;
  ld.param.u64 %o, [out];
  mov.u32 %r, %ntid.x;
  st.global.u32 [%o], %r;
  ret;
}
.visible .entry twice(.param .u64 in, .param .u64 out) {
  .reg .u64 %i, %o; .reg .u32 %r;
  ld.param.u64 %i, [in];
  ld.param.u64 %o, [out];
  ld.global.u32 %r, [%i];
  add.u32 %r, %r, %r;
  st.global.u32 [%o], %r;
  ret;
}
`
