package ptx

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// places lists line:column of every diagnostic of an error.
func places(err error) []string {
	var list ErrorList
	errors.As(err, &list)
	out := []string{}
	for _, d := range list {
		out = append(out, d.Pos.String())
	}
	return out
}

func TestDiagnosticShowsLineAndCaret(t *testing.T) {
	_, err := Parse("bad.ptx", ".version 4.2\n.target sm_35\n.entry k {\n\tadd.s32 \t%r1, %r2 %r3;\n}\n")
	require.Error(t, err)
	assert.Equal(t, "bad.ptx:4:20: expected `,` and another operand, or `;`, found `%r3`\n"+
		"    \tadd.s32 \t%r1, %r2 %r3;\n"+
		"    \t        \t         ^", err.Error())
}

// TestErrorsAreFoundAndSurvived gives for each text the places of its diagnostics, a part of the first message, and the number of
// statements that remain in the tree.
func TestErrorsAreFoundAndSurvived(t *testing.T) {
	for _, c := range []struct {
		name, text string
		places     []string
		message    string
		remaining  int
	}{
		{"no semicolon", ".entry k {\n add.s32 a, b, c\n sub.s32 a, b, c;\n}\n.global .u32 x;", []string{"2:17"},
			"or `;` before `sub.s32` on line 3", 2},
		{"no semicolon at the end of a body", ".entry k {\n ret\n}\n.global .u32 x;", []string{"2:5"}, "before `}` on line 3", 2},
		{"no closing brace", ".entry k {\n ret;\n.entry m {\n ret;\n}", []string{"1:10"}, "never closed; add `}` before `.entry` on line 3",
			2},
		{"no closing brace at the end", ".entry k {\n { ret;\n", []string{"1:10"}, "never closed", 1},
		{"extra closing brace", ".entry k { }\n}\n.entry m { }", []string{"2:1"}, "closes nothing", 2},
		{"misspelled directive", ".entri k { ret; }\n.entry m { }", []string{"1:1"}, "did you mean `.entry`?", 1},
		{"misspelled type", ".global .u23 x;\n.global .u32 y;", []string{"1:9"}, "did you mean `.u32`?", 1},
		{"misspelled space", ".globl .u32 x;\n.global .u32 y;", []string{"1:1"}, "did you mean `.global`?", 1},
		{"misspelled head directive", ".entry k .maxntidd 5 { }\n.entry m { }", []string{"1:10"}, "did you mean `.maxntid`?", 2},
		{"two types", ".reg .u32 .s32 x;", []string{"1:11"}, "second type", 0},
		{"no space", ".u32 x;", []string{"1:1"}, "begins with its state space", 0},
		{"instruction at module scope", "add.s32 a, b, c;\n.global .u32 x;", []string{"1:1"}, "outside every function", 1},
		{"label at module scope", "here:\n.global .u32 x;", []string{"1:1"}, "label must be inside", 2},
		{"unknown character", ".entry k {\n add.s32 a, `b, c;\n}", []string{"2:13"}, "no meaning", 1},
		{"not ASCII", ".entry k {\n add.s32 ä, b, c;\n}", []string{"2:10", "2:12"}, "ASCII", 1},
		{"unclosed comment", ".entry k { }\n/* no end", []string{"2:1"}, "add */", 1},
		{"unclosed string", ".file 1 \"abc\n.entry k { }", []string{"1:9"}, "closing quote", 2},
		{"malformed number", ".entry k {\n mov.u32 a, 0x;\n mov.u32 a, 12ab;\n mov.u32 a, 09;\n mov.f32 a, 0f12;\n}",
			[]string{"2:13", "3:13", "4:13", "5:13"}, "malformed", 1},
		{"integer too large", ".entry k {\n mov.u64 a, 18446744073709551616;\n}", []string{"2:13"}, "64 bits", 1},
		{"float too large", ".entry k {\n mov.f64 a, 1e999;\n}", []string{"2:13"}, "too large", 1},
		{"missing operand", ".entry k {\n add.s32 a, , c;\n ret;\n}", []string{"2:13"}, "expected an operand", 1},
		{"unclosed bracket", ".entry k {\n ld.u32 a, [b;\n ret;\n}", []string{"2:14"}, "`]` at the end of the address", 1},
		{"unclosed vector", ".entry k {\n mov.b64 {a, b, c;\n ret;\n}", []string{"2:18"}, "`}` or `,`", 1},
		{"guard alone", ".entry k {\n @p;\n @!; ret;\n}", []string{"2:4", "3:4"}, "after the guard", 1},
		{"register as opcode", ".entry k {\n %r1 = 5;\n ret;\n}", []string{"2:2"}, "expected an instruction", 1},
		{"prototype without label", ".entry k {\n .callprototype _ ();\n ret;\n}", []string{"2:2"}, "needs a label", 1},
		{"entry that returns", ".entry (.param .u32 r) k { }\n.entry m { }", []string{"1:8"}, "returns nothing", 1},
		{"unknown operator", ".global .u64 x = genric(y);", []string{"1:24"}, "not an operator", 0},
		{"bad section", ".section .debug_info {\n .b8 1,\n}\n.entry k { }", []string{"2:8"}, "section name", 2},
		{"bad version", ".version x\n.target sm_35", []string{"1:10"}, "a version such as 4.2", 1},
		{"bad address size", ".address_size 48\n", []string{"1:1"}, "32 or 64", 1},
		{"version inside a function", ".entry k { .version 4.2\n ret; }", []string{"1:12"}, "close the function", 1},
		{"several", ".entry k {\n add.s32 a b;\n ret;\n ld.u32 [;\n @ ; bra L;\n}\n.glob .u32 x;\n.entry m { }",
			[]string{"2:12", "4:10", "5:4", "7:1"}, "", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			file, err := Parse("bad.ptx", c.text)
			require.Error(t, err)
			assert.Equal(t, c.places, places(err), err.Error())
			assert.Contains(t, err.Error(), c.message)
			assert.Len(t, file.Statements, c.remaining)
		})
	}
}

