package workload

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// bytesOf encodes numbers as elements.
func bytesOf(t *testing.T, typ Type, values ...float64) []byte {
	t.Helper()
	out := make([]byte, len(values)*typ.Size())
	for i, v := range values {
		bits := floatBits(typ, v)
		if !typ.IsFloat() {
			bits = uint64(int64(v))
		}
		typ.put(out[i*typ.Size():], bits)
	}
	return out
}

func checkText(t *testing.T, typ Type, expect string, got []byte) *Mismatch {
	t.Helper()
	text := fmt.Sprintf("buffers:\n  x: {type: %s, count: %d}\nsteps: []\nexpect:\n  x: %s\n", typ, len(got)/typ.Size(), expect)
	w, err := Parse("w.yaml", []byte(text))
	require.NoError(t, err)
	m, err := w.Check("x", bytes.NewReader(got))
	require.NoError(t, err)
	return m
}

func TestCheck(t *testing.T) {
	next := math.Nextafter32
	one := float64(next(1, 2))
	nan := math.NaN()
	for _, c := range []struct {
		typ    Type
		expect string
		got    []float64
		holds  bool
	}{
		{"f32", "{values: [1, 2]}", []float64{1, 2}, true},
		{"f32", "{values: [1, 2]}", []float64{1, 2, 99}, true}, // only the values given are compared
		{"f32", "{values: [1, 2]}", []float64{1, 3}, false},
		{"f32", "{values: [1]}", []float64{one}, false},
		{"f32", "{values: [1], ulp: 1}", []float64{one}, true},
		{"f32", "{values: [1], ulp: 1}", []float64{float64(next(next(1, 2), 2))}, false},
		{"f32", "{values: [0], ulp: 1}", []float64{math.Copysign(0, -1)}, true},
		{"f32", "{values: [0]}", []float64{math.Copysign(0, -1)}, false}, // bytes differ
		{"f32", "{values: [-1.0e-45], ulp: 2}", []float64{1e-45}, true},  // across zero
		{"f32", "{values: [1], abs: 0.5}", []float64{1.5}, true},
		{"f32", "{values: [1], abs: 0.5}", []float64{1.625}, false},
		{"f32", "{values: [100], rel: 0.01}", []float64{101}, true},
		{"f32", "{values: [100], rel: 0.01}", []float64{101.5}, false},
		{"f32", "{values: [100], rel: 0.01, abs: 2}", []float64{101.5}, true}, // any tolerance is enough
		{"f32", "{values: [.inf], rel: 0.5, abs: 1}", []float64{1e30}, false},
		{"f32", "{values: [.inf], abs: 1}", []float64{math.Inf(1)}, true},
		{"f32", "{values: [.nan], abs: 1}", []float64{nan}, true},
		{"f32", "{values: [.nan], abs: 1}", []float64{1}, false},
		{"f32", "{values: [1], ulp: 4000000000}", []float64{nan}, false},
		{"f16", "{values: [1], ulp: 1}", []float64{1.0009765625}, true},
		{"f64", "{values: [0.1]}", []float64{0.1}, true},
		{"s32", "{values: [-5], ulp: 1}", []float64{-6}, true},
		{"s32", "{values: [-5], abs: 2}", []float64{-8}, false},
		{"s32", "{values: [-100], rel: 0.03}", []float64{-103}, true},
		{"u8", "{values: [200, 7]}", []float64{200, 7}, true},
		{"u8", "{values: [200, 7]}", []float64{200, 8}, false},
	} {
		m := checkText(t, c.typ, c.expect, bytesOf(t, c.typ, c.got...))
		assert.Equal(t, c.holds, m == nil, "%s %s %v: %v", c.typ, c.expect, c.got, m)
	}
}

func TestMismatchReport(t *testing.T) {
	m := checkText(t, "f32", "{values: [1, 2, -3, 0.1]}", bytesOf(t, "f32", 1, 2.5, 3, math.NaN(), 9))
	assert.Equal(t, `buffer x differs from the expected result in 3 of 4 elements
  x[1] = 2.5, expected 2.0 (2097152 ulp)
  x[2] = 3.0, expected -3.0 (2155872256 ulp)
  x[3] = NaN, expected 0.1`, m.String())
	var many []float64
	for i := range 12 {
		many = append(many, float64(i+1))
	}
	m = checkText(t, "b32", "{values: [0,0,0,0,0,0,0,0,0,0,0,0]}", bytesOf(t, "b32", many...))
	assert.Contains(t, m.String(), "in 12 of 12 elements\n  x[0] = 0x00000001, expected 0x00000000\n")
	assert.Contains(t, m.String(), "\n  and 2 more")
	// The hash of "abc" is the example of the standard that defines SHA-256.
	const abc = `{sha256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"}`
	assert.Nil(t, checkText(t, "u8", abc, []byte("abc")))
	assert.Contains(t, checkText(t, "u8", abc, []byte("abd")).String(), "expected ba7816bf")
}

// Expected contents can be written as initial contents: the numbers that a copy would have.
func TestCheckAgainstInit(t *testing.T) {
	want := bytesOf(t, "s32", 3, 5, 7, 9)
	assert.Nil(t, checkText(t, "s32", "{init: {ramp: {start: 3, step: 2}}}", want))
	assert.Nil(t, checkText(t, "f32", "{init: {fill: 1}, abs: 0.25}", bytesOf(t, "f32", 1, 1.25, 0.75)))
	m := checkText(t, "s32", "{init: {ramp: {start: 3, step: 1}}}", want)
	require.NotNil(t, m)
	assert.EqualValues(t, 3, m.Differing)
	assert.Equal(t, "4", m.First[0].Expected)
}

func TestCheckAgainstFile(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "x.bin"), bytesOf(t, "f32", 1, 2), 0o644))
	w, err := Parse(
		filepath.Join(dir, "w.yaml"), []byte("buffers:\n  x: {type: f32, count: 2}\nsteps: []\nexpect:\n  x: {file: x.bin, abs: 0.25}\n"),
	)
	require.NoError(t, err)
	m, err := w.Check("x", bytes.NewReader(bytesOf(t, "f32", 1.125, 2)))
	require.NoError(t, err)
	assert.Nil(t, m)
	m, err = w.Check("x", bytes.NewReader(bytesOf(t, "f32", 1.5, 2)))
	require.NoError(t, err)
	assert.Equal(t, []Difference{{Index: 0, Expected: "1.0", Got: "1.5", ULP: 1 << 22, Comparable: true}}, m.First)
	_, err = w.Check("x", bytes.NewReader([]byte{1}))
	assert.ErrorIs(t, err, io.EOF)
	_, err = w.Check("y", nil)
	assert.ErrorContains(t, err, `no buffer "y"`)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "x.bin"), []byte{1}, 0o644))
	_, err = w.Check("x", bytes.NewReader(bytesOf(t, "f32", 1, 2)))
	assert.ErrorContains(t, err, "x.bin has 1 bytes, but the buffer has 8")
}
