package sass

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each operation has a line with the bits that identify it, and each of its modifiers has one.
func TestWriteOperations(t *testing.T) {
	for _, e := range Encodings() {
		written(t, e)
	}
}

func written(t *testing.T, e *Encoding) {
	t.Helper()
	var out strings.Builder
	require.NoError(t, e.WriteOperations(&out))
	text, modifiers, ok := strings.Cut(out.String(), "\nMODIFIER")
	require.True(t, ok)
	lines := strings.Split(strings.TrimSpace(text), "\n")[2:]
	require.Len(t, lines, len(e.operations().list))
	for n, line := range lines {
		match, err := strconv.ParseUint(line[:16], 16, 64)
		require.NoError(t, err)
		assert.Equal(t, e.operations().list[n].match, match)
		assert.True(t, strings.HasSuffix(line, e.operations().list[n].Format), line)
		for k := range e.operations().list[n].Fields {
			if f := &e.operations().list[n].Fields[k]; f.texts != nil {
				assert.Contains(t, modifiers, "\n"+f.Name+" ", line)
			}
		}
	}
}
