package sim

import (
	"cmp"
	"slices"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/sim/device"
	"github.com/keplersim/keplersim/sim/smx"
	"github.com/keplersim/keplersim/sim/stats"
)

// mostInlined is the most inlined calls that are listed for a line.
const mostInlined = 64

// sourceMap maps a program's operations to functions and lines. All its launches share it.
type sourceMap struct {
	functions []stats.FunctionCount // without counters
	source    []stats.SourceCount   // in order
	row       []int                 // into source, by operation
	called    []int                 // into functions, by section of the program's stack
	kinds     []accessKind          // by operation
}

// accessKind is an operation's kind of access, if it accesses memory.
type accessKind struct {
	kind stats.AccessKind
	ok   bool
}

// describeSource fills in a result's functions and source lines, for the launch's program and its nested launches.
func (g *GPU) describeSource(ran *device.Grid, result *stats.Launch) {
	own, others := ran.States, ran.Parts()
	for i, part := range others {
		if part.Program == ran.Program {
			own, others = slices.Concat(own, part.States), slices.Concat(others[:i], others[i+1:])
			break
		}
	}
	if last := len(g.lists) - 1; last >= 0 {
		result.Functions, result.Source = g.lists[last].functions, g.lists[last].source
		g.lists = g.lists[:last]
	}
	g.sourceMap(ran.Program).describe(ran.Program.Machine, own, result)
	for _, part := range others {
		below := &stats.Launch{}
		g.sourceMap(part.Program).describe(part.Program.Machine, part.States, below)
		mergeSource(result, below)
		result.Named.Add(&below.Named)
	}
}

// sourceMap returns the map of a program.
func (g *GPU) sourceMap(program *smx.Program) *sourceMap {
	known := &g.sources
	if p := g.options.Programs; p != nil {
		known = &p.sources
	}
	m, _ := once(known, program, func() (*sourceMap, error) { return newSourceMap(program.Machine), nil })
	return m
}

// newSourceMap makes the map of a program.
func newSourceMap(machine *isa.MachineProgram) *sourceMap {
	d := &sourceTable{
		machine: machine, functions: map[string]int{}, lines: make([]int32, len(machine.Program.Lines)), places: map[sourcePlace]int{},
		rows: make([]sourceRow, 0, len(machine.Ops)),
	}
	m := &sourceMap{row: make([]int, len(machine.Ops)), kinds: make([]accessKind, len(machine.Ops))}
	for section := range machine.Stack {
		m.called = append(m.called, d.function(machine.Program.Functions[machine.Stack[section].Function].Name))
		d.inlined(machine.Program.Functions[machine.Stack[section].Function])
	}
	section := 0
	for i := range machine.Ops {
		if section+1 < len(machine.Stack) && int32(i) >= machine.Stack[section+1].FirstOp {
			section++
		}
		m.row[i] = d.line(machine.Ops[i].Line, section)
		d.rows[m.row[i]].operations++
		m.kinds[i].kind, m.kinds[i].ok = stats.KindOf(&machine.Ops[i])
	}
	order := make([]int, len(d.rows))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, k int) int { return d.rows[i].compare(&d.rows[k]) })
	m.functions, m.source = d.counts, make([]stats.SourceCount, len(order))
	place := make([]int, len(order))
	for to, from := range order {
		row := &d.rows[from]
		place[from] = to
		m.source[to] = stats.SourceCount{Place: row.Place, Function: row.function, InlinedAt: row.inlinedAt, Operations: row.operations}
	}
	for i := range m.row {
		m.row[i] = place[m.row[i]]
	}
	return m
}

// describe fills in a result's functions and source lines from the operations' counters on each SMX, nil for SMXs without a block.
func (m *sourceMap) describe(machine *isa.MachineProgram, list []*smx.GridState, result *stats.Launch) {
	result.Functions, result.Source = append(result.Functions[:0], m.functions...), append(result.Source[:0], m.source...)
	for _, s := range list {
		if s == nil {
			continue
		}
		for section, f := range m.called {
			result.Functions[f].Calls += s.Entered[section]
		}
		for i := range s.Counted() {
			o, at, access := &s.Operations[i], &result.Source[m.row[i]], m.kinds[i]
			at.Add(o)
			if access.ok {
				at.AddAccesses(access.kind, &o.Memory)
			}
			result.Named.Book(&machine.Ops[i], access.kind, access.ok, o)
		}
	}
	for i := range result.Source {
		at := &result.Source[i]
		result.Functions[at.Function].Add(&at.OperationCount)
	}
}

// sourceRow is what tells a source line from others, and how many operations it has.
type sourceRow struct {
	sourcePlace
	inlinedAt  []stats.Place
	operations int
	before     int // another of its place, and one more; 0 for none
}

