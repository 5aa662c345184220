package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// No output of any command overwrites an input, under any name: another spelling, a symbolic link, a hard link.
func TestNoOutputOverAnInput(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"add.ptx", "more.ptx"} {
		data, err := os.ReadFile(filepath.Join("testdata", "add.ptx"))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), data, 0o644))
	}
	t.Chdir(folder)
	for name, text := range map[string]string{
		"w.yaml": "module: add.ptx\nconfig: chip.yaml\nbuffers: {x: {type: f32, count: 64, init: {file: x.bin}}}\nsteps:\n" +
			"  - launch: {kernel: add, grid: [1], block: [32], args: [x, x, {u32: 0}, {f32: 1}]}\nexpect: {x: {file: want.bin}}\n",
		"chip.yaml":   "extends: base.yaml\n",
		"base.yaml":   "extends: gk110\n",
		"x.bin":       strings.Repeat("\x00", 256),
		"want.bin":    strings.Repeat("\x00", 256),
		"beside.ptx":  ".version 4.0\n.target sm_35\n.address_size 64\n.visible .entry k() { ret; }\n",
		"beside.yaml": "module: beside.ptx\nsteps:\n  - launch: {kernel: k, grid: [1], block: [32]}\n",
		"a.json":      "{}", "b.json": "{}", "a.svg": "\x00\x00\x00\x00", "b.svg": "\x00\x00\x00\x00",
	} {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
	}
	require.NoError(t, os.Mkdir("links", 0o755))
	before := map[string]string{}
	inputs, err := filepath.Glob("*.*")
	require.NoError(t, err)
	for _, name := range inputs {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		before[name] = string(data)
		require.NoError(t, os.Symlink("../"+name, "links/soft-"+name))
		require.NoError(t, os.Link(name, "links/hard-"+name))
	}
	for _, test := range []struct{ line, input string }{
		{"run w.yaml -o %", "w.yaml"}, {"run w.yaml -o %", "add.ptx"}, {"run w.yaml -o %", "chip.yaml"}, {"run w.yaml -o %", "base.yaml"},
		{"run w.yaml -o %", "x.bin"}, {"run w.yaml -o %", "want.bin"}, {"run w.yaml --dump x=%", "x.bin"},
		{"run w.yaml --printf %", "add.ptx"}, {"run add.ptx -o %", "add.ptx"},
		{"run add.ptx --arg f32[64]:file(x.bin) --grid 1 --block 32 -o %", "x.bin"},
		{"run add.ptx --save-workload %", "base.yaml --config base.yaml"}, {"run beside.ptx -o %", "beside.ptx"},
		{"run beside.ptx --printf %", "beside.yaml"}, {"run add.ptx --link more.ptx --printf %", "more.ptx"},
		{"occupancy add.ptx -o %", "add.ptx"}, {"occupancy beside.ptx -o %", "beside.yaml"},
		{"occupancy --config chip.yaml -o %", "base.yaml"}, {"compare a.json b.json -o %", "b.json"},
		{"fp compare a.svg b.svg --plot %", "a.svg"}, {"validate --staircase-config chip.yaml -o %", "chip.yaml"},
	} {
		name, more, _ := strings.Cut(test.input, " ")
		for _, spelled := range []string{
			name, "./" + name, "links/../" + name, filepath.Join(folder, name), "links/soft-" + name, "links/hard-" + name,
		} {
			line := strings.Fields(strings.ReplaceAll(test.line, "%", spelled) + " " + more)
			code, _, errOut := keplersim(t, line...)
			assert.Equal(t, exitBadInput, code, "%s: %s", line, errOut)
			assert.Regexp(t, "would overwrite the input|takes this file for its workload file|a workload file's name ends", errOut, line)
		}
	}
	for _, line := range []string{
		"run w.yaml -o out --printf ./out", "run w.yaml -o out --dump x=links/../out", "run w.yaml --dump x=out --dump x=out",
		"occupancy --block 32 -o o.svg --plot ./o.svg", "validate --quick -o v.svg --plot v.svg",
		"validate --quick --plot v.svg --staircase links/../v.svg",
	} {
		code, _, errOut := keplersim(t, strings.Fields(line)...)
		assert.Equal(t, exitBadInput, code, "%s: %s", line, errOut)
		assert.Contains(t, errOut, "write the same file", line)
	}
	for name, text := range before {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		assert.Equal(t, text, string(data), name)
	}
}

// A file that is standard input is an input too.
func TestNoOutputOverWhatIsPiped(t *testing.T) {
	program := build(t)
	t.Chdir(t.TempDir())
	const text = ".version 4.0\n.target sm_35\n.address_size 64\n.visible .entry k() { ret; }\n"
	require.NoError(t, os.WriteFile("k.ptx", []byte(text), 0o644))
	in, err := os.Open("k.ptx")
	require.NoError(t, err)
	defer in.Close()
	command := exec.Command(program, "run", "-", "-o", "k.ptx")
	command.Stdin = in
	out, err := command.CombinedOutput()
	assert.Error(t, err)
	assert.Contains(t, string(out), "--output k.ptx would overwrite the input, which is piped to the command")
	data, err := os.ReadFile("k.ptx")
	require.NoError(t, err)
	assert.Equal(t, text, string(data))
}