func TestAtMostTwentyErrors(t *testing.T) {
	for count, want := range map[int]int{3: 3, 19: 19, 20: 20, 500: MaximumErrors} {
		text := ".entry k {\n" + strings.Repeat(" add.s32 a b;\n", count) + "}\n"
		_, err := Parse("bad.ptx", text)
		assert.Len(t, places(err), want)
		assert.Equal(t, count >= MaximumErrors, strings.Contains(err.Error(), "stopped after 20 errors"))
	}
}

func TestEveryDiagnosticIsReachableByErrorsAs(t *testing.T) {
	_, err := Parse("bad.ptx", "}")
	var d *Diagnostic
	require.ErrorAs(t, fmt.Errorf("loading: %w", err), &d)
	assert.Equal(t, "bad.ptx", d.File)
}

func TestDeepNestingIsRefused(t *testing.T) {
	for _, text := range []string{
		".entry k {" + strings.Repeat("{", 100000),
		".global .u32 x = " + strings.Repeat("{", 100000),
		".global .u32 x = " + strings.Repeat("(", 100000),
		".global .u32 x = " + strings.Repeat("-", 100000),
		".global .u32 x = " + strings.Repeat("1?", 100000),
		".global .u32 x = 1" + strings.Repeat("+1", 100000) + ";",
		".entry k { mov " + strings.Repeat("{", 100000),
		".entry k { mov " + strings.Repeat("[a,", 100000),
	} {
		_, err := Parse("deep.ptx", text)
		require.Error(t, err)
		assert.Contains(t, err.Error(), "200")
	}
}

func TestLongLinesAreClipped(t *testing.T) {
	_, err := Parse(
		"long.ptx", ".entry k { "+strings.Repeat("add.s32 a, b, c; ", 1000)+" add.s32 a b; "+strings.Repeat("add.s32 a, b, c; ", 1000)+"}",
	)
	require.Error(t, err)
	lines := strings.Split(err.Error(), "\n")
	require.Len(t, lines, 3)
	assert.Less(t, len(lines[1]), 200)
	caret := strings.IndexByte(lines[2], '^')
	assert.Equal(t, "b", string([]rune(lines[1])[caret]))
}

func TestNearest(t *testing.T) {
	assert.Equal(t, "global", Nearest("golbal", directiveNames))
	assert.Equal(t, "entry", Nearest("enrty", directiveNames))
	assert.Equal(t, "", Nearest("zzzzz", directiveNames))
}
