package decode

import (
	"strings"
	"sync"

	"github.com/keplersim/keplersim/isa"
)

// Status says how an instruction form is met.
type Status uint8

// Statuses.
const (
	Native   Status = iota // a Kepler has it
	Emulated               // no Kepler has it; executed with its documented meaning
	Refused                // it needs later hardware
)

// String returns the status as documents print it.
func (s Status) String() string {
	return [...]string{"native", "emulated", "refused"}[s]
}

// Form is one row of the opcode table: a family of instruction forms with one operand shape.
type Form struct {
	Opcode isa.Opcode
	// Modifiers lists the groups of modifiers (groups.go) that may be given, blank-separated; `?` marks one that may be left out.
	// "*" stands for anything.
	Modifiers string
	// Types lists the types by position, blank-separated, alternatives with `|`.
	Types string
	// Operands lists the operands: `d` and `p` are written, `m` is an address, the rest is read; `:x` gives a type other than the
	// instruction's, `?` marks an operand that may be left out, `|` a pair. See operandspec.go.
	Operands string
	// Status, Since and PTX say who has the form: Since is the architecture that introduced it, 53 for sm_53 and 0 for those before Kepler
	// (sm_30); PTX is the version of the PTX ISA that introduced it, "" for those up to 3.0.
	Status Status
	Since  int
	PTX    string
	// Trigger lists words of which a refused form has at least one.
	Trigger string
	// Reason says why a form is refused that no later hardware has either.
	Reason string
	// Rule checks what the columns cannot say; it returns what is wrong, "" when nothing is.
	Rule func(*template) string

	groups   []groupUse
	types    [][]isa.Type
	operands []operandSpec
}

// groupUse is a modifier group as a form uses it.
type groupUse struct {
	name     string
	optional bool
	any      bool
}

// opcodeForms are the rows of one opcode. Their columns are read when the opcode is first met: a program has a tenth of all.
type opcodeForms struct {
	rows []*Form
	read sync.Once
}

var formsByOpcode = func() *[isa.OpcodeCount]opcodeForms {
	byOpcode := new([isa.OpcodeCount]opcodeForms)
	for _, rows := range [][]Form{integerForms, floatForms, compareForms, convertForms, moveForms, memoryForms, controlForms, warpForms,
		videoForms, textureForms, refusedForms} {
		for i := range rows {
			of := &byOpcode[rows[i].Opcode]
			of.rows = append(of.rows, &rows[i])
		}
	}
	return byOpcode
}()

// formsOf returns the rows of an opcode.
func formsOf(op isa.Opcode) []*Form {
	of := &formsByOpcode[op]
	of.read.Do(func() {
		for _, f := range of.rows {
			f.compile()
		}
	})
	return of.rows
}

// Forms lists the rows of the table by opcode, in alphabetical order of opcodes.
func Forms() []*Form {
	var out []*Form
	for op := range isa.OpcodeCount {
		out = append(out, formsOf(op)...)
	}
	return out
}

// compile reads the row's columns once; a mistake in them is ours.
func (f *Form) compile() {
	for _, word := range strings.Fields(f.Modifiers) {
		use := groupUse{name: strings.TrimSuffix(word, "?"), optional: strings.HasSuffix(word, "?")}
		if use.name == "*" {
			use.any, use.optional = true, true
		} else if groups[use.name] == nil {
			panic("decode: " + f.Opcode.String() + ": no modifier group " + use.name)
		}
		f.groups = append(f.groups, use)
	}
	for _, position := range strings.Fields(f.Types) {
		var alternatives []isa.Type
		for _, name := range strings.Split(position, "|") {
			t, ok := isa.ParseType(name)
			if !ok {
				panic("decode: " + f.Opcode.String() + ": no type " + name)
			}
			alternatives = append(alternatives, t)
		}
		f.types = append(f.types, alternatives)
	}
	for _, word := range strings.Fields(f.Operands) {
		f.operands = append(f.operands, parseOperandSpec(word))
	}
}
