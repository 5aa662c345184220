package expand

import (
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"

	"github.com/keplersim/keplersim/arch"
	"github.com/keplersim/keplersim/internal/columns"
	"github.com/keplersim/keplersim/isa"
)

// The table of forms (arch.Generation.Expansions) has one row per PTX form: its name (see formOf), then its machine operations, separated
// by '|'. A line that begins with '|' continues the row above. An operation is its mnemonic, what it writes, and after ':' what it reads.
//
//	d e          destinations; a b c f sources, in PTX order
//	d.l d.h      the low and high word of a 64-bit operand
//	t0 … t9      32-bit temporaries; w0 … w9 64-bit ones; p0 … p9 predicates
//	cc           the carry flag
//	*            before a mnemonic: the operation is the carrier; without a star the last one is
//	[kind …]     operations of a slow path, and the rule (isa.SlowKind) by which lanes take it
//
// A form without a row uses the row of the longest prefix of its name.

// expansion is a parsed row of the table.
type expansion struct {
	steps []step
	// called are the temporaries that only the slow path touches.
	called []reference
}

// step is one operation of an expansion.
type step struct {
	mnemonic      string
	class         isa.Class
	carrier       bool
	writes, reads []reference
	writesCarry   bool
	readsCarry    bool
	slow          isa.SlowKind
	slowFirst     bool
}

// reference names an operand of the instruction or a temporary.
type reference struct {
	kind byte // 'd' destination, 's' source, 't', 'w', 'p' temporaries
	n    int
	word int8 // -1 for the whole operand
}

var slowKinds = map[string]isa.SlowKind{
	"div.f32": isa.SlowDivF32, "div.f64": isa.SlowDivF64, "sqrt.f32": isa.SlowSqrtF32, "sqrt.f64": isa.SlowSqrtF64,
	"rcp.f32": isa.SlowRcpF32, "rcp.f64": isa.SlowRcpF64, "trig": isa.SlowTrig,
}

// form is a row of the table.
type form struct {
	name, text string
	generation *arch.Generation
	expansion  *expansion
	parsed     sync.Once
}

// tables are a generation's tables, parsed when first needed.
type tables struct {
	generation *arch.Generation
	forms      func() map[string]*form
	parts      func() map[string][]part
}

// read caches the tables of generations.
var read sync.Map

func tablesOf(g *arch.Generation) *tables {
	if t, ok := read.Load(g); ok {
		return t.(*tables)
	}
	t, _ := read.LoadOrStore(g, &tables{g, sync.OnceValue(func() map[string]*form { return formsOf(g) }),
		sync.OnceValue(func() map[string][]part { return partsOf(g.Parts) })})
	return t.(*tables)
}

// rows returns the rows of a table, each with the lines that continue it.
func rows(table string) iter.Seq[string] {
	return func(yield func(string) bool) {
		row := ""
		for line := range columns.Lines(table) {
			switch {
			case strings.HasPrefix(line, "|"):
				row += " " + line
				continue
			case row != "" && !yield(row):
				return
			}
			row = line
		}
		if row != "" {
			yield(row)
		}
	}
}

// formsOf returns the rows of a generation's tables by name.
func formsOf(g *arch.Generation) map[string]*form {
	byName := map[string]*form{}
	for _, table := range g.Expansions() {
		for row := range rows(table) {
			name, text, _ := strings.Cut(row, " ")
			if byName[name] != nil {
				panic("lower: form " + name + " appears twice")
			}
			byName[name] = &form{name: name, text: text, generation: g}
		}
	}
	return byName
}

// errNoOperation is the error of an operation that the generation does not have.
var errNoOperation = errors.New("the generation has no such operation")

// parse returns the row's expansion, parsed when first needed, since a program uses few forms. It is nil if the generation lacks one of the
// row's operations. Any other mistake in a row is a bug of ours.
func (f *form) parse() *expansion {
	f.parsed.Do(func() {
		var err error
		if f.expansion, err = parseExpansion(f.generation, f.text); err != nil && !errors.Is(err, errNoOperation) {
			panic(fmt.Sprintf("lower: form %s: %v", f.name, err))
		}
	})
	return f.expansion
}

func parseExpansion(g *arch.Generation, text string) (*expansion, error) {
	e := &expansion{}
	slow, first, starred := isa.SlowNever, false, false
	for part := range strings.SplitSeq(text, "|") {
		part = strings.TrimSpace(part)
		if strings.HasPrefix(part, "[") {
			kind, rest, _ := strings.Cut(part[1:], " ")
			var ok bool
			if slow, ok = slowKinds[kind]; !ok {
				return nil, fmt.Errorf("no slow path %s", kind)
			}
			part, first = rest, true
		}
		last := strings.HasSuffix(part, "]")
		s, err := parseStep(g, strings.TrimSuffix(part, "]"))
		if err != nil {
			return nil, err
		}
		s.slow, s.slowFirst = slow, first
		starred = starred || s.carrier
		e.steps = append(e.steps, s)
		if first = false; last {
			slow = isa.SlowNever
		}
	}
	if !starred {
		e.steps[len(e.steps)-1].carrier = true
	}
	e.called = calledTemporaries(e.steps)
	return e, nil
}

// temporary returns the reference to the whole temporary.
func (r reference) temporary() reference { return reference{kind: r.kind, n: r.n} }

func parseStep(g *arch.Generation, text string) (step, error) {
	head, reads, _ := strings.Cut(text, ":")
	fields := strings.Fields(head)
	if len(fields) == 0 {
		return step{}, fmt.Errorf("an operation without a name in %q", text)
	}
	s := step{mnemonic: strings.TrimPrefix(fields[0], "*"), carrier: strings.HasPrefix(fields[0], "*")}
	class, ok := g.Class(s.mnemonic)
	if !ok {
		return s, fmt.Errorf("%s: %w", s.mnemonic, errNoOperation)
	}
	s.class = class
	for _, name := range fields[1:] {
		if name == "cc" {
			s.writesCarry = true
			if s.class == isa.ClassInteger {
				s.class = isa.ClassIntegerCarry
			}
			continue
		}
		r, err := parseReference(name)
		if err != nil {
			return s, err
		}
		s.writes = append(s.writes, r)
	}
	for name := range strings.FieldsSeq(reads) {
		if name == "cc" {
			s.readsCarry = true
			continue
		}
		r, err := parseReference(name)
		if err != nil {
			return s, err
		}
		s.reads = append(s.reads, r)
	}
	return s, nil
}

func parseReference(name string) (reference, error) {
	base, half, _ := strings.Cut(name, ".")
	r := reference{word: -1}
	switch half {
	case "l":
		r.word = 0
	case "h":
		r.word = 1
	case "":
	default:
		return r, fmt.Errorf("unknown word %s", name)
	}
	switch {
	case base == "d" || base == "e":
		r.kind, r.n = 'd', int(base[0]-'d')
	case len(base) == 1 && strings.Contains("abcfg", base):
		r.kind, r.n = 's', strings.Index("abcfg", base)
	case len(base) == 2 && strings.Contains("twp", base[:1]) && base[1] >= '0' && base[1] <= '9':
		r.kind, r.n = base[0], int(base[1]-'0')
	default:
		return r, fmt.Errorf("unknown operand %s", name)
	}
	return r, nil
}
