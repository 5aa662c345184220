package cli

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/testkit/need"
)

// Wrong input exits with 2, whatever is wrong and wherever it is noticed. A run that fails exits with 1.
func TestExitCodes(t *testing.T) {
	t.Chdir("testdata")
	folder := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		return path
	}
	add, err := os.ReadFile("add.ptx")
	require.NoError(t, err)
	write("add.ptx", string(add))
	arguments := func(name, args string) string {
		return write(name, "module: add.ptx\nbuffers: {x: {type: f32, count: 64}, huge: {type: f64, count: 1073741824}}\nsteps:\n"+
			"  - launch: {kernel: add, grid: [1], block: [32], args: ["+args+"]}\n")
	}
	for _, test := range []struct {
		line string
		code int
		part string
	}{
		// Arguments for parameters, on the command line and in a workload file.
		{"run add.ptx --arg u32:1", exitBadInput, "the parameter is .u64 (8 bytes), but {u32: 1} has 4 bytes"},
		{
			"run add.ptx --arg 2=u64:1", exitBadInput,
			"kernel add, argument 2 (n): the parameter is .u32 (4 bytes), but {u64: 1} has 8 bytes",
		},
		{"run add.ptx --arg 2=bytes:00", exitBadInput, "the parameter has 4 bytes, but 1 are given"},
		{"run add.ptx --arg 2=u32[4]", exitBadInput, "cannot hold the address of"},
		{"run add.ptx --arg 2=1.5", exitBadInput, "is not an integer"},
		{"run add.ptx --arg 2=nan", exitBadInput, "is not an integer"},
		{"run add.ptx --arg 2=-1", exitBadInput, "-1 does not fit type u32"},
		{"run add.ptx --arg 9=1", exitBadInput, "one too many"},

		// The tools for examining, teaching and debugging.
		{"explain add.ptx --smx 99", exitBadInput, "--smx 99: gk110 has the multiprocessors 0 to 14"},
		{"lab --lessons nowhere", exitBadInput, "--lessons nowhere: list the lessons: the folder cannot be read"},
		{"grade add.ptx", exitBadInput, "grade takes a lesson and an answer"},
		{"debug add.ptx --script nowhere", exitBadInput, "nowhere: there is no such file"},
		{"run add.ptx --arg ptr:other", exitBadInput, `there is no buffer "other"`},
		{"run add.ptx --arg f32[64]:file(none.bin)", exitBadInput, "none.bin"},
		{"run add.ptx --arg f64[1073741824]", exitBadInput, "8589934592 bytes asked for"},
		{"run " + arguments("few.yaml", "x, x"), exitBadInput,
			"few.yaml:4:5: kernel add takes 4 arguments (.u64 x, .u64 z, .u32 n, .f32 step), but 2 are given"},
		{"run " + arguments("many.yaml", "x, x, {u32: 1}, {f32: 1}, {u32: 1}"), exitBadInput, "but 5 are given"},
		{"run " + arguments("size.yaml", "x, x, {u64: 1}, {f32: 1}"), exitBadInput, "but {u64: 1} has 8 bytes"},
		{"run " + arguments("address.yaml", "x, x, x, {f32: 1}"), exitBadInput, "cannot hold the address of x"},
		{"run " + arguments("huge.yaml", "x, x, {u32: 1}, {f32: 1}"), exitBadInput, "buffer huge of 8589934592 bytes"},
		{"run " + arguments("range.yaml", "x, x, {u32: -1}, {f32: 1}"), exitBadInput, "does not fit type u32"},
		{"run add.ptx --format json -o add.json", exitBadInput,
			"--output add.json: a run of add.ptx takes this file for its workload file"},
		{"run ./add.ptx -o add.yaml", exitBadInput, "choose another name"},
		{"run add-right.yaml -o add-right.yaml", exitBadInput, "choose another name"},
		{"run add.ptx -o ./add.ptx", exitBadInput, "--output ./add.ptx would overwrite the input"},
		{"run link-main.ptx --link link-library.ptx -o link-library.ptx", exitBadInput, "would overwrite the input"},
		{"run add.ptx --dump arg0=add.ptx", exitBadInput, "--dump arg0=add.ptx would overwrite the input"},
		{"occupancy add.ptx -o add.ptx", exitBadInput, "would overwrite the input"},
		{"run add.ptx --dump arg0=none/x.bin", exitBadInput, "--dump arg0=none/x.bin: there is no folder none"},
		{"run add.ptx --dump arg0=.", exitBadInput, "--dump arg0=.: . is a folder"},
		// Launches that no chip can have.
		{"run add.ptx --grid 2147483648 --arg f32[1] --arg f32[1]", exitBadInput, "at most 2147483647"},
		{"run add.ptx --grid 2 --block 32,x", exitBadInput, `--block 32,x: "" must be a whole number of at least 1`},
		{"run add.ptx --grid 2, --block 32", exitBadInput, `--grid 2,: "" must be a whole number of at least 1`},
		{"run add.ptx --shared -1", exitBadInput, "--shared -1: it must be 0 or more"},
		{"run add.ptx --kernel ad", exitBadInput, `add.ptx has no kernel "ad"; did you mean add?`},
		{"run add.ptx --grid 2 --block 9223372036854775807", exitBadInput, "a block of 9223372036854775807 threads in x: at most 1024"},
		{"run add.ptx --grid 2147483647,65535,65535", exitBadInput, "a buffer of one element a thread has"},
		{"run add.ptx --block 1,1,65 --arg f32[1] --arg f32[1]", exitBadInput, "a block of 65 threads in z: at most 64"},
		{"run add.ptx --shared 60000", exitBadInput, "gk110 has 49152 at most"},
		{"run add.ptx --threads -1", exitBadInput, "0 or more"},
		// Other commands.
		{"lower --maxrregcount -1 add.ptx", exitBadInput, "0 or more"},
		{"lower --after combin add.ptx", exitBadInput, `no pass is called "combin"; combine is`},
		{"lower --after expand --format json add.ptx", exitBadInput, "--after prints text: leave out --format json"},
		{"lower --maxrregcount 3 add.ptx", exitBadInput, "--maxrregcount 3: no kernel is compiled for fewer than 16 registers; give 16 " +
			"or more, or 0 for no cap"},
		{"run add.ptx --maxrregcount 15", exitBadInput, "give 16 or more"},
		{"occupancy add.ptx --maxrregcount 15", exitBadInput, "give 16 or more"},
		{"lower add-right.yaml", exitBadInput, "add-right.yaml is a workload file; name the .ptx or .cu file that it runs"},
		{"inspect add-right.yaml", exitBadInput, "is a workload file"},
		{"occupancy add-right.yaml", exitBadInput, "is a workload file"},
		{"occupancy add.ptx --plot no-such-folder/plot.svg", exitBadInput, "there is no folder no-such-folder"},
		{"validate --budget nan --list", exitBadInput, "--budget counts millions"},
		{"validate --jobs 0 --list", exitBadInput, "--jobs must be 1 or more"},
		{"validate --plot . --quick", exitBadInput, "one of .svg, .png, .pdf"},
		{"fp sum --count 10000000000000", exitBadInput, "from 0 to 10000000"},
		{"fp sum --threads 2000000000", exitBadInput, "from 1 to 10000000"},
		{"fp compare 1,2", exitBadInput, "compare takes two buffers, not 1"},
		{"configs show", exitBadInput, "show takes one configuration, not 0"},
		{"help simulate", exitBadInput, `unknown command "simulate"`},
		{"completion tcsh", exitBadInput, `there is no completion for "tcsh"; there is for bash, zsh, fish, powershell`},
		// Kernels that fail.
		{"run --grid 1 --block 32 out-of-bounds.ptx --arg u32[1]", exitFailed, "outside every allocation"},
	} {
		code, _, errOut := keplersim(t, strings.Fields(test.line)...)
		assert.Equal(t, test.code, code, "%s: %s", test.line, errOut)
		assert.Contains(t, errOut, test.part, test.line)
		assert.Equal(t, 1, strings.Count(errOut, "keplersim: "), "one error: %s", errOut)
	}
	code, _, errOut := keplersim(t, "")
	assert.Equal(t, exitBadInput, code)
	assert.NotContains(t, errOut, "did you mean")
}

