package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/lab"
	"github.com/keplersim/keplersim/testkit/need"
)

// printed is a command line in a document or a help text.
type printed struct{ where, line string }

// documents returns the README and the pages of docs.
func documents(t *testing.T) map[string]string {
	t.Helper()
	pages, err := filepath.Glob("../docs/*.md")
	require.NoError(t, err)
	require.Greater(t, len(pages), 10)
	texts := map[string]string{}
	for _, page := range append(pages, "../README.md") { // the README replaces the index, whose links have their own test
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		texts[filepath.Base(page)] = string(text)
	}
	return texts
}

var commandLine = regexp.MustCompile(`(?m)^(?:bin/)?(keplersim .*)$`)

// examples returns the command lines of all documents and help texts.
func examples(t *testing.T) (all []printed) {
	t.Helper()
	for page, text := range documents(t) {
		for _, m := range commandLine.FindAllStringSubmatch(text, -1) {
			all = append(all, printed{page, m[1]})
		}
	}
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		for line := range strings.Lines(c.Example) {
			if line = strings.TrimSpace(line); strings.HasPrefix(line, "keplersim ") && !strings.Contains(c.CommandPath(), " completion") {
				all = append(all, printed{c.CommandPath(), line})
			}
		}
		for _, below := range c.Commands() {
			walk(below)
		}
	}
	walk(newRootCommand())
	slices.SortFunc(all, func(a, b printed) int { return strings.Compare(a.where+a.line, b.where+b.line) })
	return all
}

// words splits a line as a shell does. It drops everything after # or |, and returns the file after > as redirect.
func words(line string) (args []string, redirect string) {
	word, quoted, some := "", false, false
	end := func() {
		if some {
			args = append(args, word)
		}
		word, some = "", false
	}
	for i, r := range line {
		switch {
		case r == '\'':
			quoted, some = !quoted, true
		case quoted || r != ' ' && r != '#' && r != '|' && r != '>':
			word, some = word+string(r), true
		case r == ' ':
			end()
		case r == '>':
			end()
			return args, strings.TrimSpace(line[i+1:])
		case !some:
			return args, ""
		default:
			word += string(r)
		}
	}
	end()
	return args, ""
}

// sample returns the code block of a document that begins with a comment naming a file.
func sample(t *testing.T, text, comment string) string {
	t.Helper()
	_, rest, found := strings.Cut(text, "\n"+comment+"\n")
	require.True(t, found, comment)
	code, _, _ := strings.Cut(rest, "\n```")
	return code + "\n"
}

// firstLesson returns the lesson in the tutorial.
func firstLesson(t *testing.T, pages map[string]string) string {
	t.Helper()
	_, rest, found := strings.Cut(pages["first-lesson.md"], "\n~~~~markdown\n")
	require.True(t, found)
	lesson, _, found := strings.Cut(rest, "\n~~~~\n")
	require.True(t, found)
	return lesson + "\n"
}

// blockOf returns the fenced block of a page whose info line is given.
func blockOf(t *testing.T, page, line string) string {
	t.Helper()
	_, rest, found := strings.Cut(page, "\n```"+line+"\n")
	require.True(t, found, line)
	code, _, _ := strings.Cut(rest, "\n```\n")
	return code + "\n"
}

