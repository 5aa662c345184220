package yamllimits

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/parser"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// nested returns the ways to nest values, at a depth.
func nested(depth int) map[string]string {
	indented, listed := "", ""
	for i := range min(depth, 500) {
		indented += strings.Repeat(" ", i) + "a:\n"
		listed += strings.Repeat(" ", i) + "-\n"
	}
	return map[string]string{
		"flow lists": strings.Repeat("[", depth), "flow mappings": strings.Repeat("{a: ", depth),
		"lists on a line": strings.Repeat("- ", depth), "mappings on a line": strings.Repeat("a: ", depth),
		"keys": strings.Repeat("? ", depth), "anchors": "a: " + strings.Repeat("&a ", depth) + "x",
		"tags": "a: " + strings.Repeat("!!str ", depth) + "x", "pairs in a flow list": "[" + strings.Repeat("a: ", depth) + "]",
		"keys in a flow list": "[" + strings.Repeat("? ", depth) + "]", "indented": indented, "indented lists": listed,
		"closed": strings.Repeat("[", depth) + strings.Repeat("]", depth),
	}
}

func TestDepth(t *testing.T) {
	for name, text := range nested(MostDepth + 2) {
		assert.ErrorContains(t, check([]byte(text)), "more than 64 deep", name)
	}
	for name, text := range nested(MostDepth - 2) {
		assert.NoError(t, check([]byte(text)), name)
	}
	for name, text := range nested(20_000) {
		start := time.Now()
		assert.Error(t, check([]byte(text)), name)
		assert.Less(t, time.Since(start), 5*time.Second, name)
	}
}

func TestLengthAndNumber(t *testing.T) {
	assert.EqualError(t, check([]byte(strings.Repeat("a", MostBytes+1))), "the file has more than 4 MB; data belongs into files of its own")
	text := "a: 1\nb: [" + strings.Repeat("1,", MostMarks) + "]"
	refused := new(Refused)
	require.ErrorAs(t, check([]byte(text)), &refused)
	assert.Equal(t, Refused{2, 1, "the file has more than 600000 values; data belongs into files of its own"}, *refused)
	assert.ErrorContains(t, check([]byte(keys(15_000))), "more keys than can be compared")
	assert.NoError(t, check([]byte("a: {b: [1, 2, {c: &d [x]}], e: *d}\nf:\n  - g: 1\n    h:\n    - 2\n")))
	for n := range 200 { // long and flat is not deep
		text += fmt.Sprintf("k%d: {a: 1, b: [1, 2]}\n", n)
	}
	assert.NoError(t, check([]byte(text[len(text)-4000:])))
}

// Documents within the bounds are parsed with less than 1 GB and in less than 20 s.
func TestWorstThatPasses(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for name, text := range map[string]string{
		"values": "[" + strings.Repeat("1,", MostMarks-4) + "1]", "keys": keys(14_000),
		"deep lists": "[" + strings.Repeat(strings.Repeat("[", 60)+strings.Repeat("]", 60)+",", MostMarks/121-2) + "]",
	} {
		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := time.Now()
		require.NoError(t, check([]byte(text)), name)
		file, err := parser.ParseBytes([]byte(text), 0)
		took := time.Since(start)
		runtime.ReadMemStats(&after)
		runtime.KeepAlive(file)
		t.Logf("%s: %d MB held, %.1f s, refused %t", name, (int64(after.HeapAlloc)-int64(before.HeapAlloc))>>20, took.Seconds(), err != nil)
		assert.Less(t, (int64(after.HeapAlloc)-int64(before.HeapAlloc))>>20, int64(900), name)
		assert.Less(t, took, 20*time.Second, name)
	}
}

// keys returns a mapping of n keys.
func keys(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "k%d: 1\n", i)
	}
	return b.String()[:min(b.Len(), MostBytes)]
}

// TestParse: documents within the bounds are parsed as by the parser itself, with its errors; all others are refused.
func TestParse(t *testing.T) {
	for _, text := range []string{"a: 1\nb: [x, {c: 2}]\n", "", "# nothing\n", "a: 1\n---\nb: 2\n", "a: [1\n", "a: b: c\n"} {
		want, wrong := parser.ParseBytes([]byte(text), 0)
		got, err := Parse([]byte(text))
		assert.Equal(t, wrong, err, "%q", text)
		assert.Equal(t, want, got, "%q", text)
	}
	_, err := Parse([]byte(strings.Repeat("[", MostDepth+2)))
	assert.ErrorAs(t, err, new(*Refused))
}

func check(text []byte) error {
	_, err := tokenize(text)
	return err
}

// Documents on which the library panics give errors.
func TestWhatBreaksTheParser(t *testing.T) {
	for _, text := range []string{"list: !!seq\n", "list: ! \n"} {
		var into struct{ List []string }
		assert.Panics(t, func() { _ = yaml.Unmarshal([]byte(text), &into) }, "if it does not any more, broken can go")
		refused := new(Refused)
		require.ErrorAs(t, Unmarshal([]byte(text), &into), &refused, text)
	}
	var list []string
	require.NoError(t, Unmarshal(nil, &list))
}

// Documents that are too deep are refused before parsing, and an empty document leaves the value unchanged.
func TestUnmarshalRefuses(t *testing.T) {
	value := struct{ Kept bool }{true}
	var refused *Refused
	require.ErrorAs(t, Unmarshal([]byte(nested(MostDepth + 2)["flow lists"]), &value), &refused)
	require.NoError(t, Unmarshal(nil, &value))
	assert.True(t, value.Kept)
}
