package main

import (
	"cmp"
	_ "embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"hash/fnv"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// topics are the groups of files to change.
var topics = []struct {
	name  string
	files []string
}{
	{"barriers", []string{"sim/smx/barrier.go", "sim/smx/block.go", "sim/check/barrier.go"}},
	{"carry flags", []string{"isa/exec/carry.go", "isa/exec/integer*.go", "isa/exec/native_integer.go", "isa/lower/schedule/carry.go"}},
	{"coalescing", []string{"sim/memory/coalesce.go", "sim/memory/mapping*.go", "sim/memory/divisor.go"}},
	{"banks", []string{"sim/memory/shared.go", "sim/dram/bank.go", "sim/memory/atomics.go"}},
	{"scoreboard", []string{"sim/smx/scoreboard.go", "sim/smx/agenda.go"}},
	{"queues", []string{"sim/dram/queue.go", "sim/dram/scheduler*.go", "sim/hyperq/*.go", "sim/smx/lsu.go", "sim/smx/loadstore.go"}},
	{"dual issue", []string{"sim/smx/issue.go", "isa/lower/machine/pair.go", "sim/scheduler/*.go"}},
	{"replacement", []string{"sim/cache/cache.go", "sim/cache/replacement*.go", "sim/cache/table.go", "sim/cache/mshr.go"}},
	{"reconvergence", []string{"sim/smx/stack.go", "sim/smx/control.go", "isa/exec/control.go", "isa/lower/flow/*.go"}},
	{"rounding", []string{"isa/fp/round.go", "isa/fp/arithmetic.go", "isa/fp/single.go", "isa/fp/double.go", "isa/fp/convert.go"}},
	{"lowering", []string{"isa/lower/value/*.go", "isa/lower/registers/*.go", "isa/lower/schedule/*.go", "isa/lower/expand/*.go"}},
	{"checks", []string{"sim/check/race.go", "sim/check/clock.go", "sim/check/shadow.go", "sim/check/release.go", "sim/screen/*.go"}},
}

// operators maps each operator to its replacement.
var operators = map[token.Token]string{
	token.LSS: "<=", token.LEQ: "<", token.GTR: ">=", token.GEQ: ">", token.EQL: "!=", token.NEQ: "==", token.ADD: "-", token.SUB: "+",
	token.LAND: "||", token.LOR: "&&", token.AND: "|", token.OR: "&", token.SHL: ">>", token.SHR: "<<", token.MUL: "+", token.AND_NOT: "&",
}

// mutation replaces one piece of text by another.
type mutation struct {
	topic, path  string
	function     function
	number       int // from 1 on
	from, to     int // bytes
	line, column int
	old, fresh   string
}

// function has the positions of a function's parts in its source.
type function struct {
	from, name, body, to int    // the offsets of its first byte, the end of its name, {, and the byte after }
	line                 int    // of its name
	call                 string // the text for calling a copy: before and after the copy's name
	arguments            string
}

func (m *mutation) String() string {
	return fmt.Sprintf("%s:%d:%d: %s -> %s", m.path, m.line, m.column, short(m.old), short(m.fresh))
}

// key identifies a mutant, independent of its function's place in the source.
func (m *mutation) key() string {
	return fmt.Sprintf("%s %s+%d:%d: %s -> %s", m.path, strings.TrimPrefix(m.function.call, "return "), m.line-m.function.line, m.column,
		short(m.old), short(m.fresh))
}

// folder is the folder of the mutant's package.
func (m *mutation) folder() string { return filepath.ToSlash(filepath.Dir(m.path)) }

//go:embed equivalent.txt
var equivalentText string

// equivalents returns the mutants that behave like the source, by key, with the reasons.
func equivalents() (map[string]string, error) {
	reasons := map[string]string{}
	for line := range strings.Lines(equivalentText) {
		key, reason, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if !ok || reason == "" || reasons[key] != "" {
			return nil, fmt.Errorf("equivalent.txt: %q is not a mutant, a tab and a reason, or is there twice", key)
		}
		reasons[key] = reason
	}
	return reasons, nil
}

// short is a text on one line, shortened.
func short(text string) string {
	if text = strings.Join(strings.Fields(text), " "); len(text) > 100 {
		text = text[:100] + "…"
	}
	return "`" + text + "`"
}

// apply returns the mutated source.
func (m *mutation) apply(source []byte) []byte {
	return slices.Concat(source[:m.from], []byte(m.fresh), source[m.to:])
}

// mutations lists the possible changes in a source's functions: operators, conditions, numbers, and deleted statements.
func mutations(path string, source []byte) (list []mutation, err error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, source, 0)
	if err != nil {
		return nil, err
	}
	var within function
	add := func(from, to token.Pos, fresh string) {
		m := mutation{path: path, function: within, from: files.Position(from).Offset, to: files.Position(to).Offset,
			line:   files.Position(from).Line,
			column: files.Position(from).Column, fresh: fresh}
		m.old = string(source[m.from:m.to])
		list = append(list, m)
	}
	visit := func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if fresh := operators[n.Op]; fresh != "" && !isText(n.X) && !isText(n.Y) {
				add(n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), fresh)
			}
		case *ast.IfStmt:
			condition := source[files.Position(n.Cond.Pos()).Offset:files.Position(n.Cond.End()).Offset]
			add(n.Cond.Pos(), n.Cond.End(), "!("+string(condition)+")")
		case *ast.BasicLit:
			if v, err := strconv.ParseUint(n.Value, 0, 62); n.Kind == token.INT && err == nil {
				add(n.Pos(), n.End(), strconv.FormatUint(v+1, 10))
			}
		case *ast.IncDecStmt:
			add(n.TokPos, n.End(), map[token.Token]string{token.INC: "--", token.DEC: "++"}[n.Tok])
		case *ast.ExprStmt:
			if call, ok := n.X.(*ast.CallExpr); ok {
				if name, ok := call.Fun.(*ast.Ident); ok && name.Name == "panic" {
					return false
				}
			}
			add(n.Pos(), n.End(), "")
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE {
				add(n.Pos(), n.End(), "")
			}
		}
		return true
	}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
			if within, ok = describe(files, f); ok {
				ast.Inspect(f.Body, visit)
			}
		}
	}
	return list, nil
}

