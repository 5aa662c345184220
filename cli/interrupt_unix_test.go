//go:build unix

package cli

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// largeKernel takes seconds to lower: it loads a number of words, and then stores them.
func largeKernel(words int) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".version 4.0\n.target sm_35\n.address_size 64\n.visible .entry k(.param .u64 a) {\n.reg .b64 %%a;\n"+
		".reg .b32 %%r<%d>;\nld.param.u64 %%a, [a];\n", words)
	for n := range words {
		fmt.Fprintf(&b, "ld.global.u32 %%r%d, [%%a+%d];\n", n, 4*n)
	}
	for n := range words {
		fmt.Fprintf(&b, "st.global.u32 [%%a+%d], %%r%d;\n", 4*n, words-1-n)
	}
	b.WriteString("ret;\n}\n")
	return b.String()
}

// The first Ctrl-C ends the program at any point with exit code 1. It leaves no file behind, and the earlier report as it was.
func TestTheFirstInterruptEndsTheProgram(t *testing.T) {
	program, folder := build(t), t.TempDir()
	inFolder := func(name string) string { return filepath.Join(folder, name) }
	for _, name := range []string{"k.ptx", "w.yaml", "c.yaml", "r.json", "data", "k.cu", "out"} {
		require.NoError(t, syscall.Mkfifo(inFolder("pipe-"+name), 0o600))
	}
	const endless = ".version 4.0\n.target sm_35\n.address_size 64\n.visible .entry k() { $A: bra $A; }\n"
	require.NoError(t, os.WriteFile(inFolder("endless.ptx"), []byte(endless), 0o644))
	require.NoError(t, os.WriteFile(inFolder("large.ptx"), []byte(largeKernel(30000)), 0o644))
	require.NoError(t, os.WriteFile(inFolder("report"), []byte("before"), 0o644))
	const ranUntilThen = "interrupted; the report has what ran until then"
	for i, test := range []struct{ line, message string }{
		{"run pipe-k.ptx -o report", "interrupted"}, {"run pipe-w.yaml", "interrupted"},
		{"run --config pipe-c.yaml endless.ptx", "interrupted"}, {"inspect pipe-k.ptx", "interrupted"}, {"lower large.ptx", "interrupted"},
		{"run --grid 1 --block 32 large.ptx", "interrupted"}, {"lower pipe-k.ptx", "interrupted"}, {"inspect pipe-k.cu", "interrupted"},
		{"compare pipe-r.json report", "interrupted"}, {"fp compare pipe-data pipe-data", "interrupted"},
		{"configs show pipe-c.yaml", "interrupted"}, {"run -", "interrupted"}, {"inspect -", "interrupted"},
		{"run endless.ptx -o pipe-out", "interrupted"},
		{"occupancy --sweep registers=1..255 --sweep shared=0..48K:13 --format json -o report", "interrupted"},
		{"run -v endless.ptx -o new", ranUntilThen}, {"run -v --functional endless.ptx", ranUntilThen},
	} {
		if testing.Short() && i%4 != 0 { // each waits a second for what does not end
			continue
		}
		command := exec.Command(program, strings.Fields(test.line)...)
		command.Dir = folder
		in, hold, err := os.Pipe() // open, but silent
		require.NoError(t, err)
		messages := &noisy{}
		command.Stdin, command.Stderr, command.Stdout = in, messages, io.Discard
		require.NoError(t, command.Start())
		if test.message == ranUntilThen { // wait until the launch has begun, however slow the machine is
			require.Eventually(t, func() bool { return strings.Contains(messages.String(), "info  launch") }, time.Minute, time.Millisecond)
		}
		time.Sleep(300 * time.Millisecond)
		require.NoError(t, command.Process.Signal(os.Interrupt))
		ended := make(chan error, 1)
		go func() { ended <- command.Wait() }()
		select {
		case <-ended:
		case <-time.After(20 * time.Second):
			_ = command.Process.Kill()
			t.Errorf("%s: still running", test.line)
		}
		assert.Equal(t, exitFailed, command.ProcessState.ExitCode(), "%s: %s", test.line, messages)
		assert.Contains(t, messages.String(), test.message, test.line)
		in.Close()
		hold.Close()
	}
	data, err := os.ReadFile(inFolder("report"))
	require.NoError(t, err)
	assert.Equal(t, "before", string(data))
	left, err := filepath.Glob(inFolder(".*keplersim*"))
	require.NoError(t, err)
	assert.Empty(t, left)
}

// A killed run leaves the earlier report whole.
func TestAKilledRunLeavesTheEarlierReport(t *testing.T) {
	program, folder := build(t), t.TempDir()
	const endless = ".version 4.0\n.target sm_35\n.address_size 64\n.visible .entry k() { $A: bra $A; }\n"
	require.NoError(t, os.WriteFile(filepath.Join(folder, "k.ptx"), []byte(endless), 0o644))
	for _, name := range []string{"report", "printed"} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte("before"), 0o644))
	}
	command := exec.Command(program, "run", "k.ptx", "-o", "report", "--printf", "printed")
	command.Dir = folder
	require.NoError(t, command.Start())
	require.Eventually(t, func() bool {
		begun, _ := filepath.Glob(filepath.Join(folder, ".report.keplersim-*"))
		return len(begun) == 1
	}, 10*time.Second, 10*time.Millisecond, "the report is begun before the run")
	require.NoError(t, command.Process.Kill())
	_ = command.Wait()
	for _, name := range []string{"report", "printed"} {
		data, err := os.ReadFile(filepath.Join(folder, name))
		require.NoError(t, err)
		assert.Equal(t, "before", string(data))
	}
}
