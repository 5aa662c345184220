package configs

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/arch"
	"github.com/keplersim/keplersim/testkit/executions"
	"github.com/keplersim/keplersim/testkit/mutate"
)

func TestEveryEmbeddedConfigurationLoads(t *testing.T) {
	for _, name := range EmbeddedNames() {
		for _, asked := range []string{name, name + ".yaml"} {
			c, err := Load(asked, nil)
			require.NoError(t, err, asked)
			assert.Equal(t, name, c.Name)
			assert.NotEmpty(t, c.Description)
		}
	}
}

// The facts are from NVIDIA's programming guide, tuning guide and board specifications.
func TestChipsAreAsDocumented(t *testing.T) {
	for _, want := range []struct {
		name                                                  string
		cc                                                    arch.Capability
		smx, core, memory, registers, perThread, l2K, sharedK int
		fp64, shift, convert64                                int
		bandwidth                                             float64 // GB/s
		ecc, readOnly                                         bool
		globalLoads                                           string
	}{
		{"gk104", 30, 8, 1006, 3004, 65536, 63, 512, 64, 8, 32, 8, 192.3, false, false, "never"},
		{"gk110", 35, 15, 732, 2600, 65536, 255, 1536, 64, 64, 64, 32, 249.6, false, true, "never"},
		{"gk110b", 35, 15, 745, 3004, 65536, 255, 1536, 64, 64, 64, 32, 288.4, false, true, "opt-in"},
		{"gk210", 37, 15, 562, 2505, 131072, 255, 1536, 128, 64, 64, 32, 240.5, false, true, "opt-in"},
		{"gk107", 30, 2, 1058, 2500, 65536, 63, 256, 64, 8, 32, 8, 80, false, false, "never"},
		{"gk208", 35, 2, 1046, 2505, 65536, 255, 512, 64, 8, 32, 8, 40.1, false, true, "never"},
		{"gk20a", 32, 1, 852, 924, 65536, 255, 128, 64, 8, 32, 8, 14.8, false, true, "opt-in"},
		{"gtx680", 30, 8, 1006, 3004, 65536, 63, 512, 64, 8, 32, 8, 192.3, false, false, "never"},
		{"k10", 30, 8, 745, 2500, 65536, 63, 512, 64, 8, 32, 8, 160, true, false, "never"},
		{"k20", 35, 13, 706, 2600, 65536, 255, 1280, 64, 64, 64, 32, 208, true, true, "never"},
		{"k20x", 35, 14, 732, 2600, 65536, 255, 1536, 64, 64, 64, 32, 249.6, true, true, "never"},
		{"titan", 35, 14, 837, 3004, 65536, 255, 1536, 64, 64, 64, 32, 288.4, false, true, "never"},
		{"titan-black", 35, 15, 889, 3500, 65536, 255, 1536, 64, 64, 64, 32, 336, false, true, "opt-in"},
		{"gtx780ti", 35, 15, 875, 3500, 65536, 255, 1536, 64, 8, 32, 8, 336, false, true, "opt-in"},
		{"gtx780", 35, 12, 863, 3004, 65536, 255, 1536, 64, 8, 32, 8, 288.4, false, true, "never"},
		{"gtx770", 30, 8, 1046, 3505, 65536, 63, 512, 64, 8, 32, 8, 224.3, false, false, "never"},
		{"gtx760", 30, 6, 980, 3004, 65536, 63, 512, 64, 8, 32, 8, 192.3, false, false, "never"},
		{"gtx660", 30, 5, 980, 3004, 65536, 63, 384, 64, 8, 32, 8, 144.2, false, false, "never"},
		{"gtx660ti", 30, 7, 915, 3004, 65536, 63, 384, 64, 8, 32, 8, 144.2, false, false, "never"},
		{"gtx670", 30, 7, 915, 3004, 65536, 63, 512, 64, 8, 32, 8, 192.3, false, false, "never"},
		{"gtx690", 30, 8, 915, 3004, 65536, 63, 512, 64, 8, 32, 8, 192.3, false, false, "never"},
		{"k20c", 35, 13, 706, 2600, 65536, 255, 1280, 64, 64, 64, 32, 208, true, true, "never"},
		{"k20m", 35, 13, 706, 2600, 65536, 255, 1280, 64, 64, 64, 32, 208, true, true, "never"},
		{"k20xm", 35, 14, 732, 2600, 65536, 255, 1536, 64, 64, 64, 32, 249.6, true, true, "never"},
		{"k40c", 35, 15, 745, 3004, 65536, 255, 1536, 64, 64, 64, 32, 288.4, true, true, "opt-in"},
		{"k40m", 35, 15, 745, 3004, 65536, 255, 1536, 64, 64, 64, 32, 288.4, true, true, "opt-in"},
		{"k40", 35, 15, 745, 3004, 65536, 255, 1536, 64, 64, 64, 32, 288.4, true, true, "opt-in"},
		{"k80", 37, 13, 562, 2505, 131072, 255, 1536, 128, 64, 64, 32, 240.5, true, true, "opt-in"},
	} {
		c, err := Load(want.name, nil)
		require.NoError(t, err)
		pipe := func(key string) int {
			for i, name := range operationClassNames {
				if name == key {
					return c.Pipelines.Operations[i].ResultsPerClock
				}
			}
			t.Fatal(key)
			return 0
		}
		assert.Equal(t, want.cc, c.ComputeCapability, want.name)
		assert.Equal(t, []int{want.smx, want.core, want.memory}, []int{c.SMX.Count, c.Clocks.Core, c.Clocks.Memory}, want.name)
		assert.Equal(t, []int{want.registers, want.perThread, want.l2K << 10, want.sharedK << 10},
			[]int{c.Registers.PerSMX, c.Registers.PerThread, c.L2.Bytes,
				c.SharedMemory.CarveOuts[0].Shared + c.SharedMemory.CarveOuts[0].L1}, want.name)
		assert.Equal(t, []int{want.fp64, want.shift, want.convert64}, []int{pipe("fp64"), pipe("shift"), pipe("convert_64")}, want.name)
		assert.Equal(t, []int{192, 160, 32, 32}, []int{pipe("fp32"), pipe("integer"), pipe("multiply"), pipe("sfu")}, want.name)
		bandwidth := float64(c.Clocks.Memory*c.DRAM.TransfersPerClock*c.DRAM.Channels*c.DRAM.ChannelBits/8) / 1000
		assert.InDelta(t, want.bandwidth, bandwidth, 0.1, want.name)
		assert.Equal(t, []bool{want.ecc, want.readOnly}, []bool{c.DRAM.ECC, c.Features.ReadOnlyLoads}, want.name)
		assert.Equal(t, want.globalLoads, string(c.L1.GlobalLoads), want.name)
		assert.Equal(t, []int{64, 16, 2048, 1024, 48 << 10},
			[]int{c.SMX.Warps, c.SMX.Blocks, c.SMX.Threads, c.SMX.ThreadsPerBlock, c.SharedMemory.PerBlock}, want.name)
	}
}

