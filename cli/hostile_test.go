package cli

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/testkit/mutate"
	"github.com/keplersim/keplersim/testkit/need"
)

// hostileKinds are the kinds of hostile input, and how many of each the long form tries: more than the 20,300, 1,340, 1,617, 1,160, 173 and
// 69 of the attack that this test repeats.
var hostileKinds = []struct {
	name        string
	long, short int
	prepare     func(t *testing.T, c *corpus) func(seed uint64) attempt // returns the attempt for a seed, and writes its files
}{
	{"ptx", 20_500, 60, byLine(hostilePTX)},
	{"workload", 1_400, 15, byLine(hostileWorkloads)},
	{"config", 1_700, 15, byLine(hostileConfigs)},
	{"flags", 1_200, 30, byLine(hostileFlags)},
	{"fp", 200, 20, byLine(hostileFP)},
	{"cu", 75, 1, byLine(hostileCUDA)},
	{"nvcc", 1_000, 3, byLine(hostileNVCC)},
	{"study", 2_000, 20, byLine(hostileStudies)},
	{"bundle", 1_000, 10, byLine(hostileBundles)},
	{"recording", 3_000, 30, byLine(hostileRecordings)},
	{"cubin", 4_000, 20, byLine(hostileCubins)},
	{"checkpoint", 3_000, 30, byLine(hostileCheckpoints)},
	{"lesson", 1_000, 5, byLine(hostileLessons)},
	{"answer", 500, 3, byLine(hostileAnswers)},
	{"dap", 1_000, 10, hostileAdapters},
	{"http", 3_000, 60, hostileRequests},
}

// attempt is one hostile input.
type attempt struct {
	line []string      // of keplersim; its files are written
	in   io.Reader     // its standard input, nil for an empty one
	send func() string // replaces the command line: sends something to a port, and returns the response
}

// byLine makes attempts that are only command lines.
func byLine(prepare func(*testing.T, *corpus) func(uint64) []string) func(*testing.T, *corpus) func(uint64) attempt {
	return func(t *testing.T, c *corpus) func(uint64) attempt {
		line := prepare(t, c)
		return func(seed uint64) attempt { return attempt{line: line(seed)} }
	}
}

// The bounds that no input may break.
const (
	hostileTime   = 20 * time.Second
	hostileMemory = 1 << 30
)

// Broken inputs of every kind end as the help promises: with exit code 0, 1 or 2, one message and no bug page, within 20 s and 1 GB. Ports
// answer whatever they are sent, and go on. The short form tries a few; make hostile tries 43,575 and prints the worst.
func TestHostileInputs(t *testing.T) {
	long := os.Getenv("KEPLERSIM_HOSTILE") != ""
	c := readCorpus(t)
	for _, kind := range hostileKinds {
		t.Run(kind.name, func(t *testing.T) {
			if kind.name == "cu" || kind.name == "nvcc" {
				need.Clang(t)
			}
			folder := t.TempDir()
			put(t, filepath.Join(folder, "secret"), secret)
			require.NoError(t, os.Mkdir(filepath.Join(folder, "own"), 0o755))
			t.Chdir(filepath.Join(folder, "own"))
			count, attempts := kind.short, kind.prepare(t, c)
			if long {
				count = kind.long
			}
			tally := &hostileTally{}
			for seed := range uint64(count) {
				tally.run(t, seed, attempts(seed))
			}
			around, err := os.ReadDir(folder)
			require.NoError(t, err)
			assert.Len(t, around, 2, "nothing was written outside of the own folder")
			assert.Equal(t, secret, mustRead(t, "../secret"))
			for _, name := range []string{"pwned", "own/pwned"} {
				assert.NoFileExists(t, filepath.Join(folder, name), "no word of a file was taken for an option or a command")
			}
			t.Logf("%d inputs: exit codes 0, 1, 2: %d; at most %.1f s (seed %d) and %d MB (seed %d)", count, tally.codes,
				tally.longest.Seconds(), tally.longestSeed, tally.most>>20, tally.mostSeed)
		})
	}
}

