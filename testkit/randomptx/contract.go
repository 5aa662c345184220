package randomptx

import (
	"slices"
	"strings"
)

// statement is a parsed line of a function's text.
type statement struct {
	guard, mnemonic string
	words           []string // the parts of the mnemonic
	operands        []string
	writes          string   // register, "" for none
	reads           []string // registers, with the guard's
	dead            bool
}

func (s *statement) is(opcode string) bool { return s.words[0] == opcode }

// divides tells whether the statement is a division by a call. It is kept even if its result is unused.
func (s *statement) divides() bool {
	return (s.is("div") || s.is("rem")) && strings.HasSuffix(s.mnemonic, "64")
}

// guarded tells whether the statement has a guard. A guarded write keeps the old value if the guard does not hold.
func (s *statement) guarded() bool { return s.guard != "" }

var withoutResult = []string{"st", "bra", "call", "exit", "ret", "trap", "barrier", "red"}

// kept are statements that stay even if their result is unused.
var kept = append([]string{"shfl", "vote"}, withoutResult...)

func parse(line string) *statement {
	s := &statement{}
	if g, rest, ok := strings.Cut(line, " "); ok && strings.HasPrefix(g, "@") {
		s.guard, line = strings.TrimPrefix(g[1:], "!"), rest
		s.reads = append(s.reads, s.guard)
	}
	mnemonic, rest, _ := strings.Cut(line, " ")
	s.mnemonic, s.words = mnemonic, strings.Split(mnemonic, ".")
	if s.operands = strings.Split(rest, ", "); s.is("call") || s.is("bra") {
		return s
	}
	for n, o := range s.operands {
		if n == 0 && !slices.Contains(withoutResult, s.words[0]) {
			s.writes = o
			continue
		}
		o = strings.TrimPrefix(strings.Trim(o, "[]"), "!")
		if o, _, _ = strings.Cut(o, "+"); strings.HasPrefix(o, "%") {
			s.reads = append(s.reads, o)
		}
	}
	if s.guarded() && s.writes != "" {
		s.reads = append(s.reads, s.writes)
	}
	return s
}

// section is a basic block: statements, and its possible successors.
type section struct {
	first, end int // statements first to end-1
	next, from []*section
	live       map[string]bool // live registers after it
}

// plan says which additions of a function fuse with which multiplications.
type plan struct {
	statements []*statement
	sections   []*section
	fused      map[int]*fusion // by the addition's index
	factor     map[int]bool    // multiplications that fuse with an addition
}

// fusion is an addition that fuses with a product.
type fusion struct {
	multiplication int
	side           int // the product is the addition's first operand, or its second
	negative       bool
}

// contract finds what the driver's compiler contracts (docs/floating-point.md). It plans for the whole text, because a use of the product
// anywhere decides.
func contract(f *function) *plan {
	p := &plan{fused: map[int]*fusion{}, factor: map[int]bool{}}
	for _, line := range f.lines {
		p.statements = append(p.statements, parse(line))
	}
	p.divide(f.labels)
	for p.findLive() {
	}
	follows, inner := map[*section]*section{}, map[*section]bool{}
	for _, s := range p.sections {
		if n := p.successor(s); n != nil {
			follows[s], inner[n] = n, true
		}
	}
	for _, s := range p.sections {
		if inner[s] {
			continue
		}
		run := &productTracker{plan: p, values: map[string]*symbolicValue{}}
		last := s
		for n := s; n != nil; n = follows[n] {
			for k := n.first; k < n.end; k++ {
				if !p.statements[k].dead {
					run.visit(k)
				}
			}
			last = n
		}
		run.finish(last.live)
	}
	return p
}

// fuse executes an addition with its multiplication.
func (e *evaluator) fuse(mnemonic string, o []string, with *fusion) error {
	m := strings.Split(mnemonic, ".")
	f := formats[m[len(m)-1]]
	factors, addend := e.factors[with.multiplication], e.bits(o[2-with.side])
	if m[0] == "sub" && with.side == 0 {
		addend ^= f.sign()
	}
	if with.negative {
		factors[0] ^= f.sign()
	}
	m[0] = "fma"
	result, err := f.arithmetic(m, []uint64{factors[0], factors[1], addend})
	if err == nil {
		e.registers[o[0]] = result
	}
	return err
}

