package host_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/host"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/sim/boost"
	"github.com/keplersim/keplersim/sim/cache"
)

// past makes all global loads bypass L1.
type past struct{}

func init() {
	cache.RegisterBypass("all-of-this-test", "no load uses L1", func(cache.BypassSpec) cache.Bypass { return past{} })
}

func (past) Past(cache.Access) bool    { return true }
func (past) Looked(cache.Access, bool) {}
func (past) Evicted(_, _ cache.Access) {}

// scene is a run that shows some keys' effects: a configuration and a host program.
type scene struct {
	config string // gk110 if empty
	set    string // keys set in all runs of the scene, separated by spaces
	text   string // the workload file; HERE is this folder, CODE a kernel of many operations
	power  *boost.Options
	mps    bool
}

const one = "smx.count=1 "

// kernel is the workload for one kernel of testdata/keys.
func kernel(name string, grid, block, rounds, lane, step int, more ...string) string {
	return fmt.Sprintf("module: HERE/testdata/keys/kernels.ptx\nbuffers:\n  in: {type: u32, count: 8000000}\nsteps:\n"+
		"  - launch: {kernel: %s, grid: [%d], block: [%d], args: [in, {u32: %d}, {u32: %d}, {u32: %d}]%s}\n",
		name, grid, block, rounds, lane, step, strings.Join(more, ""))
}

// chains is a workload of small, slow kernels, one launch for each entry.
func chains(head string, launches ...string) string {
	text := "module: HERE/../workloads/hyperq/chain.ptx\n" + head + "buffers: {data: {type: u32, count: 4096}}\nsteps:\n"
	for n, more := range launches {
		text += fmt.Sprintf("  - launch: {kernel: chain, grid: [1], block: [32], args: [data, {u32: %d}, {u32: 1000}], %s}\n", 32*n, more)
	}
	return text
}

var (
	warm     = 84.0
	governed = one + "boost.governor=boost1 boost.sample=1 boost.power_limit_min=10 boost.power_limit=42 "
)

