package ptx

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// grower makes random trees that a text can express.
type grower struct{ *rand.Rand }

func (g grower) pick(words ...string) string { return words[g.IntN(len(words))] }

// expression grows a tree at most depth levels high.
func (g grower) expression(depth int) *Expression {
	kind := g.IntN(9)
	if depth == 0 {
		kind = g.IntN(4)
	}
	switch kind {
	case 0, 1:
		e := &Expression{}
		if err := e.number(g.pick("0", "7", "0x1F", "0b11", "017", "5U", "18446744073709551615", "1.5", "2e3", "0f3F800000",
			"0dBFF0000000000000")); err != nil {
			panic(err)
		}
		return e
	case 2:
		return &Expression{Kind: ExpressionName, Text: g.pick("a", "%r1", "_b", "$c", "d.e", "generic_", "WARP_SZ")}
	case 3:
		return &Expression{Kind: ExpressionMask, Text: "0xFF00", Bits: 0xFF00, X: g.expression(max(depth-1, 0))}
	case 4:
		operators := []Operator{OperatorAdd, OperatorSubtract, OperatorNot, OperatorComplement}
		return &Expression{Kind: ExpressionUnary, Operator: operators[g.IntN(len(operators))], X: g.expression(depth - 1)}
	case 5:
		return &Expression{Kind: ExpressionTernary, X: g.expression(depth - 1), Y: g.expression(depth - 1), Z: g.expression(depth - 1)}
	case 6:
		return &Expression{Kind: ExpressionCast, Text: g.pick("s64", "u64"), X: g.expression(depth - 1)}
	case 7:
		return &Expression{Kind: ExpressionCall, Text: "generic", Arguments: []*Expression{g.expression(depth - 1)}}
	}
	operator := OperatorAdd + Operator(g.IntN(int(OperatorLogicalOr)))
	return &Expression{Kind: ExpressionBinary, Operator: operator, X: g.expression(depth - 1), Y: g.expression(depth - 1)}
}

// operand grows an operand. An immediate is an expression that is not merely a name.
func (g grower) operand(depth int) Operand {
	kind := g.IntN(8)
	if depth == 0 {
		kind = g.IntN(3)
	}
	name := g.pick("%r1", "p", "$s", "foo.bar")
	switch kind {
	case 0:
		return Operand{Kind: OperandName, Name: name, Component: g.pick("", "", "x", "b0", "h32"), Not: g.IntN(4) == 0}
	case 1:
		return Operand{Kind: OperandSink}
	case 2:
		return Operand{Kind: OperandName, Name: name, Minus: true}
	case 3:
		e := g.expression(depth)
		for e.Kind == ExpressionName || e.Kind == ExpressionUnary {
			e = g.expression(depth)
		}
		return Operand{Kind: OperandImmediate, Value: e}
	case 4:
		return Operand{Kind: OperandAddress, Value: g.expression(depth), Elements: g.operands(g.IntN(3), depth-1),
			Component: g.pick("", "unified")}
	case 5:
		return Operand{Kind: OperandIndexed, Name: name, Value: g.expression(depth)}
	case 6:
		return Operand{Kind: OperandVector, Elements: g.operands(g.IntN(5), depth-1)}
	}
	return Operand{Kind: OperandPair, Elements: []Operand{{Kind: OperandName, Name: name}, {Kind: OperandSink}}}
}

func (g grower) operands(count, depth int) []Operand {
	var out []Operand
	for range count {
		out = append(out, g.operand(depth))
	}
	return out
}

// TestRandomTreesSurviveText prints trees that were not parsed from a text, so that a missing parenthesis is noticed.
func TestRandomTreesSurviveText(t *testing.T) {
	g := grower{rand.New(rand.NewPCG(1, 2))}
	var statements []Statement
	for i := range 5000 {
		statements = append(statements, &Variable{
			Space: SpaceGlobal, Bank: -1, Vector: 1, Type: "u64",
			Declarators: []Declarator{{Name: Name{Text: fmt.Sprint("v", i)}, Range: -1,
				Initializer: &Initializer{Kind: InitializerList, Elements: []Initializer{{Value: g.expression(5)}}}}},
		})
	}
	body := &Block{}
	for range 5000 {
		body.Statements = append(body.Statements, &Instruction{
			Mnemonic: &Mnemonic{Text: "op.u32", Opcode: "op", Modifiers: []string{"u32"}}, Operands: g.operands(1+g.IntN(4), 4),
		})
	}
	statements = append(statements, &Function{Name: Name{Text: "f"}, Body: body})
	file := &File{Name: "random", Statements: statements}
	text := printed(t, file)
	again, err := Parse("random.ptx", text)
	require.NoError(t, err)
	require.Len(t, again.Statements, len(file.Statements))
	for i := range file.Statements {
		difference := Difference(&File{Statements: file.Statements[i : i+1]}, &File{Statements: again.Statements[i : i+1]})
		require.Empty(t, difference, "%s", Format(again.Statements[i])[:min(300, len(Format(again.Statements[i])))])
	}
}
