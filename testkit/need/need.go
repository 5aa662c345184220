// Package need is for tests that need more than Go: a compiler, a browser, a batch system. A test says what it needs. If that is missing,
// the test is skipped with a message that says how to install it:
//
//	need.Clang(t)
//	browser := need.Chromium(t)
//
// tools/testrun counts skipped tests by the names in these messages; make test-all fails if any test is skipped.
package need

import (
	"os"
	"os/exec"
	"testing"

	"github.com/keplersim/keplersim/toolchain"
)

// Mark begins the message of a skipped test: Mark, the tool's name, a colon, how to install it.
const Mark = "left out, needs "

// Missing skips a test because a tool is missing; get says how to install it.
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

// ClangVersion is for tests that depend on one version of clang.
func ClangVersion(t testing.TB, version int) {
	t.Helper()
	if found := clang(t); found.Version != version {
		Missing(t, "clang", "apt-get install clang-19, and no plain clang of another version on PATH")
	}
}

// Builder is for tests that compile whole programs, which need clang and the C and C++ headers. It returns the compiler's path.
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
	return findProgram(t, "apt-get install chromium", "chromium", "chromium-browser", "google-chrome")
}

// Firefox is for tests of pages. It returns the browser's path.
func Firefox(t testing.TB) string {
	t.Helper()
	return findProgram(t, "apt-get install firefox-esr", "firefox", "firefox-esr")
}

// Node is for tests of JavaScript and WebAssembly. It returns the path of node.
func Node(t testing.TB) string {
	t.Helper()
	return findProgram(t, "apt-get install nodejs", "node", "nodejs")
}

// Slurm is for tests that start a one-node Slurm, which needs root.
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

// packages are Debian's packages for programs with other names.
var packages = map[string]string{"ar": "binutils", "go": "golang-go", "install": "coreutils"}

// Program is for tests that run any other program, such as make. It returns the program's path.
func Program(t testing.TB, name string) string {
	t.Helper()
	from := packages[name]
	if from == "" {
		from = name
	}
	return findProgram(t, "apt-get install "+from, name)
}

// findProgram returns the path of the first program that exists. The first name is the tool's name.
func findProgram(t testing.TB, get string, names ...string) string {
	t.Helper()
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	Missing(t, names[0], get)
	return ""
}
