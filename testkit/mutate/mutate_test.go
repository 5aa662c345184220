package mutate

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestTextIsSeeded(t *testing.T) {
	const text = "a: 1\nb: [2, 3]\n"
	seen := map[string]bool{}
	for seed := range uint64(500) {
		changed := Text(seed, text, "other: {x: 7}\n")
		assert.Equal(t, changed, Text(seed, text, "other: {x: 7}\n"))
		seen[changed] = true
		assert.NotPanics(t, func() { Text(seed, "") })
	}
	assert.Greater(t, len(seen), 500/2, "most seeds give a text of their own")
}