// full is a full device.
type full struct{ left int }

var errFull = errors.New("no space left on device")

func (f *full) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}

// A report that cannot be written is a failure and no mistake of the input, even if a command ignores errors of single writes.
func TestFullOutputExitsWithOne(t *testing.T) {
	for _, line := range []string{
		"metrics", "configs", "configs show gk110", "run testdata/add-right.yaml", "occupancy", "inspect testdata/add.ptx",
		"lower testdata/add.ptx", "lower --after help", "lower --after expand testdata/add.ptx", "fp cos", "validate --list latency",
		"help",
	} {
		for _, room := range []int{0, 100} {
			var errOut bytes.Buffer
			assert.Equal(t, exitFailed, execute(context.Background(), strings.Fields(line), &full{room}, &errOut), line)
			assert.Contains(t, errOut.String(), "cannot write the output: no space left on device", line)
		}
	}
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("needs /dev/full")
	}
	code, _, errOut := keplersim(t, "occupancy", "-o", "/dev/full")
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, errOut, "--output: cannot write the report")
	t.Chdir(t.TempDir())
	require.NoError(t, os.Symlink("/dev/full", "full.svg"))
	for _, line := range []string{"occupancy --plot full.svg", "fp compare 1,2 1,2 --plot full.svg"} {
		code, _, errOut := keplersim(t, strings.Fields(line)...)
		assert.Equal(t, exitFailed, code, line)
		assert.Contains(t, errOut, "cannot write the plot", line)
	}
}