// scenes are small, so that the whole table takes seconds.
var scenes = map[string]*scene{
	"operations": {set: one, text: kernel("operations", 1, 64, 2, 4, 4)},
	"busy":       {set: one, text: kernel("operations", 4, 256, 1, 4, 4)},
	"votes":      {set: one, text: kernel("votes", 4, 256, 4, 0, 0)},
	"loop":       {set: one, text: kernel("votes", 1, 32, 8, 0, 0)},
	"loads":      {set: one, text: kernel("loads", 16, 256, 2, 4, 65536)},
	"far":        {set: one, text: kernel("loads", 2, 128, 4, 260, 140000)},
	"chase":      {set: one, text: kernel("chase", 1, 32, 4, 4, 300000)},
	"spread":     {set: one, text: kernel("chase", 1, 128, 2, 150000, 64)},
	"pages":      {set: one, text: kernel("chase", 1, 32, 4, 280000, 64)},
	"own":        {set: one, text: kernel("stores", 16, 256, 8, 2048, 4)},
	"stores":     {set: one, text: kernel("stores", 8, 256, 4, 4, 65536)},
	"apart":      {set: one, text: kernel("stores", 8, 256, 2, 260, 131072)},
	"mixed":      {set: one, text: kernel("mixed", 8, 256, 4, 4, 65536)},
	"dirty": {set: one + "l2.bytes=64K l2.slices=2 dram.channels=1 dram.sector_cycles=0.1",
		text: kernel("mixed", 16, 256, 6, 4, 65536)},
	"ecc":       {set: one + "dram.ecc=true", text: kernel("mixed", 8, 256, 3, 36, 65536)},
	"warm":      {set: one, text: kernel("loads", 16, 256, 6, 4, 16384, ", repeat: 2")},
	"shared":    {set: "smx.count=8", text: kernel("loads", 8, 256, 2, 0, 65536)},
	"cached":    {config: "gk110b", set: one, text: kernel("cached", 2, 256, 6, 68, 4096)},
	"ahead":     {config: "gk110b", set: one, text: kernel("cached", 1, 32, 6, 4, 128)},
	"again":     {set: one, text: kernel("readonly", 1, 64, 6, 4, 0)},
	"readonly":  {set: one, text: kernel("readonly", 2, 256, 6, 68, 4096)},
	"locals":    {set: one, text: kernel("locals", 8, 256, 10, 0, 7)},
	"constants": {set: one, text: kernel("constants", 2, 64, 40, 0x3ffc, 1092)},
	"fixed":     {set: one, text: kernel("constants", 1, 32, 8, 0, 0)},
	"banks":     {set: one, text: kernel("banks", 4, 128, 6, 128, 0)},
	"banks4":    {set: one, text: kernel("banks", 4, 128, 12, 4, 0)},
	"banks8":    {set: one, text: kernel("banks", 4, 128, 12, 12, 0)},
	"generic":   {set: one, text: kernel("generic", 4, 128, 6, 128, 0)},
	"wide":      {set: one, text: kernel("wide", 4, 128, 6, 0, 0)},
	"sums":      {set: one, text: kernel("sums", 8, 128, 4, 0, 0)},
	"ragged":    {set: one, text: kernel("crowded", 8, 96, 1, 0, 0)},
	"crowded":   {set: one, text: kernel("crowded", 8, 256, 1, 0, 0)},
	"bounded":   {set: one, text: kernel("bounded", 1, 768, 1, 0, 0)},
	"locked":    {set: one, text: kernel("locked", 4, 64, 1, 0, 0)},
	"locking":   {set: one, text: kernel("locked", 1, 32, 1, 0, 0)},
	"locked4":   {set: one, text: kernel("locked", 4, 64, 2, 1028, 0)},
	"counted":   {set: one, text: kernel("counted", 4, 64, 2, 0, 0)},
	"counted4":  {set: one, text: kernel("counted", 8, 128, 2, 4, 0)},
	"bursts":    {set: one, text: kernel("bursts", 1, 512, 4, 0, 0)},
	"pages2":    {set: "smx.count=2", text: kernel("chase", 2, 32, 4, 280000, 64)},
	"waits":     {set: one, text: kernel("waits", 4, 128, 6, 0, 0)},
	"eleventh":  {set: one, text: kernel("eleventh", 1, 64, 1, 0, 0)},
	"odd":       {set: one, text: kernel("waits", 1, 64, 1, 0, 0, ", shared: 5000")},
	"many":      {set: "smx.count=3", text: kernel("waits", 64, 64, 1, 4, 0)},
	"report":    {set: one, text: kernel("waits", 1, 32, 1, 0, 0)},
	"code": {set: one, text: "module: CODE\nbuffers: {out: {type: u32, count: 32}}\n" +
		"steps: [{launch: {kernel: long, grid: [1], block: [32], args: [out]}}]\n"},
	"codes": {set: one, text: "module: CODE\nbuffers: {out: {type: u32, count: 32}}\n" +
		"steps: [{launch: {kernel: long, grid: [8], block: [32], args: [out]}}]\n"},
	"texture": {set: one, text: `module: HERE/../workloads/rotate/rotate.ptx
buffers: {pixels: {type: f32, count: 4096}, result: {type: f32, count: 4096}}
textures:
  picture: {buffer: pixels, kind: 2d, dimensions: [64, 64], format: f32, filter: linear, address: border}
  turned: {buffer: result, kind: 2d, dimensions: [64, 64], format: f32}
steps:
  - launch: {kernel: paint, grid: [2, 8], block: [32, 8], args: [{surface: picture}, {s32: 64}, {s32: 64}]}
  - launch: {kernel: rotate, grid: [2, 8], block: [32, 8], args: [{texture: picture}, {surface: turned}, {s32: 64}, {s32: 64}, {f32: 0.75}, {f32: 0.5}]}
`},
	"streams": {text: chains("", "stream: 1", "stream: 1", "stream: 2", "stream: 2", "stream: 3", "stream: 3")},
	"urgent": {set: "hyperq.grids=1", text: chains("streams: {urgent: {priority: -1}}\n", "stream: 1", "stream: 2", "stream: 3",
		"stream: urgent")},
	"processes": {text: chains("", "process: 0, repeat: 3", "process: 1, repeat: 3")},
	"mps":       {mps: true, text: chains("", "process: 0", "process: 1")},
	"copied": {config: "k40", text: `module: HERE/testdata/keys/kernels.ptx
buffers: {a: {type: u32, count: 65536}, b: {type: u32, count: 65536}}
steps:
  - copy: {to: a, from: host, bytes: 4096}
  - copy: {to: a, from: host}
  - launch: {kernel: loads, grid: [8], block: [256], args: [a, {u32: 4}, {u32: 4}, {u32: 8192}]}
  - copy: {to: host, from: a}
  - copy: {to: b, from: a}
  - memset: {buffer: a, value: 1}
  - allocate: {name: scratch, bytes: 1048576}
  - free: {name: scratch}
`},
	"both": {config: "k40", text: `module: HERE/testdata/keys/kernels.ptx
buffers: {a: {type: u32, count: 65536}, b: {type: u32, count: 65536}}
steps:
  - copy: {to: a, from: host, stream: 1, pinned: true}
  - copy: {to: host, from: b, stream: 2, pinned: true}
`},
	"traffic": {config: "k40", text: `module: HERE/testdata/keys/kernels.ptx
buffers: {a: {type: u32, count: 65536}, b: {type: u32, count: 65536}}
steps:
  - copy: {to: a, from: host, stream: 1, pinned: true}
  - launch: {kernel: stores, grid: [32], block: [256], stream: 2, args: [b, {u32: 20}, {u32: 4}, {u32: 4}]}
`},
	"sampled": {set: one, text: `module: HERE/testdata/keys/texture.ptx
buffers: {pixels: {type: f32, count: 16384}, result: {type: f32, count: 4096}}
textures:
  image: {buffer: pixels, kind: 2d, dimensions: [64, 64], format: f32, channels: 4}
  picture: {buffer: result, kind: 2d, dimensions: [64, 64], format: f32}
steps:
  - launch: {kernel: sampled, grid: [16], block: [256], args: [result]}
`},
	"painted": {set: one, text: `module: HERE/testdata/keys/texture.ptx
buffers: {result: {type: f32, count: 4096}}
textures: {picture: {buffer: result, kind: 2d, dimensions: [64, 64], format: f32}}
steps: [{launch: {kernel: painted, grid: [1], block: [32], args: [result]}}]
`},
	"rows": {config: "k40", text: `module: HERE/testdata/keys/kernels.ptx
buffers: {a: {type: u32, count: 262144}}
steps:
  - copy: {to: a, from: host, width: 64, height: 8, to_pitch: 1024, from_pitch: 131072}
`},
	"peers": {config: "k80", text: `module: HERE/../workloads/hyperq/chain.ptx
buffers: {low: {type: u32, count: 32768}, high: {type: u32, count: 32768, device: 1}}
steps:
  - copy: {to: low, from: high, stream: 1}
  - sync: all
`},
	"mapped": {set: one, text: strings.Replace(kernel("loads", 1, 64, 2, 4, 4096), "count: 8000000", "count: 8000, memory: mapped", 1)},
	"nested": {text: "module: HERE/../sim/testdata/nested.ptx\nbuffers: {out: {type: u32, count: 64}}\n" +
		"steps: [{launch: {kernel: tree, grid: [2], block: [40], args: [out, {u32: 2}]}}]\n"},
	"waiting": {text: "module: HERE/../sim/testdata/nested.ptx\nbuffers: {out: {type: u32, count: 64}}\n" +
		"steps: [{launch: {kernel: down, grid: [1], block: [64], args: [out, {u32: 2}]}}]\n"},
	"failing": {text: "module: HERE/../sim/testdata/nested.ptx\nbuffers: {out: {type: u32, count: 64}}\n" +
		"steps: [{launch: {kernel: wide, grid: [1], block: [1], args: [out, {u32: 2000}]}}]\n"},
	"flow": {text: "module: HERE/../sim/testdata/nested.ptx\nbuffers: {out: {type: u32, count: 64}, " +
		"table: {type: u32, count: 64, init: {values: [1, 0, 2, 0, 1, 1, 32]}}}\n" +
		"steps: [{launch: {kernel: node, grid: [1], block: [64], args: [out, table, {u32: 0}]}}]\n"},
	"deep": {set: one, text: "module: HERE/../testdata/kernels/calls-fibonacci/calls-fibonacci.ptx\nbuffers: {out: {type: u32, " +
		"count: 64}}\n" +
		"steps: [{launch: {kernel: fibonacci, grid: [1], block: [8], args: [out]}}]\n"},
	"list": {set: one, text: "module: HERE/../testdata/kernels/calls-heap/calls-heap.ptx\nbuffers: {out: {type: u32, count: 64}}\n" +
		"steps: [{launch: {kernel: list, grid: [1], block: [64], args: [out, {u32: 3}]}}]\n" +
		"expect: {out: {values: [1]}}\n"},
	"energy":  {set: one, text: kernel("operations", 2, 64, 2, 4, 4), power: &boost.Options{}},
	"boosted": {set: governed, text: kernel("operations", 2, 64, 2, 4, 4), power: &boost.Options{On: true}},
	"capped": {set: one + "boost.governor=application boost.sample=1 boost.power_limit_min=10 boost.power_limit=30",
		text: kernel("operations", 2, 64, 2, 4, 4), power: &boost.Options{On: true}},
	"limited": {set: one, text: kernel("operations", 1, 64, 1, 4, 4), power: &boost.Options{On: true, Limit: 180}},
	"hot":     {set: governed, text: kernel("operations", 2, 64, 2, 4, 4), power: &boost.Options{On: true, Temperature: &warm}},
}

