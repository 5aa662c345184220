package cli

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// built is the program under test, for what can be tested in a process of its own alone.
var built struct {
	sync.Once
	path string
	err  error
}

// build builds the program once.
func build(t *testing.T) string {
	t.Helper()
	built.Do(func() {
		folder, err := os.MkdirTemp("", "keplersim-test-")
		if err != nil {
			built.err = err
			return
		}
		built.path = filepath.Join(folder, "keplersim")
		if out, err := exec.Command("go", "build", "-o", built.path,
			"github.com/keplersim/keplersim/cmd/keplersim").CombinedOutput(); err != nil {
			built.err = fmt.Errorf("%w: %s", err, out)
		}
	})
	require.NoError(t, built.err)
	return built.path
}

func TestMain(m *testing.M) {
	code := m.Run()
	if built.path != "" {
		os.RemoveAll(filepath.Dir(built.path))
	}
	os.Exit(code)
}

// noisy is what a program has written so far.
type noisy struct {
	sync.Mutex
	bytes.Buffer
}

func (n *noisy) Write(p []byte) (int, error) {
	n.Lock()
	defer n.Unlock()
	return n.Buffer.Write(p)
}

func (n *noisy) String() string {
	n.Lock()
	defer n.Unlock()
	return n.Buffer.String()
}
