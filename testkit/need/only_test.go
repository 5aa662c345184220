package need_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// bySelf matches ways to look for a tool that tools/testrun cannot count.
var bySelf = regexp.MustCompile(`exec\.LookPath\("(clang|chrom|firefox|node|sbatch|make)|toolchain\.FindClang\(|` +
	`Skipf?\("(needs|no) (clang|chrom|firefox|node)`)

// Tests ask for tools only through this package.
func TestToolsAreAskedForInOneWay(t *testing.T) {
	root, files := filepath.Join("..", ".."), 0
	require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, "only_test.go") {
			return err
		}
		files++
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		assert.NotRegexp(t, bySelf, string(text), "%s: see testkit/need", path)
		return nil
	}))
	assert.Greater(t, files, 300)
}