// divide splits the text into sections.
func (p *plan) divide(labels map[string]int) {
	starts := map[int]bool{0: true}
	for _, at := range labels {
		starts[at] = true
	}
	for k, s := range p.statements {
		if s.is("bra") || s.is("exit") || s.is("ret") {
			starts[k+1] = true
		}
	}
	at := map[int]*section{}
	for k := range p.statements {
		if starts[k] {
			p.sections = append(p.sections, &section{first: k, live: map[string]bool{}})
			at[k] = p.sections[len(p.sections)-1]
		}
		p.sections[len(p.sections)-1].end = k + 1
	}
	for n, s := range p.sections {
		last := p.statements[s.end-1]
		if last.is("bra") {
			s.next = append(s.next, at[labels[last.operands[0]]])
		}
		leaves := (last.is("bra") || last.is("exit") || last.is("ret")) && !last.guarded()
		if !leaves && n+1 < len(p.sections) && !slices.Contains(s.next, p.sections[n+1]) {
			s.next = append(s.next, p.sections[n+1])
		}
		for _, t := range s.next {
			t.from = append(t.from, s)
		}
	}
}

// findLive finds the live registers after each section, and marks statements with unused results. It tells whether it found new ones, which
// may make more results unused.
func (p *plan) findLive() bool {
	for _, s := range p.sections {
		s.live = map[string]bool{}
	}
	found := false
	through := func(s *section, mark bool) map[string]bool {
		live := map[string]bool{}
		for r := range s.live {
			live[r] = true
		}
		for k := s.end - 1; k >= s.first; k-- {
			i := p.statements[k]
			if i.dead {
				continue
			}
			if i.writes != "" && !live[i.writes] && !slices.Contains(kept, i.words[0]) && !i.divides() {
				i.dead, found = mark, found || mark
				continue // its reads do not count
			}
			if i.writes != "" {
				delete(live, i.writes)
			}
			for _, r := range i.reads {
				live[r] = true
			}
		}
		return live
	}
	for changed := true; changed; {
		changed = false
		for n := len(p.sections) - 1; n >= 0; n-- {
			in := through(p.sections[n], false)
			for _, before := range p.sections[n].from {
				for r := range in {
					changed = changed || !before.live[r]
					before.live[r] = true
				}
			}
		}
	}
	for _, s := range p.sections {
		through(s, true)
	}
	return found
}

// successor returns the section that always follows s and has no other predecessor. Empty sections do not count as predecessors.
func (p *plan) successor(s *section) *section {
	passed := map[*section]bool{s: true}
	enteredFromThere := func(n *section) bool {
		return !slices.ContainsFunc(n.from, func(before *section) bool { return !passed[before] })
	}
	for {
		exits := map[*section]bool{}
		for n := range passed {
			for _, to := range n.next {
				if to == s {
					return nil
				}
				if !passed[to] {
					exits[to] = true
				}
			}
		}
		grown := false
		for to := range exits {
			switch {
			case !enteredFromThere(to) || to == p.sections[0]:
			case len(exits) == 1:
				return to
			case p.isEmpty(to):
				passed[to], grown = true, true
			}
		}
		if !grown {
			return nil
		}
	}
}

func (p *plan) isEmpty(s *section) bool {
	for k := s.first; k < s.end; k++ {
		if i := p.statements[k]; !i.dead && !i.is("bra") {
			return false
		}
	}
	return true
}

// symbolicValue is a value: perhaps a product, perhaps a negated one.
type symbolicValue struct {
	product *product
	negated bool
}

// product is a multiplication's result that additions may fuse with.
type product struct {
	line, region int
	factors      [2]*symbolicValue
	users        []int // additions
	otherUses    int   // other uses, and additions that cannot fuse with it
}

// productTracker follows values through consecutive sections.
type productTracker struct {
	*plan
	values map[string]*symbolicValue
	all    []*product
	sums   []int
	sides  map[int][2]*symbolicValue
	region int
}

func (r *productTracker) value(o string) *symbolicValue {
	if r.values[o] == nil {
		r.values[o] = &symbolicValue{} // numbers, too: each is a value of its own
	}
	return r.values[o]
}

// floating tells whether the statement is arithmetic that may be contracted.
func (s *statement) floating(opcode string) bool {
	if !s.is(opcode) {
		return false
	}
	t := s.words[len(s.words)-1]
	for _, w := range s.words[1 : len(s.words)-1] {
		if w != "ftz" && w != "sat" {
			return false
		}
	}
	return t == "f32" || t == "f64"
}

