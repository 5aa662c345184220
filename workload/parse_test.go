package workload

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/testkit/executions"
	"github.com/keplersim/keplersim/testkit/mutate"
)

const whole = `name: every key
module: k.ptx
config: gk104
link: [lib.ptx, more.ptx]
buffers:
  x: {type: f32, count: 1024, init: {random: {seed: 1, min: -1, max: 1}}}
  y: {type: f32, count: 512, init: zero}
  2: {type: u8, count: 8}
textures:
  image: {buffer: x, kind: 2d, dimensions: [32, 8], format: f32, channels: 4, filter: linear, address: [wrap, mirror],
          normalized: true, layout: rows}
samplers:
  smooth: {filter: linear, address: border}
steps:
  - copy: {to: x, from: host, stream: 1, pinned: true}
  - event: {record: copied, stream: 1}
  - wait: {event: copied, stream: 2}
  - launch:
      kernel: k
      grid: [4, 2]
      block: 64
      shared: 128
      stream: 2
      process: 1
      repeat: 3
      module: other.ptx
      cache_config: l1
      args: [x, {ptr: [y, 64]}, "2", {u32: 7}, {f32: 2.0}, {s64: -1}, {bytes: "00 11 ff"}, {texture: image}, {surface: image}, {sampler: smooth}]
  - copy: {to: y, from: x, width: 16, height: 4, pitch: 64, offset: 32}
  - copy: {from: y, kind: device-host, bytes: 100}
  - sync: {stream: 2}
  - sync: {event: copied}
  - sync: all
expect:
  x: {values: [1, 2.5, .inf], ulp: 2}
  y: {file: y.bin, abs: 1.0e-6, rel: 0.5}
  2: {sha256: "9F86D081884C7D659A2FEAA0C55AD015A3BF4F1B2B0B822CD15D6C15B0F00A08"}
`

func TestEveryKey(t *testing.T) {
	w, err := Parse("dir/w.yaml", []byte(whole))
	require.NoError(t, err)
	assert.Equal(t, "every key", w.Name)
	assert.Equal(t, "gk104", w.Config)
	assert.Equal(t, []string{"lib.ptx", "more.ptx"}, w.Link)
	require.Len(t, w.Buffers, 3)
	assert.Equal(t, []string{"x", "y", "2"}, []string{w.Buffers[0].Name, w.Buffers[1].Name, w.Buffers[2].Name})
	assert.Equal(t, int64(4096), w.Buffers[0].Bytes())
	assert.Equal(t, Position{6, 3}, w.Buffers[0].Position)
	assert.Equal(t, [3]string{"wrap", "mirror", "clamp"}, w.Textures[0].Address)
	assert.True(t, w.Textures[0].Normalized)
	assert.True(t, w.Textures[0].Rows)
	require.Len(t, w.Steps, 9)
	assert.Equal(t, &Copy{To: "x", From: Host, Kind: HostToDevice, Bytes: 4096, Stream: 1, Pinned: true}, w.Steps[0].Copy)
	assert.Equal(t, &Event{Record: "copied", Stream: 1}, w.Steps[1].Event)
	assert.Equal(t, &Wait{Event: "copied", Stream: 2}, w.Steps[2].Wait)
	l := w.Steps[3].Launch
	assert.Equal(t, [3]int{4, 2, 1}, l.Grid)
	assert.Equal(t, [3]int{64, 1, 1}, l.Block)
	assert.Equal(t, []any{128, 2, 1, 3, "other.ptx", PreferL1}, []any{l.Shared, l.Stream, l.Process, l.Repeat, l.Module, l.CacheConfig})
	var args []string
	for _, a := range l.Args {
		args = append(args, a.String())
	}
	assert.Equal(t, []string{"x", "{ptr: [y, 64]}", "2", "{u32: 7}", "{f32: 2.0}", "{s64: -1}", `{bytes: "0011ff"}`, "{texture: image}",
		"{surface: image}", "{sampler: smooth}"}, args)
	assert.Equal(t, &Copy{To: "y", From: "x", Kind: DeviceToDevice, ToOffset: 32, FromOffset: 32, Bytes: 64,
		Width: 16, Height: 4, ToPitch: 64, FromPitch: 64}, w.Steps[4].Copy)
	assert.Equal(t, &Copy{To: Host, From: "y", Kind: DeviceToHost, Bytes: 100}, w.Steps[5].Copy)
	assert.Equal(t, &Sync{Stream: 2}, w.Steps[6].Sync)
	assert.Equal(t, &Sync{Event: "copied"}, w.Steps[7].Sync)
	assert.Equal(t, &Sync{All: true}, w.Steps[8].Sync)
	assert.Equal(t, uint64(2), w.Expect[0].ULP)
	assert.Equal(t, 1e-6, w.Expect[1].Abs)
	assert.Equal(t, "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", w.Expect[2].SHA256)
}

