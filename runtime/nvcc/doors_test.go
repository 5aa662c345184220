package nvcc

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/testkit/need"
)

// valuesOf says for each option with a value whether it names an output, and if not, what it is. A new option needs a row.
var valuesOf = map[string]string{
	"output-file": "output", "output-directory": "output", "dependency-output": "output",
	"options-file": "input", "pre-include": "input", "include-path": "folder", "system-include": "folder", "library-path": "folder",
	"keep-dir": "nothing is kept", "compiler-bindir": "not used", "time": "nothing is written",
	"dependency-target-name": "word", "run-args": "word", "define-macro": "word", "undefine-macro": "word", "library": "word",
	"linker-options": "word", "archive-options": "word", "x": "word", "cudart": "word", "cudadevrt": "word", "gpu-architecture": "word",
	"gpu-code": "word", "generate-code": "word", "relocatable-device-code": "word", "maxrregcount": "word", "ftz": "word",
	"prec-div": "word", "prec-sqrt": "word", "fmad": "word", "default-stream": "word", "ptxas-options": "word", "nvlink-options": "word",
	"dopt": "word", "ftemplate-depth": "word", "compiler-options": "word", "optimize": "word", "std": "word", "machine": "word",
	"Werror": "word", "diag-suppress": "word", "diag-error": "word", "diag-warn": "word", "Xcudafe": "word", "threads": "word",
}

// overInputs are command lines that would overwrite an input, named %: one for each phase and each option that names an output.
var overInputs = map[string]string{
	"output-file link": "b.cu -o %", "output-file compile": "-c b.cu -o %", "output-file ptx": "-ptx b.cu -o %",
	"output-file dlink": "-dlink b.cu o.o -o %", "output-file lib": "-lib b.cu -o %", "output-file cuda": "-cuda b.cu -o %",
	"output-file E": "-E b.cu -o %", "output-file M": "-M b.cu -o %", "output-file MM": "-MM b.cu -o %",
	"dependency-output": "-c b.cu -MD -MF %", "output-file header": "-c o.cu -include b.cu -o %",
	"output-file object": "o.cu b.cu -link -o %", "output-file options": "-c o.cu -optf b.cu -o %",
}

// No output of nvcc overwrites an input, under any name of the file.
func TestNoOutputOverAnInput(t *testing.T) {
	for _, o := range options {
		if o.kind != flag {
			kind := valuesOf[o.long]
			require.NotEmpty(t, kind, "--%s has no row: does it name an output?", o.long)
			if kind == "output" && o.long != "output-directory" {
				assert.Condition(t, func() bool {
					for name := range overInputs {
						if strings.HasPrefix(name, o.long) {
							return true
						}
					}
					return false
				}, "--%s is tried", o.long)
			}
		}
	}
	folder := t.TempDir()
	t.Chdir(folder)
	const text = "// \nint main() { return 0; }\n"
	require.NoError(t, os.WriteFile("b.cu", []byte(text), 0o600))
	require.NoError(t, os.WriteFile("o.cu", []byte("int x;\n"), 0o600))
	require.NoError(t, os.Mkdir("links", 0o700))
	require.NoError(t, os.Link("b.cu", "links/hard"))
	require.NoError(t, os.Symlink("../b.cu", "links/soft"))
	for name, line := range overInputs {
		for _, spelled := range []string{"b.cu", "./b.cu", "links/../b.cu", filepath.Join(folder, "b.cu"), "links/hard", "links/soft"} {
			if name == "output-file options" {
				require.NoError(t, os.WriteFile("b.cu", nil, 0o600))
			}
			err := Run(t.Context(), strings.Fields(strings.ReplaceAll(line, "%", spelled)), Output{Out: io.Discard, Err: io.Discard})
			assert.ErrorContains(t, err, "would overwrite the input", "%s: %s", line, spelled)
			require.NoError(t, os.WriteFile("b.cu", []byte(text), 0o600))
		}
	}
	for _, line := range []string{"-c b.cu -MD -o x -MF x", "-c b.cu -MD -o x.d", "-c b.cu -MD -MF ./b.o"} {
		err := Run(t.Context(), strings.Fields(line), Output{Out: io.Discard, Err: io.Discard})
		assert.ErrorContains(t, err, "write the same file", line)
	}
	require.NoError(t, os.Symlink("x.ptx", "y.ptx"))
	require.NoError(t, os.Rename("b.cu", "x.ptx"))
	for _, line := range []string{"-x cu -ptx x.ptx", "-x cu -ptx x.ptx -odir .", "-x cu -ptx x.ptx -o y.ptx"} {
		err := Run(t.Context(), strings.Fields(line), Output{Out: io.Discard, Err: io.Discard})
		assert.ErrorContains(t, err, "would overwrite the input", line)
	}
}

