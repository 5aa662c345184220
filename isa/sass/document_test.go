package sass

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write docs/sass.md anew")

// docs/sass.md is the table.
func TestDocument(t *testing.T) {
	const path = "../../docs/sass.md"
	var page strings.Builder
	require.NoError(t, WriteDocument(&page))
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(page.String()), 0o644))
	}
	have, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(have), page.String(), "run: go test ./isa/sass -run Document -update")
}