func TestJSONAndAnchors(t *testing.T) {
	json := "{\n\t\"module\": \"k.ptx\",\n\t\"buffers\": {\"x\": {\"type\": \"f32\", \"count\": 4, \"init\": {\"fill\": 1e-7}}},\n" +
		"\t\"steps\": [{\"launch\": {\"kernel\": \"k\", \"grid\": [1], \"block\": [32], \"args\": [\"x\", {\"u32\": 4294967295}]}}]\n}\n"
	w, err := Parse("dir/name.json", []byte(json))
	require.NoError(t, err)
	assert.Equal(t, "name", w.Name, "the file's own name where none is given")
	data, err := w.Initial(w.Buffers[0])
	require.NoError(t, err)
	assert.Equal(t, uint64(0x33d6bf95), Type("f32").get(data), "1e-7 in single precision")

	anchors := "buffers:\n  x: &f {type: f32, count: 4}\n  y: *f\nsteps: []\n"
	w, err = Parse("a.yaml", []byte(anchors))
	require.NoError(t, err)
	assert.Equal(t, w.Buffers[0].Type, w.Buffers[1].Type)
	assert.Equal(t, int64(4), w.Buffers[1].Count)
}

// Each mistake, its place, and its message.
func TestMistakes(t *testing.T) {
	const steps = "\nsteps: []\n"
	launch := func(s string) string {
		return "buffers:\n  x: {type: f32, count: 4}\nsteps:\n  - launch: {kernel: k, grid: [1], block: [32], " + s + "}\n"
	}
	step := func(s string) string { return "buffers:\n  x: {type: f32, count: 4}\nsteps:\n  - " + s + "\n" }
	buffer := func(s string) string { return "buffers:\n  x: {" + s + "}" + steps }
	for _, c := range []struct{ text, want string }{
		{"", "w.yaml:1:1: the file is empty"},
		{"buffers: {}\n", "w.yaml:1:1: the workload has no steps"},
		{"- 1\n", "w.yaml:1:1: the workload must be a mapping"},
		{"name: [\n", "w.yaml:1:"},
		{"module: k.ptx\nbuffers:\n\tx: {type: f32, count: 4}\n" + steps,
			"w.yaml:3:1: not valid YAML: a tab: YAML is indented with spaces"},
		{launch("args: [64]"), "an argument that is a number says its type, as in {u32: 64} or {f32: 64}"},
		{launch("args: [-1.5]"), "as in {u32: -1.5} or {f32: -1.5}"},
		{buffer("type: f32, count: 4, init: random"), "init of buffer x: write {random: {}}"},
		{buffer("type: f32, count: 4, init: rnd"), "init of buffer x must be a mapping"},
		{"modul: k.ptx" + steps, `w.yaml:1:1: unknown key "modul" in the workload; did you mean "module"?`},
		{"name: a\n---\nname: b\n", "second one"},
		{"name: {a: 1}" + steps, "w.yaml:1:7: name must be text, not a mapping"},
		{"buffers: 7" + steps, "w.yaml:1:10: buffers must be a mapping"},
		{"buffers:\n  host: {type: f32, count: 1}" + steps, `w.yaml:2:3: a buffer cannot be called "host"`},
		{buffer("count: 4"), `w.yaml:2:3: buffer x needs "type"`},
		{buffer("type: f32"), `w.yaml:2:3: buffer x needs "count"`},
		{buffer("type: float, count: 4"), `w.yaml:2:13: buffer x: unknown type "float"`},
		{buffer("type: f33, count: 4"), `did you mean "f`},
		{buffer("type: f32, count: -4"), "w.yaml:2:25: count of buffer x is -4, but must be from 0"},
		{buffer("type: f32, count: 4.5"), "count of buffer x must be a whole number, not 4.5"},
		{buffer("type: f32, count: many"), `count of buffer x must be a number, not the text "many"`},
		{buffer("type: f64, count: 10000000000"), "buffer x has 80000000000 bytes"},
		{buffer("type: f32, count: 4, lenght: 5"), `w.yaml:2:28: unknown key "lenght" in buffer x`},
		{buffer("type: f32, count: 4, init: {randon: {seed: 1}}"),
			`w.yaml:2:35: unknown key "randon" in init of buffer x; did you mean "random"?`},
		{buffer("type: f32, count: 4, init: {random: {sed: 1}}"), `unknown key "sed" in random in init of buffer x; did you mean "seed"?`},
		{buffer("type: f32, count: 4, init: {fill: 1, ramp: {}}"), "must have one of"},
		{buffer("type: f32, count: 4, init: {random: {seed: -1}}"), "seed in init of buffer x must be a whole number"},
		{buffer("type: f32, count: 4, init: {random: {min: 2, max: 1}}"), "min 2 is above max 1"},
		{buffer("type: u8, count: 4, init: {random: {max: 256}}"), "256 does not fit type u8 (0 to 255)"},
		{buffer("type: s8, count: 4, init: {random: {min: 5, max: -5}}"), "min 5 is above max -5"},
		{buffer("type: u32, count: 4, init: {random: {max: 1.5}}"), "1.5 is not an integer"},
		{buffer("type: u8, count: 4, init: {fill: -1}"), "-1 does not fit type u8"},
		{buffer("type: s8, count: 4, init: {fill: -129}"), "-129 does not fit type s8 (-128 to 127)"},
		{buffer("type: u8, count: 2, init: {values: [1, 2, 3]}"), "3 values for a buffer of 2 elements"},
		{buffer("type: u8, count: 2, init: {values: 3}"), "must be a list ([a, b], or lines that begin with -), not 3"},
		{buffer("type: u8, count: 2, init: {ramp: {step: 0.5}}"), "needs integers for start and step"},
		{"buffers:\n  x: *gone" + steps, "an alias (*gone) without an anchor"},
		{"steps: {}\n", "w.yaml:1:8: steps must be a list"},
		{step("launhc: {}"), `w.yaml:4:5: unknown key "launhc" in a step; did you mean "launch"?`},
		{step("launch: {grid: [1], block: [1]}"), `a launch needs "kernel"`},
		{step("launch: {kernel: k, block: [1]}"), `a launch needs "grid"`},
		{step("{event: {record: e}, sync: all}"), "one step does one thing"},
		{launch("blocks: 4"), `unknown key "blocks" in launch; did you mean "block"?`},
		{launch("shared: 300000"), "shared is 300000, but must be from 0 to 262144"},
		{launch("repeat: 0"), "repeat is 0, but must be from 1"},
		{launch("bank_mode: 6"), "bank_mode: shared memory's banks are 4 or 8 bytes wide, not 6"},
		{launch("dlcm: cs"), "dlcm is \"cs\", but must be one of ca, cg"},
		{launch("cache_config: L2"), "cache_config is \"L2\", but must be one of none, shared, l1, equal"},
		{launch("args: [z]"), `w.yaml:4:56: an argument: there is no buffer "z"; known are x`},
		{launch("args: [{u33: 1}]"), `unknown form of argument "u33"; did you mean "u32"?`},
		{launch("args: [&a {struct: [*a, *a, *a]}]"), "a struct has more than 4352 members"},
		{launch("args: [{struct: []}]"), "a struct has members, as in {struct: [x, {s32: 256}]}"},
		{launch("args: [{struct: [{u33: 1}]}]"), `unknown form of argument "u33"`},
		{launch("args: [{u8: 256}]"), "an argument: 256 does not fit type u8"},
		{launch("args: [{u32: 1.5}]"), "1.5 is not an integer, as type u32 needs"},
		{launch("args: [{u32: 1, f32: 2}]"), "an argument has one entry"},
		{launch("args: [{ptr: [x, 1, 2]}]"), "ptr needs [buffer, byte offset], not 3 entries"},
		{launch("args: [{ptr: [q, 1]}]"), `there is no buffer "q"`},
		{launch("args: [{bytes: 0g}]"), "pairs of hexadecimal digits"},
		{launch("args: [{texture: t}]"), `an argument: textures has no "t"`},
		{launch("args: [7]"), "an argument that is a number says its type, as in {u32: 7} or {f32: 7}"},
		{step("launch: {kernel: k, grid: [], block: [1]}"), "grid needs 1 to 3 numbers, but has 0"},
		{step("launch: {kernel: k, grid: [1, 2, 3, 4], block: [1]}"), "grid needs 1 to 3 numbers, but has 4"},
		{step("launch: {kernel: k, grid: [0], block: [1]}"), "grid.x is 0, but must be from 1"},
		{step("launch: {kernel: k, grid: [1, 2147483648], block: [1]}"), "grid.y is 2147483648, but must be from 1 to 2147483647"},
		{step("launch: {kernel: k, grid: [1], block: [64, 32]}"),
			"a block of 64 x 32 x 1 is 2048 threads; no configuration allows more than 1024"},
		{step("copy: {to: x}"), "a copy needs to and from"},
		{step("copy: {to: host, from: host}"), "does not touch the device"},
		{step("copy: {to: x, from: host, kind: device-host}"), "a copy from host to x is host-device, not device-host"},
		{step("copy: {to: x, from: host, bytes: 17}"), "a copy reaches byte 17 of buffer x, which has 16"},
		{step("copy: {to: x, from: host, bytes: 4, offset: 16}"), "reaches byte 20"},
		{step("copy: {to: x, from: host, width: 4, height: 3, pitch: 8}"), "reaches byte 20"},
		{step("copy: {to: x, from: host, width: 4, height: 3, pitch: 2}"), "pitch is below its width"},
		{step("copy: {to: x, from: host, width: 4}"), "a 2-D copy needs width and height"},
		{step("copy: {to: x, from: y}"), `copy: there is no buffer "y"`},
		{step("event: {stream: 1}"), "an event needs a name"},
		{step("wait: {event: never}"), `no earlier step records event "never"`},
		{step("wait: {stream: 1}"), "a wait needs an event"},
		{step("sync: everything"), `not "everything"`},
		{step("sync: {}"), "sync takes all"},
		{step("event: {record: e, stream: -1}"), "stream is -1"},
		{buffer("type: f32, count: 4") + "expect:\n  z: {values: [1]}\n", `expect: there is no buffer "z"`},
		{buffer("type: f32, count: 4") + "expect:\n  x: {}\n", "exactly one of sha256, file, values and init"},
		{buffer("type: f32, count: 4") + "expect:\n  x: {init: {pointers: [x, x]}}\n", "addresses cannot be expected"},
		{buffer("type: f32, count: 4") + "expect:\n  x: {init: {values: [1, 2, 3, 4, 5]}}\n", "expect of x"},
		{buffer("type: f32, count: 4") + "expect:\n  x: {sha256: abc}\n", "64 hexadecimal digits"},
		{buffer("type: f32, count: 1") + "expect:\n  x: {values: [1, 2]}\n", "2 values for a buffer of 1 elements"},
		{buffer("type: f32, count: 1") + "expect:\n  x: {values: [1], abs: -1}\n", "a tolerance cannot be negative"},
		{buffer("type: f32, count: 1") + "expect:\n  x: {sha256: \"" + strings.Repeat("0", 64) + "\", ulp: 1}\n",
			"a sha256 holds for equal bytes only"},
		{buffer("type: f32, count: 4") + "textures:\n  t: {buffer: x, dimensions: [4, 2]}\n",
			"texture t needs 32 bytes, but buffer x has 16"},
		{buffer("type: f32, count: 4") + "textures:\n  t: {buffer: x, dimensions: [4]}\n",
			"texture t of kind 2d needs 2 dimensions, but has 1"},
		{buffer("type: f32, count: 4") + "textures:\n  t: {buffer: x, dimensions: [4, 1], address: repeat}\n",
			"must be one of clamp, wrap, mirror, border"},
		{buffer("type: f32, count: 4") + "textures:\n  t: {buffer: x, dimensions: [2, 2], address: wrap}\n",
			"texture t: address wrap needs normalized: true"},
		{buffer("type: u8, count: 4") + "textures:\n  t: {buffer: x, dimensions: [2, 2], format: u8, filter: linear}\n",
			"texture t: filter linear makes floats"},
		{buffer("type: u32, count: 4") + "textures:\n  t: {buffer: x, dimensions: [2, 2], format: u32, normalized_read: true}\n",
			"normalized_read is for integers of 8 and 16 bits, not for u32"},
		{buffer("type: u8, count: 65537") + "textures:\n  t: {buffer: x, dimensions: [65537, 1], format: u8}\n",
			"dimension 1 is 65537; a Kepler's textures of kind 2d have at most 65536"},
		{buffer("type: u8, count: 4") + "samplers:\n  s: {address: mirror}\n", "sampler s: address mirror needs normalized: true"},
		{buffer("type: f32, count: 4") + "textures:\n  t: {buffer: x}\n", "texture t needs buffer and dimensions"},
	} {
		_, err := Parse("w.yaml", []byte(c.text))
		var problems Errors
		if assert.ErrorAs(t, err, &problems, c.text) {
			assert.Contains(t, err.Error(), c.want, c.text)
		}
	}
}

