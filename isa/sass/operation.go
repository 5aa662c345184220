package sass

import (
	_ "embed"
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"sync"

	"github.com/keplersim/keplersim/internal/columns"
	"github.com/keplersim/keplersim/internal/pattern"
	"github.com/keplersim/keplersim/isa"
)

// row is a line of the table.
type row struct {
	code, text string
	class      isa.Class
}

// Operation is one form of an operation.
type Operation struct {
	Name    string // IADD; the modifiers that it always has belong to it: IADD.PO
	Class   isa.Class
	Format  string // its text, as in the table
	Form    byte   // r, c, x, i, f, d, g, or 0, 1, 2; see the table
	Guarded bool
	Fields  []Field // in the order of its text
	match   uint64
	mask    uint64
	parts   []string // the text around and between the fields
}

// Kinds of words, by their two lowest bits.
const (
	kindControl   = 0
	kindImmediate = 1
	kindRegister  = 2
	kindMask      = 3
)

// Where every operation has its guard, and the bit by which lanes meet (.S).
var guard = place{{18, 3}}

const (
	guardComplement = 21
	meetBit         = 22
)

var token = pattern.Lazy(`\{([A-Za-z_]+)([0-9:,]*)((?:[-|~!][0-9]+)*)\}`)

// table is every form of every operation, in the order of the rows; byKind lists them by the two lowest bits and byName by what their text
// begins with.
type table struct {
	list   []*Operation
	byKind [4][]*Operation
	byName map[string][]*Operation
}

// text is the table of operations, a line each.
//
//go:embed operations.txt
var text string

// operations makes the table from its rows when a program first has machine code.
var operations = sync.OnceValue(func() *table {
	t := &table{byName: map[string][]*Operation{}}
	classes := map[string]isa.Class{}
	for c := range isa.ClassCount {
		classes[c.String()] = c
	}
	for line := range columns.Lines(text) {
		cells := columns.Split(line)
		r := row{cells[0], cells[1], classes[cells[2]]}
		for _, code := range strings.Fields(r.code) {
			for _, o := range r.forms(code) {
				t.list = append(t.list, o)
				t.byKind[o.match&kindMask] = append(t.byKind[o.match&kindMask], o)
				t.byName[firstWord(o.parts[0])] = append(t.byName[firstWord(o.parts[0])], o)
			}
		}
	}
	return t
})

// firstWord is the name that a text begins with, without modifiers.
func firstWord(text string) string {
	if end := strings.IndexAny(text, ". ["); end >= 0 {
		return text[:end]
	}
	return text
}

// forms makes the operations of one code of a row.
func (r *row) forms(code string) (all []*Operation) {
	form, numbers := code[0], strings.Split(code[2:], "/")
	match, mask := highBits(numbers[0]), highBits(numbers[1])
	if len(numbers) > 2 {
		low, value, both := strings.Cut(numbers[2], ":")
		if !both {
			value = low
		}
		match |= hexBits(value)
		mask |= hexBits(low)
	}
	make := func(form byte, top, kind uint64) {
		o := &Operation{Class: r.class, Form: form, match: match | kind, mask: mask | kindMask}
		if form == 'r' || form == 'c' || form == 'x' {
			o.match |= top << 62
			o.mask |= 3 << 62
		}
		o.parse(r.text)
		all = append(all, o)
	}
	switch form {
	case 'r', 't':
		make('r', 3, kindRegister)
		make('c', 1, kindRegister)
		if form == 't' {
			make('x', 2, kindRegister)
		}
	case '0', '1', '2':
		make(form, 0, uint64(form-'0'))
	default:
		make(form, 0, kindImmediate)
	}
	return all
}

func hexBits(text string) uint64 {
	v, err := strconv.ParseUint(text, 16, 64)
	if err != nil {
		panic("sass: " + err.Error()) // of the table
	}
	return v
}

func highBits(text string) uint64 { return hexBits(text) << 48 }

// second is the second source by form, third the place of a constant.
var (
	secondKinds  = map[byte]string{'r': "r", 'c': "const", 'x': "r", 'i': "s", 'f': "float", 'd': "double", 'g': "x", '2': "r"}
	secondPlaces = map[byte]place{
		'r': {{23, 8}}, 'c': {{23, 14}, {37, 5}}, 'x': {{42, 8}}, 'i': {{23, 19}, {59, 1}}, 'f': {{23, 19}, {59, 1}},
		'd': {{23, 19}, {59, 1}}, 'g': {{23, 6}}, '2': {{23, 8}},
	}
	registers = map[string]place{"d": {{2, 8}}, "a": {{10, 8}}, "c": {{42, 8}}, "v": {{2, 8}}, "ad": {{2, 8}}, "av": {{23, 8}}}
	// widths are of fields that the table gives a first bit alone.
	widths = map[string]uint8{
		"p": 3, "r": 8, "R": 8, "t": 24, "sr": 8, "ccs": 5, "ccc": 5, "lanes": 4, "next": 8, "nextpair": 8, "barp": 3, "disp": 24,
		"far":    32,
		"bptarg": 20, "ldg": 8,
	}
)

// parse makes the fields of a text.
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
	f := Field{Name: name, signs: [4]int8{-1, -1, -1, -1}}
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
		f.place = secondPlaces[o.Form]
		spaced := f.Name == "q"
		if f.Name = secondKinds[o.Form]; spaced && f.Name == "const" {
			f.Name = "spaced"
		}
		return f
	case "c":
		if o.Form == 'x' {
			f.Name, f.place = "const", secondPlaces['c']
			return f
		}
	case "k":
		f.place = place{{23, 16}, {39, 5}}
		return f
	case "const":
		f.place = secondPlaces['c']
		return f
	case "lane", "bound", "barrier", "count":
		f.place = either[f.Name][1]
		return f
	}
	if p, ok := registers[f.Name]; ok {
		f.Name, f.place = "r", p
		return f
	}
	f.texts = modifiers[f.Name]
	width := widths[f.Name]
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

// known are the bits of a word that the operation's text says.
func (o *Operation) known() uint64 {
	mask := o.mask
	if o.Guarded {
		mask |= guard.mask() | 1<<guardComplement
		if o.meets() {
			mask |= 1 << meetBit
		}
	}
	for n := range o.Fields {
		f := &o.Fields[n]
		mask |= f.known()
		switch f.Name {
		case "m", "k":
			mask |= base.mask()
		case "barp":
			mask |= 1 << 45
		}
		for _, p := range either[f.Name] {
			mask |= p.mask() | 1<<eitherBit[f.Name]
		}
	}
	return mask
}

// meets reports whether an operation of this form can carry the mark .S: all but those that branch.
func (o *Operation) meets() bool {
	return o.Guarded && o.Class != isa.ClassBranch && !o.Covers(1<<meetBit)
}

// Covers reports whether one of the fields has one of some bits.
func (o *Operation) Covers(bits uint64) bool {
	for n := range o.Fields {
		if o.Fields[n].known()&bits != 0 {
			return true
		}
	}
	return o.mask&bits != 0
}

// Any returns a word of one of the operations, by a number, with some bits in its fields: for tests of what reads words.
func Any(number int, bits uint64) uint64 {
	list := operations().list
	o := list[number%len(list)]
	return o.match | bits&o.known()&^o.mask
}