// An L2 hit takes about 200 cycles on a K80 (Jia et al. 2018). Three sections have its parts.
func TestPartsOfAnL2HitMakeTheMeasuredLatency(t *testing.T) {
	c, err := Load("k80", nil)
	require.NoError(t, err)
	assert.Equal(t, 200, c.LoadStore.Latency+c.Interconnect.RequestLatency+c.L2.Latency+c.Interconnect.ResponseLatency)
}

func TestErrorsNameLineColumnAndTheRightKey(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"unknown key", "extends: gk110\nsmx:\n  cuont: 3\n", `mine.yaml:3:3: smx.cuont: unknown key; did you mean smx.count?`},
		{"unknown section", "extends: gk110\nshared_memry: {}\n", `mine.yaml:2:1: shared_memry: unknown key; did you mean shared_memory?`},
		{"key of another section", "extends: gk110\nl2: {warps: 3}\n", `mine.yaml:2:6: l2.warps: unknown key; did you mean l2.ways?`},
		{"key without its section", "extends: gk110\nwarps: 3\n", `mine.yaml:2:1: warps: unknown key; did you mean smx.warps?`},
		{"unknown class", "extends: gk110\npipelines: {operations: {fp46: {latency: 3}}}\n",
			`mine.yaml:2:26: pipelines.operations.fp46: unknown key; did you mean pipelines.operations.fp64?`},
		{"text for a number", "extends: gk110\nsmx:\n  count: many\n",
			`mine.yaml:3:10: smx.count: "many" is text, and must be a whole number (SMXs)`},
		{"fraction for a number", "extends: gk110\nsmx:\n  count: 1.5\n",
			`mine.yaml:3:10: smx.count: "1.5" is a number, and must be a whole number (SMXs)`},
		{"number for a truth", "extends: gk110\ndram: {ecc: 1}\n", `mine.yaml:2:13: dram.ecc: "1" is a number, and must be true or false`},
		{"nothing", "extends: gk110\nsmx:\n  count:\n", `mine.yaml:3:10: smx.count: is nothing, and must be a whole number (SMXs)`},
		{"list for a number", "extends: gk110\nsmx: {count: [1]}\n",
			`mine.yaml:2:14: smx.count: is a list, and must be a whole number (SMXs)`},
		{"number for a section", "extends: gk110\nsmx: 3\n", `mine.yaml:2:6: smx: is a number, and must be a section with the keys count`},
		{"too small", "extends: gk110\nsmx: {count: 0}\n", `mine.yaml:2:14: smx.count: 0 is less than 1 SMXs, the least possible`},
		{"too large", "extends: gk110\nregisters: {per_thread: 256}\n",
			`mine.yaml:2:25: registers.per_thread: 256 is more than 255 32-bit registers per thread, the most possible`},
		{"no power of two", "extends: gk110\nl2: {line: 96}\n", `mine.yaml:2:12: l2.line: 96 is not a power of two`},
		{"no multiple", "extends: gk110\nsmx: {threads: 2000}\n", `mine.yaml:2:16: smx.threads: 2000 is not a multiple of 32`},
		{"no such word", "extends: gk110\nsmx: {scheduler: gtp}\n",
			`mine.yaml:2:18: smx.scheduler: "gtp": choose one of fifo, grr, gto, lrr, oldest, two-level; did you mean gto?`},
		{"no such unit", "extends: gk110\npipelines: {operations: {sfu: {unit: cores}}}\n", `"cores": choose one of core, fp64`},
		{"no such capability", "extends: gk110\ncompute_capability: 5.0\n",
			`mine.yaml:2:21: compute_capability: "5.0" is not a compute capability that can be simulated: 2.0, 2.1, 3.0, 3.2, 3.5, 3.7`},
		{"size without bytes", "extends: gk110\nsmx: {count: 1K}\n", `smx.count: "1K" is text`},
		{"list of wrong length", "extends: gk110\nsmx: {max_grid_dim: [1, 2]}\n", `smx.max_grid_dim: has 2 elements, and must have 3`},
		{"too many threads", "extends: gk110\nsmx: {warps: 32}\n", `smx.threads: 2048 is more than smx.warps × 32, 1024`},
		{"too many warps of a scheduler", "extends: gk110\nsmx: {warps: 320}\n",
			`mine.yaml:2:14: smx.warps: 320 are more than 64 for each of smx.schedulers, 4: the most for so many is 256`},
		{"too many results", "extends: gk104\npipelines: {operations: {fp64: {results_per_clock: 64}}}\n",
			`pipelines.operations.fp64.results_per_clock: 64 is more than the lanes of unit fp64, 8`},
		{"broken sets", "extends: gk110\nl2: {bytes: 1000K}\n", `mine.yaml:2:13: l2.bytes: 1024000 are not whole sets`},
		{"activate window", "extends: gk110\ndram: {timing: {faw: 3}}\n", `mine.yaml:2:22: dram.timing.faw: 3 is less than rrd, 8`},
		{"missing", "name: mine\n", `mine.yaml:1:1: l2: missing section; give it, or extend a chip that has it`},
		{"splits of different sizes", "extends: gk110\nshared_memory: {carve_outs: [{prefer: shared, shared: 48K, l1: 16K, l1_sets: " +
			"32}, {prefer: l1, shared: 16K, l1: 32K, l1_sets: 32}, {prefer: equal, shared: 32K, l1: 32K, l1_sets: 32}]}\n",
			`are not 65536 together`},
		{"missing in a section", "name: mine\nclocks: {core: 3}\n", `mine.yaml:1:1: clocks.memory: missing key (MHz)`},
		{"twice", "extends: gk110\nsmx: {count: 3}\nsmx: {count: 3}\n", `mine.yaml:3:1: `},
		{"broken", "extends: gk110\nsmx: {count: 3\n", `mine.yaml:2:`},
		{"anchor", "extends: gk110\nsmx: &a {count: 3}\n", `mine.yaml:2:6: a YAML anchor has no place`},
		{"two documents", "extends: gk110\n---\nname: x\n", `mine.yaml:3:`},
		{"a list", "- 1\n", `mine.yaml:1:1: is a list, and must be sections of keys`},
		{
			"unknown parent", "extends: gk11o\n",
			`mine.yaml:1:10: extends: config gk11o: no such file, and none of that name comes with the simulator; did you mean gk110?`,
		},
		{"binary", "\x00\x01", `not a text file`},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := write(t, t.TempDir(), "mine.yaml", test.text)
			_, err := Load(path, nil)
			require.Error(t, err)
			assert.Contains(t, strings.ReplaceAll(err.Error(), path, "mine.yaml"), test.want)
			var one *Error
			assert.True(t, errors.As(err, &one))
		})
	}
}

