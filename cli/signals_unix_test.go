//go:build unix

package cli

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/testkit/need"
)

// signalTime is how long a signalled command may take: two seconds, and some time for the machine to start and end processes.
const signalTime = 2500 * time.Millisecond

// SIGINT, SIGTERM and SIGHUP end every command at any time, and leave nothing behind.
func TestSignalsEndEveryCommand(t *testing.T) {
	t.Parallel()
	// A signal that is ignored here, as under nohup, would be ignored by the commands too; one that is caught would not be.
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	t.Cleanup(func() { signal.Stop(caught) })
	program := build(t)
	const endless = ".version 4.0\n.target sm_35\n.address_size 64\n.visible .entry k(.param .u64 p) { $A: bra $A; }\n"
	workload := func(init string) string {
		return "module: endless.ptx\nbuffers:\n  b: {type: u8, count: 64" + init + "}\n" +
			"steps:\n  - launch: {kernel: k, grid: [1], block: [1], args: [b]}\n"
	}
	// Each instance of the template makes two more, so it compiles for minutes.
	const slow = "template <int N, int M> struct T { static constexpr int v = T<N - 1, 2 * M>::v + T<N - 1, 2 * M + 1>::v; };\n" +
		"template <int M> struct T<0, M> { static constexpr int v = M; };\n__global__ void k(int *p) { *p = T<22, 1>::v; }\n"
	inputs := map[string]string{
		"endless.ptx": endless, "w.yaml": workload(""), "pipe.yaml": workload(", init: {file: pipe}"), "slow.cu": slow,
		"main.cu":    slow + "int main() { k<<<1, 1>>>(nullptr); }\n",
		"study.yaml": "run: [w.yaml]\nvary:\n  smx.count: [1, 2]\n",
	}
	for _, test := range []struct{ moment, line, ready string }{
		{"a pipe of a buffer", "run pipe.yaml", ""},
		{"a pipe of a state", "run --resume pipe w.yaml", ""},
		{"a pipe of a page's reports", "compare pipe w.yaml", ""},
		{"a recorded run", "run -v --trace t.json --record r.rec --report p.html -o r.txt w.yaml", "info  launch"},
		{"a run that is served", "run -v --serve :0 w.yaml", "info  launch"},
		{"a sweep", "sweep study.yaml -o table.csv", ""},
		{"the compiler", "inspect slow.cu", "clang"},
		{"the compiler of a program", "run main.cu", "clang"},
		{"the lab", "lab --no-browser", "The lab is at"},
		{"a debugger that waits", "debug --dap --listen :0", "listening on"},
		{"a debugger that asks", "debug w.yaml", ""},
	} {
		for i, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
			if testing.Short() && (len(test.moment)+i)%3 != 0 {
				continue
			}
			t.Run(fmt.Sprintf("%s/%v", test.moment, signal), func(t *testing.T) {
				if test.ready == "clang" {
					need.Clang(t)
				}
				t.Parallel()
				folder, temporary := t.TempDir(), t.TempDir()
				for name, text := range inputs {
					require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
				}
				require.NoError(t, syscall.Mkfifo(filepath.Join(folder, "pipe"), 0o600))
				command := exec.Command(program, strings.Fields(test.line)...)
				command.Dir, command.Env = folder, append(os.Environ(), "TMPDIR="+temporary, "XDG_CACHE_HOME="+t.TempDir())
				silent, hold, err := os.Pipe()
				require.NoError(t, err)
				defer silent.Close()
				defer hold.Close()
				said := &noisy{}
				command.Stdin, command.Stdout, command.Stderr = silent, said, said
				start := time.Now()
				require.NoError(t, exec.Command(program, "version").Run())
				load := 20 * time.Since(start) // more time on a loaded machine
				require.NoError(t, command.Start())
				switch test.ready {
				case "":
					time.Sleep(400*time.Millisecond + load)
				case "clang":
					require.Eventually(t, func() bool {
						made, _ := filepath.Glob(filepath.Join(temporary, "*"))
						return len(made) > 0
					}, time.Minute, time.Millisecond)
					time.Sleep(200 * time.Millisecond)
				default:
					require.Eventually(t, func() bool { return strings.Contains(said.String(), test.ready) }, time.Minute, time.Millisecond)
				}
				begin := time.Now()
				require.NoError(t, command.Process.Signal(signal))
				ended := make(chan error, 1)
				go func() { ended <- command.Wait() }()
				select {
				case <-ended:
					assert.Less(t, time.Since(begin), signalTime+load)
				case <-time.After(20 * time.Second):
					_ = command.Process.Kill()
					t.Errorf("still running: %s", said)
				}
				assert.LessOrEqual(t, command.ProcessState.ExitCode(), 1, said)
				assert.GreaterOrEqual(t, command.ProcessState.ExitCode(), 0, "it was killed: %s", said)
				assert.NotContains(t, said.String(), "C++ library")
				left, err := os.ReadDir(temporary)
				require.NoError(t, err)
				assert.Empty(t, left, "temporary files: %s", said)
				left, err = os.ReadDir(folder)
				require.NoError(t, err)
				for _, l := range left {
					assert.NotContains(t, l.Name(), "keplersim-")
				}
			})
		}
	}
}