// secret is in a file that strangers must not read.
const secret = "keplersim's secret\n"

// strangers are the kinds of input that may come from people who must not read our files.
var strangers = []string{"lesson", "answer", "http"}

// hostileTally counts the results of inputs.
type hostileTally struct {
	codes                 [3]int
	longest               time.Duration
	longestSeed, mostSeed uint64
	most                  uint64 // bytes
}

// errorLine begins each message.
var errorLine = regexp.MustCompile(`(?m)^keplersim: `)

// run makes one attempt and checks its result.
func (h *hostileTally) run(t *testing.T, seed uint64, a attempt) {
	t.Helper()
	line := a.line
	debug.FreeOSMemory()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var out, errOut noisy
	if a.in == nil {
		a.in = strings.NewReader("")
	}
	watched := watchMemory()
	began := time.Now()
	ended := make(chan int, 1)
	go func() {
		if a.send == nil {
			ended <- executeWith(ctx, line, a.in, io.Discard, io.MultiWriter(&out, &errOut))
			return
		}
		_, _ = io.WriteString(&errOut, a.send())
		ended <- exitRan
	}()
	var code int
	select {
	case code = <-ended:
	case <-time.After(hostileTime):
		t.Fatalf("seed %d, %q: still running after %v", seed, line, hostileTime)
	}
	took, bytes := time.Since(began), watched()
	messages := errOut.String()
	kept := func() string { return keepInput(t, seed, line) }
	if !assert.Contains(t, []int{exitRan, exitFailed, exitBadInput}, code, "seed %d, %q", seed, line) {
		return
	}
	h.codes[code]++
	if strings.Contains(messages, "this is a bug in keplersim") || strings.Contains(messages, "simulator bug") ||
		strings.Contains(messages, "http: panic serving") {
		t.Errorf("seed %d, %q (%s): %s", seed, line, kept(), messages)
	}
	if slices.Contains(strangers, path.Base(t.Name())) && strings.Contains(messages+out.String(), secret[:len(secret)-1]) {
		t.Errorf("seed %d, %q (%s): a stranger has read the secret", seed, line, kept())
	}
	if code != exitRan && line[0] != "nvcc" && len(errorLine.FindAllString(messages, -1)) != 1 {
		t.Errorf("seed %d, %q (%s): exit code %d without one message: %.2000s", seed, line, kept(), code, messages)
	}
	if bytes > hostileMemory {
		t.Errorf("seed %d, %q (%s): %d MB", seed, line, kept(), bytes>>20)
	}
	if took > h.longest {
		h.longest, h.longestSeed = took, seed
	}
	if bytes > h.most {
		h.most, h.mostSeed = bytes, seed
	}
}

// keepInput copies the files of an input that broke something to the folder that KEPLERSIM_HOSTILE names.
func keepInput(t *testing.T, seed uint64, line []string) string {
	t.Helper()
	folder := os.Getenv("KEPLERSIM_HOSTILE")
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return "not kept"
	}
	for _, word := range line {
		if data, err := os.ReadFile(word); err == nil {
			path := filepath.Join(folder, fmt.Sprintf("%s-%d%s", strings.ReplaceAll(t.Name(), "/", "-"), seed, filepath.Ext(word)))
			if os.WriteFile(path, data, 0o644) == nil {
				return path
			}
		}
	}
	return "no file"
}

// watchMemory measures the peak memory of the process until the returned function is called.
func watchMemory() func() uint64 {
	var most atomic.Uint64
	var stop atomic.Bool
	look := func() {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		most.Store(max(most.Load(), m.HeapInuse+m.StackInuse))
	}
	go func() {
		for !stop.Load() {
			look()
			time.Sleep(25 * time.Millisecond)
		}
	}()
	return func() uint64 { stop.Store(true); return most.Load() }
}

// corpus has the good inputs that hostile ones are made from.
type corpus struct {
	ptx, workloads, configs, cu []string // texts
	root                        string   // the repository
}

