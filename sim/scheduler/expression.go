package scheduler

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// A policy as an expression over a scheduler's data about each warp: the ready warp of the highest value issues, of equals the oldest.
// Readers of the lab's lesson on schedulers write such expressions.

// view has the values of the variables for a ready warp.
type view [len(variables)]int64

// variables are the names in expressions, in the order of a view.
var variables = [...]struct{ name, meaning string }{
	{"age", "how many blocks came to the SMX after the warp's"},
	{"waited", "how often another warp was picked since this one was"},
	{"same", "1 for a warp of the block that issued last"},
	{"last", "1 for the warp that issued last"},
	{"slot", "the warp's number in its scheduler"},
	{"ready", "how many warps are ready"},
}

// VariableList lists the variables and their meanings, for messages.
func VariableList() string {
	var all []string
	for _, v := range variables {
		all = append(all, v.name+" ("+v.meaning+")")
	}
	return strings.Join(all, ", ")
}

// value computes an expression's value for a warp.
type value func(*view) int64

// byExpression picks by an expression.
type byExpression struct {
	of     value
	last   int           // slot picked last, -1 for none
	picks  int64         // picks so far
	picked [Slots]int64  // the latest pick of each slot
	since  [Slots]uint64 // when the warp picked there started; a later warp in the slot was never picked
}

// Expression returns a function that makes policies from an expression. The error says where the expression is wrong, and what is allowed.
func Expression(text string) (func(Spec) Policy, error) {
	r := &expressionReader{text: text}
	of, err := r.choice()
	if err == nil && r.peek() != "" {
		err = r.wrong("an operator")
	}
	if err != nil {
		return nil, err
	}
	return func(Spec) Policy { return &byExpression{of: of, last: -1} }, nil
}

