package toolchain_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/testkit/need"
	"github.com/keplersim/keplersim/toolchain"
)

func writeSource(t *testing.T, folder, name, text string) string {
	t.Helper()
	file := filepath.Join(folder, name)
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

// A builder compiles plain C, C++ and the host part of a .cu file and links them into a program that runs. It records the user's files that
// it read, and leaves no files behind.
func TestBuilder(t *testing.T) {
	need.Clang(t)
	builder, err := toolchain.NewBuilder(t.Context())
	require.NoError(t, err)
	folder := t.TempDir()
	header := writeSource(t, folder, "answer.h", "#define ANSWER 42\n")
	c := writeSource(t, folder, "one.c", "#include \"answer.h\"\n#include <cuda_runtime.h>\n"+
		"int one(void) { int class = ANSWER; return class - (cudaSuccess + 41) + later(); }\nint later(void) { return 0; }\n")
	cc := writeSource(t, folder, "main.cc", "#include <cuda_runtime.h>\n"+
		"__global__ void __launch_bounds__(64) kernel(__grid_constant__ const int n);\n"+
		"__constant__ extern int table[4];\n__device__ __managed__ extern float4 all[];\n"+
		"extern \"C\" int one(void);\ntemplate <class T> T same(T x) { return x; }\n"+
		"int main() { return same(one()) == 1 ? 0 : 7; }\n")
	for from, to := range map[string]string{c: "one.o", cc: "main.o"} {
		require.NoError(t, builder.PlainObject(t.Context(), from, filepath.Join(folder, to), toolchain.HostOptions{}))
	}
	assert.Contains(t, builder.Read, header)
	program := filepath.Join(folder, "program")
	require.NoError(t, builder.Link(t.Context(), []string{filepath.Join(folder, "main.o"), filepath.Join(folder, "one.o")}, nil, program))
	require.NoError(t, exec.CommandContext(t.Context(), program).Run())

	err = builder.Link(t.Context(), []string{filepath.Join(folder, "main.o")}, nil, filepath.Join(folder, "none"))
	var failed *toolchain.CompileError
	require.ErrorAs(t, err, &failed)
	assert.True(t, failed.Linking, "a function that is missing is the linker's error")

	var out bytes.Buffer
	builder.Output = &out
	cu := writeSource(t, folder, "k.cu", "#include \"answer.h\"\n__global__ void k(int *p) { *p = ANSWER; }\n")
	require.NoError(t, builder.Preprocess(t.Context(), cu, true, toolchain.HostOptions{}, []string{"-E", "-P"}))
	assert.Contains(t, out.String(), "*p = 42;")
	result, err := builder.Device(t.Context(), cu, toolchain.Options{Arch: "sm_35"})
	require.NoError(t, err)
	assert.Contains(t, string(result.PTX), ".target sm_35")

	assert.True(t, builder.HasLibrary(t.Context(), "pthread"))
	assert.False(t, builder.HasLibrary(t.Context(), "keplersim-none"))

	ours := filepath.Join(builder.Dir, "keplersim_cuda.h")
	rule := "a.o: a.cu " + ours + " \\\n " + header + "\n\n" + ours + ":\n\n" + header + ":\n"
	assert.Equal(t, "a.o: a.cu \\\n "+header+"\n\n"+header+":\n", string(builder.WithoutOwn([]byte(rule))))
	builder.Close()
	assert.NoDirExists(t, builder.Dir)
}

// A file of plain C++ may begin with any of CUDA's headers, and use what it brings.
func TestHeadersInPlainFiles(t *testing.T) {
	need.Clang(t)
	builder, err := toolchain.NewBuilder(t.Context())
	require.NoError(t, err)
	defer builder.Close()
	folder := t.TempDir()
	for name, use := range map[string]string{
		"cublas_v2.h":   "#ifndef CUBLAS_API_H_\n#error NVIDIA's helper_cuda.h asks for it\n#endif\n",
		"cusparse_v2.h": "cusparseHandle_t h;\n", "cufftXt.h": "cufftHandle h;\n", "curand_kernel.h": "curandGenerator_t g;\n",
		"cuComplex.h": "", "cuda_fp16.h": "", "cuda_bf16.h": "",
		"cooperative_groups/reduce.h": "", "helper_math.h": "",
	} {
		file := writeSource(t, folder, "first.cc", "#include <"+name+">\n#include <cuda.h>\n"+use+
			"static_assert(CU_MEMHOSTREGISTER_DEVICEMAP == 2 && CU_MEMHOSTALLOC_WRITECOMBINED == 4 && "+
			"CU_CTX_BLOCKING_SYNC == 4, \"as in CUDA 11.8\");\n")
		check := toolchain.HostOptions{Extra: []string{"-fsyntax-only"}}
		assert.NoError(t, builder.PlainObject(t.Context(), file, filepath.Join(folder, "first.o"), check), name)
	}
}

// The headers that have only the vector types define no make_int4 and the like: a program of the driver API may have its own.
func TestVectorFunctionsComeWithTheRuntimesHeader(t *testing.T) {
	need.Clang(t)
	builder, err := toolchain.NewBuilder(t.Context())
	require.NoError(t, err)
	defer builder.Close()
	folder := t.TempDir()
	check := toolchain.HostOptions{Extra: []string{"-fsyntax-only", "-Wall", "-Werror"}}
	for name, text := range map[string]string{
		"own.cc": "#include <cuda_runtime_api.h>\n#include <cuda.h>\n#include <vector_types.h>\n#include <builtin_types.h>\n" +
			"static inline int4 make_int4(int x, int y, int z, int w) { int4 v = {x, y, z, w}; return v; }\n" +
			"int main() { return make_int4(1, 2, 3, 4).x; }\n",
		"runtime.cc":   "#include <vector_types.h>\n#include <cuda_runtime.h>\nint main() { return make_int4(1, 2, 3, 4).x; }\n",
		"functions.cc": "#include <vector_functions.h>\nint main() { return make_int4(1, 2, 3, 4).x; }\n",
	} {
		file := writeSource(t, folder, name, text)
		assert.NoError(t, builder.PlainObject(t.Context(), file, filepath.Join(folder, name+".o"), check), name)
	}
}

// A toolkit's include folder has NVIDIA's names, without headers that only our own compilations need.
func TestWriteInclude(t *testing.T) {
	folder := t.TempDir()
	for range 2 { // the second time overwrites
		require.NoError(t, toolchain.WriteInclude(folder))
	}
	for _, name := range []string{"cuda_runtime.h", "cuda.h", "vector_types.h"} {
		assert.FileExists(t, filepath.Join(folder, name))
	}
	assert.NoDirExists(t, filepath.Join(folder, "system"))
	assert.Len(t, toolchain.HeaderHash(), 16)
	file := writeSource(t, t.TempDir(), "file", "")
	var unwritable *toolchain.Unwritable
	require.ErrorAs(t, toolchain.WriteInclude(filepath.Join(file, "below")), &unwritable)
	assert.ErrorIs(t, unwritable, unwritable.Err)
	assert.Contains(t, unwritable.Error(), "write the CUDA header")
}

// Untrusted code can read our headers and nothing else of this machine, whatever it tries.
func TestConfinedCodeReadsOurHeadersAlone(t *testing.T) {
	need.Clang(t)
	secret := writeSource(t, t.TempDir(), "secret.h", "int secret_word = 4711;\n")
	compile := func(text string) (toolchain.Result, error) {
		return toolchain.Compile(t.Context(), "stranger.cu", toolchain.Options{Text: []byte(text), Confined: true})
	}
	result, err := compile("#include <math.h>\nextern \"C\" __global__ void k(float *p) { *p = sqrtf(*p); }\n")
	require.NoError(t, err)
	assert.Contains(t, string(result.PTX), "sqrt")
	for _, text := range []string{
		"#include \"" + secret + "\"\n",
		"#if __has_include(\"" + secret + "\")\n#error it is there\n#endif\n#include \"" + secret + "\"\n",
		"__device__ const char *s = __FILE__;\n#include \"../../../../../../../../../../../.." + secret + "\"\n",
	} {
		_, err := compile(text)
		require.ErrorContains(t, err, "file not found")
		assert.NotContains(t, err.Error(), "4711")
		assert.NotContains(t, err.Error(), "it is there")
	}
}

// A program's own macros of one capital letter, which a command line sets as in -DN=1024, break no header of ours.
func TestMacrosOfOneLetterBreakNoHeader(t *testing.T) {
	need.Clang(t)
	headers, err := filepath.Glob("include/cuda/*.h")
	require.NoError(t, err)
	require.NotEmpty(t, headers)
	text := ""
	for _, h := range headers {
		text += "#include <" + filepath.Base(h) + ">\n"
	}
	options := toolchain.Options{Arch: "sm_35"}
	for letter := 'A'; letter <= 'Z'; letter++ {
		options.Defines = append(options.Defines, string(letter)+"=7")
	}
	builder, err := toolchain.NewBuilder(t.Context())
	require.NoError(t, err)
	folder := t.TempDir()
	cu := writeSource(t, folder, "k.cu", text+"__global__ void k(int *p) { *p = N; }\n"+
		"int main() { k<<<1, 1>>>(0), (void)cublasSgemm, (void)cusparseZcsrmv; return M; }\n")
	_, err = builder.Device(t.Context(), cu, options)
	require.NoError(t, err)
	require.NoError(t, builder.HostObject(t.Context(), cu, nil, filepath.Join(folder, "k.o"), toolchain.HostOptions{Options: options}))
}