// long is a long kernel, larger than the instruction caches, whose code runs twice.
func long() string {
	var b strings.Builder
	b.WriteString(".version 4.2\n.target sm_35\n.address_size 64\n.visible .entry long(.param .u64 out)\n{\n.reg .b64 %p; .reg " +
		".b32 %x<9>; " +
		".reg .pred %q;\nld.param.u64 %p, [out]; mov.u32 %x8, 0;\n")
	for i := range 8 {
		fmt.Fprintf(&b, "ld.global.u32 %%x%d, [%%p+%d];\n", i, 4*i)
	}
	b.WriteString("LOOP:\n")
	for i := range 2500 {
		fmt.Fprintf(&b, "%s.b32 %%x%d, %%x%d, %%x%d;\n", []string{"and", "xor", "or"}[i%3], i%8, (i+3)%8, (i+5)%8)
	}
	b.WriteString("add.u32 %x8, %x8, 1; setp.lt.u32 %q, %x8, 2; @%q bra LOOP;\n")
	for i := range 8 {
		fmt.Fprintf(&b, "st.global.u32 [%%p+%d], %%x%d;\n", 4*i, i)
	}
	return b.String() + "ret;\n}\n"
}

// stage writes the scene's workload file and returns its path.
func (s *scene) stage(t *testing.T) string {
	dir := t.TempDir()
	here, err := filepath.Abs(".")
	require.NoError(t, err)
	if strings.Contains(s.text, "CODE") {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "long.ptx"), []byte(long()), 0o600))
	}
	path := filepath.Join(dir, "scene.yaml")
	text := strings.NewReplacer("HERE", here, "CODE", "long.ptx").Replace(s.text)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// outcome describes a run by the name of an effect.
