package columns

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestTable(t *testing.T) {
	lines := slices.Collect(Lines("# a comment\n\none two  -   three\nfour\n"))
	assert.Equal(t, []string{"one two  -   three", "four"}, lines)
	assert.Equal(t, []string{"one two", "", "three"}, Split(lines[0]))
	assert.Equal(t, []string{"four"}, Split(lines[1]))
}
