//go:build unix

package cli

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/runtime"
	"github.com/keplersim/keplersim/testkit/need"
)

// project is a copy of one of testdata/projects, and how to call programs in it.
type project struct {
	t      *testing.T
	folder string
	binary string
}

func openProject(t *testing.T, name string, needs ...string) project {
	t.Helper()
	need.Builder(t)
	for _, tool := range needs {
		need.Program(t, tool)
	}
	folder := t.TempDir()
	require.NoError(t, os.CopyFS(folder, os.DirFS(filepath.Join("testdata", "projects", name))))
	return project{t: t, folder: folder, binary: build(t)}
}

// run runs a program in the project's folder. The program finds keplersim by an environment variable.
func (p project) run(name string, arguments ...string) string {
	p.t.Helper()
	out, err := p.try(name, arguments...)
	require.NoError(p.t, err, "%s %s:\n%s", name, strings.Join(arguments, " "), out)
	return out
}

func (p project) try(name string, arguments ...string) (string, error) {
	command := exec.CommandContext(p.t.Context(), name, arguments...)
	command.Dir = p.folder
	command.Env = append(os.Environ(), "KEPLERSIM="+p.binary, "KEPLERSIM_FLAGS=--functional")
	out, err := command.CombinedOutput()
	return string(out), err
}

// A project of several files with device functions. The host's own compiler compiles and links its host code.
func TestMakefileWithSeparateCompilation(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles and links a project of four files twice")
	}
	p := openProject(t, "heat", "make", "g++", "ar")
	toolkit := strings.TrimSpace(p.run(p.binary, "toolkit"))
	p.run("make", "CUDA_PATH="+toolkit)
	assert.Equal(t, "1000 cells, 0 wrong, PASS\n", p.run("./heat"))
	assert.Equal(t, "300 cells, 0 wrong, PASS\n", p.run("./heat", "300"))
	rule, err := os.ReadFile(filepath.Join(p.folder, "heat.d"))
	require.NoError(t, err)
	assert.Contains(t, string(rule), "include/heat.h", "the rule that -MD writes")

	p.run(p.binary, "nvcc", "-lib", "heat.o", "rule.o", "-o", "libheat.a")
	p.run(p.binary, "nvcc", "-Iinclude", "src/main.cpp", "-L.", "-lheat", "-o", "from_library")
	assert.Equal(t, "1000 cells, 0 wrong, PASS\n", p.run("./from_library"), "rule.o is in the archive, and only device code calls for it")
	t.Setenv("LIBRARY_PATH", p.folder)
	p.run(p.binary, "nvcc", "-Iinclude", "src/main.cpp", "-lheat", "-o", "by_variable")
	assert.Equal(t, "1000 cells, 0 wrong, PASS\n", p.run("./by_variable"))
}

// A program that compiles kernels at run time, finds their names and launches them.
func TestCompilationAtRunTime(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a library and a program")
	}
	p := openProject(t, "nvrtc")
	p.run(p.binary, "nvcc", "main.cu", "-lnvrtc", "-lcuda", "-o", "program")
	before, err := filepath.Glob(filepath.Join(os.TempDir(), "keplersim-nvrtc-*"))
	require.NoError(t, err)
	// keplersim run compiles with itself, without the variable.
	for _, line := range [][]string{{"./program"}, {"env", "-u", "KEPLERSIM", p.binary, "run", "./program"}} {
		out := p.run(line[0], line[1:]...)
		assert.Contains(t, out, "11.8: NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION, then NVRTC_SUCCESS: "+
			"_Z5scaleIfEvPT_i and offset, 1\n"+
			"0 0 0: 0 wrong\nNVRTC_ERROR_COMPILATION, says why: 1\n"+
			"NVRTC_SUCCESS, machine code of 0 bytes and 1: 0 7\n5 5 5 5 0 0 0 \n")
	}
	after, err := filepath.Glob(filepath.Join(os.TempDir(), "keplersim-nvrtc-*"))
	require.NoError(t, err)
	assert.Equal(t, before, after, "nothing stays in the folder for temporary files")
}

func TestCMakeProject(t *testing.T) {
	if testing.Short() {
		t.Skip("CMake tries the compiler a dozen times")
	}
	p := openProject(t, "heat", "cmake", "make", "g++", "ar")
	toolkit := strings.TrimSpace(p.run(p.binary, "toolkit"))
	p.run("cmake", "-S", ".", "-B", "build", "-DCMAKE_CUDA_COMPILER="+toolkit+"/bin/nvcc")
	p.run("cmake", "--build", "build")
	assert.Equal(t, "1000 cells, 0 wrong, PASS\n", p.run("build/heat"))
}

