package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each mutation changes the source in one place, and the result parses.
func TestMutations(t *testing.T) {
	source := []byte(`package p

const untouched = 1 + 2

func f(a []int, s string) int {
	if len(a) < 3 && s+"x" != "" {
		panic(1 + 1)
	}
	a[0] = a[1] &^ 7
	a[1]++
	g(a)
	return a[0]
}
`)
	list, err := mutations("p.go", source)
	require.NoError(t, err)
	said := map[string]bool{}
	for _, m := range list {
		changed := m.apply(source)
		assert.NotEqual(t, source, changed)
		_, err := parser.ParseFile(token.NewFileSet(), "p.go", changed, 0)
		assert.NoError(t, err, m.String())
		said[m.String()] = true
	}
	for _, want := range []string{
		"p.go:6:12: `<` -> `<=`", "p.go:6:16: `&&` -> `||`", "p.go:6:14: `3` -> `4`",
		"p.go:6:5: `len(a) < 3 && s+\"x\" != \"\"` -> `!(len(a) < 3 && s+\"x\" != \"\")`",
		"p.go:9:2: `a[0] = a[1] &^ 7` -> ``", "p.go:9:14: `&^` -> `&`", "p.go:10:6: `++` -> `--`", "p.go:11:2: `g(a)` -> ``",
	} {
		assert.True(t, said[want], want)
	}
	for m := range said {
		assert.NotContains(t, m, "p.go:3:")
		assert.NotContains(t, m, "p.go:7:")
	}
}

// An instrumented source is valid Go whose functions begin by choosing a copy. The mutant of each line in a copy is known.
func TestInstrument(t *testing.T) {
	source := []byte(`package p

type counter struct{ n int }

func (c *counter) add(by ...int) {
	c.n += len(by)
}

func most(a, b int) (most int, first bool) {
	if a > b {
		return a, true
	}
	return b, false
}

func unnamed(int) int { return 3 + 4 }
`)
	list, err := mutations("p.go", source)
	require.NoError(t, err)
	var mutants []*mutation
	for i := range list {
		list[i].number = i + 1
		mutants = append(mutants, &list[i])
	}
	require.Len(t, mutants, 3, "none of a function that cannot pass its parameter on")
	result, at := instrument(source, mutants)
	assert.Contains(t, string(result), "mutantReached(1) { c.add_mutant1(by...); return };")
	assert.Contains(t, string(result), "mutantReached(3) { return most_mutant3(a, b) };")
	files := token.NewFileSet()
	parse := func(name, text string) *ast.File {
		file, err := parser.ParseFile(files, name, text, 0)
		require.NoError(t, err)
		return file
	}
	_, err = (&types.Config{}).Check("p", files, []*ast.File{
		parse("p.go", string(result)), parse("chooser.go", "package p\nvar mutantNow int\nfunc mutantReached(int) bool { return false }\n"),
	}, nil)
	require.NoError(t, err)
	for i, line := range strings.Split(string(result), "\n") {
		if strings.Contains(line, "!(a > b)") {
			assert.Equal(t, "`a > b` -> `!(a > b)`", at[i+1].String()[len("p.go:10:5: "):])
		}
	}
}

// Each line of equivalent.txt is a mutant of the current sources, with a reason.
func TestEquivalentsAreMutants(t *testing.T) {
	t.Chdir("../..")
	left, err := equivalents()
	require.NoError(t, err)
	places, err := all()
	require.NoError(t, err)
	for _, topic := range places {
		for i := range topic {
			delete(left, topic[i].key())
		}
	}
	assert.Empty(t, left)
}