func TestSeveralMistakesAtOnce(t *testing.T) {
	_, err := Parse("w.yaml", []byte("nam: x\nbuffers:\n  x: {type: q, count: -1}\nsteps: 5\n"))
	var problems Errors
	require.ErrorAs(t, err, &problems)
	assert.Len(t, problems, 4)
	_, err = Parse("w.yaml", []byte("steps: ["+strings.Repeat("{wrong: 1},", 50)+"]\n"))
	require.ErrorAs(t, err, &problems)
	assert.Len(t, problems, mostErrors)
}

func TestMissingFiles(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "w.yaml")
	_, err := Load(path)
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NoError(t, os.WriteFile(path, []byte(whole), 0o644))
	_, err = Load(path)
	for _, file := range []string{"k.ptx", "lib.ptx", "more.ptx", "other.ptx", "y.bin"} {
		assert.ErrorContains(t, err, "there is no file "+filepath.Join(dir, file))
	}
	assert.ErrorContains(t, err, path+":18:5: launch of k")
}

// Data files of the wrong size are found before anything runs.
func TestFilesOfTheWrongSize(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "w.yaml")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "x.bin"), make([]byte, 9), 0o644))
	require.NoError(t, os.WriteFile(path, []byte("buffers:\n  x: {type: u32, count: 2, init: {file: x.bin}}\nsteps: []\nexpect:\n"+
		"  x: {file: x.bin}\n"), 0o644))
	_, err := Load(path)
	assert.ErrorContains(t, err, path+":2:3: init of buffer x: "+filepath.Join(dir, "x.bin")+" is longer than its 8 bytes: it has 9")
	assert.ErrorContains(t, err, path+":5:3: expect of x: "+filepath.Join(dir, "x.bin")+" has 9 bytes, but the buffer has 8")
}