// describe finds a function's parts. ok is false if a copy cannot be called with its parameters.
func describe(files *token.FileSet, f *ast.FuncDecl) (d function, ok bool) {
	at := func(p token.Pos) int { return files.Position(p).Offset }
	d = function{from: at(f.Pos()), name: at(f.Name.End()), body: at(f.Body.Lbrace), to: at(f.Body.Rbrace) + 1}
	d.line = files.Position(f.Name.Pos()).Line
	if f.Name.Name == "init" || f.Name.Name == "main" {
		return d, false
	}
	if f.Type.Results != nil {
		d.call = "return "
	}
	if f.Recv != nil {
		names := f.Recv.List[0].Names
		if len(names) == 0 || names[0].Name == "_" {
			return d, false
		}
		d.call += names[0].Name + "."
	}
	var words []string
	for _, field := range f.Type.Params.List {
		for _, name := range field.Names {
			words = append(words, name.Name)
			if _, variadic := field.Type.(*ast.Ellipsis); variadic {
				words[len(words)-1] += "..."
			}
		}
		if len(field.Names) == 0 || slices.Contains(words, "_") {
			return d, false
		}
	}
	d.call += f.Name.Name
	if f.Type.TypeParams != nil {
		return d, false
	}
	d.arguments = "(" + strings.Join(words, ", ") + ")"
	if f.Type.Results == nil {
		d.arguments += "; return"
	}
	return d, true
}

func isText(e ast.Expr) bool {
	l, ok := e.(*ast.BasicLit)
	return ok && l.Kind == token.STRING
}

// hash orders the mutants of a topic at random, but equally on each machine.
func (m *mutation) hash() uint64 {
	h := fnv.New64a()
	fmt.Fprint(h, m.path, m.function.call, m.old, m.fresh, m.from-m.function.from)
	return bits.Reverse64(h.Sum64() * 0x9e3779b97f4a7c15) // its last bits are mixed best
}

// all lists the mutants of all topics, each in random order.
func all() (list [][]mutation, err error) {
	for _, topic := range topics {
		var found []mutation
		for _, pattern := range topic.files {
			paths, err := filepath.Glob(filepath.FromSlash(pattern))
			if err != nil {
				return nil, err
			}
			if len(paths) == 0 {
				return nil, fmt.Errorf("%s: no such source", pattern)
			}
			for _, path := range paths {
				if strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, "_other.go") {
					continue
				}
				source, err := os.ReadFile(path)
				if err != nil {
					return nil, err
				}
				of, err := mutations(path, source)
				if err != nil {
					return nil, err
				}
				found = append(found, of...)
			}
		}
		for i := range found {
			found[i].topic = topic.name
		}
		slices.SortFunc(found, func(a, b mutation) int { return cmp.Compare(a.hash(), b.hash()) })
		list = append(list, found)
	}
	return list, nil
}

// choose takes count mutants, from the topics in turn.
func choose(list [][]mutation, count int) (chosen []mutation) {
	for n := 0; len(chosen) < count; n++ {
		before := len(chosen)
		for _, of := range list {
			if n < len(of) && len(chosen) < count {
				chosen = append(chosen, of[n])
			}
		}
		if len(chosen) == before {
			break
		}
	}
	for i := range chosen {
		chosen[i].number = i + 1
	}
	return chosen
}
