package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/internal/version"
	"github.com/keplersim/keplersim/testkit/need"
)

// inPython runs a program of Python's world with the package python/keplersim, which calls this build.
func inPython(t *testing.T, program string, arguments ...string) {
	t.Helper()
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	c := exec.Command(program, arguments...)
	c.Dir = root
	c.Env = append(os.Environ(), "KEPLERSIM="+build(t), "PYTHONDONTWRITEBYTECODE=1", "PYTHONPATH="+filepath.Join(root, "python")+
		string(os.PathListSeparator)+filepath.Join(root, "python", "tests"))
	out, err := c.CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// The Python package has tests of its own, which need its standard library alone.
func TestPythonPackage(t *testing.T) {
	python := need.Program(t, "python3")
	inPython(t, python, "-m", "unittest", "discover", "python/tests")
	assert.Contains(t, mustRead(t, "../python/keplersim/__init__.py"), `__version__ = "`+version.Number+`"`)
}

// Where Jupyter is installed, the example is a notebook that runs in it; TestPythonPackage runs its cells everywhere.
func TestNotebookInJupyter(t *testing.T) {
	convert, err := exec.LookPath("jupyter-nbconvert")
	if err != nil {
		t.Skip("no jupyter-nbconvert; plain Python runs the notebook's cells in TestPythonPackage")
	}
	inPython(t, convert, "--to", "notebook", "--execute", "--output-dir", t.TempDir(), "examples/notebook/saxpy.ipynb")
}
