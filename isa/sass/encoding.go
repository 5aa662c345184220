package sass

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/keplersim/keplersim/isa"
)

// Encoding is the machine code of some chips: the fields that many operations share, and the table of operations.
type Encoding struct {
	// Chips are the numbers of the chips' targets: 35 for sm_35.
	Chips []int
	rows  string
	// kind are the bits that divide the table for a quicker search; forms describe the second and third sources.
	kind  uint64
	forms map[byte]form
	// guard is the predicate of an operation, complement its complement bit, meet the bit of .S. An operation without a guard has the bits
	// unguarded instead.
	guard            place
	complement, meet uint8
	unguarded        uint64
	// registers are the register operands of the table, zero is the number of RZ, base is the register of an address.
	registers map[string]place
	zero      uint64
	base      place
	constant  place
	indexed   place // of an LDC
	either    map[string]choice
	// barrier is the mode of a BAR; barrierComplement complements the predicate that it reads.
	barrier           place
	barrierComplement uint8
	barrierReads      []uint64 // the modes that read a predicate
	widths            map[string]uint8
	// spare are unused bits next to a second source in a register.
	spare uint64
	// mark and markMask identify control words; first is the lowest bit of the first of their seven bytes.
	mark, markMask uint64
	first          int
	operations     func() *table
}

// form is a kind of second source: the bits that identify it, its operand kind and its place.
type form struct {
	match, mask uint64
	second      string
	place       place
}

// choice is an operand that is a register or, if bit is set, a number.
type choice struct {
	register, number place
	bit              int
}

// zeroRegister is the number of RZ outside words.
const zeroRegister = uint64(isa.RZ)

//go:embed operations35.txt
var operations35 string

// SM35 is the machine code of sm_35 and sm_37. Sources: envytools (envydis/gk110.c), Mesa (nak/sm32.rs), and the table of words and texts
// in PPoPP2017_artifact (Solver/opcode).
var SM35 = (&Encoding{
	Chips: []int{35, 37}, rows: operations35, kind: 3,
	forms: map[byte]form{
		'r': {3<<62 | 2, 3<<62 | 3, "r", place{{23, 8}}}, 'c': {1<<62 | 2, 3<<62 | 3, "const", place{{23, 14}, {37, 5}}},
		'x': {2<<62 | 2, 3<<62 | 3, "r", place{{42, 8}}}, 'i': {1, 3, "s", place{{23, 19}, {59, 1}}},
		'f': {1, 3, "float", place{{23, 19}, {59, 1}}}, 'd': {1, 3, "double", place{{23, 19}, {59, 1}}},
		'g': {1, 3, "x", place{{23, 6}}}, '2': {second: "r", place: place{{23, 8}}},
	},
	guard: place{{18, 3}}, complement: 21, meet: 22,
	registers: map[string]place{"d": {{2, 8}}, "a": {{10, 8}}, "c": {{42, 8}}, "v": {{2, 8}}, "ad": {{2, 8}}, "av": {{23, 8}}},
	zero:      255, base: place{{10, 8}}, constant: place{{23, 14}, {37, 5}}, indexed: place{{23, 16}, {39, 5}},
	either: map[string]choice{
		"lane": {place{{23, 8}}, place{{23, 5}}, 31}, "bound": {place{{42, 8}}, place{{37, 13}}, 32},
		"barrier": {place{{10, 8}}, place{{10, 8}}, 47}, "count": {place{{23, 8}}, place{{23, 12}}, 46},
	},
	barrier: place{{35, 5}}, barrierComplement: 45, barrierReads: []uint64{2, 10, 18},
	widths: map[string]uint8{"r": 8, "next": 8, "nextpair": 8, "ldg": 8}, spare: (1<<11 - 1) << 31,
	mark: 0x0800000000000000, markMask: 0xfc00000000000003, first: 2,
}).ready()

//go:embed operations30.txt
var operations30 string

// SM30 is the machine code of sm_30: Fermi's encoding with Kepler's control words. Sources: envytools (envydis/gf100.c), and listings of
// cuobjdump for sm_20 (seanbaxter/mgpu_old) and sm_30 (compiler-explorer, blogs). Tests compare with the listings where they are available.
var SM30 = (&Encoding{
	Chips: []int{30}, rows: operations30, kind: 0xf,
	forms: map[byte]form{
		'r': {0, 3 << 46, "r", place{{26, 6}}}, 'c': {1 << 46, 3 << 46, "const", place{{28, 14}, {42, 4}, {26, 1}}},
		'x': {2 << 46, 3 << 46, "r", place{{49, 6}}}, 'i': {3 << 46, 3 << 46, "s", place{{26, 20}}},
		'f': {3 << 46, 3 << 46, "float", place{{26, 20}}}, 'd': {3 << 46, 3 << 46, "double", place{{26, 20}}},
	},
	guard: place{{10, 3}}, complement: 13, meet: 4, unguarded: 7 << 10,
	registers: map[string]place{"d": {{14, 6}}, "a": {{20, 6}}, "c": {{49, 6}}, "v": {{14, 6}}, "ad": {{43, 6}}},
	zero:      63, base: place{{20, 6}}, constant: place{{28, 14}, {42, 4}, {26, 1}}, indexed: place{{26, 16}, {42, 5}},
	either: map[string]choice{
		"lane": {place{{26, 6}}, place{{26, 5}}, 5}, "bound": {place{{49, 6}}, place{{42, 13}}, 6},
		"barrier": {place{{20, 6}}, place{{20, 4}}, 47}, "count": {place{{26, 6}}, place{{26, 12}}, 46},
	},
	barrier: place{{5, 3}}, barrierComplement: 52, barrierReads: []uint64{0, 1, 2},
	widths: map[string]uint8{"r": 6}, spare: (1<<14 - 1) << 32,
	mark: 0x2000000000000007, markMask: 0xf00000000000000f, first: 4,
}).ready()

func (e *Encoding) ready() *Encoding {
	e.operations = sync.OnceValue(e.table)
	return e
}

// String returns the targets: sm_35, sm_37.
func (e *Encoding) String() string {
	names := make([]string, len(e.Chips))
	for n, chip := range e.Chips {
		names[n] = fmt.Sprint("sm_", chip)
	}
	return strings.Join(names, ", ")
}

// Encodings returns all known encodings.
func Encodings() []*Encoding { return []*Encoding{SM30, SM35} }

// Of returns the encoding for a target's number, nil if it is unknown.
func Of(chip int) *Encoding {
	for _, e := range Encodings() {
		if slices.Contains(e.Chips, chip) {
			return e
		}
	}
	return nil
}

// register returns the number of the register at a place in a word.
func (e *Encoding) register(p place, word uint64) uint64 {
	if n := p.get(word); n != e.zero {
		return n
	}
	return zeroRegister
}

// putRegister puts a register's number at a place in a word; ok is false if these chips do not have the register.
func (e *Encoding) putRegister(p place, word *uint64, n uint64) (ok bool) {
	if n == zeroRegister {
		n = e.zero
	} else if n >= e.zero {
		return false
	}
	p.put(word, n)
	return true
}