func TestAFileExtendsAnotherByNameAndByRelativePath(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "half.yaml", "extends: k40\nsmx: {count: 7}\nl2: {bytes: 768K}\n")
	path := write(t, dir, "quarter.yaml", "extends: ./half.yaml\nsmx: {count: 4}\n")
	c, err := Load(path, nil)
	require.NoError(t, err)
	assert.Equal(t, "quarter", c.Name, "a name is not inherited")
	assert.Equal(t, []int{4, 768 << 10, 745}, []int{c.SMX.Count, c.L2.Bytes, c.Clocks.Core})
	assert.True(t, c.DRAM.ECC)
	assert.Equal(t, path+":2", c.Origin("smx.count"))
	assert.Equal(t, "k40.yaml", c.Files()[2])
}

func TestExtendsInACircleIsAnError(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "b.yaml", "extends: ./c.yaml\n")
	write(t, dir, "c.yaml", "extends: ./b.yaml\n")
	_, err := Load(write(t, dir, "a.yaml", "extends: ./b.yaml\n"), nil)
	require.ErrorContains(t, err, "goes in a circle: "+filepath.Join(dir, "b.yaml")+" extends "+filepath.Join(dir, "c.yaml")+" extends "+
		filepath.Join(dir, "b.yaml"))
}

