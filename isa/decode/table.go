package decode

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"

	"github.com/keplersim/keplersim/internal/columns"
	"github.com/keplersim/keplersim/isa"
)

// Status says how an instruction form is treated.
type Status uint8

// Statuses.
const (
	Native   Status = iota // a Kepler has it
	Emulated               // no Kepler has it; executed with its documented meaning
	Refused                // it needs later hardware
)

// Form is one row of the opcode table: a family of instruction forms with one operand shape.
type Form struct {
	Opcode isa.Opcode
	// Modifiers lists the groups of allowed modifiers (groups.go), blank-separated; `?` marks an optional one. "*" allows any modifier.
	Modifiers string
	// Types lists the types by position, blank-separated, alternatives with `|`.
	Types string
	// Operands lists the operands, in the syntax of operandSpec. `d` and `p` are destinations, `m` is an address, others are sources. `:x`
	// gives a type other than the instruction's, `?` marks an optional operand, `|` a pair.
	Operands string
	// Status, Since and PTX say who has the form. Since is the architecture that introduced it: 53 for sm_53, 0 for those before Kepler
	// (sm_30). PTX is the version of the PTX ISA that introduced it, "" up to 3.0.
	Status Status
	Since  int
	PTX    string
	// Trigger lists words that identify a refused form; it has at least one of them.
	Trigger string
	// Reason says why a form is refused that later hardware does not have either.
	Reason string
	// Rule checks what the columns cannot express. It returns what is wrong, "" if nothing is.
	Rule func(*template) string

	groups   []groupUse
	types    [][]isa.Type
	operands []operandSpec
}

// groupUse is a form's use of a modifier group.
type groupUse struct {
	name     string
	optional bool
	any      bool
}

// formsText is the table.
//
//go:embed forms.txt
var formsText string

// typeLists are names for lists of types in the table.
var typeLists = strings.NewReplacer(
	"{load}", "b8|b16|b32|b64|u8|u16|u32|u64|s8|s16|s32|s64|f32|f64", "{integer}", "u8|u16|u32|u64|s8|s16|s32|s64",
	"{wide}", "u16|u32|u64|s16|s32|s64", "{bits}", "b16|b32|b64", "{simd}", "u32|s32 u32|s32 u32|s32", "{formatted}", "b32|u32|s32|f32",
)

// parseForm parses a line of an opcode. A mistake in it is a bug of ours.
func parseForm(op isa.Opcode, line string) *Form {
	var cells [7]string
	copy(cells[:], columns.Split(line))
	f := &Form{Opcode: op, Modifiers: cells[1], Types: typeLists.Replace(cells[2]), Operands: cells[3], Rule: rules[cells[6]]}
	since := cells[5]
	switch {
	case cells[1] == "refused":
		f.Modifiers, f.Types, f.Operands, f.Status = "*", "", "", Refused
		since, f.Trigger, f.Reason = cells[2], cells[3], cells[4]
	case cells[4] == "emulated":
		f.Status = Emulated
	case cells[6] != "" && f.Rule == nil:
		panic("decode: no rule " + cells[6])
	}
	architecture, version, _ := strings.Cut(since, " ")
	f.Since, _ = strconv.Atoi(architecture) // 0 if there is none
	f.PTX = version
	return f
}

// opcodeForms are the rows of one opcode, parsed on first use: a program needs a tenth of all.
type opcodeForms struct {
	lines []string
	rows  []*Form
	read  sync.Once
}

// formsByOpcode returns the table's lines by opcode.
var formsByOpcode = sync.OnceValue(func() *[isa.OpcodeCount]opcodeForms {
	byOpcode := new([isa.OpcodeCount]opcodeForms)
	for line := range columns.Lines(formsText) {
		name, _, _ := strings.Cut(line, " ")
		opcode, known := isa.ParseOpcode(name)
		if !known {
			panic("decode: no opcode " + name)
		}
		byOpcode[opcode].lines = append(byOpcode[opcode].lines, line)
	}
	return byOpcode
})

// formsOf returns the rows of an opcode.
func formsOf(op isa.Opcode) []*Form {
	of := &formsByOpcode()[op]
	of.read.Do(func() {
		for _, line := range of.lines {
			f := parseForm(op, line)
			f.compile()
			of.rows = append(of.rows, f)
		}
	})
	return of.rows
}

// introduced names what introduced the form, "" for forms before Kepler.
func (f *Form) introduced() string {
	var parts []string
	if f.Since > 30 {
		parts = append(parts, "sm_"+itoa(f.Since))
	}
	if f.PTX != "" {
		parts = append(parts, "PTX "+f.PTX)
	}
	if f.Reason != "" {
		parts = append(parts, f.Reason)
	}
	return strings.Join(parts, ", ")
}

// compile parses the row's columns once. A mistake in them is a bug of ours.
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
