package glossary

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/sim/stats"
)

var update = flag.Bool("update", false, "write docs/glossary.md anew")

const intro = `# Glossary

What the words of reports, documents and code mean. In parentheses: other words for the same thing, from textbooks or NVIDIA.

` + "`keplersim glossary TERM`" + ` prints one entry. It also knows stall reasons, [metrics](metrics.md) and [configuration keys](configs.md).
This page is written by ` + "`go test ./report/glossary -update`" + `.
`

func TestDocsAreInStep(t *testing.T) {
	const path = "../../docs/glossary.md"
	want := intro + Markdown()
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(want), 0o644))
	}
	have, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, want, string(have), "run: go test ./report/glossary -update")
}

func TestFind(t *testing.T) {
	for word, name := range map[string]string{
		"MSHR": "MSHR", "mshrs": "MSHR", "miss status holding register": "MSHR", "warps": "warp", "bank-conflict": "bank conflict",
		"memory_dependency": "memory_dependency", "stall_memory_dependency": "memory_dependency", "gld_efficiency": "gld_efficiency",
		"l2.bytes": "l2.bytes",
	} {
		found, err := Find(word)
		require.NoError(t, err, word)
		assert.Equal(t, name, found[0].Name, word)
	}
	_, err := Find("occupancie")
	assert.EqualError(t, err, `no entry "occupancie"; 'keplersim glossary' lists them all; did you mean occupancy?`)
}

// Every related term exists, no word names two terms, and every meaning is a sentence.
func TestTermsHangTogether(t *testing.T) {
	of := map[string]string{}
	for _, subject := range terms() {
		for _, term := range subject.terms {
			for _, word := range append([]string{term.Name}, term.Also...) {
				assert.Empty(t, of[normal(word)], "%s names two terms", word)
				of[normal(word)] = term.Name
			}
			assert.True(t, strings.HasSuffix(term.Meaning, ".") || strings.HasSuffix(term.Meaning, "means."), "%s: %s", term.Name,
				term.Meaning)
		}
	}
	for _, subject := range terms() {
		for _, term := range subject.terms {
			for _, see := range term.See {
				assert.NotEmpty(t, of[normal(see)], "%s: see %s", term.Name, see)
			}
		}
	}
}

func TestWriteWraps(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, Write(&b, All(), 100))
	require.NoError(t, WriteList(&b, 100))
	for _, line := range strings.Split(b.String(), "\n") {
		assert.LessOrEqual(t, len([]rune(line)), 100, line)
	}
}

// Markdown returns the glossary as the lists of docs/glossary.md.
func Markdown() string {
	var b strings.Builder
	for _, subject := range terms() {
		fmt.Fprintf(&b, "\n## %s\n\n", subject.subject)
		for _, t := range subject.terms {
			also := ""
			if len(t.Also) > 0 {
				also = " (" + strings.Join(t.Also, ", ") + ")"
			}
			meaning := t.Meaning
			if _, ok := stats.FindCycleCount(strings.ReplaceAll(t.Name, " ", "_")); ok { // it is on another page
				meaning = "See [metrics](metrics.md#cycles)."
			}
			fmt.Fprintf(&b, "- **%s**%s: %s\n", t.Name, also, meaning)
		}
	}
	return b.String()
}