func TestAFileInTheWorkingDirectoryGoesBeforeAnEmbeddedOne(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, ".", "gk110.yaml", "extends: gk110\nsmx: {count: 1}\n")
	for name, smx := range map[string]int{"gk110": 15, "gk110.yaml": 1} {
		c, err := Load(name, nil)
		require.NoError(t, err)
		assert.Equal(t, smx, c.SMX.Count, name)
	}
}

func TestOverrides(t *testing.T) {
	c, err := Load("gk110", []string{"smx.count=3", "smx.count=13", "l2.bytes=768K", "clocks.core=731",
		"smx.max_grid_dim.2=800", "smx.max_grid_dim[1]=790", "shared_memory.carve_outs[0].l1_sets=64", "smx.scheduler=lrr",
		"smx.max_block_dim=[8, 8, 8]", "compute_capability=3.7"})
	require.NoError(t, err)
	assert.Equal(t, []int{13, 768 << 10, 731, 64}, []int{c.SMX.Count, c.L2.Bytes, c.Clocks.Core, c.SharedMemory.CarveOuts[0].L1Sets})
	assert.Equal(t, []int{790, 800}, c.SMX.MaxGridDim[1:])
	assert.Equal(t, []int{8, 8, 8}, c.SMX.MaxBlockDim)
	assert.Equal(t, Policy("lrr"), c.SMX.Scheduler)
	assert.Equal(t, arch.Capability(37), c.ComputeCapability)
	assert.Equal(t, "--set smx.count=13", c.Origin("smx.count"))

	for override, want := range map[string]string{
		"smx.cuont=3":           "--set smx.cuont=3: smx.cuont: unknown key; did you mean smx.count?",
		"smx.count":             "write KEY=VALUE",
		"=3":                    "write KEY=VALUE",
		"smx..count=3":          "is not a key",
		"smx.count=":            "the value is missing",
		"smx.count=abc":         `--set smx.count=abc: smx.count: "abc" is text, and must be a whole number (SMXs)`,
		"smx.count=65":          "65 is more than 64",
		"smx.count.x=3":         "smx.count is a value, not a section",
		"smx.max_grid_dim[7]=3": "smx.max_grid_dim has the elements 0 to 2, not 7",
		"smx={count: 3, }}":     "is not a value",
		"extends=gk104":         "extends is set in a file",
		"l2.bytes=1000K":        "are not whole sets",
		"smx.count=*alias":      "is not a value",
		"nowhere.at.all=3":      "nowhere: unknown key",
		"smx.max_block_dim=[1]": "must have 3",
	} {
		_, err := Load("gk110", []string{override})
		assert.ErrorContains(t, err, want, override)
	}
}

