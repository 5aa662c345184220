package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// built returns the program under test, for tests that need a process of their own: this test's own binary, which is keplersim when run
// under that name. Building the program would take most of a minute.
var built = sync.OnceValues(func() (string, error) {
	folder, err := os.MkdirTemp("", "keplersim-test-")
	if err != nil {
		return "", err
	}
	programFolder = folder
	own, err := os.Executable()
	if err != nil {
		return "", err
	}
	path := filepath.Join(folder, "keplersim")
	if os.Link(own, path) == nil {
		return path, nil
	}
	text, err := os.ReadFile(own) // a link fails if it is on another disk
	if err != nil {
		return "", err
	}
	return path, os.WriteFile(path, text, 0o755)
})

// programFolder is the folder with the program, once it is made.
var programFolder string

// build returns the program's path.
func build(t *testing.T) string {
	t.Helper()
	path, err := built()
	require.NoError(t, err)
	return path
}

func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "keplersim" {
		Main()
	}
	code := m.Run()
	if programFolder != "" {
		os.RemoveAll(programFolder)
	}
	os.Exit(code)
}

// noisy holds what a program has written so far. It hides the buffer's ReadFrom, with which a pipe would be read without the lock.
type noisy struct {
	sync.Mutex
	written bytes.Buffer
}

func (n *noisy) Write(p []byte) (int, error) {
	n.Lock()
	defer n.Unlock()
	return n.written.Write(p)
}

func (n *noisy) String() string {
	n.Lock()
	defer n.Unlock()
	return n.written.String()
}
