package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Checks find what nothing orders, say where both accesses are and what would order them, and pass what is in order.
func TestCheckFindsRaces(t *testing.T) {
	run := func(args string) (int, string, string) {
		return keplersim(t, strings.Fields("run --check testdata/races.ptx --kernel "+args)...)
	}
	// Warp 0 runs to its end before warp 1 begins: it reads what warp 1 has not written yet, which warp 1 then writes.
	code, out, errOut := run("reverse --grid 1 --block 64 --arg u32[64]:ramp --arg 0")
	assert.Equal(t, exitFailed, code)
	// The race comes before what comes of it.
	race := "reverse: race: warp 1 of block (0,0,0) writes what warp 0 has read, byte 128 of shared memory; no barrier between them: " +
		"__syncthreads() is missing\n" +
		"    read at testdata/races.ptx:29\n    writes at testdata/races.ptx:22\n    "
	unset := "reverse: warp 0 of block (0,0,0) reads byte 252 of shared memory before it is written: what comes of the race with the " +
		"write, told above\n" +
		"    reads at testdata/races.ptx:29\n    written later at testdata/races.ptx:22\n    128 bytes in all"
	assert.Contains(t, out, race)
	assert.Contains(t, out, unset)
	assert.Less(t, strings.Index(out, race), strings.Index(out, unset))
	assert.Contains(t, errOut, "keplersim: the checks found mistakes at 3 places")

	code, out, errOut = run("reverse --grid 1 --block 64 --arg u32[64]:ramp --arg 1")
	assert.Equal(t, exitRan, code, errOut)
	assert.NotContains(t, out, "race:")
	assert.Contains(t, out, "--check found nothing in 1 launch. It looked for\n  - barriers to which a part")
	assert.NotContains(t, out, "0 µs", "no tables of zeros")
	code, out, _ = run("apart --grid 1 --block 64 --arg u32[1]")
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, out, "apart: warp 0 of block (0,0,0) arrives at a barrier with 16 of its 32 lanes: a barrier stands where all "+
		"threads of the block come or none\n    barrier at testdata/races.ptx:")
	assert.Contains(t, out, "2 times in all")
	code, _, errOut = run("flags --grid 2 --block 96 --arg u32[1]")
	assert.Equal(t, exitRan, code, errOut)

	// Blocks follow each other here, so the second reads what the first wrote.
	code, out, _ = run("smear --grid 2 --block 32 --arg a=u32[65]:fill(1)")
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, out, "smear: race: warp 0 of block (1,0,0) reads what block (0,0,0) has written, a+128 (0x1000")
	assert.Contains(t, out, "nothing orders blocks of one launch")
	code, _, errOut = run("smear --grid 1 --block 32 --arg a=u32[65]:fill(1)")
	assert.Equal(t, exitRan, code, errOut)

	code, out, errOut = run("smear --grid 2 --block 32 --arg a=u32[65]:fill(1) --format json")
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, errOut, "race: warp 0 of block (1,0,0)")
	var got struct {
		Passed  bool
		Kernels []struct {
			Hazards []struct {
				Kind, Space, First, Second string
				Count                      int
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(out), &got))
	assert.False(t, got.Passed)
	require.NotEmpty(t, got.Kernels[0].Hazards)
	assert.Equal(t, "read after write", got.Kernels[0].Hazards[0].Kind)
	assert.Equal(t, "global", got.Kernels[0].Hazards[0].Space)
	assert.Equal(t, 1, got.Kernels[0].Hazards[0].Count)
}

// Programs whose barriers stand where they belong pass the checks, with shared memory, shuffles, atomics and several launches; the
// breadth-first search's blocks do write vertices that others read, on purpose.
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
	assert.Contains(t, got.LookedFor, "reads of shared memory that nobody has written")
	code, out, errOut := keplersim(t, "run", "--check", "../workloads/bfs/bfs.yaml")
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, out, "bfs_level: race: ")
	assert.Contains(t, out, "level+")
	told := strings.Count(out, "bfs_level: race: ")
	assert.Contains(
		t, errOut, fmt.Sprintf("the checks found mistakes at %d places", told), "each place once, however many launches come by it",
	)
}
