package toolchain

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Only a nest whose inner length changes counts: instances of a template, and nests of a few iterations, are left alone.
func TestTriangles(t *testing.T) {
	outer, inner := place{"k.cu", 3, 5}, place{"k.cu", 4, 7}
	list := func(iterations int, lengths ...int) []unrolledLoop {
		loops := []unrolledLoop{{place{"k.cu", 1, 1}, 64}, {outer, iterations}}
		for _, n := range lengths {
			loops = append(loops, unrolledLoop{inner, n})
		}
		return loops
	}
	assert.Equal(t, []nest{{outer, inner}}, triangles(list(8, 8, 7, 6, 5, 4, 3, 2)))
	assert.Empty(t, triangles(list(7, 7, 6, 5, 4, 3, 2)), "of a few iterations")
	assert.Empty(t, triangles(list(8, 8, 4, 2)), "a template")
	assert.Empty(t, triangles(list(8, 8, 8, 8)))
	turned := list(8, 8, 7, 6, 5, 4, 3, 2)
	turned[1].at.line = 9
	assert.Empty(t, triangles(turned), "the outer loop stands in front")
}
