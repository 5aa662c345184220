package floors

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// edit changes one file: it adds lines after the line with an anchor, or makes a new file if there is no anchor.
type edit struct{ file, anchor, text string }

// additions has one addition for each kind in the table of docs/architecture.md.
var additions = []struct {
	row   string
	edits []edit
}{
	{"a warp scheduling policy", []edit{{"sim/scheduler/added.go", "", `package scheduler

import "math/bits"

// Always the ready slot of the highest number.

func init() { Register("highest", "the ready slot of the highest number", func(Spec) Policy { return highest{} }) }

type highest struct{}

func (highest) Pick(ready uint64, _ *[Slots]uint64) int { return bits.Len64(ready) - 1 }
`}}},
	{"a replacement policy", []edit{{"sim/cache/added.go", "", `package cache

// first evicts the first way.
type first struct{}

func init() { RegisterReplacement("first", "evicts the first way", func(ReplacementSpec) Replacement { return first{} }) }

func (first) Used(int, int, Access)   {}
func (first) Filled(int, int, Access) {}
func (first) Victim(int, Access) int  { return 0 }
`}}},
	{"a prefetcher", []edit{{"sim/cache/added_prefetcher.go", "", `package cache

// before fetches the line before one that misses.
type before struct{ line uint64 }

func init() {
	RegisterPrefetcher("before", "the line before", func(s PrefetchSpec) Prefetcher { return before{uint64(s.LineBytes)} })
}

func (before) Hit(_ Access, ahead []uint64) []uint64    { return ahead }
func (b before) Miss(a Access, ahead []uint64) []uint64 { return append(ahead, a.Line-b.line) }
func (before) Filled(uint64)                            {}
`}}},
	{"DRAM scheduling, a row policy", []edit{{"sim/dram/added.go", "", `package dram

import (
	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim/engine"
)

// newest serves the newest request.
type newest struct{}

func init() {
	RegisterScheduler("newest", "the newest request", func(*configs.DRAM) Scheduler { return newest{} })
	RegisterRowPolicy("shut", "closes every row", func(*configs.DRAM) RowPolicy { return newest{} })
}

func (newest) Choose(_ *Channel, queue *Queue, _ engine.Tick) int         { return queue.Len() - 1 }
func (newest) Interleave(*Channel, *Queue, uint32, engine.Tick) int           { return -1 }
func (newest) OpenAhead(*Channel, *Queue, uint64, engine.Tick) int        { return -1 }
func (newest) Close(*Channel, uint32, uint32, *Queue) bool                { return true }
`}}},
	{"a PTX instruction", []edit{
		{"isa/opcode.go", "\tOpBrev\n", "\tOpSwapBytes\n"},
		{"isa/opcodes.go", "\tOpBrev: ", "\tOpSwapBytes: {Name: \"bswap\", Effect: EffectArithmetic, Pure: true, Operands: \"Dst d; " +
			"Src a\"},\n"},
		{"isa/decode/forms.txt", "brev ", "bswap  -  b32  d a\n"},
		{"isa/exec/table.go", "op: isa.OpBrev, t: isa.U32}", "\t{op: isa.OpSwapBytes, t: isa.U32}: scalarUnary(func(a uint32) uint32 { " +
			"return a>>24 | a>>8&0xff00 | a<<8&0xff0000 | a<<24 }),\n"},
		{"arch/kepler/expansions.txt", "brev.i32 ", "bswap.i32 PRMT d : a\n"},
	}},
	{"a metric", []edit{{"sim/stats/metrics.go", "GlobalReplays }),", "\t\t\tcounter(\"warps_added\", Own, \"Warps launched.\", func(s " +
		"*SMX) uint64 { return s.WarpsLaunched }),\n"}}},
	{"a board or chip", []edit{{"configs/added.yaml", "", "extends: gk110\nname: added\ndescription: a board of this test\nsmx:\n" +
		"  count: 3\n"}}},
	{"a report format", []edit{{"report/added.go", "", `package report

import (
	"fmt"
	"io"
)

func init() {
	RegisterFormat("brief", "one line", func(w io.Writer, r *Run) error {
		_, err := fmt.Fprintf(w, "%d launches on %s\n", len(r.Launches), r.Config)
		return err
	}, nil)
}
`}}},
}

