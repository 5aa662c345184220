package occupancy

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/internal/cputime"
	smx "github.com/keplersim/keplersim/sim/smx/occupancy"
	"github.com/keplersim/keplersim/testkit/executions"
	"github.com/keplersim/keplersim/testkit/mutate"
)

func chip(t testing.TB, name string) smx.Limits {
	t.Helper()
	if name == "fermi" {
		return smx.Fermi()
	}
	c, err := configs.Load(name, nil)
	require.NoError(t, err)
	return smx.FromConfig(c)
}

// newStudy returns a study of blocks of 256 threads with 63 registers, on a comma-separated list of chips.
func newStudy(t testing.TB, chips string, axes ...Axis) *Study {
	t.Helper()
	var limits []smx.Limits
	for _, name := range strings.Split(chips, ",") {
		limits = append(limits, chip(t, name))
	}
	s, err := New("", limits, func(smx.Limits) smx.Launch { return smx.Launch{Threads: 256, Registers: 63} }, axes)
	require.NoError(t, err)
	return s
}

func TestParseAxis(t *testing.T) {
	for text, want := range map[string]Axis{
		"block=32..128:32":       {"block", []int{32, 64, 96, 128}},
		"block=32..128":          {"block", []int{32, 64, 96, 128}},
		"block=256,64,128,64":    {"block", []int{64, 128, 256}},
		"registers=16..19":       {"registers", []int{16, 17, 18, 19}},
		"shared=0..4K:1K":        {"shared", []int{0, 1024, 2048, 3072, 4096}},
		"shared=1K..3K":          {"shared", []int{1024, 2048, 3072}},
		"registers=10..15:3":     {"registers", []int{10, 13}},
		"shared=48K":             {"shared", []int{49152}},
		"registers= 16 .. 18 :2": {"registers", []int{16, 18}},
	} {
		got, err := ParseAxis(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, got, text)
	}
	for text, want := range map[string]string{
		"block":                    "write AXIS=FROM..TO:STEP",
		"threads=1":                `there is no axis "threads": choose one of block, registers, shared`,
		"block=":                   `"" is not a number`,
		"block=1..x":               `"x" is not a number`,
		"block=9..1":               "the range ends before it begins",
		"block=1..9:0":             "the step must be 1 or more",
		"block=1..9:1.5":           `"1.5" is not a number`,
		"registers=0..99999999999": "too many points",
		"shared=99999999999999K":   "is not a number",
	} {
		_, err := ParseAxis(text)
		assert.ErrorContains(t, err, want, text)
	}
}

func FuzzParseAxis(f *testing.F) {
	for _, seed := range []string{"block=32..1024:32", "shared=0..48K:1K", "registers=16,32", "=..:", "shared=-1..K"} {
		f.Add(seed)
		for n := range uint64(20) {
			f.Add(mutate.Text(n, seed))
		}
	}
	executions.Fuzz(f, func(t *testing.T, text string) {
		a, err := ParseAxis(text)
		if err == nil && len(a.Values) == 0 {
			t.Fatal("an axis without values")
		}
	})
}

func TestStudyRefusesWhatNoChipHas(t *testing.T) {
	limits := []smx.Limits{chip(t, "gk110"), chip(t, "gk104")}
	launch := func(smx.Limits) smx.Launch { return smx.Launch{Threads: 256, Registers: 63} }
	for _, test := range []struct {
		axes []Axis
		want string
	}{
		{[]Axis{{"block", []int{1024, 1025}}}, "a block of 1025 threads: gk110 has blocks of 1024 threads at most"},
		{[]Axis{{"registers", []int{63, 64}}}, "64 registers a thread: gk104 has 63 at most"},
		{[]Axis{{"shared", []int{50000}}}, "50000 bytes of shared memory a block: gk110 has 49152 at most"},
		{[]Axis{{"shared", []int{1}}, {"shared", []int{1}}}, "two sweeps over shared"},
		{make([]Axis, 3), "two axes at most"},
	} {
		_, err := New("", limits, launch, test.axes)
		assert.ErrorContains(t, err, test.want)
	}
	_, err := New("", nil, launch, nil)
	assert.ErrorContains(t, err, "no chip")
}

// The test takes the best processor time of three runs, because other tests run at the same time.
func TestTenThousandPointsTakeLessThanASecond(t *testing.T) {
	best := time.Hour
	for range 3 {
		start := cputime.Used()
		s := newStudy(t, "gk110", steps("registers", 1, 200, 1), steps("shared", 0, 49<<10-1024, 1000))
		require.GreaterOrEqual(t, len(s.Points), 9800)
		var out bytes.Buffer
		require.NoError(t, s.WriteJSON(&out))
		require.NoError(t, s.WriteCSV(&out))
		best = min(best, cputime.Used()-start)
	}
	assert.Less(t, best, time.Second)
}

func TestJSONHasThePromisedFields(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, newStudy(t, "gk104,gk210").WriteJSON(&out))
	var got struct {
		Points []map[string]any `json:"points"`
		Advice []struct {
			Config, Change string
			Point          map[string]any
		} `json:"advice"`
	}
	require.NoError(t, json.Unmarshal(out.Bytes(), &got))
	require.Len(t, got.Points, 2)
	p := got.Points[0]
	assert.Equal(t, "gk104", p["config"])
	assert.EqualValues(t, 4, p["active_blocks"])
	assert.EqualValues(t, 32, p["active_warps"])
	assert.EqualValues(t, 0.5, p["occupancy"])
	assert.Equal(t, map[string]any{"warps": 8., "registers": 4., "shared": nil, "blocks": 16.}, p["limits"])
	assert.Equal(t, []any{"registers"}, p["limiters"])
	assert.EqualValues(t, 16384, p["allocated_registers"])
	assert.EqualValues(t, 0, p["allocated_shared"])
	assert.Equal(t, "registers", got.Advice[0].Change)
	assert.EqualValues(t, 48, got.Advice[0].Point["registers"])
}