type outcome map[string]string

// effects are what a key may change. A row of the table names the first one that changes.
var effects = []string{"refused", "error", "result", "blocks an SMX", "cycles", "elapsed cycles", "timeline", "time", "energy", "clock",
	"temperature", "text"}

// changed returns the first effect that differs.
func (o outcome) changed(from outcome) string {
	for _, e := range effects {
		switch {
		case o[e] == from[e]:
		case from[e] == "":
			return e + ": " + strings.TrimSpace(o[e])
		default:
			return fmt.Sprintf("%s %s → %s", e, strings.TrimSpace(from[e]), strings.TrimSpace(o[e]))
		}
	}
	return ""
}

// play runs a scene with more keys set.
func (s *scene) play(path string, more []string) outcome {
	o, config := outcome{}, s.config
	if config == "" {
		config = "gk110"
	}
	chip, err := configs.Load(config, append(strings.Fields(s.set), more...))
	if err != nil {
		return outcome{"refused": err.Error()}
	}
	job, err := host.Open(context.Background(), path, host.Options{
		Chip: chip, Simulator: sim.Options{Threads: 1, Power: s.power, MPS: s.mps},
	})
	if err != nil {
		return outcome{"error": err.Error()}
	}
	result, err := job.Run(context.Background())
	if err != nil {
		o["error"] = err.Error()
	}
	o.take(result)
	o["text"] += chip.Description
	return o
}

// take records a run's result.
func (o outcome) take(result *host.Result) {
	var cycles, elapsed, blocks, start []string
	for _, l := range result.Launches {
		cycles = append(cycles, fmt.Sprint(l.Cycles))
		elapsed = append(elapsed, fmt.Sprint(int(l.Cycles)+l.Chip.CounterCycles))
		blocks = append(blocks, fmt.Sprint(l.Occupancy.Blocks))
		o["text"] = l.Chip.Config + ", " + l.Chip.Name + ", "
	}
	for _, i := range result.Timeline {
		start = append(start, fmt.Sprintf("%s %s@%.1f", i.Kind, i.Stream, i.Start))
	}
	slices.Sort(blocks)
	o["cycles"], o["elapsed cycles"] = strings.Join(cycles, "+"), strings.Join(elapsed, "+")
	o["blocks an SMX"], o["timeline"] = strings.Join(slices.Compact(blocks), ", "), strings.Join(start, " ")
	o["time"] = fmt.Sprintf("%.3f us, with the host %.3f us", result.DeviceUS, result.HostUS)
	for _, m := range result.Mismatches {
		o["result"] += m.String()
	}
	for _, p := range result.Power {
		o["energy"] += fmt.Sprintf("%.7g J ", p.Energy())
		o["clock"] += fmt.Sprintf("%.2f MHz ", p.MHz)
		o["temperature"] += fmt.Sprintf("%.8f C ", p.Temperature)
	}
}

