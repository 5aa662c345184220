package sass

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"github.com/keplersim/keplersim/internal/columns"
	"github.com/keplersim/keplersim/internal/pattern"
	"github.com/keplersim/keplersim/isa"
)

// row is a row of the table.
type row struct {
	code, text string
	class      isa.Class
}

// Operation is one form of an operation.
type Operation struct {
	encoding *Encoding
	Name     string // IADD; includes modifiers that it always has: IADD.PO
	Class    isa.Class
	Format   string // its text, as in the table
	Form     byte   // r, c, x, i, f, d, g, or 0, 1, 2; see the table
	Guarded  bool
	Fields   []Field // in text order
	match    uint64
	mask     uint64
	parts    []string // the text around and between the fields
}

var token = pattern.Lazy(`\{([A-Za-z_]+)([0-9:,]*)((?:[-|~!][0-9]+)*)\}`)

// table has every form of every operation, in the order of the rows. byKind lists them by the bits of kind, byName by the first word of
// their text.
type table struct {
	list   []*Operation
	byKind [16][]*Operation
	byName map[string][]*Operation
}

// table parses the rows; a program does so when it first meets machine code.
func (e *Encoding) table() *table {
	t := &table{byName: map[string][]*Operation{}}
	classes := map[string]isa.Class{}
	for c := range isa.ClassCount {
		classes[c.String()] = c
	}
	for line := range columns.Lines(e.rows) {
		cells := columns.Split(line)
		r := row{cells[0], cells[1], classes[cells[2]]}
		for _, code := range strings.Fields(r.code) {
			for _, o := range e.operationsOf(&r, code) {
				t.list = append(t.list, o)
				t.byKind[o.match&e.kind] = append(t.byKind[o.match&e.kind], o)
				t.byName[firstWord(o.parts[0])] = append(t.byName[firstWord(o.parts[0])], o)
			}
		}
	}
	return t
}

// firstWord returns the name at the start of a text, without modifiers.
func firstWord(text string) string {
	if end := strings.IndexAny(text, ". ["); end >= 0 {
		return text[:end]
	}
	return text
}

// operationsOf returns the operations of one code of a row.
func (e *Encoding) operationsOf(r *row, code string) (all []*Operation) {
	forms, bits, _ := strings.Cut(code, ":")
	numbers := strings.Split(bits, "/")
	match, mask := highBits(numbers[0]), highBits(numbers[1])
	if len(numbers) > 2 {
		low, value, both := strings.Cut(numbers[2], ":")
		if !both {
			value = low
		}
		match |= hexBits(value)
		mask |= hexBits(low)
	}
	letters := strings.TrimLeft(forms, "01234567")
	if kind := forms[:len(forms)-len(letters)]; kind != "" {
		match |= hexBits(kind)
		mask |= e.kind
	}
	letters = strings.ReplaceAll(strings.ReplaceAll(letters, "t", "rx"), "r", "rc")
	if letters == "" {
		letters = forms
	}
	for n := range len(letters) {
		f := e.forms[letters[n]]
		o := &Operation{encoding: e, Class: r.class, Form: letters[n], match: match | f.match, mask: mask | f.mask}
		o.parse(r.text)
		all = append(all, o)
	}
	return all
}

func hexBits(text string) uint64 {
	v, err := strconv.ParseUint(text, 16, 64)
	if err != nil {
		panic("sass: " + err.Error()) // the table is ours
	}
	return v
}

func highBits(text string) uint64 { return hexBits(text) << 48 }

// widths are the widths of fields without one in the table, where the encodings agree.
var widths = map[string]uint8{
	"p": 3, "t": 24, "sr": 8, "ccs": 5, "ccc": 5, "lanes": 4, "barp": 3, "disp": 24, "far": 32, "bptarg": 20,
}

// parse parses a text into fields.
func (o *Operation) parse(text string) {
	o.Format = text
	text, unguarded := strings.CutPrefix(text, "!")
	o.Guarded = !unguarded
	end := 0
	for _, m := range token().FindAllStringSubmatchIndex(text, -1) {
		o.parts = append(o.parts, text[end:m[0]])
		end = m[1]
		o.Fields = append(o.Fields, o.field(text[m[2]:m[3]], text[m[4]:m[5]], text[m[6]:m[7]]))
	}
	o.parts = append(o.parts, text[end:])
	o.Name, _, _ = strings.Cut(o.parts[0], " ")
	o.Name = strings.TrimSuffix(o.Name, "[")
}

