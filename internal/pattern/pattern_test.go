package pattern

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestLazy: an expression is compiled once, at its first use, which is where a mistake in it shows.
func TestLazy(t *testing.T) {
	word := Lazy(`a(b+)`)
	assert.Equal(t, []string{"abb", "bb"}, word().FindStringSubmatch("xabb"))
	assert.Same(t, word(), word())
	wrong := Lazy(`a(`)
	assert.Panics(t, func() { wrong() })
}
