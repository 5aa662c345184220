package nvcc

import (
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/testkit/executions"
	"github.com/keplersim/keplersim/testkit/need"
)

// Flags follow nvcc's manual: values after a space or =, lists with commas, short names with one dash and long ones with two.
func TestFlagsAsNVCCTakesThem(t *testing.T) {
	c, err := Parse(strings.Fields("-O3 --std=c++14 -Iinclude -I more -DN=4 --define-macro A,B -Llib -lm -L dir a.cu -o out b.o " +
		"-rdc=true -Xcompiler -Wall,-O2,-fopenmp " +
		"-gencode=arch=compute_35,code=sm_35 -gencode arch=compute_50,code=compute_50 --maxrregcount 32 -Xlinker -rpath,/x " +
		"--use_fast_math -ccbin g++"))
	require.NoError(t, err)
	assert.Equal(t, []string{"a.cu", "b.o"}, c.inputs)
	assert.Equal(t, []string{"-Llib", "-lm", "-Ldir", "a.cu", "b.o", "-Xlinker", "-rpath", "-Xlinker", "/x"}, c.link)
	assert.Equal(t, []string{"-DN=4", "-DA", "-DB", "-Wall", "-O2"}, c.host)
	assert.Equal(t, []string{"-DN=4", "-DA", "-DB"}, c.device)
	assert.Equal(t, []string{"include", "more"}, c.includes)
	assert.Equal(t, []int{35, 35, 50, 50}, c.archs)
	assert.Equal(
		t, []any{"3", "c++14", "out", 32, true, true, true}, []any{c.level, c.standard, c.output, c.registers, c.rdc, c.openMP, c.fast},
	)
}

func TestArchitectureIsTheBestOfKeplers(t *testing.T) {
	for flags, want := range map[string]string{
		"": "sm_35", "-arch=sm_30": "sm_30", "-arch sm_37": "sm_37", "-arch=sm_70": "sm_35", "-arch=native": "sm_35",
		"-gencode arch=compute_30,code=sm_30 -gencode arch=compute_35,code=sm_35 -gencode arch=compute_37,code=sm_37": "sm_35",
	} {
		c, err := Parse(strings.Fields(flags))
		require.NoError(t, err, flags)
		got, _ := c.arch()
		assert.Equal(t, want, got, flags)
	}
}

func TestWordsAsAShellReadsThem(t *testing.T) {
	assert.Equal(t, []string{"a b", `c"d`, "e'f", "", "g"}, Words(`"a b" c\"d "e'f" '' g`))
	assert.Empty(t, Words(" \n\t"))
}

func TestListsKeepMacrosWithParameters(t *testing.T) {
	assert.Equal(t, []string{"A(x,y)=x", "B"}, splitList("A(x,y)=x,B"))
	assert.Equal(t, []string{"a,b", "c"}, splitList(`a\,b,c`))
}

// Every option has one row and unique names: a second row of a name would have no effect.
func TestNamesOfOptionsAreSingle(t *testing.T) {
	seen := map[string]string{}
	for _, o := range options {
		for _, name := range o.short {
			assert.Empty(t, seen[name], "-%s", name)
			seen[name] = o.long
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("-c a.cu -o a.o -gencode=arch=compute_35,code=[sm_35,compute_35]")
	f.Add("-Xcompiler '-Wall -fopenmp' -DA(x,y)=1 -I")
	f.Add("--options-file /dev/null -x cu -l")
	executions.Fuzz(f, func(t *testing.T, line string) {
		words := Words(line)
		for _, w := range words {
			if strings.Contains(w, "optf") || strings.Contains(w, "options-file") {
				return // reads files
			}
		}
		c, err := Parse(words)
		if err == nil {
			c.arch()
		}
	})
}

// Without the linker, objects are left alone, as some Makefiles rely on.
func TestObjectsAreForTheLinker(t *testing.T) {
	need.Clang(t)
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("a.o", nil, 0o600))
	var said strings.Builder
	require.NoError(t, Run(t.Context(), strings.Fields("-o program -c a.o"), Output{Out: io.Discard, Err: &said}))
	assert.Equal(t, "keplersim: note: nothing to compile: a.o is not a source file\n", said.String())
	assert.NoFileExists(t, "program")
}

// -cuda writes the text that the host pass reads of each source, into a file with nvcc's name.
func TestHostTextOfASource(t *testing.T) {
	need.Builder(t)
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("a.cu", []byte("#define N 7\n__global__ void k(int *p) { *p = N; }\n"), 0o600))
	require.NoError(t, Run(t.Context(), []string{"-cuda", "a.cu"}, Output{Out: io.Discard, Err: io.Discard}))
	text, err := os.ReadFile("a.cu.cpp.ii")
	require.NoError(t, err)
	assert.Contains(t, string(text), "*p = 7;")
}

// The toolkit's own folder, which Makefiles name by -I, is none of the program's: nothing in it hides or is warned about. A return without
// a value is no error, as with nvcc.
func TestTheToolkitsFolderIsNoneOfThePrograms(t *testing.T) {
	need.Builder(t)
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"include/keplersim_cuda.h": "", "include/cuda_runtime.h": "#error not this one\n",
		"a.cu": "#include <cuda_runtime.h>\nstd::array<int, 4> four;\nint main() { return; }\n", // <array> comes along, as gcc 11 has it
	} {
		require.NoError(t, os.MkdirAll("include", 0o700))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
	require.NoError(t, Run(t.Context(), []string{"-Iinclude", "-c", "a.cu"}, Output{Out: io.Discard, Err: io.Discard}))
}
