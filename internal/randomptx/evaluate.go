package randomptx

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// Evaluate runs a program of Generate, read from its text, for one thread: input holds the thread's InputWords words, the result its OutputWords.
// It knows the shape of those programs and nothing else, and computes with whole numbers of any size.
func Evaluate(text string, thread int, input []byte) ([]byte, error) {
	e := evaluator{input: input, output: make([]byte, 4*OutputWords), registers: map[string]uint64{"%i": uint64(thread)}}
	var lines []string
	labels := map[string]int{}
	for line := range strings.Lines(text[strings.Index(text, "{")+1:]) {
		line = strings.TrimSuffix(strings.TrimSpace(line), ";")
		switch {
		case strings.HasSuffix(line, ":"):
			labels[strings.TrimSuffix(line, ":")] = len(lines)
		case line != "" && !strings.HasPrefix(line, ".reg"):
			lines = append(lines, line)
		}
	}
	for pc, steps := 0, 0; ; steps++ {
		if steps > 100_000 {
			return nil, fmt.Errorf("the program does not end")
		}
		line := lines[pc]
		pc++
		if guard, rest, ok := strings.Cut(line, " "); ok && strings.HasPrefix(guard, "@") {
			if !e.holds(guard[1:]) {
				continue
			}
			line = rest
		}
		mnemonic, rest, _ := strings.Cut(line, " ")
		switch mnemonic {
		case "exit":
			return e.output, nil
		case "bra":
			pc = labels[rest]
			continue
		}
		if err := e.instruction(mnemonic, strings.Split(rest, ", ")); err != nil {
			return nil, fmt.Errorf("%s: %w", line, err)
		}
	}
}

type evaluator struct {
	input, output []byte
	registers     map[string]uint64 // predicates are 0 or 1
}

func (e *evaluator) holds(p string) bool {
	if name, ok := strings.CutPrefix(p, "!"); ok {
		return e.registers[name] == 0
	}
	return e.registers[p] != 0
}

// bits is the value of an operand as written, at least as wide as any type.
func (e *evaluator) bits(o string) uint64 {
	if o[0] == '%' {
		return e.registers[o]
	}
	if v, err := strconv.ParseInt(o, 0, 64); err == nil {
		return uint64(v)
	}
	v, err := strconv.ParseUint(o, 0, 64)
	if err != nil {
		panic(err)
	}
	return v
}

func width(t string) uint {
	n, _ := strconv.Atoi(t[1:])
	return uint(n)
}

// number reads an operand as a whole number of a type.
func (e *evaluator) number(o, t string) *big.Int {
	return asNumber(e.bits(o), t)
}

func asNumber(bits uint64, t string) *big.Int {
	w := width(t)
	v := new(big.Int).SetUint64(bits << (64 - w) >> (64 - w))
	if t[0] == 's' && v.Bit(int(w-1)) == 1 {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), w))
	}
	return v
}

// wrap is a whole number's low bits.
func wrap(v *big.Int, w uint) uint64 {
	m := new(big.Int).Lsh(big.NewInt(1), w)
	return new(big.Int).Mod(v, m).Uint64()
}

// clamp puts a whole number into a type's range.
func clamp(v *big.Int, t string) *big.Int {
	low, high := new(big.Int), new(big.Int).Lsh(big.NewInt(1), width(t))
	if t[0] == 's' {
		high.Rsh(high, 1)
		low.Neg(high)
	}
	high.Sub(high, big.NewInt(1))
	if v.Cmp(low) < 0 {
		return low
	}
	if v.Cmp(high) > 0 {
		return high
	}
	return v
}