// Pick implements Policy.
func (p *byExpression) Pick(ready uint64, started *[Slots]uint64) int {
	var v view
	v[5] = int64(bits.OnesCount64(ready))
	newest := uint64(0)
	for _, s := range started {
		newest = max(newest, s)
	}
	best, most := -1, int64(0)
	for rest := ready; rest != 0; rest &= rest - 1 {
		slot := bits.TrailingZeros64(rest) & (Slots - 1)
		v[0], v[1], v[2], v[3], v[4] = int64(newest-started[slot]), p.picks, 0, 0, int64(slot)
		if p.since[slot] == started[slot] {
			v[1] -= p.picked[slot]
		}
		if p.last >= 0 && started[slot] == p.since[p.last&(Slots-1)] {
			v[2] = 1
			v[3] = truth(slot == p.last)
		}
		x := p.of(&v)
		if best < 0 || x > most || x == most && started[slot] < started[best] {
			best, most = slot, x
		}
	}
	p.picks++
	p.last, p.picked[best&(Slots-1)], p.since[best&(Slots-1)] = best, p.picks, started[best&(Slots-1)]
	return best
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// operators, by how tightly they bind, loosest first. Dividing by 0 gives 0, so that no expression can end a run.
var operators = []map[string]func(a, b int64) int64{
	{"||": func(a, b int64) int64 { return truth(a != 0 || b != 0) }},
	{"&&": func(a, b int64) int64 { return truth(a != 0 && b != 0) }},
	{"==": func(a, b int64) int64 { return truth(a == b) }, "!=": func(a, b int64) int64 { return truth(a != b) }},
	{"<": func(a, b int64) int64 { return truth(a < b) }, "<=": func(a, b int64) int64 { return truth(a <= b) },
		">": func(a, b int64) int64 { return truth(a > b) }, ">=": func(a, b int64) int64 { return truth(a >= b) }},
	{"+": func(a, b int64) int64 { return a + b }, "-": func(a, b int64) int64 { return a - b }},
	{"*": func(a, b int64) int64 { return a * b }, "/": divided(func(a, b int64) int64 { return a / b }),
		"%": divided(func(a, b int64) int64 { return a % b })},
}

func divided(by func(a, b int64) int64) func(a, b int64) int64 {
	return func(a, b int64) int64 {
		if b == 0 {
			return 0
		}
		return by(a, b)
	}
}

// mostNested is the most parentheses and signs inside each other.
const mostNested = 100

// expressionReader parses an expression: numbers, names, operators of C, c ? a : b, and comments from // to the end of a line.
type expressionReader struct {
	text   string
	at     int
	nested int
}

// peek returns the next word without consuming it, "" at the end.
func (r *expressionReader) peek() string {
	for r.at < len(r.text) {
		rest := r.text[r.at:]
		switch {
		case strings.HasPrefix(rest, "//"):
			line, _, _ := strings.Cut(rest, "\n")
			r.at += len(line)
		case strings.ContainsRune(" \t\r\n", rune(rest[0])):
			r.at++
		default:
			return word(rest)
		}
	}
	return ""
}

// word returns the name, number or operator at the start of a text.
func word(text string) string {
	end := strings.IndexFunc(text, func(c rune) bool { return c != '_' && (c < '0' || c > '9') && (c|32 < 'a' || c|32 > 'z') })
	if end < 0 {
		return text
	}
	if end > 0 {
		return text[:end]
	}
	if len(text) > 1 && strings.Contains("|| && == != <= >=", text[:2]) && text[1] != ' ' {
		return text[:2]
	}
	return text[:1]
}

// take consumes the next word if it is wanted.
func (r *expressionReader) take(wanted string) bool {
	if r.peek() != wanted {
		return false
	}
	r.at += len(wanted)
	return true
}

// wrong returns the error of a missing part, with the word found instead.
func (r *expressionReader) wrong(wanted string) error {
	line := 1 + strings.Count(r.text[:r.at], "\n")
	there := r.peek()
	if there == "" {
		there = "the end"
	}
	return fmt.Errorf("scheduler:%d:%d: %s is missing before %s; names are %s", line, 1+r.at-(strings.LastIndex(r.text[:r.at], "\n")+1),
		wanted, there, VariableList())
}

// choice parses c ? a : b, or an operand of it.
func (r *expressionReader) choice() (value, error) {
	if r.nested++; r.nested > mostNested {
		return nil, r.wrong("a simpler expression")
	}
	defer func() { r.nested-- }()
	c, err := r.binary(0)
	if err != nil || !r.take("?") {
		return c, err
	}
	a, err := r.choice()
	if err != nil {
		return nil, err
	}
	if !r.take(":") {
		return nil, r.wrong(":")
	}
	b, err := r.choice()
	if err != nil {
		return nil, err
	}
	return func(v *view) int64 {
		if c(v) != 0 {
			return a(v)
		}
		return b(v)
	}, nil
}

// binary parses operators of a level, from left to right.
func (r *expressionReader) binary(level int) (value, error) {
	if level == len(operators) {
		return r.unary()
	}
	left, err := r.binary(level + 1)
	for err == nil {
		op := operators[level][r.peek()]
		if op == nil {
			return left, nil
		}
		r.at += len(r.peek())
		a := left
		var b value
		if b, err = r.binary(level + 1); err == nil {
			left = func(v *view) int64 { return op(a(v), b(v)) }
		}
	}
	return nil, err
}

// unary parses signs, parentheses, numbers and names.
func (r *expressionReader) unary() (value, error) {
	if r.nested++; r.nested > mostNested {
		return nil, r.wrong("a simpler expression")
	}
	defer func() { r.nested-- }()
	switch {
	case r.take("-"), r.take("!"):
		negates := r.text[r.at-1] == '-'
		of, err := r.unary()
		return func(v *view) int64 {
			if negates {
				return -of(v)
			}
			return truth(of(v) == 0)
		}, err
	case r.take("("):
		of, err := r.choice()
		if err == nil && !r.take(")") {
			err = r.wrong(")")
		}
		return of, err
	}
	next := r.peek()
	for i, v := range variables {
		if v.name == next {
			r.at += len(next)
			return func(v *view) int64 { return v[i] }, nil
		}
	}
	n, err := strconv.ParseInt(next, 10, 64)
	if err != nil {
		return nil, r.wrong("a number or a name")
	}
	r.at += len(next)
	return func(*view) int64 { return n }, nil
}
