package decode

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/arch"
	"github.com/keplersim/keplersim/isa"
)

var update = flag.Bool("update", false, "write docs/ptx-support.md anew")

// TestSupportPage keeps docs/ptx-support.md equal to the table.
func TestSupportPage(t *testing.T) {
	const path = "../../docs/ptx-support.md"
	var page strings.Builder
	require.NoError(t, WriteSupport(&page))
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(page.String()), 0o644))
	}
	have, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(have), page.String(), "run: go test ./isa/decode -run SupportPage -update")
}

// TestTableCoversPTX: each opcode has a row, and each group of modifiers a form that takes it.
func TestTableCoversPTX(t *testing.T) {
	for op := isa.OpNone + 1; op < isa.OpcodeCount; op++ {
		assert.True(t, len(formsOf(op)) > 0 || op.Facts().MachineCode, op.String())
	}
	used := map[string]bool{}
	for _, f := range Forms() {
		for _, g := range f.groups {
			used[g.name] = true
		}
		older := f.Since <= int(arch.Latest().Newest())
		assert.False(t, f.Status == Refused && older && f.Reason == "", "%s is refused without a reason", f.Pattern())
		assert.False(t, f.Status == Native && f.Since > int(arch.Latest().Newest()), "%s is newer than Kepler", f.Pattern())
	}
	for name := range groups {
		assert.True(t, used[name], "no form takes group %s", name)
	}
}
