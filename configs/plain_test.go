package configs

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPlain: a text of ours that is plain makes the tree that the reader of all of YAML makes of it. What all chips have in common is
// plain, as every run reads it.
func TestPlain(t *testing.T) {
	plain := map[string]bool{}
	for _, name := range append(embeddedNames(), familyFile) {
		file := name + ".yaml"
		text, err := embedded.ReadFile(file)
		require.NoError(t, err)
		want, err := parseDocument(file, string(text))
		require.NoError(t, err)
		var got *value
		if got, plain[name] = readPlain(file, string(text)); plain[name] {
			assert.Equal(t, want, got, name)
		}
	}
	assert.True(t, plain[familyFile] && plain["gk110"] && plain["gtx780"] && plain["k20c"], "left to the slow reader: %v", plain)
}

// notPlain are texts beyond the part of YAML that readPlain knows, or wrong.
var notPlain = []string{
	"", "# only a comment\n", "a:\n", "a: ~\n", "a: null\n", "a: True\n", "a: 0x10\n", "a: 010\n", "a: 1e3\n", "a: .5\n", "a: 1.\n",
	"a: -1\n", "a: 1_000\n", "a: 'x'\n", "a: \"x\\n\"\n", "a: \"x\" y\n", "a: \"x\n", "a: 0 \n", "a: A\x8f", "#\x00\na: 0",
	"a: &x 1\n", "a: *x\n", "a: !t 1\n", "a: |\n  x\n", "a: x: y\n",
	"a: x\n  y\n", "a: 1\na: 2\n", " a: 1\nb: 2\n", "a:\n    b: 1\n  c: 2\n", "a:\n- {b: 1}\n", "a:\n  - 1\n", "a:\n  - b: 1\n    c: 2\n",
	"a: [1,\n  2]\n", "a: [1, 2\n", "a: [1, 2] 3\n", "a: [1, , 2]\n", "a: {b: 1, b: 2}\n", "a: {b}\n", "a: {b: 1\n", "a: []\nb: {}\nc\n",
	"---\na: 1\n", "a: 1\n---\nb: 2\n", "\ta: 1\n", "a:1\n", "null: 1\n", "1: 2\n", "A: 1\n", "- {a: 1}\n", "? a\n",
}

// TestNotPlain: what is not plain is left to the reader of all of YAML.
func TestNotPlain(t *testing.T) {
	for _, text := range notPlain {
		_, ok := readPlain("x.yaml", text)
		assert.False(t, ok, "%q", text)
	}
}

// FuzzPlain: no text is read in two ways.
func FuzzPlain(f *testing.F) {
	for _, name := range []string{familyFile, "gk110", "k40m"} {
		text, err := embedded.ReadFile(name + ".yaml")
		require.NoError(f, err)
		f.Add(string(text))
	}
	for _, text := range notPlain {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, ok := readPlain("x.yaml", text)
		if !ok {
			return
		}
		want, err := parseDocument("x.yaml", text)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	})
}

func BenchmarkLoad(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Load("gk110", nil); err != nil {
			b.Fatal(err)
		}
	}
}
