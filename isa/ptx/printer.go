package ptx

import "strings"

// printer builds text; each method writes the part of the tree that it is named after.
type printer struct{ out strings.Builder }

func (p *printer) text(parts ...string) {
	for _, part := range parts {
		p.out.WriteString(part)
	}
}

func (p *printer) operands(list []Operand) {
	for i := range list {
		if i > 0 {
			p.text(", ")
		}
		p.operand(&list[i])
	}
}

// String returns the operand as PTX.
func (o *Operand) String() string {
	p := printer{}
	p.operand(o)
	return p.out.String()
}

func (p *printer) operand(o *Operand) {
	if o.Not {
		p.text("!")
	}
	if o.Minus {
		p.text("-")
	}
	switch o.Kind {
	case OperandName:
		p.text(o.FullName())
	case OperandSink:
		p.text("_")
	case OperandImmediate:
		p.expression(o.Value)
	case OperandAddress:
		p.text("[")
		p.expression(o.Value)
		if len(o.Elements) > 0 {
			p.text(", ")
			p.operands(o.Elements)
		}
		p.text("]")
		if o.Component != "" {
			p.text(".", o.Component)
		}
	case OperandIndexed:
		p.text(o.Name, "[")
		p.expression(o.Value)
		p.text("]")
	case OperandVector:
		p.text("{")
		p.operands(o.Elements)
		p.text("}")
	case OperandPair:
		p.operand(&o.Elements[0])
		p.text("|")
		p.operand(&o.Elements[1])
	case OperandList:
		p.text("(")
		p.operands(o.Elements)
		p.text(")")
	}
}

func (p *printer) expressions(list []*Expression) {
	for i, e := range list {
		if i > 0 {
			p.text(", ")
		}
		p.expression(e)
	}
}

// String returns the expression as PTX.
func (e *Expression) String() string {
	p := printer{}
	p.expression(e)
	return p.out.String()
}

func (p *printer) expression(e *Expression) {
	switch e.Kind {
	case ExpressionInteger, ExpressionFloat32, ExpressionFloat64, ExpressionName:
		p.text(e.Text)
	case ExpressionUnary:
		p.text(e.Operator.String())
		p.operandOf(e.X, unaryPrecedence)
	case ExpressionCast:
		p.text("(.", e.Text, ")")
		p.operandOf(e.X, unaryPrecedence)
	case ExpressionBinary:
		p.binary(e)
	case ExpressionTernary:
		p.operandOf(e.X, ternaryPrecedence+1)
		p.text(" ? ")
		p.expression(e.Y)
		p.text(" : ")
		p.expression(e.Z)
	case ExpressionMask, ExpressionCall:
		p.text(e.Text, "(")
		if e.X != nil {
			p.expression(e.X)
		}
		p.expressions(e.Arguments)
		p.text(")")
	}
}

const (
	ternaryPrecedence = 0
	unaryPrecedence   = 11
)

func precedenceOf(e *Expression) int {
	switch e.Kind {
	case ExpressionBinary:
		return operatorForms[e.Operator].precedence
	case ExpressionTernary:
		return ternaryPrecedence
	}
	return unaryPrecedence
}

// operandOf writes e, in parentheses if it binds looser than its context requires.
func (p *printer) operandOf(e *Expression, precedence int) {
	if precedenceOf(e) >= precedence {
		p.expression(e)
		return
	}
	p.parenthesized(e)
}

func (p *printer) parenthesized(e *Expression) {
	p.text("(")
	p.expression(e)
	p.text(")")
}

func (p *printer) binary(e *Expression) {
	precedence := precedenceOf(e)
	p.operandOf(e.X, precedence)
	if e.Operator == OperatorRemainder {
		p.text(" % ") // %name would be read as a register
	} else {
		p.text(e.Operator.String())
	}
	// name|name would be read as a pair of registers.
	if e.Operator == OperatorOr && e.X.Kind == ExpressionName && beginsWithWord(e.Y) {
		p.parenthesized(e.Y)
		return
	}
	p.operandOf(e.Y, precedence+1)
}

// beginsWithWord reports whether e is printed with a word first.
func beginsWithWord(e *Expression) bool {
	for e.Kind == ExpressionBinary || e.Kind == ExpressionTernary {
		e = e.X
	}
	return e.Kind == ExpressionName || e.Kind == ExpressionCall
}