// A file in Windows format is accepted. A file that is not text gets an error that says so.
func TestEncodings(t *testing.T) {
	w, err := Parse("w.yaml", []byte("\ufeffname: windows\r\nbuffers:\r\n  x: {type: u32, count: 2}\r\nsteps: []\r\n"))
	require.NoError(t, err)
	assert.Equal(t, "windows", w.Name)
	assert.Len(t, w.Buffers, 1)
	for _, text := range []string{"\x7fELF\x02\x01\x01\x00", "\xff\xfen\x00a\x00m\x00e\x00", "name: \xe9"} {
		_, err := Parse("w.yaml", []byte(text))
		assert.EqualError(t, err, "w.yaml:1:1: this is not UTF-8 text, which a workload file must be")
	}
	_, err = Parse("w.yaml", []byte(strings.Repeat("word ", 1000)))
	require.Error(t, err)
	assert.Less(t, len(err.Error()), 200)
}

func TestBeside(t *testing.T) {
	dir := t.TempDir()
	kernel := filepath.Join(dir, "k.ptx")
	_, ok := Beside(kernel)
	assert.False(t, ok)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "k.json"), nil, 0o644))
	path, ok := Beside(kernel)
	assert.True(t, ok)
	assert.Equal(t, filepath.Join(dir, "k.json"), path)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "k.yaml"), nil, 0o644))
	path, _ = Beside(kernel)
	assert.Equal(t, filepath.Join(dir, "k.yaml"), path)
}

