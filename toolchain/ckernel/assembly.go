package ckernel

import "strings"

// assemblyStatement reads asm("..." : outputs : inputs : clobbers);
func (p *parser) assemblyStatement(at position) (*statement, error) {
	a := &assembly{}
	for p.peek().is("volatile") || p.peek().is("__volatile__") {
		a.volatile = true
		p.next++
	}
	if err := p.expect("(", "after 'asm'"); err != nil {
		return nil, err
	}
	template, err := p.strings()
	if err != nil {
		return nil, err
	}
	a.template = template
	for part := 0; !p.peek().is(")"); {
		switch {
		case p.accept("::"):
			part += 2
		case p.accept(":"):
			part++
		case part >= 3:
			p.next++ // clobbers
		default:
			o, err := p.operand()
			if err != nil {
				return nil, err
			}
			if part == 1 {
				a.outputs = append(a.outputs, o)
			} else {
				a.inputs = append(a.inputs, o)
			}
			p.accept(",")
		}
		if p.peek().kind == endOfFile {
			break
		}
	}
	if err := p.expect(")", "after asm's operands"); err != nil {
		return nil, err
	}
	return &statement{action: assemblyStatement, at: at, assembly: a}, p.expect(";", "after 'asm (...)'")
}

// operand reads [name] "constraint"(expression).
func (p *parser) operand() (o operandOf, err error) {
	if p.accept("[") {
		o.name = p.take().text
		if err := p.expect("]", "after the operand's name"); err != nil {
			return o, err
		}
	}
	if o.constraint, err = p.strings(); err != nil {
		return o, err
	}
	if err := p.expect("(", "after the constraint"); err != nil {
		return o, err
	}
	if o.value, err = p.whole(); err != nil {
		return o, err
	}
	if !o.value.typ.isScalar() {
		return o, errorAt(o.value.at, "an operand of asm is a number or a pointer, not %s", o.value.typ)
	}
	if strings.HasPrefix(o.constraint, "=") || strings.HasPrefix(o.constraint, "+") {
		if err := o.value.assignable(); err != nil {
			return o, err
		}
	}
	return o, p.expect(")", "after the operand")
}

// strings reads adjacent string constants as one.
func (p *parser) strings() (string, error) {
	if p.peek().kind != text {
		return "", errorAt(p.peek().at, "expected a string, and found %s", p.peek())
	}
	var b strings.Builder
	for p.peek().kind == text {
		t := p.take()
		b.WriteString(unquoted(t.text))
	}
	return b.String(), nil
}
