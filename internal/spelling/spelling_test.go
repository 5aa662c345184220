package spelling

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"count", "count", 0}, {"cuont", "count", 1}, {"cout", "count", 1}, {"counts", "count", 1}, {"mount", "count", 1},
		{"kitten", "sitting", 3}, {"ab", "ba", 1},
	} {
		assert.Equal(t, c.want, Distance(c.a, c.b), "%s, %s", c.a, c.b)
		assert.Equal(t, c.want, Distance(c.b, c.a), "%s, %s", c.b, c.a)
	}
}