func TestResolvedLoadsBackToTheSameValues(t *testing.T) {
	for _, name := range EmbeddedNames() {
		c, err := Load(name, []string{"description='a: b # c'", "load_store.pass_cycles=1.25"})
		require.NoError(t, err)
		again, err := Load(write(t, t.TempDir(), "again.yaml", c.Resolved()), nil)
		require.NoError(t, err)
		for _, config := range []*Config{c, again} {
			config.origins, config.files, config.base, config.set = nil, nil, "", nil
		}
		assert.Equal(t, c, again)
	}
}

func TestResolvedGivesUnitOriginAndSource(t *testing.T) {
	c, err := Load("k40", []string{"smx.blocks=8"})
	require.NoError(t, err)
	text := c.Resolved()
	assert.Regexp(t, `(?m)^  core: 745 +# MHz; gk110b.yaml:\d+; d K40$`, text)
	assert.Regexp(t, `(?m)^  blocks: 8 +# blocks per SMX; --set smx.blocks=8$`, text)
	assert.Regexp(t, `(?m)^  ecc: true +# k40.yaml:\d+; d K40$`, text)
	// a comment above a block covers its values, continuation lines are included, and abbreviations are explained
	assert.Regexp(t, `(?m)^      latency: 9 +# cycles; kepler.yaml:\d+; above: results_per_clock: .* and latencies c NAK`, text)
	assert.Regexp(t, `(?m)^    compiled_alone: 2 .*and GK110B: at most about four in three slots`, text)
	assert.Regexp(t, `(?m)^#   Jia +Jia et al\., Dissecting the NVIDIA Volta GPU Architecture`, text)
	assert.NotRegexp(t, `(?m)^  [a-z_]+: \S+ +# kepler.yaml:\d+$`, text, "a value of a section without a source")
}