// exampleFolder returns a folder with the files that examples use.
func exampleFolder(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644))
	}
	from := func(name, path string) {
		text, err := os.ReadFile(filepath.Join(root, path))
		require.NoError(t, err)
		write(name, string(text))
	}
	for _, name := range []string{"workloads", "examples"} {
		require.NoError(t, os.Symlink(filepath.Join(root, name), filepath.Join(folder, name)))
	}
	require.NoError(t, os.MkdirAll(filepath.Join(folder, "common", "inc"), 0o755))
	pages := documents(t)
	write("scale.cu", sample(t, pages["quick-start.md"], "// scale.cu"))
	write("convolve.cu", sample(t, pages["workload-file.md"], "// convolve.cu"))
	write("kernel.cu", "__global__ void kernel(float *x, int n) {\n#ifdef BLOCK_SIZE\n"+
		"  __shared__ float tile[BLOCK_SIZE]; tile[threadIdx.x % BLOCK_SIZE] = 1;\n#endif\n"+
		"  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= 2; }\n")
	write("kernel.ptx", ".version 4.2\n.target sm_35\n.address_size 64\n.visible .entry kernel(.param .u64 x, .param .u32 n)\n{\n"+
		"\t.reg .b32 %r<2>; .reg .b64 %d<2>;\n\tld.param.u64 %d1, [x];\n\tld.param.u32 %r1, [n];\n\tst.global.u32 [%d1], %r1;\n\tret;\n}\n")
	const program = "#include <cstdio>\n__global__ void k() {}\nint main() { k<<<1, 1>>>(); puts(\"done\"); return " +
		"cudaDeviceSynchronize(); }\n"
	for _, name := range []string{"program.cu", "jacobi.cu", "nbody.cu", "reduce.cu", "exchange.cu", "matmul.cu", "filter.cu"} {
		write(name, program)
	}
	write("main.cu", "#include <cstdio>\nvoid go();\nint main() { go(); puts(\"done\"); }\n")
	write("heat.cu", "__global__ void step(int *p) { *p += 1; }\nint main() {\n  int *p;\n  cudaMalloc(&p, sizeof *p);\n"+
		"  for (int i = 0; i < 9; i++) step<<<1, 1>>>(p);\n  return cudaDeviceSynchronize();\n}\n")
	write("main.cpp", "#include <cstdio>\nvoid go();\nint main() { go(); puts(\"done\"); }\n")
	write("kernels.cu", "__global__ void k() {}\nvoid go() { k<<<1, 1>>>(); }\n")
	require.NoError(t, os.MkdirAll(filepath.Join(folder, "include"), 0o755))
	from("known.sarif", "report/testdata/one.sarif")
	from("main.ptx", "cli/testdata/link-main.ptx")
	from("library.ptx", "cli/testdata/link-library.ptx")
	write("more.ptx", ".version 4.2\n.target sm_35\n.address_size 64\n")
	from("ackermann.ptx", "cli/testdata/add.ptx")
	write("mine.yaml", sample(t, pages["configs.md"], "# mine.yaml: a K40 with half of its L2 and memory channels"))
	for _, name := range strings.Fields("narrow.json wide.json k20.json k80.json tiled.json padded.json all.json capped.json") {
		write(name, `{"workload": "saxpy", "config": "gk110", "kernels": [{"name": "saxpy", "symbol": "saxpy", "cycles": 7320, "time_us": 10,
  "roofline": {"ceilings": {"single_flops": 4e12, "double_flops": 1e12, "shared_bytes_per_second": 2e12, "l2_bytes_per_second": 5e11, "dram_bytes_per_second": 2e11},
    "seconds": 1e-5, "single_flop": 8192, "dram_bytes": 49152, "points": []}}]}`)
	}
	write("workload.yaml", "name: w\nmodule: kernel.ptx\nbuffers:\n  x: {type: s32, count: 1}\nsteps:\n"+
		"  - launch: {kernel: kernel, grid: [1], block: [32], args: [x, {u32: 1}]}\n")
	saxpy, overlap := filepath.Join(root, "workloads/saxpy/saxpy.yaml"), filepath.Join(root, "workloads/overlap/overlap.yaml")
	for name, args := range map[string][]string{
		"run.kst":      {"run", "--record", filepath.Join(folder, "run.kst"), saxpy},
		"before.json":  {"run", "--format", "json", "-o", filepath.Join(folder, "before.json"), saxpy},
		"streams.json": {"run", "--format", "json", "-o", filepath.Join(folder, "streams.json"), overlap},
		"saxpy.ckpt":   {"run", "--save-at", "20000", "--save-to", filepath.Join(folder, "saxpy.ckpt"), saxpy},
	} {
		code, _, errOut := keplersim(t, args...)
		require.Equal(t, exitRan, code, "%s: %s", name, errOut)
	}
	for _, copied := range []string{"k40.json", "after.json"} {
		text, err := os.ReadFile(filepath.Join(folder, "before.json"))
		require.NoError(t, err)
		write(copied, string(text))
	}
	write("table.csv", "workload,board,smx.scheduler,status,reason,cycles,time_us\nfft,k20,gto,ok,,100,1\nfft,k20,lrr,ok,,110,1.1\n"+
		"fft,k40,gto,ok,,90,0.9\nfft,k40,lrr,ok,,95,0.95\n")
	write("run.json", `{"kernels": [{"symbol": "bitonic_block", "source": []}]}`)
	all, err := lab.Lessons()
	require.NoError(t, err)
	for _, l := range all {
		switch e := l.Exercises[0]; l.Slug {
		case "coalescing":
			write("answer.cu", e.Answer.Text)
		case "caches":
			write("answer.ptx", e.Answer.PTX)
		}
	}
	require.NoError(t, os.MkdirAll(filepath.Join(folder, "lessons"), 0o755))
	from("lessons/08-caches.md", "lab/lessons/text/08-caches.md")
	require.NoError(t, os.MkdirAll(filepath.Join(folder, "mylessons"), 0o755))
	write("mylessons/01-stride.md", firstLesson(t, pages))
	write("dense.cu", blockOf(t, pages["first-lesson.md"], "cuda answer=dense"))
	from("scale_test.cu", "examples/ci/scale_test.cu")
	for _, name := range []string{"gpu.bin", "cpu.bin", "values.bin"} {
		write(name, strings.Repeat("\x00\x00\x80\x3f", 64))
	}
	return folder
}