func (s *statement) has(word string) bool { return slices.Contains(s.words[1:], word) }

func (r *productTracker) visit(k int) {
	s := r.statements[k]
	if s.is("call") || s.divides() {
		defer func() { r.region++ }()
	}
	if v := r.copySource(s); v != nil {
		r.values[s.writes] = v
		return
	}
	if !r.sum(k) && !r.isAlwaysFalse(s) {
		for _, o := range s.reads {
			if p := r.value(o).product; p != nil {
				p.otherUses++
			}
		}
	} else if p := r.value(s.writes).product; s.guarded() && p != nil {
		p.otherUses++
	}
	if s.writes == "" {
		return
	}
	v := &symbolicValue{}
	if s.floating("mul") && !s.has("sat") && !s.guarded() && (s.operands[1][0] == '%' || s.operands[2][0] == '%') {
		v.product = &product{line: k, region: r.region, factors: [2]*symbolicValue{r.value(s.operands[1]), r.value(s.operands[2])}}
		r.all = append(r.all, v.product)
	}
	r.values[s.writes] = v
}

// isAlwaysFalse tells whether the statement is x < x or x > x.
func (r *productTracker) isAlwaysFalse(s *statement) bool {
	return s.is("setp") && !s.guarded() && (s.words[1] == "lt" || s.words[1] == "gt") && s.has(s.words[len(s.words)-1]) &&
		strings.HasPrefix(s.words[len(s.words)-1], "f") && r.value(s.operands[1]) == r.value(s.operands[2])
}

// copySource returns the value that a statement copies.
func (r *productTracker) copySource(s *statement) *symbolicValue {
	if s.guarded() || len(s.operands) < 2 {
		return nil
	}
	v := r.value(s.operands[1])
	switch {
	case s.is("mov") && s.operands[1][0] == '%' && s.operands[1] != "%tid.x":
		return v
	case s.is("neg") && v.product != nil && (!s.has("ftz") || r.statements[v.product.line].has("ftz")):
		return &symbolicValue{product: v.product, negated: !v.negated}
	case s.mnemonic == "mul.f32" || s.mnemonic == "mul.rn.f32":
		for n := 1; n < 3; n++ {
			if s.operands[n] == "0f3F800000" && s.operands[3-n][0] == '%' {
				return r.value(s.operands[3-n])
			}
		}
	}
	return nil
}

// sum records an addition of a product.
func (r *productTracker) sum(k int) bool {
	s := r.statements[k]
	if !s.floating("add") && !s.floating("sub") {
		return false
	}
	a, b := r.value(s.operands[1]), r.value(s.operands[2])
	x, y := a.product, b.product
	if x == nil && y == nil || x == y {
		return false
	}
	if x != nil && y != nil && s.is("add") && a.negated == b.negated {
		if x.factors == y.factors || x.factors == [2]*symbolicValue{y.factors[1], y.factors[0]} {
			return false
		}
	}
	for _, p := range []*product{x, y} {
		if p == nil {
			continue
		}
		p.users = append(p.users, k)
		m := r.statements[p.line]
		if p.region != r.region || m.has("ftz") != s.has("ftz") || m.words[len(m.words)-1] != s.words[len(s.words)-1] {
			p.otherUses++
		}
	}
	if r.sides == nil {
		r.sides = map[int][2]*symbolicValue{}
	}
	r.sums, r.sides[k] = append(r.sums, k), [2]*symbolicValue{a, b}
	return true
}

// finish decides which additions fuse, first for products with few uses.
func (r *productTracker) finish(live map[string]bool) {
	for name, v := range r.values {
		if v.product != nil && live[name] {
			v.product.otherUses++
		}
	}
	most := 0
	for _, p := range r.all {
		most = max(most, len(p.users))
	}
	for uses := 1; uses <= most; uses++ {
		for _, k := range r.sums {
			for side, v := range r.sides[k] {
				p := v.product
				if p == nil || r.fused[k] != nil || p.otherUses > 0 || len(p.users) != uses {
					continue
				}
				r.fused[k] = &fusion{multiplication: p.line, side: side, negative: v.negated != (side == 1 && r.statements[k].is("sub"))}
				r.factor[p.line] = true
				if other := r.sides[k][1-side].product; other != nil {
					other.otherUses++
				}
			}
		}
	}
}
