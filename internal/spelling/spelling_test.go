package spelling

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestNearest(t *testing.T) {
	words := []string{"count", "type", "init", "x", "gk104", "gk110", "Filter"}
	for word, want := range map[string]string{
		"cuont": "count", "counts": "count", "tpye": "type", "inti": "init", "gk111": "gk110", "filter": "Filter", "COUNT": "count",
		"y": "", "xx": "", "zzzz": "", "amount": "count", "": "", "a-word-that-is-much-longer-than-any-candidate": "",
	} {
		assert.Equal(t, want, Nearest(word, words), word)
	}
	assert.Empty(t, Nearest("anything", nil))
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"count", "count", 0}, {"cuont", "count", 1}, {"cout", "count", 1}, {"counts", "count", 1},
		{"mount", "count", 1}, {"kitten", "sitting", 3}, {"ab", "ba", 1},
	} {
		assert.Equal(t, c.want, Distance(c.a, c.b), "%s, %s", c.a, c.b)
		assert.Equal(t, c.want, Distance(c.b, c.a), "%s, %s", c.b, c.a)
	}
}
