package ptx

import (
	"io"
	"strconv"
	"strings"
)

// Print writes the tree as PTX. Parsing what it wrote gives a tree equal to f, positions aside.
func Print(w io.Writer, f *File) error {
	p := treePrinter{}
	for _, s := range f.Statements {
		p.statement(s)
	}
	_, err := io.WriteString(w, p.out.String())
	return err
}

// Format returns one statement as Print writes it at module scope, without its final newline.
func Format(s Statement) string {
	p := treePrinter{}
	p.statement(s)
	return strings.TrimSuffix(p.out.String(), "\n")
}

// treePrinter prints whole files; each method writes the part of the tree that it is named after.
type treePrinter struct {
	printer
	depth int
}

// begin starts a line, indented by the depth of the block.
func (p *treePrinter) begin() {
	for range p.depth {
		p.out.WriteByte('\t')
	}
}

func (p *treePrinter) statement(s Statement) {
	p.begin()
	switch s := s.(type) {
	case *Version:
		p.text(".version ", strconv.Itoa(s.Major), ".", strconv.Itoa(s.Minor))
	case *Target:
		p.text(".target ")
		p.names(s.Options)
	case *AddressSize:
		p.text(".address_size ", strconv.Itoa(s.Bits))
	case *SourceFile:
		p.sourceFile(s)
	case *Location:
		p.location(s)
	case *Section:
		p.section(s)
	case *Dwarf:
		p.text("@@DWARF ", s.Text)
	case *Pragma:
		p.text(".pragma ")
		p.strings(s.Strings)
		p.text(";")
	case *Alias:
		p.text(".alias ", s.Name.Text, ", ", s.Target.Text, ";")
	case *Variable:
		p.variable(s)
		p.text(";")
	case *Function:
		p.function(s)
	case *CallPrototype:
		p.callPrototype(s)
	case *TargetList:
		p.text(s.Label.Text, ": ", targetListWord(s.Calls), " ")
		p.names(s.Targets)
		p.text(";")
	case *Label:
		p.text(s.Name, ":")
	case *Block:
		p.block(s)
	case *Instruction:
		p.instruction(s)
	}
	p.text("\n")
}

func targetListWord(calls bool) string {
	if calls {
		return ".calltargets"
	}
	return ".branchtargets"
}

func (p *treePrinter) names(names []Name) {
	for i, n := range names {
		if i > 0 {
			p.text(", ")
		}
		p.text(n.Text)
	}
}

func (p *treePrinter) strings(texts []string) {
	for i, text := range texts {
		if i > 0 {
			p.text(", ")
		}
		p.text(quote(text, false))
	}
}

func (p *treePrinter) sourceFile(s *SourceFile) {
	p.text(".file ", strconv.Itoa(s.Index), " ", quote(s.Path, true))
	for _, e := range []*Expression{s.Timestamp, s.Size} {
		if e != nil {
			p.text(", ")
			p.expression(e)
		}
	}
}

func (p *treePrinter) location(s *Location) {
	p.text(".loc ")
	p.place(s.File, s.Line, s.Column)
	if s.FunctionName != nil {
		p.text(", function_name ")
		p.expression(s.FunctionName)
	}
	if s.InlinedAt != nil {
		p.text(", inlined_at ")
		p.place(s.InlinedAt.File, s.InlinedAt.Line, s.InlinedAt.Column)
	}
}

func (p *treePrinter) place(file, line, column int) {
	p.text(strconv.Itoa(file), " ", strconv.Itoa(line), " ", strconv.Itoa(column))
}

func (p *treePrinter) section(s *Section) {
	p.text(".section ", s.Name, "\n")
	p.begin()
	p.text("{\n")
	for _, line := range s.Lines {
		p.begin()
		if line.Type == "" {
			p.text(line.Label, ":\n")
			continue
		}
		p.text(".", line.Type, " ")
		p.expressions(line.Values)
		p.text("\n")
	}
	p.begin()
	p.text("}")
}

func (p *treePrinter) variable(v *Variable) {
	p.text(linkageWords[v.Linkage], ".", v.Space.String())
	if v.Bank >= 0 {
		p.text("[", strconv.Itoa(v.Bank), "]")
	}
	p.attributes(v.Attributes)
	if v.Align != nil {
		p.text(" .align ")
		p.expression(v.Align)
	}
	if v.Vector > 1 {
		p.text(" .v", strconv.Itoa(v.Vector))
	}
	p.text(" .", v.Type)
	if v.Pointer != nil {
		p.text(" .ptr")
		if v.Pointer.Space != SpaceNone {
			p.text(" .", v.Pointer.Space.String())
		}
		if v.Pointer.Align != nil {
			p.text(" .align ")
			p.expression(v.Pointer.Align)
		}
	}
	for i := range v.Declarators {
		if i > 0 {
			p.text(",")
		}
		p.text(" ")
		p.declarator(&v.Declarators[i])
	}
}