// Each value in an embedded file has a mark of its source (m, d, c or x) on its line, or a comment with marks at the head of its block.
func TestEveryEmbeddedValueHasASource(t *testing.T) {
	mark := func(comment string) bool {
		for _, word := range strings.FieldsFunc(comment, func(r rune) bool { return strings.ContainsRune(" ;:,.()", r) }) {
			switch word {
			case "m", "d", "c", "x", "as":
				return true
			}
		}
		return strings.Contains(comment, "Guide") || strings.Contains(comment, "ccd_short") || strings.Contains(comment, "ras + rp")
	}
	files, err := embedded.ReadDir(".")
	require.NoError(t, err)
	for _, file := range files {
		text, err := embedded.ReadFile(file.Name())
		require.NoError(t, err)
		marked := map[int]bool{} // by indentation: a comment at this depth covers the following lines
		for i, line := range strings.Split(string(text), "\n") {
			body, comment, _ := strings.Cut(line, "#")
			depth := len(body) - len(strings.TrimLeft(body, " "))
			trimmed := strings.TrimSpace(body)
			switch {
			case trimmed == "" && comment != "":
				marked[depth] = marked[depth] || mark(comment)
				continue
			case trimmed == "":
				marked = map[int]bool{}
				continue
			case strings.HasSuffix(trimmed, ":"):
				for deep := range marked {
					if deep > depth {
						delete(marked, deep)
					}
				}
				marked[depth+2] = mark(comment)
				continue
			}
			covered := mark(comment)
			for deep, m := range marked {
				covered = covered || m && deep <= depth
			}
			head, _, _ := strings.Cut(trimmed, ":")
			switch head {
			case "name", "description", "chip", "compute_capability", "extends", "ecc":
				continue
			}
			assert.True(t, covered, "%s:%d: %s has no source", file.Name(), i+1, trimmed)
		}
	}
}

func TestValuesDependOnValuesAlone(t *testing.T) {
	k40, err := Load("k40", nil)
	require.NoError(t, err)
	assert.NotContains(t, k40.Values(), "#")
	again, err := Load("gk110b", []string{"name=k40", "description=" + k40.Description, "dram.ecc=true"})
	require.NoError(t, err)
	assert.Equal(t, k40.Values(), again.Values())
	other, err := Load("k40", []string{"l2.latency=61"})
	require.NoError(t, err)
	assert.NotEqual(t, k40.Values(), other.Values())
}

func TestUnknownNameSuggests(t *testing.T) {
	_, err := Load("k4o", nil)
	assert.ErrorContains(t, err, "did you mean k40?")
	_, err = Load("no/such.yaml", nil)
	assert.ErrorIs(t, err, os.ErrNotExist)
	_, err = Load("kepler", nil)
	assert.ErrorContains(t, err, "not a chip; take one of c2075")
	_, err = Load("volta", nil)
	assert.ErrorContains(t, err, "gk104, gk107, gk110")
}

func TestListNamesWhatEachExtends(t *testing.T) {
	list, err := List()
	require.NoError(t, err)
	assert.Len(t, list, len(EmbeddedNames()), "a file in this folder is a configuration, without any list of them")
	for _, e := range list {
		if e.Name == "k80" {
			assert.Equal(t, "gk210", e.Extends)
		}
	}
}