func (o *Operation) field(name, at, signs string) Field {
	e := o.encoding
	f := Field{encoding: e, Name: name, signs: [4]int8{-1, -1, -1, -1}}
	if lower := strings.ToLower(name); lower != name {
		f.Name, f.Wide = lower, true
	}
	for signs != "" {
		end := strings.IndexAny(signs[1:]+"-", signMarks) + 1
		bit, _ := strconv.Atoi(signs[1:end])
		f.signs[strings.IndexByte(signMarks, signs[0])] = int8(bit)
		signs = signs[end:]
	}
	switch f.Name {
	case "b", "q":
		source, spaced := e.forms[o.Form], f.Name == "q"
		if f.Name, f.place = source.second, source.place; spaced && f.Name == "const" {
			f.Name = "spaced"
		}
		return f
	case "c":
		if o.Form == 'x' {
			f.Name, f.place = "const", e.constant
			return f
		}
	case "k":
		f.place = e.indexed
		return f
	case "const":
		f.place = e.constant
		return f
	case "lane", "bound", "barrier", "count":
		f.place = e.either[f.Name].number
		return f
	}
	if p, ok := e.registers[f.Name]; ok {
		f.Name, f.place = "r", p
		return f
	}
	f.texts = modifiers[f.Name]
	width := max(widths[f.Name], e.widths[f.Name])
	for _, part := range strings.Split(at, ",") {
		first, size, given := strings.Cut(part, ":")
		bit, _ := strconv.Atoi(first)
		p := piece{uint8(bit), 1}
		switch {
		case given:
			n, _ := strconv.Atoi(size)
			p.width = uint8(n)
		case strings.Contains(at, ","):
		case f.texts != nil:
			p.width = uint8(bits.Len(uint(len(f.texts) - 1)))
		default:
			p.width = width
		}
		f.place = append(f.place, p)
	}
	if f.texts != nil && len(f.texts) != 1<<f.place.width() {
		panic(fmt.Sprintf("sass: %s: field %s has %d values in %d bits", o.Format, f.Name, len(f.texts), f.place.width()))
	}
	if _, ok := operands[f.Name]; !ok && f.texts == nil {
		panic("sass: no field is called " + f.Name)
	}
	return f
}

// known returns the bits of a word that the operation's text shows.
func (o *Operation) known() uint64 {
	e := o.encoding
	mask := o.mask | e.guard.mask() // even without a guard: compilers differ in the bits they leave there
	if o.Guarded {
		mask |= e.guard.mask() | 1<<e.complement
		if o.meets() {
			mask |= 1 << e.meet
		}
	}
	for n := range o.Fields {
		f := &o.Fields[n]
		mask |= f.known()
		switch f.Name {
		case "m", "k":
			mask |= e.base.mask()
		case "barp":
			mask |= 1 << e.barrierComplement
		}
		if c, ok := e.either[f.Name]; ok {
			mask |= c.register.mask() | c.number.mask() | 1<<c.bit
		}
	}
	return mask
}

// meets reports whether operations of this form can have the mark .S: all except branches.
func (o *Operation) meets() bool {
	return o.Guarded && o.Class != isa.ClassBranch && !o.Covers(1<<o.encoding.meet)
}

// Covers reports whether the operation or one of its fields uses one of some bits.
func (o *Operation) Covers(bits uint64) bool {
	for n := range o.Fields {
		if o.Fields[n].known()&bits != 0 {
			return true
		}
	}
	return o.mask&bits != 0
}

// Any returns a word of operation number, with some bits in its fields, for tests of code that reads words.
func (e *Encoding) Any(number int, bits uint64) uint64 {
	list := e.operations().list
	o := list[number%len(list)]
	return o.match | bits&o.known()&^o.mask
}

// Spare returns the unused bits next to a second source in a register.
func (o *Operation) Spare() uint64 {
	if spare := o.encoding.spare; o.Form == 'r' && !o.Covers(spare) {
		return spare
	}
	return 0
}
