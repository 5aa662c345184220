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

// A variant gets the parameters that it was registered with: given values, else defaults. Errors say what is wrong and what would be right.
func TestParameters(t *testing.T) {
	trees := NewKind[func(Values) float64]("kind of tree")
	trees.Register("oak", "is old", func(v Values) float64 { return v.Float("height") + float64(v.Int("branches")) },
		Parameter{Name: "height", Does: "metres", Default: 20, Min: 0.5, Max: 40, Fraction: true},
		Parameter{Name: "branches", Does: "how many", Default: 100, Min: 1, Max: 1000})
	trees.Register("bush", "is small", func(v Values) float64 { return v.Float("height") })
	for text, want := range map[string]float64{"oak": 120, "{name: oak, height: 0.5}": 100.5, "{name: oak, branches: 7, height: 1}": 8} {
		make, values, err := trees.Choose(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, make(values), text)
		assert.Equal(t, text, ParseChoice(text).String())
	}
	assert.Empty(t, CheckParameter("kind of tree", "oak", Setting{"height", 40}))
	assert.Contains(t, CheckParameter("kind of tree", "oak", Setting{"height", 41}), "0.5 to 40")
	for text, want := range map[string]string{
		"{name: oak, heigth: 3}": "heigth: unknown parameter; oak takes height (0.5 to 40, 20 unless given), " +
			"branches (1 to 1000, 100 unless given); did you mean height?",
		"{name: oak, height: 41}":    "height: 41 is out of range: height (0.5 to 40, 20 unless given)",
		"{name: oak, branches: 1.5}": "branches: 1.5 is not a whole number",
		"{name: bush, height: 1}":    "height: unknown parameter; bush takes none",
		"{name: ook, height: 1}":     `no kind of tree "ook"; there are bush, oak; did you mean oak?`,
	} {
		_, _, err := trees.Choose(text)
		assert.EqualError(t, err, want)
	}
	make, values, err := trees.Choose("bush")
	require.NoError(t, err)
	assert.PanicsWithValue(t, `policy bush asks for its parameter "height", which it has not registered`, func() { make(values) })
}