func TestModuleFor(t *testing.T) {
	w := &Workload{Path: "../workloads/spmv/spmv.yaml"}
	assert.Equal(t, filepath.FromSlash("../workloads/spmv/spmv.ptx"), w.ModuleFor("spmv.ptx", 35))
	assert.Equal(t, filepath.FromSlash("../workloads/spmv/spmv.sm_30.ptx"), w.ModuleFor("spmv.ptx", 30))
	assert.Equal(t, filepath.FromSlash("../workloads/spmv/other.ptx"), w.ModuleFor("other.ptx", 30))
	assert.Empty(t, w.ModuleFor("", 30))
}

// No text makes the parser panic or hang, and accepted workloads can be laid out.
func FuzzParse(f *testing.F) {
	f.Add(whole)
	for seed := range uint64(200) {
		f.Add(mutate.Text(seed, whole))
	}
	f.Add("module: k.ptx\nsymbols:\n  taps: {type: f32, count: 3, init: {values: [1, -4, 1]}}\n" +
		"  n: {symbol: \"a::n\", module: l.ptx, type: u32, count: 1}\nsteps:\n  - copy: {to: taps, from: host}\nexpect:\n" +
		"  n: {values: [3]}\n")
	f.Add("buffers:\n  x: &a {type: f32, count: 4, init: {ramp: {}}}\n  y: *a\nsteps: []\n")
	f.Add("a: &a [*a]\nsteps: *a\n")
	f.Add(`{"steps": [{"launch": {"kernel": "k", "grid": [1], "block": [1]}}]}`)
	f.Add("buffers:\n  x: {type: u64, count: 2, init: {pointers: [y, {ptr: [x, 8]}]}}\n  y: {type: f32, count: 1}\nsteps:\n" +
		"  - launch: {kernel: k, grid: [1], block: [1], args: [&a {struct: [x, {s32: 1}, *a]}, {struct: [{struct: [y]}]}]}\n")
	f.Add("? {a: b}\n: c\n")
	f.Add("!!binary x: !t y\n<<: *z\n")
	executions.Fuzz(f, func(t *testing.T, text string) {
		w, err := Parse("w.yaml", []byte(text))
		if err != nil {
			return
		}
		for _, b := range w.Buffers {
			if b.Bytes() <= 1<<16 && b.Init.Kind != InitFile {
				data, err := w.Initial(b)
				if err != nil || int64(len(data)) != b.Bytes() {
					t.Fatalf("%v: %d bytes, %v", b, len(data), err)
				}
				if _, err := w.Check(b.Name, bytes.NewReader(data)); err != nil && !os.IsNotExist(err) {
					for _, e := range w.Expect {
						if e.File != "" {
							return
						}
					}
					t.Fatal(err)
				}
			}
		}
	})
}