// groups are named sets of keys: rates low enough for fewer lanes in a unit, and a memory that is the bottleneck.
func groups(t *testing.T) map[string]string {
	chip, err := configs.Load("gk110", nil)
	require.NoError(t, err)
	rates := func(most int, units ...configs.ExecutionUnit) string {
		var b strings.Builder
		for c := range isa.ClassCount {
			if o := chip.Pipelines.Operations[c]; c > 0 && slices.Contains(units, o.Unit) && o.ResultsPerClock > most {
				fmt.Fprintf(&b, "pipelines.operations.%s.results_per_clock=%d ", c, most)
			}
		}
		return b.String()
	}
	return map[string]string{
		"CORE": rates(128, configs.UnitCore), "FP64": rates(8, configs.UnitFP64), "SFU": rates(8, configs.UnitSFU),
		"LDST": rates(16, configs.UnitLoadStore), "TEX": rates(8, configs.UnitTexture), "TEX4": rates(4, configs.UnitTexture),
		"BRANCH": rates(4, configs.UnitBranch),
		"SLOW":   rates(4, configs.UnitFP64, configs.UnitTexture), "DRAM": "dram.channels=1 dram.sector_cycles=0.1",
	}
}

// row is a line of the table of keys.
type row struct {
	key, scene string
	change     []string // the settings of the second run
	base       []string // settings of both runs
}

// readRows reads the table.
func readRows(t *testing.T) (rows []row) {
	file, err := os.Open("testdata/keys/table.txt")
	require.NoError(t, err)
	defer file.Close()
	sets := groups(t)
	for lines := bufio.NewScanner(file); lines.Scan(); {
		text := strings.TrimSpace(lines.Text())
		if text == "" || text[0] == '#' {
			continue
		}
		parts := regexp.MustCompile(`^(\S+)\s+(\S+)\s+(.*?)(?:\s+\|\s+(.*))?$`).FindStringSubmatch(text)
		require.NotNil(t, parts, "%q: write KEY  SCENE  VALUE | SETTINGS", text)
		r := row{key: parts[1], scene: parts[2], change: strings.Fields(parts[3])}
		if !strings.HasPrefix(parts[3], strings.Split(parts[1], "[]")[0]) {
			r.change[0] = parts[1] + "=" + r.change[0]
		}
		for _, word := range strings.Fields(parts[4]) {
			if group, ok := sets[word]; ok {
				r.base = append(r.base, strings.Fields(group)...)
			} else {
				r.base = append(r.base, word)
			}
		}
		rows = append(rows, r)
	}
	return rows
}

// Every key of the schema has an effect. Changed in a suitable run, it changes a number or a result, or it is rejected with a reason. With
// -v the test lists each key's effect.
func TestEveryKeyHasAnEffect(t *testing.T) {
	rows, paths := readRows(t), map[string]string{}
	told := map[string]bool{}
	for name, s := range scenes {
		paths[name] = s.stage(t)
	}
	for _, r := range rows {
		require.False(t, told[r.key], "%s has two rows", r.key)
		told[r.key] = true
		t.Run(r.key, func(t *testing.T) {
			t.Parallel()
			if r.scene == "refused" {
				_, err := configs.Load("gk110", r.change)
				require.Error(t, err)
				t.Logf("refused: %v", err)
				return
			}
			s := scenes[r.scene]
			require.NotNil(t, s, "no scene %q", r.scene)
			before, after := s.play(paths[r.scene], r.base), s.play(paths[r.scene], append(slices.Clone(r.base), r.change...))
			require.Empty(t, before["refused"]+after["refused"])
			seen := after.changed(before)
			require.NotEmpty(t, seen, "%s changes nothing in scene %s", r.change[0], r.scene)
			t.Logf("%s: %s", r.change[0], seen)
		})
	}
	for _, k := range configs.Keys() {
		require.True(t, told[k.Path], "the table of keys has no row for %s", k.Path)
		delete(told, k.Path)
	}
	require.Empty(t, told, "no keys of the schema")
}
