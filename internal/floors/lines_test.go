package floors

import (
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// widest is how many columns a line has at most; a tab takes four.
const widest = 140

// wrapped are the folders whose lines fit. A folder whose last long line is gone joins them.
var wrapped = []string{
	"isa", "isa/debuginfo", "isa/decode", "isa/exec", "isa/fp", "isa/lower", "isa/lower/bitset", "isa/lower/expand", "isa/lower/flow",
	"isa/lower/machine", "isa/lower/registers", "isa/lower/schedule", "isa/lower/target", "isa/lower/value", "isa/lower/virtual",
	"isa/modes", "isa/oracle", "isa/ptx", "isa/texture",
	"sim/cache", "sim/dram", "sim/engine", "sim/memory", "sim/scheduler",
}

// long returns the numbers of a text's lines that do not fit.
func long(text string) []int {
	var numbers []int
	for i, line := range strings.Split(text, "\n") {
		if utf8.RuneCountInString(strings.ReplaceAll(line, "\t", "    ")) > widest {
			numbers = append(numbers, i+1)
		}
	}
	return numbers
}

func TestLinesFit(t *testing.T) {
	for _, folder := range wrapped {
		files, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(folder), "*.go"))
		require.NoError(t, err)
		require.NotEmpty(t, files, folder)
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			for _, number := range long(string(text)) {
				assert.Fail(t, "a line is longer than 140 columns", "%s", token.Position{Filename: file, Line: number})
			}
		}
	}
}

func TestLongLinesAreFound(t *testing.T) {
	x := strings.Repeat("x", widest)
	assert.Equal(t, []int{3, 4}, long(x+"\n\t"+x[4:]+"\n\t"+x[3:]+"\n"+x+"é\n"+x[1:]+"é"))
}
