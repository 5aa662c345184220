package main

import (
	"go/parser"
	"go/token"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each mutation changes the source in one place, and leaves Go.
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