// readCorpus reads every kernel, workload and configuration of the repository.
func readCorpus(t *testing.T) *corpus {
	t.Helper()
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	c := &corpus{root: root}
	read := func(patterns ...string) (texts []string) {
		for _, pattern := range patterns {
			files, err := filepath.Glob(filepath.Join(root, pattern))
			require.NoError(t, err)
			for _, file := range files {
				data, err := os.ReadFile(file)
				require.NoError(t, err)
				// Give modules and files of a workload absolute paths.
				text := regexp.MustCompile(`(?m)^(\s*module: |.*\bfile: )([^/\s}]+)`).ReplaceAllString(
					string(data), "${1}"+filepath.Dir(file)+"/${2}",
				)
				texts = append(texts, text)
			}
		}
		require.NotEmpty(t, texts)
		return texts
	}
	c.ptx = read("testdata/kernels/*/*.ptx", "testdata/kernels/*.ptx", "workloads/*/*.ptx", "cli/testdata/*.ptx", "isa/ptx/testdata/*.ptx",
		"isa/decode/testdata/*.ptx", "validation/kernels/*.ptx", "sim/testdata/*.ptx")
	c.workloads = read("testdata/kernels/*/*.yaml", "testdata/kernels/*.yaml", "workloads/*/*.yaml", "cli/testdata/*.yaml")
	c.configs = read("configs/*.yaml")
	c.cu = read("workloads/*/*.cu", "cli/testdata/*.cu")
	return c
}

// of mutates a text of a list, chosen by the seed.
func of(seed uint64, list []string) string {
	return mutate.Text(seed, list[seed*7919%uint64(len(list))], list[seed*104729%uint64(len(list))])
}

// put writes the input's file.
func put(t *testing.T, name, text string) string {
	t.Helper()
	require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
	return name
}

// bounded are flags with which no run takes long, whatever its kernel does, and no buffer takes much memory.
var bounded = []string{"--config", "gk110", "--max-cycles", "3000", "--threads", "1", "--set", "smx.count=2", "--set", "dram.bytes=128M"}

// entry is a kernel's name in PTX.
var entry = regexp.MustCompile(`\.entry\s+([\w$]+)`)

func hostilePTX(t *testing.T, c *corpus) func(uint64) []string {
	forms := [][]string{
		append([]string{"run", "--functional", "--grid", "2", "--block", "64"}, bounded...),
		append([]string{"run", "--grid", "1", "--block", "32"}, bounded...),
		append([]string{"run", "--check", "--grid", "2", "--block", "64"}, bounded...), {"inspect"}, {"inspect", "--format", "dot"},
		{"lower"}, {"occupancy"},
	}
	return func(seed uint64) []string {
		text := of(seed, c.ptx)
		line := append(slices.Clone(forms[seed%uint64(len(forms))]), put(t, "k.ptx", text))
		if kernels := entry.FindAllStringSubmatch(text, -1); len(kernels) > 1 && line[0] != "inspect" {
			line = append(line, "--kernel", kernels[seed%uint64(len(kernels))][1])
		}
		return line
	}
}

func hostileWorkloads(t *testing.T, c *corpus) func(uint64) []string {
	return func(seed uint64) []string {
		return append(append([]string{"run", "--functional"}, bounded...), put(t, "w.yaml", of(seed, c.workloads)))
	}
}

func hostileConfigs(t *testing.T, c *corpus) func(uint64) []string {
	kernel := filepath.Join(c.root, "cli", "testdata", "add.ptx")
	return func(seed uint64) []string {
		file := put(t, "c.yaml", of(seed, c.configs))
		if seed%4 == 0 {
			return []string{"run", "--config", file, "--max-cycles", "3000", "--threads", "1", "--grid", "2", "--block", "64", kernel}
		}
		return []string{"configs", "show", file}
	}
}