// instruction carries out anything but a branch.
func (e *evaluator) instruction(mnemonic string, o []string) error {
	m := strings.Split(mnemonic, ".")
	t := m[len(m)-1]
	set := func(v uint64) {
		w := uint(32)
		switch o[0][1] {
		case 'd', 'a':
			w = 64
		case 'p', 'q':
			w = 1
		}
		if o[0] == "%in" || o[0] == "%out" {
			return // addresses are not modelled: accesses name them as they are
		}
		e.registers[o[0]] = v << (64 - w) >> (64 - w)
	}
	switch m[0] {
	case "ld":
		return e.load(m, o, set)
	case "st":
		var at int
		if _, err := fmt.Sscanf(o[0], "[%%out+%d]", &at); err != nil {
			return err
		}
		if width(t) == 64 {
			binary.LittleEndian.PutUint64(e.output[at:], e.bits(o[1]))
		} else {
			binary.LittleEndian.PutUint32(e.output[at:], uint32(e.bits(o[1])))
		}
		return nil
	case "mov":
		if o[1][0] == '%' && strings.HasPrefix(o[1], "%tid") {
			return nil
		}
		set(e.bits(o[1]))
		return nil
	}
	if o[0] == "%at" || o[0] == "%in" || o[0] == "%out" {
		return nil
	}
	if t == "pred" {
		return e.logic(m[0], o, set)
	}
	if m[0] == "cvt" {
		return e.convert(m, o, set)
	}
	if m[0] == "setp" || m[0] == "set" {
		return e.compare(m, o, set)
	}
	if m[0] == "selp" {
		if e.holds(o[3]) {
			set(e.bits(o[1]))
		} else {
			set(e.bits(o[2]))
		}
		return nil
	}
	if t == "f32" {
		return e.float(m, o, set)
	}
	return e.integer(m, o, set)
}

func (e *evaluator) load(m, o []string, set func(uint64)) error {
	var at int
	if m[1] == "param" {
		return nil
	}
	if _, err := fmt.Sscanf(o[1], "[%%in+%d]", &at); err != nil {
		return err
	}
	t := m[len(m)-1]
	var raw [8]byte
	copy(raw[:], e.input[at:at+int(width(t))/8])
	set(asNumberBits(binary.LittleEndian.Uint64(raw[:]), t))
	return nil
}

// asNumberBits extends a value by its type to 64 bits.
func asNumberBits(bits uint64, t string) uint64 {
	if t[0] == 'f' {
		return bits
	}
	return wrap(asNumber(bits, t), 64)
}

func (e *evaluator) logic(op string, o []string, set func(uint64)) error {
	a := e.registers[o[1]]
	switch op {
	case "not":
		set(1 - a)
	case "and":
		set(a & e.registers[o[2]])
	case "or":
		set(a | e.registers[o[2]])
	case "xor":
		set(a ^ e.registers[o[2]])
	default:
		return fmt.Errorf("unknown")
	}
	return nil
}

func (e *evaluator) compare(m, o []string, set func(uint64)) error {
	t := m[len(m)-1]
	var less, equal, unordered bool
	if t == "f32" {
		a, b := float64(e.single(o[1])), float64(e.single(o[2]))
		less, equal, unordered = a < b, a == b, a != a || b != b
	} else {
		c := e.number(o[1], t).Cmp(e.number(o[2], t))
		less, equal = c < 0, c == 0
	}
	op := m[1]
	var v bool
	switch op {
	case "num":
		v = !unordered
	case "nan":
		v = unordered
	default:
		base := op
		if len(op) == 3 {
			base = op[:2]
		}
		v = map[string]bool{"eq": equal, "ne": !equal, "lt": less, "le": less || equal, "gt": !less && !equal, "ge": !less}[base]
		if unordered {
			v = len(op) == 3
		}
	}
	if len(o) == 4 {
		c := e.holds(o[3])
		v = map[string]bool{"and": v && c, "or": v || c, "xor": v != c}[m[2]]
	}
	switch {
	case !v:
		set(0)
	case m[0] == "set":
		set(0xffffffff)
	default:
		set(1)
	}
	return nil
}

func (e *evaluator) single(o string) float32 { return math.Float32frombits(uint32(e.bits(o))) }
