package need_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/keplersim/keplersim/testkit/need"
)

// asked is a test that records why it was skipped.
type asked struct {
	testing.TB
	message string
}

func (a *asked) Helper() {}

func (a *asked) Skip(words ...any) {
	a.message = words[0].(string)
	runtime.Goexit()
}

// Without tools each test is skipped, with a message that names the tool and how to install it.
func TestMissingToolsAreNamed(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	for want, use := range map[string]func(t testing.TB){
		"clang: no clang found: compiling CUDA C needs clang 14 or later on PATH; install it with: apt-get install clang-19": func(
			t testing.TB) {
			need.Clang(t)
		},
		"chromium: apt-get install chromium":      func(t testing.TB) { need.Chromium(t) },
		"firefox: apt-get install firefox-esr":    func(t testing.TB) { need.Firefox(t) },
		"node: apt-get install nodejs":            func(t testing.TB) { need.Node(t) },
		"sbatch: apt-get install slurm-wlm munge": need.Slurm,
		"ar: apt-get install binutils":            func(t testing.TB) { need.Program(t, "ar") },
		"make: apt-get install make":              func(t testing.TB) { need.Program(t, "make") },
	} {
		a := &asked{TB: t}
		done := make(chan bool)
		go func() {
			defer close(done)
			use(a)
		}()
		<-done
		assert.Equal(t, need.Mark+want, a.message)
	}
}