// hostileFlags gives every flag of every command unexpected values. Flags that write files write them to the current folder.
func hostileFlags(t *testing.T, c *corpus) func(uint64) []string {
	type flag struct {
		command []string
		name    string
		def     string
	}
	kernel := put(t, "add.ptx", mustRead(t, filepath.Join(c.root, "cli", "testdata", "add.ptx")))
	report := put(t, "r.json", "{}")
	var flags []flag
	for _, command := range [][]string{
		append([]string{"run", kernel, "--grid", "2", "--block", "64"}, bounded...), {"occupancy", "--block", "64"}, {"occupancy", kernel},
		{"lower", kernel}, {"inspect", kernel}, {"compare", report, report}, {"metrics"}, {"configs", "show", "gk110"},
		{"fp", "sum", "--count", "1000"}, {"fp", "dot"}, {"fp", "compare", "1,2", "1,3"}, {"validate", "--list"},
	} {
		found, _, err := newRootCommand().Find(command)
		require.NoError(t, err)
		visit := func(f *pflag.Flag) { flags = append(flags, flag{command, f.Name, f.DefValue}) }
		found.Flags().VisitAll(visit)
	}
	examples := []string{"y=f32[64]:random", "u32[8]:values(3,1,4)", "struct(f32[64],s32:64)", "ptr:arg0+64", "bytes:0000803f",
		"taps=f32[3]:values(1,2,1)", "smx.count=13", "smx.max_grid_dim[2]=700", "block=32..1024:32",
		"registers=16..64", "shared=0..48K:1K", "gld_*,achieved_occupancy", "16,16", "8x8x4", "arg0=y.bin", "gk110,k40", "BLOCK=16", "none",
		"32K", "x.svg", "1,2,3", "add.ptx"}
	return func(seed uint64) []string {
		r := rand.New(rand.NewPCG(seed, 0))
		f := flags[seed%uint64(len(flags))]
		var value string
		switch r.IntN(4) {
		case 0:
			value = mutate.Numbers[r.IntN(len(mutate.Numbers))]
		case 1:
			value = mutate.Words[r.IntN(len(mutate.Words))]
		default:
			value = mutate.Text(seed, examples[r.IntN(len(examples))], examples...)
		}
		switch f.name {
		case "output", "printf", "plot", "save-workload", "staircase", "save-to":
			value = strings.NewReplacer("/", "_", "..", "_").Replace(value)
		case "dump":
			value = "arg0=" + strings.NewReplacer("/", "_", "..", "_").Replace(value)
		case "grid", "max-cycles", "jobs", "threads", "count":
			// Large sizes may rightly take long, so sizes are small or impossible.
			if n, err := strconv.ParseFloat(value, 64); err == nil && n > 300 && n < 1<<40 {
				value = "300"
			}
		case "sweep", "claims", "staircase-config", "row":
			return []string{"validate", "--list", "--" + f.name + "=" + value, "latency"}
		}
		return append(slices.Clone(f.command), "--"+f.name+"="+value)
	}
}

func mustRead(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(data)
}

func hostileFP(*testing.T, *corpus) func(uint64) []string {
	expressions := []string{"fma(1.5, 0x3F800000, -2)", "rcp.approx.ftz.f32 3.0", "add.rn.f32 1, 2e-8", "sqrt(2)", "1+2*3",
		"div.full.f32 1, 3", "ex2.approx.f32 0.5", "mul.rz.f64 1e300, 1e300", "cvt.rni.s32.f32 2.5", "min(1, nan)"}
	commands := [][]string{
		{"fp", "eval", "--"}, {"fp", "cos", "--"}, {"fp", "assoc", "--type", "f64", "--", "1", "2"}, {"fp", "compare", "--", "1,2"},
	}
	return func(seed uint64) []string {
		which := commands[0]
		if seed%4 == 3 {
			which = commands[seed/4%4]
		}
		return append(slices.Clone(which), strings.ReplaceAll(of(seed, expressions), "\x00", "0"))
	}
}

func hostileCUDA(t *testing.T, c *corpus) func(uint64) []string {
	return func(seed uint64) []string {
		file := put(t, "k.cu", of(seed, c.cu))
		if seed%3 == 0 {
			return append(append([]string{"run", "--functional", "--grid", "1", "--block", "32"}, bounded...), file)
		}
		return []string{"inspect", file}
	}
}