// sourcePlace is a line of a function.
type sourcePlace struct {
	stats.Place
	function int
}

// compare is the order of a launch's source lines.
func (a *sourceRow) compare(b *sourceRow) int {
	return cmp.Or(comparePlaces(a.Place, b.Place), slices.CompareFunc(a.inlinedAt, b.inlinedAt, comparePlaces),
		cmp.Compare(a.function, b.function))
}

// compareRows is that order, too.
func compareRows(a, b *stats.SourceCount) int {
	return (&sourceRow{sourcePlace{a.Place, a.Function}, a.InlinedAt, 0, 0}).compare(
		&sourceRow{sourcePlace{b.Place, b.Function}, b.InlinedAt, 0, 0})
}

// mergeSource adds the functions and source lines of a nested launch's program to the launch's.
func mergeSource(into, from *stats.Launch) {
	functions := make([]int, len(from.Functions)) // indexes in into, by index in from
	for i := range from.Functions {
		f := &from.Functions[i]
		at := slices.IndexFunc(into.Functions, func(o stats.FunctionCount) bool { return o.Symbol == f.Symbol })
		if functions[i] = at; at < 0 {
			functions[i] = len(into.Functions)
			into.Functions = append(into.Functions, *f)
			continue
		}
		o := &into.Functions[at]
		o.Inlined, o.Calls = max(o.Inlined, f.Inlined), o.Calls+f.Calls
		o.Add(&f.OperationCount)
	}
	for i := range from.Source {
		row := from.Source[i]
		row.Function = functions[row.Function]
		at, found := slices.BinarySearchFunc(into.Source, row, func(a, b stats.SourceCount) int { return compareRows(&a, &b) })
		if !found {
			into.Source = slices.Insert(into.Source, at, row)
			continue
		}
		into.Source[at].Merge(&row)
	}
}

// sourceTable collects the functions and lines of one machine program.
type sourceTable struct {
	machine   *isa.MachineProgram
	counts    []stats.FunctionCount
	rows      []sourceRow
	functions map[string]int // index into counts
	lines     []int32        // index into rows and one more, for the current section
	section   int
	places    map[sourcePlace]int // the last of such a place, and one more: others were inlined elsewhere
}

// function returns a function's row, and makes it if necessary.
func (d *sourceTable) function(symbol string) int {
	n, ok := d.functions[symbol]
	if !ok {
		n = len(d.counts)
		d.functions[symbol] = n
		f := d.machine.Program.Function(symbol)
		d.counts = append(d.counts, stats.FunctionCount{
			Symbol: symbol, Name: d.machine.Program.Title(symbol), Kernel: f != nil && f.Kernel,
		})
	}
	return n
}

// inlined counts the inlined calls in a function, even those whose code lowering has removed.
func (d *sourceTable) inlined(f *isa.Function) {
	type site struct {
		function string
		at       isa.LineIndex
	}
	seen := map[site]bool{}
	rows := map[isa.LineIndex]bool{}
	for _, b := range f.Blocks {
		for _, i := range b.Instructions {
			for line := i.Line; line > 0 && int(line) < len(d.machine.Program.Lines) && !rows[line]; {
				rows[line] = true
				row := &d.machine.Program.Lines[line]
				if s := (site{row.Function, row.InlinedAt}); row.InlinedAt != 0 && row.Function != "" && !seen[s] {
					seen[s] = true
					d.counts[d.function(row.Function)].Inlined++
				}
				line = row.InlinedAt
			}
		}
	}
}

// line returns the row of a line in a section of the program, and makes it if necessary.
func (d *sourceTable) line(line isa.LineIndex, section int) int {
	if section != d.section {
		d.section = section
		clear(d.lines)
	}
	if n := d.lines[line]; n > 0 {
		return int(n) - 1
	}
	p := d.machine.Program
	row := sourceRow{}
	row.File, row.Line = p.Place(line)
	for call := range p.Calls(line) {
		if len(row.inlinedAt) == mostInlined {
			break
		}
		file, number := p.Place(call)
		row.inlinedAt = append(row.inlinedAt, stats.Place{File: file, Line: number})
	}
	row.function = d.function(p.Owner(line, p.Functions[d.machine.Stack[section].Function].Name))
	row.before = d.places[row.sourcePlace]
	n := row.before - 1
	for n >= 0 && !slices.Equal(d.rows[n].inlinedAt, row.inlinedAt) {
		n = d.rows[n].before - 1
	}
	if n < 0 {
		n = len(d.rows)
		d.places[row.sourcePlace] = n + 1
		d.rows = append(d.rows, row)
	}
	d.lines[line] = int32(n + 1)
	return n
}

func comparePlaces(a, b stats.Place) int {
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
}
