package sass

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// publicTable names the file with the words and texts of PPoPP2017_artifact (Solver/opcode/opcode_sm35.sass), which is not ours to keep.
const publicTable = "KEPLERSIM_SM35_TABLE"

// Each line of the public table decodes to its text and encodes to its word. Some texts have several words, which differ in a bit that the
// text does not show. Then one of them comes back.
func TestPublicTable(t *testing.T) {
	path := os.Getenv(publicTable)
	if path == "" {
		t.Skip(publicTable + " names no file")
	}
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	words := map[string][]uint64{}
	lines, texts, bits, alike := 0, 0, 0, 0
	for scanner := bufio.NewScanner(file); scanner.Scan(); {
		text, rest, ok := strings.Cut(scanner.Text(), "; /* 0x")
		require.True(t, ok, scanner.Text())
		word, err := strconv.ParseUint(rest[:16], 16, 64)
		require.NoError(t, err)
		words[text] = append(words[text], word)
		lines++
	}
	for text, all := range words {
		for _, word := range all {
			i, err := SM35.Decode(word)
			if !assert.NoError(t, err, text) {
				continue
			}
			if assert.Equal(t, text, i.Text(0), "0x%016x", word) {
				texts++
			}
		}
		encoded, err := SM35.Encode(text, 0)
		if !assert.NoError(t, err, text) {
			continue
		}
		if i, err := SM35.Decode(encoded); assert.NoError(t, err) {
			assert.Equal(t, text, i.Text(0))
		}
		for _, word := range all {
			if alike++; word == encoded {
				bits++
				alike--
			}
		}
	}
	t.Logf("%d lines: %d words decode to their text; %d texts encode to their word, %d to another one that is printed alike",
		lines, texts, bits, alike)
}