func TestMakefileWithNVCCInIt(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles and links a program twice")
	}
	p := openProject(t, "histogram", "make")
	p.run("make", "NVCC="+p.binary+" nvcc")
	assert.Equal(t, "40000 bytes, block 128: PASS\n", p.run("./histogram"))
	assert.Equal(t, "12 bytes, block 64: PASS\n", func() string {
		require.NoError(t, os.WriteFile(filepath.Join(p.folder, "text"), []byte("twelve bytes"), 0o600))
		return p.run("./histogram64", "text")
	}())
	out := p.run(p.binary, "run", "--functional", "./histogram", "--", "text")
	assert.Contains(t, out, "12 bytes, block 128: PASS\n")
	assert.Contains(t, out, "count(unsigned char const*, int, unsigned int*)", "the summary of keplersim run")
	ptx, err := os.ReadFile(filepath.Join(p.folder, "histogram.ptx"))
	require.NoError(t, err)
	assert.Contains(t, string(ptx), ".target sm_35")
}

// Memory that a program frees after the runtime's own end, as objects are destroyed, gives CUDA's error 4 without a message.
func TestFreesAtTheEnd(t *testing.T) {
	p := openProject(t, "histogram")
	text := "#include <cstdio>\nstruct Last { int *p; ~Last() { printf(\"free: %d\\n\", cudaFree(p)); } } last;\n" +
		"int main() { return cudaMalloc(&last.p, 4); }\n"
	require.NoError(t, os.WriteFile(filepath.Join(p.folder, "last.cu"), []byte(text), 0o600))
	p.run(p.binary, "nvcc", "last.cu", "-o", "last")
	assert.Equal(t, "free: 4\n", p.run("./last"))
}

// A program that finds no simulator says what to do, and continues with CUDA's error.
func TestProgramWithoutSimulator(t *testing.T) {
	p := openProject(t, "histogram", "make")
	p.run("make", "NVCC="+p.binary+" nvcc", "histogram")
	p.binary = "/nowhere/keplersim"
	out, err := p.try("./histogram")
	require.Error(t, err)
	assert.Contains(t, out, "put it on PATH, name it in the variable KEPLERSIM, or start the program with keplersim run")
}

func TestNVCCRefuses(t *testing.T) {
	p := openProject(t, "histogram")
	for _, c := range []struct{ flags, want string }{
		{"-maxregcount=3 histogram.cu", "did you mean --maxrregcount?"},
		{"-fPIC histogram.cu", "handed on by -Xcompiler -fPIC"},
		{"-arch=volta histogram.cu", `"volta" is not an architecture`},
		{"-c", "no input files"},
		{"-c nothing.cu", "nothing.cu: no such file"},
		{"-m32 histogram.cu", "leave -m32 out"},
		{"histogram.cu -o", "its value is missing"},
	} {
		out, err := p.try(p.binary, append([]string{"nvcc"}, strings.Fields(c.flags)...)...)
		assert.Error(t, err, c.flags)
		assert.Contains(t, out, c.want, c.flags)
	}
	for text, want := range map[string]string{
		`extern "C" int cublasCreate_v2(void *); int main() { return cublasCreate_v2(0); }`: "cublasCreate_v2 belongs to cuBLAS: " +
			"link with -lcublas",
		`__device__ int other(int); __global__ void k(int *o) { *o = other(1); } int main() {}`: "device code calls other(int), which " +
			"this file does not define; to call device functions of other files, compile all with -rdc=true",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(p.folder, "text.cu"), []byte(text), 0o600))
		out, err := p.try(p.binary, "nvcc", "text.cu")
		assert.Error(t, err)
		assert.Contains(t, out, want)
	}
}

// Linked files launch their own static kernels, even if two have the same name.
func TestOwnKernelsOfLinkedFiles(t *testing.T) {
	p := openProject(t, "histogram")
	for name, call := range map[string]string{"a": "int b(int *); int main() { int *p, n = 0; cudaMalloc(&p, 4); cudaMemset(p, 0, 4); " +
		"add<<<1, 1>>>(p); set<<<1, 1>>>(p); b(p); cudaMemcpy(&n, p, 4, cudaMemcpyDeviceToHost); return n != 12; }",
		"b": "int b(int *p) { add<<<1, 1>>>(p); return 0; }"} {
		text := "static __global__ void add(int *p) { *p += " + map[string]string{"a": "2", "b": "5"}[name] + "; }\n" +
			"namespace { __global__ void set(int *p) { *p += 5; } }\n" + call + "\n"
		require.NoError(t, os.WriteFile(filepath.Join(p.folder, name+".cu"), []byte(text), 0o600))
		p.run(p.binary, "nvcc", "-w", "-dc", name+".cu")
	}
	p.run(p.binary, "nvcc", "a.o", "b.o", "-o", "own")
	p.run("./own")
}

