package pattern

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestLazy: an expression is compiled once, at its first use; a mistake in it shows there.
func TestLazy(t *testing.T) {
	word := Lazy(`a(b+)`)
	assert.Equal(t, []string{"abb", "bb"}, word().FindStringSubmatch("xabb"))
	assert.Same(t, word(), word())
	wrong := Lazy(`a(`)
	assert.Panics(t, func() { wrong() })
}
