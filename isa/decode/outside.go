package decode

import (
	"strings"

	"github.com/keplersim/keplersim/isa/ptx"
)

// declareUsed declares, in the current function, a register or local variable that the module declares outside functions. A function gets
// only those that it names: nvopencc writes dozens of such registers into each module.
func (d *functionDecoder) declareUsed(name string) (reference, bool) {
	base, _, _ := strings.Cut(name, ".")
	for _, v := range d.outside {
		for i := range v.Declarators {
			c := v.Declarators[i]
			if c.Range >= 0 {
				if _, ok := (registerRange{prefix: c.Name.Text, count: c.Range}).number(base); !ok {
					continue
				}
			} else if c.Name.Text != name && c.Name.Text != base {
				continue
			}
			if c.Range >= 0 || c.Name.Text != name {
				c.Name.Text, c.Range = base, -1
			}
			return d.declareOutsideName(v, c, name)
		}
	}
	return reference{}, false
}

// declareOutsideName declares one name of an outside declaration, in the function's outermost scope.
func (d *functionDecoder) declareOutsideName(v *ptx.Variable, c ptx.Declarator, name string) (reference, bool) {
	outermost := d.scope
	for outermost.declare == nil {
		outermost = outermost.outer
	}
	if !d.f.Kernel {
		d.note(v.Pos, "`%s` is declared outside every function: `%s` has its own, whose value no other function sees", c.Name.Text,
			d.f.Name)
	}
	one := *v
	one.Declarators = []ptx.Declarator{c}
	inner := d.scope
	d.scope = outermost
	d.declareLocal(&one)
	d.scope = inner
	r, ok := outermost.names[name]
	return r, ok
}
