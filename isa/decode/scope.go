package decode

import "github.com/keplersim/keplersim/isa"

// referenceKind is the kind of thing that a name refers to.
type referenceKind uint8

const (
	referenceNone      referenceKind = iota
	referenceRegister                // index into the function's registers
	referenceVector                  // a .v2 or .v4 register: index of the first component
	referenceVariable                // index into the function's variables: .local, .param
	referenceParameter               // index into the kernel's parameters
	referenceSymbol                  // index into Program.Symbols
	referenceFunction                // index into Program.Functions
)

// reference is what a name refers to.
type reference struct {
	kind  referenceKind
	index int32
	count int32 // components of a vector register
	// stride is the distance between an array's elements, in bytes; the size of other variables and parameters.
	stride int32
}

// scope is the code between braces: its names, and the scope around it.
type scope struct {
	outer  *scope
	names  map[string]reference
	ranges []registerRange
	labels map[string]labelID
	lists  map[string]*targetList
	// declare declares a name when it is first looked up; nil if the scope has no such declarations.
	declare func(name string) (reference, bool)
}

// registerRange is `%r<40>`: the names prefix0 to prefix39.
type registerRange struct {
	prefix string
	count  int
	first  int32
}

func newScope(outer *scope) *scope {
	return &scope{outer: outer, names: map[string]reference{}, labels: map[string]labelID{}, lists: map[string]*targetList{}}
}

// find looks up a name, from the innermost scope outward.
func (s *scope) find(name string) (reference, bool) {
	for ; s != nil; s = s.outer {
		if r, ok := s.names[name]; ok {
			return r, true
		}
		for _, rng := range s.ranges {
			if n, ok := rng.number(name); ok {
				r := reference{kind: referenceRegister, index: rng.first + int32(n)}
				s.names[name] = r
				return r, true
			}
		}
		if s.declare != nil {
			if r, ok := s.declare(name); ok {
				return r, true
			}
		}
	}
	return reference{}, false
}

// number returns n for a name that consists of the range's prefix and n without leading zeros.
func (r registerRange) number(name string) (int, bool) {
	if len(name) <= len(r.prefix) || name[:len(r.prefix)] != r.prefix || len(name)-len(r.prefix) > 8 {
		return 0, false
	}
	digits := name[len(r.prefix):]
	if digits[0] == '0' && len(digits) > 1 {
		return 0, false
	}
	n := 0
	for _, c := range []byte(digits) {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int(c-'0')
	}
	return n, n < r.count
}

func (s *scope) label(name string) (labelID, bool) {
	for ; s != nil; s = s.outer {
		if l, ok := s.labels[name]; ok {
			return l, true
		}
	}
	return 0, false
}

func (s *scope) list(name string) *targetList {
	for ; s != nil; s = s.outer {
		if l := s.lists[name]; l != nil {
			return l
		}
	}
	return nil
}

// labelID numbers the labels of one body; until blocks are built, Instruction.Targets hold these.
type labelID = isa.BlockID

// item is one element of a body before blocks are built: a label or an instruction.
type item struct {
	label    labelID // -1 for an instruction
	name     string  // of a label, "" if decoding added it
	noUnroll bool    // of a label: .pragma "nounroll" follows it
	ins      *isa.Instruction
}

// calls reports a call.
func (it item) calls() bool { return it.ins != nil && it.ins.Op == isa.OpCall }
