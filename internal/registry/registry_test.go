package registry

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestKind(t *testing.T) {
	fruit := NewKind[func() int]("kind of fruit")
	fruit.Register("pear", "is green", func() int { return 1 })
	fruit.Register("apple", "is red", func() int { return 2 })
	assert.Equal(t, []string{"apple", "pear"}, Names("kind of fruit"))
	assert.Equal(t, "is red", Does("kind of fruit", "apple"))
	made, err := fruit.Find("pear")
	require.NoError(t, err)
	assert.Equal(t, 1, made())
	_, err = fruit.Find("paer")
	assert.EqualError(t, err, `no kind of fruit "paer"; there are apple, pear; did you mean pear?`)
	assert.Panics(t, func() { fruit.Register("pear", "again", nil) })
	assert.Panics(t, func() { fruit.Register("", "no name", nil) })
	assert.Panics(t, func() { NewKind[int]("kind of fruit") })
	assert.Empty(t, Names("kind of bird"))
}