// swapped is a kernel with the added instruction.
const swapped = `.version 4.2
.target sm_35
.address_size 64
.visible .entry swapped(.param .u64 p) {
	.reg .u32 %x, %y; .reg .u64 %p;
	ld.param.u64 %p, [p];
	ld.global.u32 %x, [%p];
	bswap.b32 %y, %x;
	st.global.u32 [%p], %y;
	ret;
}
`

// The table in docs/architecture.md is true: each addition touches only the files that its row names. All are laid over the source, and a
// kernel runs with them.
func TestAdditionsTouchWhatTheTableSays(t *testing.T) {
	if testing.Short() {
		t.Skip("builds keplersim")
	}
	table := tableOfAdditions(t)
	folder := t.TempDir()
	overlay := map[string]string{}
	for _, a := range additions {
		touch, ok := table[a.row]
		require.True(t, ok, "docs/architecture.md has no row %q", a.row)
		for i, e := range a.edits {
			assert.True(t, named(touch, e.file), "%s touches %s, which its row does not name: %s", a.row, e.file, touch)
			absolute, err := filepath.Abs(filepath.Join(root, e.file))
			require.NoError(t, err)
			text := e.text
			if e.anchor != "" {
				source, err := os.ReadFile(absolute)
				require.NoError(t, err)
				text = insert(t, string(source), e)
			}
			laid := filepath.Join(folder, fmt.Sprint(len(overlay), i, path.Ext(e.file)))
			require.NoError(t, os.WriteFile(laid, []byte(text), 0o644))
			overlay[absolute] = laid
		}
	}
	list, err := json.Marshal(map[string]any{"Replace": overlay})
	require.NoError(t, err)
	overlayFile := filepath.Join(folder, "overlay.json")
	require.NoError(t, os.WriteFile(overlayFile, list, 0o644))
	binary := filepath.Join(folder, "keplersim")
	build := exec.Command("go", "build", "-overlay", overlayFile, "-o", binary, "./cmd/keplersim")
	build.Dir = root
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)

	kernel := filepath.Join(folder, "swapped.ptx")
	require.NoError(t, os.WriteFile(kernel, []byte(swapped), 0o644))
	run := func(arguments ...string) string {
		out, err := exec.Command(binary, append([]string{"run", "--config", "added",
			"--set", "smx.scheduler=highest", "--set", "l2.policy=first", "--set", "l2.prefetcher=before", "--set",
			"dram.scheduling=newest", "--set", "dram.row_policy=shut",
			"--grid", "1", "--block", "1", "--arg", "u32[1]:fill(16909060)", kernel}, arguments...)...).CombinedOutput()
		require.NoError(t, err, "%s", out)
		return string(out)
	}
	assert.Contains(t, run("--format", "brief"), "1 launches on added")
	assert.Contains(t, run("--metrics", "warps_added"), "warps_added")
	dump := filepath.Join(folder, "p.bin")
	run("--dump", "arg0="+dump)
	bytes, err := os.ReadFile(dump)
	require.NoError(t, err)
	assert.Equal(t, []byte{1, 2, 3, 4}, bytes, "16909060 is 01020304")
}

// insert adds an edit's lines after the line with its anchor, which must occur once.
func insert(t *testing.T, source string, e edit) string {
	before, after, found := strings.Cut(source, e.anchor)
	require.True(t, found, "%s has no %q", e.file, e.anchor)
	require.NotContains(t, after, e.anchor, "%s has several %q", e.file, e.anchor)
	line, rest, _ := strings.Cut(e.anchor+after, "\n")
	return before + line + "\n" + e.text + rest
}

// tableOfAdditions returns the rows of "To add X, touch Y": the files to touch, by addition.
func tableOfAdditions(t *testing.T) map[string]string {
	text, err := os.ReadFile(filepath.Join(root, "docs", "architecture.md"))
	require.NoError(t, err)
	rows := map[string]string{}
	for _, line := range strings.Split(string(text), "\n") {
		if cells := strings.Split(line, "|"); len(cells) == 5 {
			rows[strings.TrimSpace(cells[1])] = cells[2]
		}
	}
	return rows
}

var quoted = regexp.MustCompile("`([^`]+)`")

// named reports whether a row names a file: by its path, a pattern with *, or its folder.
func named(touch, file string) bool {
	for _, q := range quoted.FindAllStringSubmatch(touch, -1) {
		if matches, err := path.Match(q[1], file); err == nil && matches || q[1] == path.Dir(file) {
			return true
		}
	}
	return false
}
