package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
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

// --metrics reports what nvprof --metrics would, for names, older names and patterns.
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
		{"l2_subp0_write_sector_misses", "it counts one slice of each L2 partition"}, {"prof_trigger_08", "prof_trigger_07"},
		{"tex3_cache_sector_queries", "one texture unit"}, {"rocache_subp1_gld_warp_count_64b", "one slice of the read-only cache"},
		{"nothing*", "there is no metric"},
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

// Events of single instructions: loads by width, triggers by bit, compare-and-swaps. There are two blocks of two warps. Five lanes of each
// block store 64 bits, and a warp without such a lane still executes the instruction.
func TestEventsOfSingleInstructions(t *testing.T) {
	file := filepath.Join(t.TempDir(), "k.ptx")
	require.NoError(t, os.WriteFile(file, []byte(`.version 4.2
.target sm_35
.address_size 64
.visible .entry k(.param .u64 p, .param .u64 q) {
	.reg .u32 %r<9>; .reg .u64 %a<9>; .reg .pred %p;
	ld.param.u64 %a1, [p]; ld.param.u64 %a2, [q];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %a3, %r1, 16;
	add.u64 %a4, %a1, %a3;
	add.u64 %a5, %a2, %a3;
	ld.global.v4.u32 {%r2,%r3,%r4,%r5}, [%a4];
	ld.global.nc.u32 %r6, [%a4];
	ld.global.u8 %r7, [%a4];
	pmevent 3;
	pmevent.mask 5;
	add.u32 %r6, %r6, %r7;
	setp.lt.u32 %p, %r1, 5;
	@%p st.global.v2.u32 [%a5], {%r2,%r6};
	@%p atom.global.cas.b32 %r8, [%a5], 0, 1;
	st.global.u32 [%a5], %r8;
	ret;
}`), 0o644))
	for _, detail := range []string{"all", "none"} {
		code, out, errOut := keplersim(t, "run", file, "--grid", "2", "--block", "64", "--arg", "u32[1024]", "--arg", "u32[1024]",
			"--detail", detail, "--metrics", "gld_inst*,gst_inst*,rocache_gld*,prof_trigger*,atom_cas_count", "--format", "json")
		require.Equal(t, exitRan, code, errOut)
		var r struct {
			Kernels []struct{ Metrics map[string]float64 }
		}
		require.NoError(t, json.Unmarshal([]byte(out), &r))
		counted := map[string]float64{}
		for name, n := range r.Kernels[0].Metrics {
			if n != 0 {
				counted[name] = n
			}
		}
		assert.Equal(t, map[string]float64{"gld_inst_8bit": 128, "gld_inst_128bit": 128, "rocache_gld_inst_32bit": 128,
			"gst_inst_32bit": 128, "gst_inst_64bit": 10, "atom_cas_count": 4, "prof_trigger_00": 4, "prof_trigger_02": 4,
			"prof_trigger_03": 4}, counted, detail)
	}
}