func (p *treePrinter) attributes(list []Expression) {
	if len(list) == 0 {
		return
	}
	p.text(" .attribute(")
	for i := range list {
		if i > 0 {
			p.text(", ")
		}
		p.text(".", list[i].Text)
		if list[i].Arguments != nil {
			p.text("(")
			p.expressions(list[i].Arguments)
			p.text(")")
		}
	}
	p.text(")")
}

func (p *treePrinter) declarator(d *Declarator) {
	p.text(d.Name.Text)
	if d.Range >= 0 {
		p.text("<", strconv.Itoa(d.Range), ">")
	}
	for _, length := range d.Dimensions {
		p.text("[")
		if length != nil {
			p.expression(length)
		}
		p.text("]")
	}
	if d.Initializer != nil {
		p.text(" = ")
		p.initializer(d.Initializer)
	}
}

func (p *treePrinter) initializer(i *Initializer) {
	switch i.Kind {
	case InitializerString:
		p.text(quote(i.String, false))
	case InitializerField:
		p.text(i.Field, " = ")
		p.expression(i.Value)
	case InitializerValue:
		p.expression(i.Value)
	case InitializerList:
		p.text("{")
		for j := range i.Elements {
			if j > 0 {
				p.text(", ")
			}
			p.initializer(&i.Elements[j])
		}
		p.text("}")
	}
}

func (p *treePrinter) function(f *Function) {
	p.text(linkageWords[f.Linkage])
	if f.Entry {
		p.text(".entry")
	} else {
		p.text(".func")
	}
	p.attributes(f.Attributes)
	if f.Returns != nil {
		p.text(" ")
		p.parameters(f.Returns)
	}
	p.text(" ", f.Name.Text)
	if f.HasParameters {
		p.parameters(f.Parameters)
	}
	p.directives(f.Directives, f.Body != nil)
	if f.Body == nil {
		p.text(";")
		return
	}
	p.text("\n")
	p.begin()
	p.block(f.Body)
}

func (p *treePrinter) parameters(list []*Variable) {
	p.text("(")
	for i, v := range list {
		if i > 0 {
			p.text(", ")
		}
		p.variable(v)
	}
	p.text(")")
}

// directives writes the directives of a function's head. A .pragma right before a body ends with its own `;`.
func (p *treePrinter) directives(list []FunctionDirective, body bool) {
	for i, d := range list {
		p.text(" .", d.Name)
		if d.Strings != nil {
			p.text(" ")
			p.strings(d.Strings)
			if body && i == len(list)-1 {
				p.text(";")
			}
		}
		if d.Arguments != nil {
			p.text(" ")
			p.expressions(d.Arguments)
		}
	}
}

func (p *treePrinter) instruction(i *Instruction) {
	if i.Guard.Register != "" {
		p.text("@")
		if i.Guard.Not {
			p.text("!")
		}
		p.text(i.Guard.Register, " ")
	}
	p.text(i.Mnemonic.Text)
	if len(i.Operands) > 0 {
		p.text(" ")
		p.operands(i.Operands)
	}
	p.text(";")
}

func (p *treePrinter) callPrototype(c *CallPrototype) {
	p.text(c.Label.Text, ": .callprototype ")
	if c.Returns != nil {
		p.parameters(c.Returns)
		p.text(" ")
	}
	p.text(c.Name.Text)
	if c.HasParameters {
		p.text(" ")
		p.parameters(c.Parameters)
	}
	p.directives(c.Directives, false)
	p.text(";")
}

func (p *treePrinter) block(b *Block) {
	p.text("{\n")
	p.depth++
	for _, s := range b.Statements {
		p.statement(s)
	}
	p.depth--
	p.begin()
	p.text("}")
}

// quote returns the inverse of unquote.
func quote(text string, paths bool) string {
	var out strings.Builder
	out.WriteByte('"')
	for i := 0; i < len(text); i++ {
		switch b := text[i]; {
		case b == '\\' || b == '"':
			out.WriteByte('\\')
			out.WriteByte(b)
		case !paths && (b < ' ' || b >= 0x7f):
			out.WriteByte('\\')
			out.WriteString(strconv.FormatUint(uint64(b)|1<<9, 8)[1:])
		default:
			out.WriteByte(b)
		}
	}
	out.WriteByte('"')
	return out.String()
}
