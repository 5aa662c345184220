package cli

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Checks find unordered accesses, say where both are and what would order them, and accept ordered ones.
func TestCheckFindsRaces(t *testing.T) {
	run := func(args string) (int, string, string) {
		return keplersim(t, strings.Fields("run --check testdata/races.ptx --kernel "+args)...)
	}
	// Warp 0 runs to its end before warp 1 begins. So it reads before warp 1 writes.
	code, out, errOut := run("reverse --grid 1 --block 64 --arg u32[64]:ramp --arg 0")
	assert.Equal(t, exitFailed, code)
	// The race comes before its consequence.
	race := "reverse: race between warps of a block: 4 bytes at shared 0x80\n  thread (32,0,0) of block (0,0,0) writes at " +
		"testdata/races.ptx:22\n" +
		"  thread (31,0,0) of block (0,0,0) has read at testdata/races.ptx:29\n  no barrier orders the accesses"
	unset := "reverse: read of unwritten memory: 4 bytes at shared 0xfc\n" +
		"  thread (0,0,0) of block (0,0,0) reads at testdata/races.ptx:29\n  32 times in all"
	assert.Contains(t, out, race)
	assert.Contains(t, out, unset)
	assert.Less(t, strings.Index(out, race), strings.Index(out, unset))
	assert.Contains(t, errOut, "keplersim: the checks found 3 mistakes (see above)")
	profile := filepath.Join(t.TempDir(), "cpu.pb.gz")
	run("reverse --grid 1 --block 64 --arg u32[64]:ramp --arg 0 --cpuprofile " + profile)
	assert.FileExists(t, profile, "of a run with findings, too")

	code, out, errOut = run("reverse --grid 1 --block 64 --arg u32[64]:ramp --arg 1")
	assert.Equal(t, exitRan, code, errOut)
	assert.NotContains(t, out, "race between")
	assert.Contains(t, out, "--check found nothing in 1 launch. It looked for\n  - accesses outside every allocation")
	report, _, _ := strings.Cut(out, "\nsimulated in ") // the host's time may end in 0 µs
	assert.NotContains(t, report, "0 µs", "no tables of zeros")
	code, out, _ = run("apart --grid 1 --block 64 --arg u32[1]")
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, out, "apart: barrier in diverged code\n"+
		"  thread (0,0,0) of block (0,0,0) arrives at a barrier at testdata/races.ptx:73\n  16 of the warp's 32 threads reach it\n")
	assert.Contains(t, out, "2 times in all")
	code, _, errOut = run("flags --grid 2 --block 96 --arg u32[1]")
	assert.Equal(t, exitRan, code, errOut)

	// Blocks run one after another here, so the second reads the value that the first wrote.
	code, out, _ = run("smear --grid 2 --block 32 --arg a=u32[65]:fill(1)")
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, out, "smear: race between blocks of a launch: 4 bytes at a+128 (global 0x100000080)\n"+
		"  thread (0,0,0) of block (1,0,0) reads at testdata/races.ptx:44\n  thread (31,0,0) of block (0,0,0) has written at "+
		"testdata/races.ptx:47\n")
	code, _, errOut = run("smear --grid 1 --block 32 --arg a=u32[65]:fill(1)")
	assert.Equal(t, exitRan, code, errOut)

	code, out, errOut = run("smear --grid 2 --block 32 --arg a=u32[65]:fill(1) --format json")
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, errOut, "thread (0,0,0) of block (1,0,0) reads")
	var got struct {
		Passed  bool
		Hazards []struct {
			Rule, Check, Severity, Space string
			Count                        int
			Places                       []struct{ Line int }
		}
	}
	require.NoError(t, json.Unmarshal([]byte(out), &got))
	assert.False(t, got.Passed)
	require.NotEmpty(t, got.Hazards)
	assert.Equal(t, "race-grid", got.Hazards[0].Rule)
	assert.Equal(t, "races", got.Hazards[0].Check)
	assert.Equal(t, "error", got.Hazards[0].Severity)
	assert.Equal(t, "global", got.Hazards[0].Space)
	assert.Equal(t, 1, got.Hazards[0].Count)
	assert.Equal(t, 44, got.Hazards[0].Places[0].Line)
	assert.Equal(t, 47, got.Hazards[0].Places[1].Line)
}

// Reading constants past their variable is a finding, although on hardware other variables or the rest of a bank follow there.
func TestCheckFindsConstantsReadPastTheirVariable(t *testing.T) {
	text := ".version 4.2\n.target sm_35\n.address_size 64\n.const .align 4 .b8 taps[64];\n.visible .entry k(.param .u64 out) {\n" +
		"\t.reg .u64 %o, %t, %a;\n\t.reg .u32 %v, %i;\n\tld.param.u64 %o, [out];\n\tmov.u32 %i, %tid.x;\n\tmov.u64 %t, taps;\n" +
		"\tmad.wide.u32 %a, %i, 4, %t;\n\tld.const.u32 %v, [%a];\n\tst.global.u32 [%o], %v;\n\tret;\n}\n"
	for _, more := range []string{"", ".const .align 4 .b8 more[64];\n", ".const .align 16 .b8 more[65000];\n"} {
		file := put(t, filepath.Join(t.TempDir(), "k.ptx"), strings.Replace(text, ".visible", more+".visible", 1))
		code, out, _ := keplersim(t, "run", "--check", "--grid", "1", "--block", "16", file)
		assert.Equal(t, exitRan, code)
		assert.NotContains(t, out, "const 0x")
		code, out, _ = keplersim(t, "run", "--check", "--grid", "1", "--block", "17", file)
		assert.Equal(t, exitFailed, code)
		assert.Contains(t, out, "k: access outside every allocation: 4 bytes at const 0x40\n  thread (16,0,0) of block (0,0,0) reads at\n")
	}
}

// Programs with correct barriers pass the checks, with shared memory, shuffles, atomics and several launches. Only the blocks of the
// breadth-first search write vertices that others read, on purpose.
func TestChecksPassWhatIsInOrder(t *testing.T) {
	for _, name := range []string{"scan", "reduction-shared", "bitonic", "histogram", "transpose", "needleman-wunsch", "compaction"} {
		code, _, errOut := keplersim(t, "run", "--check", "../workloads/"+name+"/"+name+".yaml")
		assert.Equal(t, exitRan, code, "%s: %s", name, errOut)
	}
	_, out, _ := keplersim(t, "run", "--check", "../workloads/scan/scan.yaml")
	assert.Contains(t, out, "--check found nothing in 3 launches of 2 kernels. It looked for\n")
	var got struct {
		Passed    bool
		LookedFor []string `json:"looked_for"`
	}
	_, out, _ = keplersim(t, "run", "--check", "--format", "json", "../workloads/scan/scan.yaml")
	require.NoError(t, json.Unmarshal([]byte(out), &got))
	assert.True(t, got.Passed)
	assert.Contains(t, got.LookedFor, "reads of registers, local, shared and global memory that were never written")
	code, out, errOut := keplersim(t, "run", "--check", "../workloads/bfs/bfs.yaml")
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, out, "bfs_level: race between blocks of a launch")
	assert.Contains(t, out, "level+")
	mistakes := strings.Count(out, "\nbfs_level: ") - strings.Count(out, "\nbfs_level: warning: ")
	assert.Positive(t, mistakes)
	assert.Contains(t, errOut, fmt.Sprintf("the checks found %d mistakes", mistakes), "each place once, however many launches come by it")
}