func TestCSVHasALineForEachPoint(t *testing.T) {
	s := newStudy(t, "gk110", steps("block", 32, 1024, 32), steps("registers", 16, 63, 1))
	var out bytes.Buffer
	require.NoError(t, s.WriteCSV(&out))
	rows, err := csv.NewReader(&out).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, 1+32*48)
	column := map[string]int{}
	for i, name := range rows[0] {
		column[name] = i
	}
	for i, row := range rows[1:] {
		p := s.Points[i]
		assert.Equal(t, strconv.Itoa(p.Result.Warps), row[column["active_warps"]])
		assert.Equal(t, strings.Join(p.Result.Limiters.Names(), "+"), row[column["limiters"]])
	}
}

func TestTextSaysWhatStopsTheNextBlock(t *testing.T) {
	var out bytes.Buffer
	s := newStudy(t, "fermi,gk110,gk210")
	require.NoError(t, s.WriteText(&out, func(string, smx.Launch, smx.Launch) string { return "no spills" }))
	for _, want := range []string{
		"16 of 48", "32 of 64", "64 of 64",
		"Stopped by registers: a block takes 16,384 of 65,536 (2048 a warp, in units of 256); each of 4 partitions holds 8 warps.",
		"--maxrregcount 48: 5 blocks, 40 warps, 62.5 %; no spills",
		"Stopped by warp slots: a block takes 8 of 64.",
		"by rounding: 1,024 registers",
	} {
		assert.Contains(t, out.String(), want)
	}
}

func TestMatrixOfTwoAxes(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, newStudy(t, "gk110", Axis{"block", []int{64, 256}}, Axis{"registers", []int{32, 63}}).WriteText(&out, nil))
	assert.Regexp(t, `(?m)^ *32 +63 *$`, out.String())
	assert.Regexp(t, `(?m)^ *64 +32b +32rb *$`, out.String())
	assert.Regexp(t, `(?m)^ *256 +64wr +32r *$`, out.String())
}

func TestPictureDrawsEachBlock(t *testing.T) {
	l := chip(t, "gk110")
	launch := smx.Launch{Threads: 256, Registers: 63, Shared: 4096}
	var out bytes.Buffer
	require.NoError(t, WritePicture(&out, Point{Limits: l, Launch: launch, Result: l.Calculate(launch)}, 48))
	assert.Equal(t, `One SMX of gk110 with 4 blocks of 256 threads
  warp slots    [000000111111222222333333························] 32 of 64
* registers     [000000000000111111111111222222222222333333333333] 65,536 of 65,536
  shared memory [0000111122223333································] 16,384 of 49,152 bytes
  block slots   [000111222333····································] 4 of 16
  0 to f: the blocks; ·: free; *: stops the next block
`, out.String())
}

// A sweep of a million points is written within 1 GB of memory, and its JSON can be read.
func TestLargeSweeps(t *testing.T) {
	if testing.Short() {
		t.Skip("writes 200,000 points three times")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(10)) // so that garbage hardly counts
	registers, errR := ParseAxis("registers=1..63")
	shared, errS := ParseAxis("shared=0..48K:13")
	require.NoError(t, errors.Join(errR, errS))
	chips := []smx.Limits{smx.Fermi()}
	launch := func(smx.Limits) smx.Launch { return smx.Launch{Threads: 64} }
	s, err := New("", chips, launch, []Axis{registers, shared})
	require.NoError(t, err)
	require.Greater(t, len(s.Points), 200_000)
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, write := range []func(io.Writer) error{s.WriteCSV, s.WriteJSON, func(w io.Writer) error { return s.WriteText(w, nil) }} {
		require.NoError(t, write(io.Discard))
	}
	runtime.ReadMemStats(&after)
	assert.Less(t, int64(after.HeapSys)-int64(before.HeapSys), int64(100<<20), "what is written is not gathered first")
	fine, _ := ParseAxis("shared=0..48K:4")
	all, _ := ParseAxis("registers=1..255")
	_, err = New("", chips, launch, []Axis{all, fine})
	assert.ErrorContains(t, err, "the sweep has more than 1000000 points; take larger steps")
}

// Points written one by one give the same JSON as encoding/json for a whole study.
func TestJSONIsAsWrittenAtOnce(t *testing.T) {
	axis, err := ParseAxis("block=32,64")
	require.NoError(t, err)
	for _, axes := range [][]Axis{nil, {axis}} {
		s, err := New(`a "points": [ b`, []smx.Limits{smx.Fermi()}, func(smx.Limits) smx.Launch {
			return smx.Launch{Threads: 64, Registers: 20}
		}, axes)
		require.NoError(t, err)
		var got bytes.Buffer
		require.NoError(t, s.WriteJSON(&got))
		var decoded jsonStudy
		require.NoError(t, json.Unmarshal(got.Bytes(), &decoded))
		assert.Len(t, decoded.Points, len(s.Points))
		want, err := json.MarshalIndent(decoded, "", "  ")
		require.NoError(t, err)
		assert.Equal(t, string(want)+"\n", got.String())
	}
}