// FuzzLoad checks that no text makes the loader panic, and that the resolved form of a valid configuration loads again.
func FuzzLoad(f *testing.F) {
	f.Add("extends: gk110\nsmx: {count: 3}\n", "smx.count=13")
	chip, err := embedded.ReadFile("gk110.yaml")
	require.NoError(f, err)
	for seed := range uint64(100) {
		f.Add(mutate.Text(seed, string(chip)), mutate.Text(seed, "smx.max_grid_dim[0]=1006"))
	}
	f.Add("extends: gk104\nsmx:\n  max_grid_dim: [1006, 1100, 3]\n", "smx.max_grid_dim[0]=1006")
	f.Add("extends: mine.yaml\n", "l2.bytes=1M")
	f.Add("a: &x [1, 2]\nb: *x\n", "a.b.c.d=[{}]")
	f.Add("---\n...\n--- !!map\n? [a]\n: b\n", "=")
	f.Add("extends: gk110\nname: \"a # b\\n\"\n", "name='x: y'")
	f.Add("smx:\n\tcount: 1\n", "smx.count=1e9")
	folder := f.TempDir()
	executions.Fuzz(f, func(t *testing.T, text, override string) {
		path := write(t, folder, "mine.yaml", text)
		c, err := Load(path, []string{override})
		if err != nil {
			assert.NotEmpty(t, err.Error())
			return
		}
		_, err = Load(write(t, folder, "again.yaml", c.Resolved()), nil)
		require.NoError(t, err)
	})
}

func write(t testing.TB, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func TestAFolderIsNoConfiguration(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, "mine.yaml")
	require.NoError(t, os.Mkdir(folder, 0o755))
	_, err := Load(folder, nil)
	assert.ErrorContains(t, err, "mine.yaml: is a folder")
	t.Chdir(dir)
	_, err = Load("mine.yaml", nil)
	assert.EqualError(t, err, "config mine.yaml: is a folder")
}

func TestOverridesAreKept(t *testing.T) {
	plain, err := Load("gk110", nil)
	require.NoError(t, err)
	assert.Empty(t, plain.Overrides())
	assert.Equal(t, "gk110", plain.Title())
	c, err := Load("gk110", []string{"smx.max_grid_dim[1]=7", "smx.count = 14", "clocks.core=700", "smx.max_grid_dim.1=8", "smx.count=13"})
	require.NoError(t, err)
	assert.Equal(t, []string{"clocks.core=700", "smx.max_grid_dim.1=8", "smx.count=13"}, c.Overrides(), "the last of each key")
	assert.Equal(t, "gk110 with clocks.core=700, smx.max_grid_dim.1=8 and smx.count=13", c.Title())
}

// Files and overrides that no person wrote are refused before they take memory.
func TestConfigurationsBeyondTheBounds(t *testing.T) {
	folder := t.TempDir()
	deep := filepath.Join(folder, "deep.yaml")
	require.NoError(t, os.WriteFile(deep, []byte("extends: gk110\nsmx: "+strings.Repeat("{a: ", 50_000)), 0o644))
	_, err := Load(deep, nil)
	assert.ErrorContains(t, err, "deep.yaml:2:256: values are nested more than 64 deep")
	require.NoError(t, os.Symlink("/dev/zero", filepath.Join(folder, "zero.yaml")))
	_, err = Load(filepath.Join(folder, "zero.yaml"), nil)
	assert.ErrorContains(t, err, "zero.yaml is longer than 4 MB")
	_, err = Load("gk110", []string{"smx.count=" + strings.Repeat("[", 100_000)})
	assert.ErrorContains(t, err, "is not a value")
	assert.Less(t, len(err.Error()), 1000)
}

// Embedded files are parsed once, but loads do not affect each other.
func TestLoadsAreIndependent(t *testing.T) {
	changed, err := Load("k40", []string{"smx.count=3", "l2.latency=777"})
	require.NoError(t, err)
	again, err := Load("k40", nil)
	require.NoError(t, err)
	assert.Equal(t, 3, changed.SMX.Count)
	assert.Equal(t, 15, again.SMX.Count)
	assert.NotEqual(t, changed.L2.Latency, again.L2.Latency)
}