// A failed command leaves the output of an earlier run and no other file. A successful one keeps a link and its file's permissions.
func TestOutputsAppearWholeOrNotAtAll(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles")
	}
	need.Clang(t)
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("bad.cu", []byte("#error no\n"), 0o600))
	require.NoError(t, os.WriteFile("good.cu", []byte("#include \"good.h\"\n__global__ void k() {}\nint main() { return N; }\n"), 0o600))
	require.NoError(t, os.WriteFile("good.h", []byte("#define N 0\n"), 0o600))
	run := func(line string) error {
		return Run(t.Context(), strings.Fields(line), Output{Out: io.Discard, Err: io.Discard})
	}
	for _, line := range []string{"-ptx bad.cu -o out.o", "-E bad.cu -o out.o", "bad.cu -o out.o"} {
		require.NoError(t, os.WriteFile("out.o", []byte("earlier"), 0o600))
		require.Error(t, run(line))
		text, err := os.ReadFile("out.o")
		require.NoError(t, err)
		assert.Equal(t, "earlier", string(text), line)
	}
	require.NoError(t, os.Symlink("out.o", "link.o"))
	require.NoError(t, run("-c good.cu -MD -MF deps -o link.o"))
	info, err := os.Lstat("link.o")
	require.NoError(t, err)
	assert.NotZero(t, info.Mode()&os.ModeSymlink)
	info, err = os.Stat("out.o")
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode())
	rule, err := os.ReadFile("deps")
	require.NoError(t, err)
	assert.Regexp(t, `^link\.o: good\.cu (.|\n)*good\.h`, string(rule), "the rule is the object's, as Makefiles need it")
	require.NoError(t, run("out.o -o program"))
	info, err = os.Stat("program")
	require.NoError(t, err)
	assert.NotZero(t, info.Mode()&0o100, "a program can be run")
	require.NoError(t, run("-lib out.o -o both.a"))
	require.NoError(t, run("-c good.cu -o good.o"))
	require.NoError(t, run("-lib good.o -o both.a"))
	text, err := os.ReadFile("both.a")
	require.NoError(t, err)
	assert.Len(t, members(text), 3, "symbols and both objects: those of before stay")
	left, err := filepath.Glob(".*.keplersim-*")
	require.NoError(t, err)
	assert.Empty(t, left)
}

// Files whose names begin with @ are never read for options.
func TestNamesAreNoFilesOfOptions(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles")
	}
	need.Clang(t)
	t.Chdir(t.TempDir())
	const source = "__global__ void k() {}\nint main() { return 0; }\n"
	for name, text := range map[string]string{"x.o": "--pwned", "e.h": "--pwned", "p": "--pwned", "a.cu": source, "@p": "#define P 1\n",
		"@a.cu": source, "@b.cpp": "int b;\n", "b.cpp": "--pwned"} {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
	run := func(line string) string {
		var out bytes.Buffer
		err := Run(t.Context(), strings.Fields(line), Output{Out: &out, Err: &out})
		if err != nil {
			return out.String() + err.Error()
		}
		return out.String()
	}
	for _, line := range []string{"-c a.cu -o @x.o", "-c @b.cpp -o b.o", "b.o @x.o -o @prog", "-M a.cu -include @p",
		"-c @a.cu -MD -MF @deps -MT @target -o o.o", "-E @a.cu -o @text", "-lib @x.o -o @l.a", "-E a.cu -I@p", "-ptx @a.cu -o @ptx"} {
		said := run(line)
		assert.NotContains(t, said, "pwned", line)
		if !strings.Contains(line, "prog") && !strings.HasPrefix(line, "-E a") && !strings.HasPrefix(line, "-M a") {
			assert.Empty(t, said, line)
		}
	}
	for _, name := range []string{"@x.o", "@deps", "@text", "@l.a", "@ptx"} {
		assert.FileExists(t, name)
	}
	for _, line := range []string{"-E a.cu -Xcompiler @p", "-E a.cu -D@p", "-E a.cu -U@p", "b.o -Xlinker @p -o o",
		"b.o -Xcompiler -Wl,@p -o o", "b.o -L@p -l@p -o o"} {
		said := run(line)
		assert.NotContains(t, said, "--pwned", line)
	}
}

// No output overwrites a header that a source includes, for the host, for the device, or both.
func TestNoOutputOverAHeader(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles")
	}
	need.Clang(t)
	t.Chdir(t.TempDir())
	texts := map[string]string{
		"a.cu": "#ifdef __CUDA_ARCH__\n#include \"device.o\"\n#else\n#include \"a host.o\"\n#endif\n#include <system.o>\n" +
			"__global__ void k() {}\nint main() { return 0; }\n",
		"p.cpp": "#include \"a host.o\"\nint p;\n", "device.o": "// device\n", "a host.o": "// host\n", "in/system.o": "// system\n",
	}
	require.NoError(t, os.Mkdir("in", 0o700))
	for name, text := range texts {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
	require.NoError(t, os.Link("device.o", "hard.o"))
	require.NoError(t, os.Symlink("a host.o", "soft.o"))
	outputs := map[string][]string{"device.o": {"device.o", "hard.o"}, "host": {"soft.o", "a host.o"}, "system": {"in/system.o"}}
	for line, kinds := range map[string][]string{
		"-ptx a.cu -isystem in -o": {"device.o", "system"}, "-c a.cu -isystem in -o": {"device.o", "host", "system"},
		"-c a.cu -isystem in -o fine.o -MD -MF": {"device.o", "host", "system"}, "a.cu -isystem in -o": {"device.o", "host", "system"},
		"-c p.cpp -o": {"host"}, "-E a.cu -isystem in -o": {"host", "system"},
		"-M a.cu -isystem in -o": {"host", "system"}, "-MM a.cu -isystem in -o": {"host", "system"},
		"-cuda a.cu -isystem in -o": {"host", "system"},
	} {
		for _, kind := range kinds {
			for _, output := range outputs[kind] {
				err := Run(t.Context(), append(strings.Fields(line), output), Output{Out: io.Discard, Err: io.Discard})
				assert.ErrorContains(t, err, "would overwrite the input", "%s %s", line, output)
			}
		}
	}
	for name, text := range texts {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		assert.Equal(t, text, string(data), name)
	}
}