// A launch of a program is saved with its memory. Run alone, it computes the same as in the program.
func TestSavedLaunchRunsAlone(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a program of several files")
	}
	p := openProject(t, "heat", "ar")
	p.run(p.binary, "nvcc", "-rdc=true", "-Iinclude", "src/heat.cu", "src/rule.cu", "src/main.cpp", "-o", "heat")
	p.run(p.binary, "run", "--functional", "--save-launch", "step:7", "--save-workload", "step.yaml", "./heat")
	text, err := os.ReadFile(filepath.Join(p.folder, "step.yaml"))
	require.NoError(t, err)
	assert.Contains(t, string(text), "# Launch 7 of step in a program")
	assert.Contains(t, string(text), "conductance", "a variable of the other file")
	out := p.run(p.binary, "run", "step.yaml")
	assert.Contains(t, out, "as expected: b1", "the buffer that the launch changes is held against what it left in the program")
	out, err = p.try(p.binary, "run", "--functional", "--save-launch", "step:70", "--save-workload", "step.yaml", "./heat")
	assert.Error(t, err)
	assert.Contains(t, out, "the program made no such launch")
}

// The driver API works for a program in another language that loads libcuda.so.1 itself.
func TestDriverAPIFromPython(t *testing.T) {
	p := openProject(t, "driver", "python3", "ar")
	toolkit := strings.TrimSpace(p.run(p.binary, "toolkit"))
	t.Setenv("LD_LIBRARY_PATH", toolkit+"/lib64")
	assert.Contains(t, p.run("python3", "driver.py"), "GK110 3.5: 0 wrong, 2000 threads, time")
	out := p.run("python3", "management.py")
	assert.Contains(t, out, "1 GK110 "+runtime.UUID(0)+" 732 MHz 3.5 True 1048576 True")
}

// It also works for a program in Go with a public binding, which a C compiler builds from our cuda.h and libcuda.so.1.
func TestDriverAPIFromGo(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a binding of some 10,000 lines")
	}
	p := openProject(t, "driver", "go", "ar")
	require.NoError(t, os.CopyFS(p.folder, os.DirFS(filepath.Join("..", "examples", "driver-go"))))
	compiler := "gcc"
	if _, err := exec.LookPath(compiler); err != nil {
		compiler = need.Builder(t)
	}
	toolkit := strings.TrimSpace(p.run(p.binary, "toolkit"))
	for name, value := range map[string]string{
		"CGO_ENABLED": "1", "CC": compiler, "CGO_CFLAGS": "-I" + toolkit + "/include", "GOFLAGS": "", "GOWORK": "off",
		"CGO_LDFLAGS": "-L" + toolkit + "/lib64 -l:libcuda.so.1", "LD_LIBRARY_PATH": toolkit + "/lib64",
	} {
		t.Setenv(name, value)
	}
	if out, err := p.try("go", "list", "-deps", "."); err != nil { // downloads missing modules
		need.Missing(t, "gorgonia.org/cu", "a network from which go list -deps downloads it:\n"+out)
	}
	p.run("go", "build", "-o", "driver-go", ".")
	assert.Equal(t, `GK110 3.5
wrong PTX: InvalidPtx, module:3:1: `+"`nonsense`"+` is outside every function; instructions belong between the braces of an .entry or .func
half of it: NoBinaryForGpu
keplersim: no kernel daxpy in the module; it has saxpy
no such kernel: NotFound
keplersim: launch of saxpy: a block of 2048 threads in x: at most 1024; give smaller blocks and a larger grid
the launch returns cudaErrorInvalidConfiguration (9)
2048 threads a block: InvalidValue
10000 threads, 0 of 10000 values wrong, time taken: true
`, p.run("./driver-go"))
}

