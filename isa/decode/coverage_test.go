package decode

import (
	"archive/zip"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa/ptx"
	"github.com/keplersim/keplersim/testkit/oracle"
)

// elsewhere are parts of the table that no recorded kernel has, with the test that has an expected value for them, or the reason why there
// can be none. A pattern matches the whole of "PATTERN WORD", as missing parts are listed.
var elsewhere = []struct{ pattern, where string }{
	{`(txq|suq)\..* \w+`, "the driver answers these queries from what it was given: sim and host, tests of textures"},
	{`(sured|sust)\.[bp].* (a1d|a2d|1d|zero|f32|s32|u32)`,
		"geometries that another form of the same row shows: the address of a texel does not depend on the operation"},
	{`(suld\.b.* lu|tex\.(base|grad)\.<cubes>.* u32|tld4.* a)`, "a cache operator, a type and a component that other forms show"},
	{`brkpt`, "it ends the kernel: sim, TestTrapNamesItsThread"},
	{`cvta\{\.to\}\.<cvtaspace>\.u32/u64 u32`,
		"no driver of today loads a module with 32-bit addresses: sim, TestKernelWithShortAddresses"},
	{`div\{\.ftz\}\.f32 ftz`, "PTX before 1.4 has no .ftz and later PTX no bare div; accepted, as .full"},
}

// mnemonicsIn adds the mnemonics of a PTX text.
func mnemonicsIn(t *testing.T, name, text string, all map[string]*ptx.Mnemonic) {
	t.Helper()
	file, err := ptx.Parse(name, text)
	require.NoError(t, err, name)
	for _, s := range file.Statements {
		if f, ok := s.(*ptx.Function); ok && f.Body != nil {
			for i := range f.Body.Instructions() {
				all[i.Mnemonic.Text] = i.Mnemonic
			}
		}
	}
}

// recordedMnemonics returns the mnemonics of kernels whose results a GPU gave.
func recordedMnemonics(t *testing.T) map[string]*ptx.Mnemonic {
	t.Helper()
	all := map[string]*ptx.Mnemonic{}
	files, err := filepath.Glob("../../testdata/kernels/*/*.ptx")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, name := range files {
		workload, err := os.ReadFile(strings.TrimSuffix(name, ".ptx") + ".yaml")
		if err != nil || !strings.Contains(string(workload), "\nexpect:") {
			continue
		}
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		mnemonicsIn(t, name, string(text), all)
	}
	archive, err := zip.OpenReader("../../testkit/randomptx/testdata/sample.zip")
	require.NoError(t, err)
	defer archive.Close()
	for _, f := range archive.File {
		if !strings.HasSuffix(f.Name, ".ptx") {
			continue
		}
		reader, err := f.Open()
		require.NoError(t, err)
		text, err := io.ReadAll(reader)
		require.NoError(t, err)
		mnemonicsIn(t, f.Name, string(text), all)
	}
	record, err := oracle.Open()
	require.NoError(t, err)
	for _, f := range record.Forms {
		mnemonicsIn(t, f.Name, oracleKernel(f.Body, f.Inputs, f.Output), all)
	}
	return all
}

// part is a row of the table with one word of one of its groups, or one type at one position; both empty for the row alone.
type part struct {
	form  *Form
	group string
	word  string
}

func partsOf(tpl *template, m *ptx.Mnemonic) []part {
	list := []part{{tpl.form, "", ""}}
	for _, g := range tpl.form.groups {
		for _, word := range m.Modifiers {
			if !g.any && groups[g.name][word] != nil {
				list = append(list, part{tpl.form, g.name, word})
			}
		}
	}
	for position, ty := range tpl.types {
		list = append(list, part{tpl.form, itoa(position), ty.String()})
	}
	return list
}

// TestNothingIsUntested: each row of the opcode table, and each of its modifiers and types, is in a kernel whose results a GPU gave, or has
// its expected value elsewhere.
func TestNothingIsUntested(t *testing.T) {
	tested := map[part]bool{}
	for _, m := range recordedMnemonics(t) {
		tpl, message := resolve(m)
		require.Empty(t, message, m.Text)
		for _, p := range partsOf(tpl, m) {
			tested[p] = true
		}
	}
	var missing []string
	used := make([]bool, len(elsewhere))
	for _, f := range Forms() {
		if f.Status == Refused || f.Trigger != "" {
			continue // TestEveryRow checks how these are refused
		}
		for _, text := range spellings(f) {
			m := mnemonic(text)
			tpl, message := resolve(m)
			if message != "" || tpl.form != f {
				continue // a rule forbids it, or an earlier row takes it
			}
			for _, p := range partsOf(tpl, m) {
				if tested[p] {
					continue
				}
				name := strings.TrimSpace(f.Pattern() + " " + p.word)
				known := false
				for i, e := range elsewhere {
					if regexp.MustCompile("^(" + e.pattern + ")$").MatchString(name) {
						known, used[i] = true, true
					}
				}
				if !known {
					missing = append(missing, name)
				}
			}
		}
	}
	slices.Sort(missing)
	for _, name := range slices.Compact(missing) {
		t.Errorf("no kernel has %s", name)
	}
	for i, e := range elsewhere {
		assert.True(t, used[i], "%s is tested by a kernel now", e.pattern)
	}
}
