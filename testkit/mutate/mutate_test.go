package mutate

import (
	"math/rand/v2"
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

// Changes of bytes depend only on the random source, and most change something.
func TestBytesAreSeeded(t *testing.T) {
	const text, other = "0123456789abcdef0123456789abcdef", "other pieces"
	changed := 0
	for seed := range uint64(2000) {
		bytes := func() string { return string(Bytes(rand.New(rand.NewPCG(seed, 0)), []byte(text), other)) }
		got := bytes()
		assert.Equal(t, got, bytes())
		if got != text {
			changed++
		}
		assert.NotPanics(t, func() { Bytes(rand.New(rand.NewPCG(seed, 0)), nil, "") })
	}
	assert.Greater(t, changed, 1800)
}
