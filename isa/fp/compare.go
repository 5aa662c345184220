package fp

// Compare is a comparison of set and setp. The values are those of isa.Compare.
type Compare uint8

// Comparisons; those with U are true if an operand is NaN. LO to HS compare integers, and are here for the numbering.
const (
	CompareNone Compare = iota
	EQ
	NE
	LT
	LE
	GT
	GE
	LO
	LS
	HI
	HS
	EQU
	NEU
	LTU
	LEU
	GTU
	GEU
	NUM
	NAN
)

var compareNames = [...]string{
	"", "eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan",
}

// String returns the comparison's PTX name without the dot.
func (c Compare) String() string { return compareNames[c] }

// relation is the relation between two floats, one bit each; sets are unions.
type relation uint8

const (
	less relation = 1 << iota
	equal
	greater
	unordered
)

// relations has, for each comparison, the relations for which it is true; zero if floats do not have the comparison.
var relations = [...]relation{
	EQ: equal, NE: less | greater, LT: less, LE: less | equal, GT: greater, GE: greater | equal,
	EQU: equal | unordered, NEU: less | greater | unordered, LTU: less | unordered, LEU: less | equal | unordered,
	GTU: greater | unordered, GEU: greater | equal | unordered, NUM: less | equal | greater, NAN: unordered,
}

func relate32(a, b uint32) relation {
	switch {
	case isNaN32(a) || isNaN32(b):
		return unordered
	case (a|b)&^sign32 == 0 || a == b:
		return equal
	case order32(a) < order32(b):
		return less
	}
	return greater
}

// Holds32 reports whether a comparison of two f32 values is true; flush is .ftz.
func (c Compare) Holds32(a, b uint32, flush bool) bool {
	if flush {
		a, b = flush32(a), flush32(b)
	}
	return relations[c]&relate32(a, b) != 0
}

// tests are the properties of testp, by their PTX names. To the hardware zero is normal.
var tests = map[string]func(n Number, subnormal bool) bool{
	"finite":     func(n Number, _ bool) bool { return n.Class == Zero || n.Class == Finite },
	"infinite":   func(n Number, _ bool) bool { return n.Class == Infinite },
	"number":     func(n Number, _ bool) bool { return n.Class != NaN },
	"notanumber": func(n Number, _ bool) bool { return n.Class == NaN },
	"normal":     func(n Number, subnormal bool) bool { return n.Class == Zero || n.Class == Finite && !subnormal },
	"subnormal":  func(n Number, subnormal bool) bool { return n.Class == Finite && subnormal },
}

func (f *Format) test(name string) (func(pattern uint64) bool, bool) {
	property, ok := tests[name]
	return func(pattern uint64) bool {
		n := f.Unpack(pattern)
		return property(n, n.Class == Finite && n.Exp < 1-f.MaxExp)
	}, ok
}
