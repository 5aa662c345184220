package randomptx

import (
	"encoding/binary"
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// evaluator executes one thread.
type evaluator struct {
	functions     map[string]*function
	thread        int
	input, output []byte
	board         []uint32 // shared memory
	block, warp   *barrier
	frame
}

// frame is the state of one function call.
type frame struct {
	registers  map[string]uint64 // predicates are 0 or 1
	parameters map[string]uint64 // .param variables by name
	factors    map[int][2]uint64 // of multiplications that fuse with additions, by line
}

func (e *evaluator) holds(p string) bool {
	if name, ok := strings.CutPrefix(p, "!"); ok {
		return e.registers[name] == 0
	}
	return e.registers[p] != 0
}

// bits returns an operand's value, at least as wide as any type.
func (e *evaluator) bits(o string) uint64 {
	if o[0] == '%' {
		return e.registers[o]
	}
	if strings.HasPrefix(o, "0d") || strings.HasPrefix(o, "0f") {
		o = "0x" + o[2:]
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

// number reads an operand as an integer of a type.
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

// wrap returns an integer's low bits.
func wrap(v *big.Int, w uint) uint64 {
	m := new(big.Int).Lsh(big.NewInt(1), w)
	return new(big.Int).Mod(v, m).Uint64()
}

// clamp limits an integer to a type's range.
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

// instruction executes any instruction except a branch.
func (e *evaluator) instruction(mnemonic string, o []string) error {
	m := strings.Split(mnemonic, ".")
	t := m[len(m)-1]
	set := func(v uint64) {
		w := uint(32)
		switch o[0][1] {
		case 'd', 'a', 'g':
			w = 64
		case 'p', 'q':
			w = 1
		}
		if o[0] == "%in" || o[0] == "%out" {
			return // addresses are not modelled: accesses use their names
		}
		e.registers[o[0]] = v << (64 - w) >> (64 - w)
	}
	switch m[0] {
	case "ld":
		return e.load(m, o, set)
	case "st":
		return e.store(m, o)
	case "barrier":
		_, err := e.block.wait(e.thread, 0)
		return err
	case "red":
		return e.reduce(m[2], t, o)
	case "shfl":
		return e.shuffle(m[2], o, set)
	case "vote":
		return e.vote(m[2], o, set)
	case "mov":
		switch o[1] {
		case "%tid.x":
			set(uint64(e.thread))
			return nil
		case "board": // addresses of shared memory are relative to it
			set(0)
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
	if t == "f32" || t == "f64" {
		return e.float(formats[t], m, o, set)
	}
	return e.integer(m, o, set)
}

func (e *evaluator) load(m, o []string, set func(uint64)) error {
	var at int
	switch {
	case o[0] == "%in" || o[0] == "%out":
		return nil // addresses are not modelled
	case m[1] == "param":
		set(e.parameters[o[1][1:len(o[1])-1]])
		return nil
	case m[1] == "shared":
		set(uint64(*e.cell(o[1])))
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
	if f := formats[t]; f != nil {
		a, b := f.value(e.bits(o[1])), f.value(e.bits(o[2]))
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
