package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/internal/version"
	"github.com/keplersim/keplersim/testkit/need"
)

// inPython runs a Python program with the package python/keplersim, which calls this build.
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

// The Python package has its own tests, which need only the standard library.
func TestPythonPackage(t *testing.T) {
	python := need.Program(t, "python3")
	inPython(t, python, "-m", "unittest", "discover", "python/tests")
	assert.Contains(t, mustRead(t, "../python/keplersim/__init__.py"), `__version__ = "`+version.Number+`"`)
}

// If Jupyter is installed, the example notebook runs in it. TestPythonPackage runs its cells everywhere.
func TestNotebookInJupyter(t *testing.T) {
	convert, err := exec.LookPath("jupyter-nbconvert")
	if err != nil {
		t.Skip("no jupyter-nbconvert; plain Python runs the notebook's cells in TestPythonPackage")
	}
	inPython(t, convert, "--to", "notebook", "--execute", "--output-dir", t.TempDir(), "examples/notebook/saxpy.ipynb")
}

// The lines of docs/python.md for tables run if their tools are installed: each prints the cycles of both policies.
func TestTablesInOtherTools(t *testing.T) {
	here, err := filepath.Abs("testdata/add-right.yaml")
	require.NoError(t, err)
	page := documents(t)["python.md"]
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("s.yaml", []byte("run: ['"+here+"']\nvary: {smx.scheduler: [gto, lrr]}\nmetrics: [cycles]\n"), 0o600))
	for _, file := range []string{"t.csv", "t.parquet"} {
		code, _, errOut := keplersim(t, "sweep", "s.yaml", "--store", "store", "-o", file)
		require.Equal(t, exitRan, code, errOut)
	}
	cycles := regexp.MustCompile(`(?m)^add-right,gk110,...,ok,,(\d+),`).FindAllStringSubmatch(mustRead(t, "t.csv"), -1)
	require.Len(t, cycles, 2)
	for _, tool := range []struct{ name, program, flag, probe, code string }{
		{"pandas", "python3", "-c", "import pandas, pyarrow", "import pandas as pd; print(%s)"},
		{"R", "Rscript", "-e", "1", "print(%s)"},
		{"Julia", "julia", "-e", "using CSV, DataFrames", "using CSV, DataFrames, Statistics; print(%s)"},
	} {
		t.Run(tool.name, func(t *testing.T) {
			row := regexp.MustCompile("\\| " + tool.name + " \\| `(.*)` \\|").FindStringSubmatch(page)
			require.NotNil(t, row)
			if exec.Command(tool.program, tool.flag, tool.probe).Run() != nil {
				t.Skip("no " + tool.name)
			}
			out, err := exec.Command(tool.program, tool.flag, fmt.Sprintf(tool.code, row[1])).CombinedOutput()
			require.NoError(t, err, "%s", out)
			for _, c := range cycles {
				assert.Contains(t, string(out), c[1])
			}
		})
	}
}
