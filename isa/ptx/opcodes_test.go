package ptx

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// plausible gives the operands that an instruction of this form takes, by its opcode.
func plausible(form string) string {
	opcode, modifiers, _ := strings.Cut(form, ".")
	vector := func(prefix string) string {
		switch {
		case strings.Contains("."+modifiers+".", ".v4."):
			return fmt.Sprintf("{%s1, %s2, %s3, %s4}", prefix, prefix, prefix, prefix)
		case strings.Contains("."+modifiers+".", ".v2."):
			return fmt.Sprintf("{%s1, %s2}", prefix, prefix)
		}
		return prefix + "1"
	}
	switch opcode {
	case "ld", "ldu", "ldmatrix":
		return vector("%r") + ", [%rd1+16]"
	case "st":
		return "[%rd1-4], " + vector("%r")
	case "mov":
		return vector("%r") + ", " + vector("%q")
	case "atom":
		return "%r1, [%rd1], %r2, %r3"
	case "red":
		return "[%rd1], %r2"
	case "tex", "tld4":
		return "{%f1, %f2, %f3, %f4}, [texture, sampler, {%f5, %f6}]"
	case "suld":
		return vector("%r") + ", [surface, {%r5, %r6}]"
	case "sust", "sured":
		return "[surface, {%r5, %r6}], " + vector("%r")
	case "txq", "suq":
		return "%r1, [texture]"
	case "setp":
		return "%p1|%p2, %r1, %r2, !%p3"
	case "shfl":
		return "%r1|%p1, %r2, 0x1f, -1"
	case "call":
		return "(%r1), function, (%r2, %r3), prototype"
	case "bra":
		return "$L"
	case "brx":
		return "%r1, targets"
	case "ret", "exit", "trap":
		return ""
	case "mma":
		return "{%f1, %f2}, {%r1, %r2}, {%r3}, {%f3, %f4}"
	case "cp":
		return "[%r1], [%rd1], 16"
	}
	return "%r1, %r2.b0, -%r3.h1, 7"
}

// TestEveryFormMet parses one instruction of each form that real programs hold.
func TestEveryFormMet(t *testing.T) {
	table, err := os.ReadFile("testdata/opcodes.tsv")
	require.NoError(t, err)
	rows := strings.Split(strings.TrimSpace(string(table)), "\n")[1:]
	require.Greater(t, len(rows), 1600)
	var text strings.Builder
	text.WriteString(".func f {\n")
	forms := []string{}
	for _, row := range rows {
		form, _, _ := strings.Cut(row, "\t")
		forms = append(forms, form)
		fmt.Fprintf(&text, "@!%%p1 %s %s;\n", form, plausible(form))
	}
	text.WriteString("}\n")
	file, err := Parse("forms.ptx", text.String())
	require.NoError(t, err)
	body := file.Statements[0].(*Function).Body.Statements
	require.Len(t, body, len(forms))
	for i, form := range forms {
		instruction := body[i].(*Instruction)
		assert.Equal(t, form, instruction.Mnemonic.Text)
		assert.Equal(t, form, strings.Join(append([]string{instruction.Mnemonic.Opcode}, instruction.Mnemonic.Modifiers...), "."))
		assert.Equal(t, int32(i+2), instruction.Pos.Line)
	}
	again, err := Parse("printed", printed(t, file))
	require.NoError(t, err)
	assert.Empty(t, Difference(file, again))
}
