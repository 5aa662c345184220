// Package need is for tests that need more than Go: a compiler, a browser, a batch system. A test says what it needs, and is left out where
// that is missing, with the command that installs it:
//
//	need.Clang(t)
//	browser := need.Chromium(t)
//
// tools/testrun counts what was left out by the names that this package prints; make test-all fails where anything was.
package need

import (
	"os"
	"os/exec"
	"testing"

	"github.com/keplersim/keplersim/toolchain"
)

// Mark begins the message of a test that is left out: Mark, the tool's name, a colon, how to get it.
const Mark = "left out, needs "

// Missing leaves a test out because a tool is missing; get says how to get it.
func Missing(t testing.TB, tool, get string) {
	t.Helper()
	t.Skip(Mark + tool + ": " + get)
}

// Clang is for tests that compile CUDA C. It returns the compiler's path.
func Clang(t testing.TB) string {
	t.Helper()
	return clang(t).Path
}

func clang(t testing.TB) toolchain.Clang {
	t.Helper()
	found, err := toolchain.FindClang(t.Context())
	if err != nil {
		Missing(t, "clang", err.Error())
	}
	return found
}

// ClangVersion is for tests of what one version of clang makes.
func ClangVersion(t testing.TB, version int) {
	t.Helper()
	if found := clang(t); found.Version != version {
		Missing(t, "clang", "apt-get install clang-19, and no plain clang of another version on PATH")
	}
}

// Builder is for tests that compile whole programs: they need clang, and the headers of C and C++. It returns the compiler's path.
func Builder(t testing.TB) string {
	t.Helper()
	found := clang(t)
	if !found.Library {
		Missing(t, "C++ library", "apt-get install libstdc++-12-dev")
	}
	return found.Path
}

// Chromium is for tests of pages. It returns the browser's path.
func Chromium(t testing.TB) string {
	t.Helper()
	return one(t, "apt-get install chromium", "chromium", "chromium-browser", "google-chrome")
}

// Firefox is for tests of pages. It returns the browser's path.
func Firefox(t testing.TB) string {
	t.Helper()
	return one(t, "apt-get install firefox-esr", "firefox", "firefox-esr")
}

// Node is for tests of JavaScript and WebAssembly. It returns the path of node.
func Node(t testing.TB) string {
	t.Helper()
	return one(t, "apt-get install nodejs", "node", "nodejs")
}

// Slurm is for tests that start a Slurm of one node, which needs root.
func Slurm(t testing.TB) {
	t.Helper()
	for _, program := range []string{"sbatch", "slurmctld", "munged"} {
		if _, err := exec.LookPath(program); err != nil {
			Missing(t, "sbatch", "apt-get install slurm-wlm munge")
		}
	}
	if os.Getuid() != 0 {
		Missing(t, "sbatch", "run the tests as root, which Slurm's daemons want")
	}
}

// packages are Debian's packages of programs that are not named as these.
var packages = map[string]string{"ar": "binutils", "go": "golang-go", "install": "coreutils"}

// Program is for tests that run any other program, such as make. It returns the program's path.
func Program(t testing.TB, name string) string {
	t.Helper()
	from := packages[name]
	if from == "" {
		from = name
	}
	return one(t, "apt-get install "+from, name)
}

// one returns the path of the first program that is there; the first name is what the tool is called.
func one(t testing.TB, get string, names ...string) string {
	t.Helper()
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	Missing(t, names[0], get)
	return ""
}