// CUDA C that cannot be compiled because the disk is full is no mistake of the input either.
func TestNoRoomToCompileExitsWithOne(t *testing.T) {
	need.Clang(t)
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "none"))
	for _, line := range []string{"run testdata/blur.cu", "inspect testdata/blur.cu", "occupancy testdata/blur.cu"} {
		code, _, errOut := keplersim(t, strings.Fields(line)...)
		assert.Equal(t, exitFailed, code, line)
		assert.Contains(t, errOut, "folder for the CUDA header", line)
	}
}

// A number of the right size and the wrong kind is passed unchanged, with a note.
func TestNumbersOfTheWrongKindAreNoted(t *testing.T) {
	code, out, errOut := keplersim(t, append([]string{"run", "testdata/add.ptx", "--arg", "2=f32:1", "--arg", "3=u32:7"}, small...)...)
	require.Equal(t, exitRan, code, errOut)
	assert.Contains(
		t, unwrapped(out), "note: kernel add, argument 2 (n): the parameter is .u32, but {f32: 1} is given; "+
			"its bits are passed as they are",
	)
	assert.Contains(t, unwrapped(out), "note: kernel add, argument 3 (step): the parameter is .f32, but {u32: 7} is given")
	_, out, _ = keplersim(t, append([]string{"run", "testdata/add.ptx", "--arg", "1024", "--grid", "1"}, small...)...)
	assert.Contains(t, unwrapped(out), "note: kernel add, argument 0 (x): the kernel uses it as an address, but {u64: 1024} is a number: "+
		"a buffer's name, or --arg f32[COUNT], gives one")
	_, out, _ = keplersim(t, append([]string{"run", "testdata/add.ptx", "--arg", "0", "--grid", "1"}, small...)...)
	assert.NotContains(t, out, "uses it as an address", "null may be meant")
	_, out, _ = keplersim(t, append([]string{"run", "testdata/add.ptx", "--arg", "2=s32:1", "--arg", "3=b32:0x3f800000"}, small...)...)
	assert.NotContains(t, out, "its bits are passed")
}
