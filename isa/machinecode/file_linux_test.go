package machinecode

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// No address of the process is both writable and executable, and code lies where it can only be read and run.
func TestNothingIsWritableAndExecutable(t *testing.T) {
	if !Supported() {
		t.Skip("this host runs no code made here")
	}
	maps, err := os.ReadFile("/proc/self/maps")
	require.NoError(t, err)
	code := map[string]bool{}
	for line := range strings.Lines(string(maps)) {
		access := strings.Fields(line)[1]
		require.False(t, strings.HasPrefix(access[1:], "wx"), line)
		if strings.Contains(line, "/memfd:machine code") {
			code[access] = true
		}
	}
	require.Equal(t, map[string]bool{"rw-s": true, "r-xs": true}, code)
}
