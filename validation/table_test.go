package validation

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/configs"
)

func TestRowsAreComplete(t *testing.T) {
	rows, err := Rows()
	require.NoError(t, err)
	kernels := 0
	for i, r := range rows {
		assert.NotEmpty(t, r.Title, r.Name)
		assert.NotEmpty(t, r.Source, r.Name)
		assert.Positive(t, r.Measured.High+r.Measured.Low+float64(r.Work()), r.Name)
		if r.Missing == "" && (!testing.Short() || i%8 == 0) { // loading a board's configuration takes time
			_, err := r.load()
			assert.NoError(t, err)
		}
		if r.Kernel() {
			kernels++
			_, err := kernelFiles.ReadFile("kernels/" + r.kernel.file() + ".ptx")
			assert.NoError(t, err, r.Name)
		}
	}
	assert.Equal(t, 114, kernels)
	_, err = configs.List()
	require.NoError(t, err)
}

func TestMatches(t *testing.T) {
	r := &Row{Name: "latency/add-f32@k20"}
	for _, pattern := range []string{
		"latency/add-f32@k20", "latency/add-f32", "add-f32@k20", "add-f32", "latency", "lat*", "*@k20", "*add*",
	} {
		assert.True(t, r.Matches(pattern), pattern)
	}
	for _, pattern := range []string{"add", "*@k40", "throughput"} {
		assert.False(t, r.Matches(pattern), pattern)
	}
}

func TestErrorOfARange(t *testing.T) {
	v := Value{26, 28}
	assert.Zero(t, v.Error(27))
	assert.InDelta(t, -50, v.Error(13), 1e-9)
	assert.InDelta(t, 100, v.Error(56), 1e-9)
}

func TestUnknownKeysAreErrors(t *testing.T) {
	_, err := parseRows("x.yaml", []byte("unit: cycles\nrows:\n  - {name: a/b, titel: c, on: []}\n"))
	require.ErrorContains(t, err, "titel")
}
