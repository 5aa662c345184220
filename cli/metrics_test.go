package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/sim/stats"
)

func TestMetricsPrintsTheGlossary(t *testing.T) {
	code, out, errOut := keplersim(t, "metrics")
	require.Equal(t, exitRan, code, errOut)
	for _, d := range stats.Metrics() {
		assert.Contains(t, out, d.Name)
	}
	code, out, _ = keplersim(t, "metrics", "gld_efficiency", "stall_sync", "--format", "json")
	assert.Equal(t, exitRan, code)
	var entries []struct{ Name, Unit, Meaning string }
	require.NoError(t, json.Unmarshal([]byte(out), &entries))
	require.Len(t, entries, 2)
	assert.Equal(t, "%", entries[0].Unit)
}

// --metrics reports what nvprof --metrics would: names, older names and patterns.
func TestRunReportsChosenMetrics(t *testing.T) {
	code, out, errOut := keplersim(
		t,
		append([]string{"run", "testdata/add-right.yaml", "--metrics", "gst_*,flops_sp,l2_tex_read_throughput,sysmem_utilization",
			"--metrics", "achieved_occupancy"}, small...)...,
	)
	require.Equal(t, exitRan, code, errOut)
	assert.Contains(t, out, "add on gk110 with smx.count=2, 1 launch\n")
	assert.Regexp(t, `(?m)^  flop_count_sp +count +64$`, out)
	assert.Regexp(t, `(?m)^  l2_texture_read_throughput +GB/s +0\.000$`, out)
	assert.Regexp(t, `(?m)^  sysmem_utilization +0 to 10 +Idle \(0\)$`, out)
	assert.Regexp(t, `(?m)^  gst_efficiency +% +100\.000$`, out)
	assert.Regexp(t, `(?m)^  achieved_occupancy +ratio +0\.\d+$`, out)
	assert.NotContains(t, out, "gld_")
	assert.NotContains(t, out, "Why warps did not issue")
	assert.Contains(t, out, "as expected: z")
	_, out, _ = keplersim(
		t, append([]string{"run", "testdata/add-right.yaml", "--metrics", "ipc,gld_request", "--format", "csv"}, small...)...,
	)
	header, _, _ := strings.Cut(out, "\n")
	assert.True(t, strings.HasSuffix(header, ",time_us,ipc,gld_request"), header)
	_, out, _ = keplersim(t, append([]string{"run", "testdata/add-right.yaml", "--metrics", "all", "--functional"}, small...)...)
	assert.Equal(t, len(stats.Metrics()), strings.Count(out, "\n  ")-1, "a line each below the names of the columns")
	assert.Regexp(t, `(?m)^  ipc +ratio +-$`, out)
	for _, test := range [][2]string{
		{"gld_eficiency", "gld_efficiency"}, {"special_fu_utilization", "alu_fu_utilization is that of the busiest"},
		{"l2_subp0_write_sector_misses", "see l2_read_transactions"}, {"nothing*", "there is no metric"},
	} {
		code, _, errOut := keplersim(t, "run", "testdata/add-right.yaml", "--metrics", test[0])
		assert.Equal(t, exitBadInput, code)
		assert.Contains(t, errOut, "--metrics: there is no metric")
		assert.Contains(t, errOut, test[1])
	}
	code, _, errOut = keplersim(t, "run", "testdata/add-right.yaml", "--metrics", "ipc", "--format", "source")
	assert.Equal(t, exitBadInput, code)
	assert.Contains(t, errOut, "a table of source lines has none")
}

func TestUnknownMetricNamesSimilarOnes(t *testing.T) {
	code, _, errOut := keplersim(t, "metrics", "gld_eficiency")
	assert.Equal(t, exitBadInput, code)
	assert.Contains(t, errOut, "gld_efficiency")
	code, _, errOut = keplersim(t, "metrics", "--format", "csv")
	assert.Equal(t, exitBadInput, code)
	assert.Contains(t, errOut, "one of text, json")
}