// The simulator's own profile is written for whole programs too, and NVIDIA's profiler marks compile to nothing.
func TestProfileOfTheSimulatorOfAProgram(t *testing.T) {
	p := openProject(t, "histogram")
	require.NoError(t, os.WriteFile(filepath.Join(p.folder, "marked.cu"), []byte(`#include <nvToolsExt.h>
#include <nvtx3/nvToolsExt.h>
__global__ void k(int *p) { *p = 1; }
int main() {
  int *d, v;
  nvtxRangePushA("all");
  cudaMalloc(&d, sizeof v);
  k<<<1, 1>>>(d);
  cudaMemcpy(&v, d, sizeof v, cudaMemcpyDeviceToHost);
  nvtxRangePop();
  return v - 1;
}`), 0o600))
	p.run(p.binary, "nvcc", "-o", "marked", "marked.cu", "-lnvToolsExt")
	p.run(p.binary, "run", "--functional", "--cpuprofile", "cpu.pb.gz", "./marked")
	profile, err := os.ReadFile(filepath.Join(p.folder, "cpu.pb.gz"))
	require.NoError(t, err)
	assert.Equal(t, []byte{0x1f, 0x8b}, profile[:min(2, len(profile))], "it is compressed by gzip, as pprof's are")
}

// When the simulator is killed, its program does not hang but gets an error. When the program is killed, the simulator ends.
func TestKilledSimulatorAndKilledProgram(t *testing.T) {
	p := openProject(t, "histogram")
	require.NoError(t, os.WriteFile(filepath.Join(p.folder, "loop.cu"), []byte(`#include <cstdio>
int main() {
  int *d, v = 1;
  cudaError_t error = cudaMalloc(&d, sizeof v);
  printf("going\n"), fflush(stdout);
  while (error == cudaSuccess) error = cudaMemcpy(d, &v, sizeof v, cudaMemcpyHostToDevice);
  printf("ended by %s\n", cudaGetErrorName(error));
  return 5;
}`), 0o600))
	p.run(p.binary, "nvcc", "-o", "loop", "loop.cu")
	for _, kill := range []string{"simulator", "program"} {
		command := exec.CommandContext(t.Context(), "./loop")
		command.Dir, command.Env = p.folder, append(os.Environ(), "KEPLERSIM="+p.binary)
		out, err := command.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, command.Start())
		lines := bufio.NewScanner(out)
		require.True(t, lines.Scan())
		simulator := childOf(t, command.Process.Pid)
		if kill == "program" {
			require.NoError(t, command.Process.Kill())
			assert.Error(t, command.Wait())
			gone := func() bool { return syscall.Kill(simulator, 0) != nil || zombie(simulator) }
			assert.Eventually(t, gone, 20*time.Second, 20*time.Millisecond)
			continue
		}
		require.NoError(t, syscall.Kill(simulator, syscall.SIGKILL))
		require.True(t, lines.Scan(), "the program goes on")
		assert.Equal(t, "ended by cudaErrorDevicesUnavailable", lines.Text())
		_ = command.Wait()
		assert.Equal(t, 5, command.ProcessState.ExitCode())
	}
}

// childOf returns the only child of a process.
func childOf(t *testing.T, pid int) int {
	t.Helper()
	list, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	require.NoError(t, err)
	for _, file := range list {
		text, err := os.ReadFile(file)
		if number, wrong := strconv.Atoi(strings.TrimSpace(string(text))); err == nil && wrong == nil {
			return number
		}
	}
	t.Skip("/proc does not tell children")
	return 0
}

// zombie reports whether a process has ended and no process has waited for it.
func zombie(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || strings.Contains(string(text), ") Z ")
}

// A whole program's kernels have no limit unless the user sets one.
func TestProgramsAreBoundedWhenAsked(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a program")
	}
	p := openProject(t, "histogram")
	source := filepath.Join(p.folder, "endless.cu")
	require.NoError(t, os.WriteFile(source, []byte(`#include <cstdio>
__global__ void wait(volatile int *flag) { while (!*flag) {} }
int main() {
  int *flag;
  cudaMalloc(&flag, sizeof *flag);
  cudaMemset(flag, 0, sizeof *flag);
  wait<<<1, 32>>>(flag);
  puts(cudaGetErrorName(cudaDeviceSynchronize()));
}
`), 0o600))
	out, err := p.try(p.binary, "run", "--functional", "--max-cycles", "100000", "--output", os.DevNull, source)
	require.NoError(t, err, out)
	assert.Contains(t, out, "cudaErrorLaunchTimeout\n")

	for _, test := range []struct {
		arguments []string
		most      int64
	}{{nil, math.MaxInt64}, {[]string{"--max-cycles", "7"}, 7}} {
		o := &runOptions{}
		command := &cobra.Command{}
		o.flags(command)
		require.NoError(t, command.Flags().Parse(test.arguments))
		bound := o.programLimit(command)
		assert.Equal(t, test.most, bound)
	}
}
