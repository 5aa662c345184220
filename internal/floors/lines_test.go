package floors

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// widest is the most columns of a line; a tab is four.
const widest = 140

// long returns the numbers of a file's lines that are too wide. Lines of raw strings over several lines, such as tests' kernels, do not
// count.
func long(source []byte) []int {
	var numbers []int
	texts := textLines(source)
	for i, line := range strings.Split(string(source), "\n") {
		if !texts[i+1] && utf8.RuneCountInString(strings.ReplaceAll(line, "\t", "    ")) > widest {
			numbers = append(numbers, i+1)
		}
	}
	return numbers
}

// textLines returns the lines of a file that belong to raw strings of several lines.
func textLines(source []byte) map[int]bool {
	file := token.NewFileSet().AddFile("", -1, len(source))
	var s scanner.Scanner
	s.Init(file, source, nil, 0)
	lines := map[int]bool{}
	for {
		at, kind, literal := s.Scan()
		if kind == token.EOF {
			return lines
		}
		first := file.Line(at)
		for further := range strings.Count(literal, "\n") {
			if kind == token.STRING {
				lines[first+further], lines[first+further+1] = true, true
			}
		}
	}
}

func TestLinesFit(t *testing.T) {
	root := filepath.Join("..", "..")
	files := 0
	require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && relative != ".") {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") {
			return nil
		}
		files++
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, number := range long(text) {
			assert.Fail(t, "a line is longer than 140 columns", "%s", token.Position{Filename: path, Line: number})
		}
		return nil
	}))
	assert.Greater(t, files, 500, "the files of the repository")
}

func TestLongLinesAreFound(t *testing.T) {
	x := strings.Repeat("x", widest)
	assert.Equal(t, []int{3, 4}, long([]byte(x+"\n\t"+x[4:]+"\n\t"+x[3:]+"\n"+x+"é\n"+x[1:]+"é")))
	assert.Equal(t, []int{4}, long([]byte("var a = `\n"+x+"x\n`\nvar b = `"+x+"`\n")))
}