// buildExamples makes the compiled programs that examples use.
func buildExamples(t *testing.T, folder string) {
	in := func(name string) string { return filepath.Join(folder, name) }
	for _, args := range [][]string{
		{"-o", in("program"), in("program.cu")}, {"-o", in("heat"), in("heat.cu")}, {"-c", "-o", in("main.o"), in("main.cpp")},
	} {
		code, _, errOut := keplersim(t, append([]string{"nvcc"}, args...)...)
		require.Equal(t, exitRan, code, errOut)
	}
}

// Every command line in a document or a help text is accepted and works. Runs are functional, and long measurements are only listed.
func TestPrintedCommandsWork(t *testing.T) {
	all := examples(t)
	require.Greater(t, len(all), 80)
	var plain, compiled []printed
	for _, example := range all {
		if testing.Short() && !strings.HasPrefix(example.where, "README") {
			continue
		}
		if needsCompiler(example.line) {
			compiled = append(compiled, example)
		} else {
			plain = append(plain, example)
		}
	}
	require.NotEmpty(t, plain)
	require.NotEmpty(t, compiled)
	folder := exampleFolder(t)
	t.Chdir(folder)
	t.Run("PTX", func(t *testing.T) { runExamples(t, plain) })
	t.Run("CUDA C", func(t *testing.T) {
		need.Builder(t)
		buildExamples(t, folder)
		runExamples(t, compiled)
	})
}

// needsCompiler reports whether a command needs a compiler: for CUDA C, a program by nvcc, or the saved launch of a program, step.yaml.
func needsCompiler(line string) bool {
	args, _ := words(line)
	return args[1] == "toolkit" || args[1] == "nvcc" || slices.ContainsFunc(args, func(arg string) bool {
		return strings.Contains(arg, ".cu") || strings.HasPrefix(arg, "./") || arg == "step.yaml"
	})
}

// runExamples runs each command line once.
func runExamples(t *testing.T, examples []printed) {
	done := map[string]bool{}
	for _, example := range examples {
		args, redirect := words(example.line)
		args = args[1:]
		text := strings.Join(args, " ")
		has := func(flag string) bool { return slices.Contains(args, flag) }
		switch args[0] {
		case "sweep", "tune", "suite", "lesson": // their own tests have the tables and the lessons
			continue
		case "lab", "advise": // the lab runs until it is stopped, and advice takes ten runs; they have their own tests
			continue
		case "run":
			if has("--serve") { // runs until it is stopped; it has its own tests
				continue
			}
			if !slices.ContainsFunc(args, needsTime) {
				args = append(args, "--functional")
			}
			if i := slices.Index(args, "-o"); i >= 0 { // keep timed reports that other examples read
				if _, err := os.Stat(args[i+1]); err == nil {
					args[i+1] = os.DevNull
				}
			}
		case "disasm": // needs a program by an old nvcc; it has its own tests
			continue
		case "fuzz": // a few programs are enough
			args = append(args, "--count", "4")
		case "debug": // waits for commands or an editor; it has its own tests
			continue
		case "clocks":
			if has("--study") { // a run at every clock
				continue
			}
		case "validate":
			if has("--claims") || has("--staircase") || has("registers") { // the last needs others' programs
				continue
			}
			args = append(args, "--list")
		}
		if done[text+redirect] {
			continue
		}
		done[text+redirect] = true
		code, out, errOut := keplersim(t, args...)
		assert.Equal(t, exitRan, code, "%s: %s\n%s", example.where, example.line, errOut)
		if !has("-o") && !has("--svg") && args[0] != "nvcc" && !has("./heat") { // these print nothing on success
			assert.NotEmpty(t, out, example.line)
		}
		if redirect != "" {
			require.NoError(t, os.WriteFile(redirect, []byte(out), 0o644))
		}
	}
}

// needsTime reports whether an argument of run needs a timed run.
func needsTime(arg string) bool {
	flag, _, _ := strings.Cut(arg, "=")
	return slices.Contains([]string{ // these need a file for drawings, or timing
		"--plot-power", "--power", "--boost", "--autoboost", "--power-limit", "--record", "--trace",
		"--report", "--pprof", "--sample", "--budget", "--time", "--detail", "--save-at", "--resume",
	}, flag)
}

// Help texts name values by their meaning, not by Go's types.
func TestHelpNamesValues(t *testing.T) {
	for _, command := range []string{
		"run", "configs show", "lower", "inspect", "occupancy", "validate", "fp dot", "fp compare", "fp sum", "metrics", "compare",
	} {
		code, out, _ := keplersim(t, append(strings.Fields(command), "--help")...)
		assert.Equal(t, exitRan, code)
		assert.NotRegexp(t, `--[a-z-]+ (string|strings|stringArray|stringSlice) `, out, command)
		assert.NotContains(t, out, "(default [])", command)
	}
	_, out, _ := keplersim(t, "lower", "--help")
	assert.Regexp(t, `(?s)--config CONFIG .*\(default gk110\)`, out)
	assert.Regexp(t, `--set KEY=VALUE `, out)
}
