package ptx

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// testFiles returns all PTX texts of testdata that are free of errors, and the project's workloads.
func testFiles(t testing.TB) []string {
	var files []string
	for _, pattern := range []string{"testdata/*.ptx", "testdata/clang/*.ptx", "../../workloads/*/*.ptx"} {
		found, err := filepath.Glob(pattern)
		require.NoError(t, err)
		files = append(files, found...)
	}
	require.NotEmpty(t, files)
	return files
}

// parseFile parses a text that must be free of errors.
func parseFile(t testing.TB, name string) *File {
	source, err := os.ReadFile(name)
	require.NoError(t, err)
	file, err := Parse(name, string(source))
	require.NoError(t, err)
	return file
}

// printed returns the tree as Print writes it.
func printed(t testing.TB, file *File) string {
	var out bytes.Buffer
	require.NoError(t, Print(&out, file))
	return out.String()
}

func TestPrintedTreeParsesToTheSameTree(t *testing.T) {
	for _, name := range testFiles(t) {
		t.Run(filepath.Base(name), func(t *testing.T) {
			file := parseFile(t, name)
			text := printed(t, file)
			again, err := Parse("printed "+name, text)
			require.NoError(t, err)
			assert.Empty(t, Difference(file, again))
			assert.Equal(t, text, printed(t, again))
		})
	}
}

// TestPositions checks that the text at a node's position is the node's.
func TestPositions(t *testing.T) {
	for _, name := range testFiles(t) {
		file := parseFile(t, name)
		lines := strings.Split(file.Source, "\n")
		check := func(pos Position, text string) {
			t.Helper()
			require.True(t, strings.HasPrefix(file.Source[pos.Offset:], text), "%s:%s: want %q", name, pos, text)
			require.True(t, strings.HasPrefix(lines[pos.Line-1][pos.Column-1:], text), "%s:%s: want %q", name, pos, text)
		}
		var walk func(list []Statement)
		walk = func(list []Statement) {
			for _, s := range list {
				switch s := s.(type) {
				case *Function:
					check(s.Name.Pos, s.Name.Text)
					if s.Body != nil {
						check(s.Body.Pos, "{")
						check(s.Body.End, "}")
						walk(s.Body.Statements)
					}
				case *Block:
					check(s.Pos, "{")
					walk(s.Statements)
				case *Variable:
					check(s.Pos, ".")
					for _, d := range s.Declarators {
						check(d.Name.Pos, d.Name.Text)
					}
				case *Label:
					check(s.Pos, s.Name)
				case *Instruction:
					check(s.MnemonicPos, s.Mnemonic.Opcode)
					for _, o := range s.Operands {
						if o.Kind == OperandName && !o.Not && !o.Minus && file.Source[o.Pos.Offset] != '(' {
							check(o.Pos, o.FullName())
						}
					}
				}
			}
		}
		walk(file.Statements)
	}
}

// The error about a binary file names its kind, in one line.
func TestBinaries(t *testing.T) {
	for text, want := range map[string]string{
		"\x7fELF\x02\x01\x01\x00":                     "this is a binary (ELF",
		"\x50\xed\x55\xba\x01\x00\x10\x00":            "this is a fat binary",
		"BC\xc0\xde\x35\x14":                          "this is LLVM bitcode",
		".version 4.2\n.target sm_35\n\x00\x00\x01ab": "this is a binary",
	} {
		file, err := Parse("kernel.ptx", text)
		require.NotNil(t, file)
		require.ErrorContains(t, err, want)
		assert.ErrorContains(t, err, "not PTX text; `cuobjdump -ptx`")
		var list ErrorList
		require.ErrorAs(t, err, &list)
		assert.Len(t, list, 1)
	}
	_, err := Parse("kernel.ptx", ".version 4.2\n.target sm_35\n.entry k { exit; }\n\x00")
	assert.NoError(t, err, "the driver's zero byte at the end")
}

func TestUTF16(t *testing.T) {
	_, err := Parse("kernel.ptx", "\xff\xfe.\x00v\x00e\x00r\x00")
	assert.EqualError(t, err, "kernel.ptx:1:1: this is text in UTF-16; save it as UTF-8")
}
