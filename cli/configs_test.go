package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// keplersim runs a command line and returns its exit code and output.
func keplersim(t *testing.T, args ...string) (code int, out, errOut string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = execute(context.Background(), args, &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

func TestConfigsListsChipsAndBoards(t *testing.T) {
	code, out, _ := keplersim(t, "configs")
	assert.Equal(t, exitRan, code)
	assert.Regexp(t, `(?m)^k80 +GK210 +3.7 +13 +562 +gk210 +Tesla K80`, out)
}

func TestConfigsShowIsAConfiguration(t *testing.T) {
	code, out, _ := keplersim(t, "configs", "show", "k40", "--set", "smx.count=13")
	require.Equal(t, exitRan, code)
	path := filepath.Join(t.TempDir(), "mine.yaml")
	require.NoError(t, os.WriteFile(path, []byte(out), 0o600))
	code, again, errOut := keplersim(t, "configs", "show", path)
	require.Equal(t, exitRan, code, errOut)
	assert.Regexp(t, `(?m)^  count: 13 +# SMXs; .*mine.yaml:\d+`, again)
}

// The example board has the rates that NVIDIA announced for it (heise, 23 July 2013), but no validated error.
func TestExampleBoardHasItsRates(t *testing.T) {
	const board, workload = "../examples/boards/k6000.yaml", "../workloads/saxpy/saxpy.yaml"
	code, out, errOut := keplersim(t, "run", "--config", board, "--format", "json", workload)
	require.Equal(t, exitRan, code, errOut)
	var run struct {
		Kernels []struct {
			Config   string
			Trust    struct{ Validated bool }
			Roofline struct{ Ceilings map[string]float64 }
		}
	}
	require.NoError(t, json.Unmarshal([]byte(out), &run))
	kernel := run.Kernels[0]
	assert.Equal(t, "k6000", kernel.Config)
	assert.False(t, kernel.Trust.Validated)
	for name, announced := range map[string]float64{
		"single_flops": 5.2e12, "double_flops": 1.7e12, "dram_bytes_per_second": 288.3e9,
	} {
		assert.InEpsilon(t, announced, kernel.Roofline.Ceilings[name], 0.02, name)
	}
}

// docs/model.md says how many of a K40's values are documented, measured, encoded by compilers and chosen. The first mark of each value's
// source counts; the switches of keplersim advise do not.
func TestModelCountsItsSources(t *testing.T) {
	_, out, _ := keplersim(t, "configs", "show", "k40")
	values, _, found := strings.Cut(out, "\nideal:")
	require.True(t, found)
	mark := regexp.MustCompile(`(?:^|[ ;:,.(])([mdcx]|Guide|as)(?:[ ;:,.)]|$)`)
	counts, all := map[string]int{}, 0
	for _, m := range regexp.MustCompile(`(?m)^ +[\w-]+: .* # (.*)$`).FindAllStringSubmatch(values, -1) {
		all++
		if first := mark.FindStringSubmatch(m[1]); first != nil {
			counts[first[1]]++
		}
	}
	documented := counts["d"] + counts["Guide"]
	rest := all - documented - counts["m"] - counts["c"] - counts["x"]
	want := fmt.Sprintf("Of a K40's %d values, %d are documented by NVIDIA or JEDEC, %d measured on cards and published, %d encoded by "+
		"compilers, and %d chosen by us; %d follow from others", all, documented, counts["m"], counts["c"], counts["x"], rest)
	assert.True(t, strings.Contains(unwrapped(documents(t)["model.md"]), want), want)
}

// docs/model.md says how much the cycles of six workloads change when the most sensitive of a K40's chosen values changes by a quarter.
func TestModelSaysWhatAChosenValueMoves(t *testing.T) {
	if testing.Short() {
		t.Skip("runs six workloads three times")
	}
	most := 0.0
	for _, name := range []string{"vectoradd", "sgemm-tiled", "spmv", "nbody", "histogram", "transpose"} {
		var cycles [3]float64
		for i, queue := range []string{"64", "48", "80"} {
			_, out, errOut := keplersim(t, "run", "--config", "k40", "--set", "interconnect.queue="+queue, "--format", "json",
				"../workloads/"+name+"/"+name+".yaml")
			var run struct{ Kernels []struct{ Cycles float64 } }
			require.NoError(t, json.Unmarshal([]byte(out), &run), errOut)
			for _, k := range run.Kernels {
				cycles[i] += k.Cycles
			}
		}
		most = max(most, math.Abs(cycles[1]/cycles[0]-1), math.Abs(cycles[2]/cycles[0]-1))
	}
	want := fmt.Sprintf("`interconnect.queue`, the most sensitive, moves one by %.1f %%", 100*most)
	assert.True(t, strings.Contains(unwrapped(documents(t)["model.md"]), want), want)
}

func TestABadConfigurationExitsWithTwo(t *testing.T) {
	for want, args := range map[string][]string{
		"smx.cuont: unknown key; did you mean smx.count?": {"configs", "show", "gk110", "--set", "smx.cuont=3"},
		"did you mean gk110?":                             {"configs", "show", "gk111"},
		"takes one configuration":                         {"configs", "show"},
		"unknown flag":                                    {"configs", "--sset", "x=1"},
		"unknown command":                                 {"confgs"},
	} {
		code, out, errOut := keplersim(t, args...)
		assert.Equal(t, exitBadInput, code, args)
		assert.Empty(t, out)
		assert.Contains(t, errOut, want)
	}
}

// unwrapped joins the lines of a wrapped text.
func unwrapped(text string) string { return strings.Join(strings.Fields(text), " ") }
