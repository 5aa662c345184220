// Command mutants changes the simulator's sources in one place after another and runs the tests that should notice. It prints what each
// test run said and the mutants that no test noticed: each is either the same program in other words, or shows a test that is missing.
//
//	go run ./tools/mutants -count 200 -time 40m
//
// All mutants are compiled at once, and the environment says which one runs: a function with mutants gets a copy for each, with the one
// change, and begins by asking which to call. No file is changed: the go command gets the sources by -overlay. The places are chosen by a
// hash of what stands there, as many of each topic; so the same sources have the same mutants, and others as few new ones as can be.
//
// First each suite runs once without a mutant and says which functions with mutants it reaches. A mutant is tried by those that reach it.
package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"hash/fnv"
	"math/bits"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/keplersim/keplersim/internal/command"
)

// topics are what is changed.
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

// suite is a package's tests, those that match a pattern.
type suite struct{ folder, pattern string }

// anywhere are tests that run whole kernels, the quickest first: random programs, kernels recorded on a GPU, flawed kernels, golden cycles.
var anywhere = []suite{
	{"fuzz", "ProgramsDoNotDiffer"}, {"testkit/kerneltests", ""}, {"testkit/randomptx", "Evaluator|Sample"},
	{"host", "Check|Order|Screen"}, {"cli", "CyclesAndCounters"}, {"sim", ""},
}

// operators are what each operator is exchanged for.
var operators = map[token.Token]string{
	token.LSS: "<=", token.LEQ: "<", token.GTR: ">=", token.GEQ: ">", token.EQL: "!=", token.NEQ: "==", token.ADD: "-", token.SUB: "+",
	token.LAND: "||", token.LOR: "&&", token.AND: "|", token.OR: "&", token.SHL: ">>", token.SHR: "<<", token.MUL: "+", token.AND_NOT: "&",
}

// mutation puts a text in the place of another.
type mutation struct {
	topic, path  string
	function     function
	number       int // from 1 on
	from, to     int // bytes
	line, column int
	old, fresh   string
}

// function is where a function's parts lie in its source.
type function struct {
	from, name, body, to int    // its first byte, the end of its name, that of {, and behind }
	call                 string // of a copy: what stands before the copy's name, and between its name and the end
	arguments            string
}

func (m *mutation) String() string {
	return fmt.Sprintf("%s:%d:%d: %s -> %s", m.path, m.line, m.column, short(m.old), short(m.fresh))
}

// short is a text on one line.
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

// mutations lists what can be changed in the functions of a source: operators, conditions, numbers, and statements that are left out.
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

// describe finds a function's parts; no ok is one whose copy cannot be called with its parameters.
func describe(files *token.FileSet, f *ast.FuncDecl) (d function, ok bool) {
	at := func(p token.Pos) int { return files.Position(p).Offset }
	d = function{from: at(f.Pos()), name: at(f.Name.End()), body: at(f.Body.Lbrace), to: at(f.Body.Rbrace) + 1}
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

// hash orders the mutants of a topic by chance, the same on each machine.
func (m *mutation) hash() uint64 {
	h := fnv.New64a()
	fmt.Fprint(h, m.path, m.function.call, m.old, m.fresh, m.from-m.function.from)
	return bits.Reverse64(h.Sum64() * 0x9e3779b97f4a7c15) // whose last bits are mixed best
}

// all lists the mutants of all topics, each in an order of chance.
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

// choose takes so many mutants, the topics in turn.
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

const (
	which   = "KEPLERSIM_MUTANT"  // the number of the mutant that runs; -1 for none, and each function reached is written to
	reached = "KEPLERSIM_REACHED" // this file
)

// chooser is a source that each package with mutants gets.
const chooser = `package %s

import (
	"os"
	"strconv"
	"sync"
)

var mutantNow, _ = strconv.Atoi(os.Getenv("` + which + `"))

var mutantsReached sync.Map

func mutant(number int) bool {
	if mutantNow == -1 {
		if _, known := mutantsReached.LoadOrStore(number, true); !known {
			if f, err := os.OpenFile(os.Getenv("` + reached + `"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666); err == nil {
				_, _ = f.WriteString(strconv.Itoa(number) + "\n")
				_ = f.Close()
			}
		}
	}
	return mutantNow == number
}
`

// instrument puts mutants into their source. at tells which one a line of the result belongs to.
func instrument(source []byte, mutants []*mutation) (result []byte, at map[int]*mutation) {
	sorted := slices.SortedFunc(slices.Values(mutants), func(a, b *mutation) int { return cmp.Compare(a.function.body, b.function.body) })
	var copies, out bytes.Buffer
	done := 0
	at = map[int]*mutation{}
	whole := bytes.Count(source, []byte("\n")) + 1
	for _, m := range sorted {
		f := m.function
		out.Write(source[done : f.body+1])
		done = f.body + 1
		suffix := fmt.Sprintf("_mutant%d", m.number)
		fmt.Fprintf(&out, " if mutantNow != 0 && mutant(%d) { %s%s%s }; ", m.number, f.call, suffix, f.arguments)
		mutated := slices.Concat(source[f.from:f.name], []byte(suffix), source[f.name:m.from],
			[]byte(m.fresh), source[m.to:f.to], []byte("\n"))
		first := whole + bytes.Count(copies.Bytes(), []byte("\n"))
		copies.Write(mutated)
		for line := range bytes.Count(mutated, []byte("\n")) {
			at[first+line] = m
		}
	}
	out.Write(source[done:])
	out.Write(copies.Bytes())
	return out.Bytes(), at
}

// flat is a path as the name of a file, which the compiler has in its messages.
func flat(path string) string { return strings.ReplaceAll(filepath.ToSlash(path), "/", "+") }

// tried is a run of the tool.
type tried struct {
	folder   string
	anywhere *regexp.Regexp
	mutants  []*mutation
	reach    map[suite]map[int]bool
	plain    map[suite]time.Duration // how long each suite takes without a mutant
}

// overlay writes the sources with mutants and returns the file that -overlay takes, and what lines belong to.
func (t *tried) overlay() (file string, at map[string]map[int]*mutation, err error) {
	replace := map[string]string{}
	at = map[string]map[int]*mutation{}
	byPath := map[string][]*mutation{}
	for _, m := range t.mutants {
		byPath[m.path] = append(byPath[m.path], m)
	}
	write := func(path string, content []byte) error {
		absolute, err := filepath.Abs(path)
		if err != nil {
			return err
		}
		replace[absolute] = filepath.Join(t.folder, flat(path))
		return os.WriteFile(replace[absolute], content, 0o666)
	}
	for path, mutants := range byPath {
		source, err := os.ReadFile(path)
		if err != nil {
			return "", nil, err
		}
		result, lines := instrument(source, mutants)
		at[flat(path)] = lines
		name := regexp.MustCompile(`(?m)^package (\w+)`).FindSubmatch(source)[1]
		if err := errors.Join(write(path, result),
			write(filepath.Join(filepath.Dir(path), "mutant_chooser.go"), fmt.Appendf(nil, chooser, name))); err != nil {
			return "", nil, err
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", nil, err
	}
	file = filepath.Join(t.folder, "overlay.json")
	return file, at, os.WriteFile(file, text, 0o666)
}

var compilerError = regexp.MustCompile(`(?m)([^\s/\\]+\.go):(\d+):\d+: (.*)`)

// leaveOut compiles the packages with mutants and leaves out those that are no Go, until the rest compiles.
func (t *tried) leaveOut() (overlay string, unbuilt int, err error) {
	for {
		overlay, at, err := t.overlay()
		if err != nil {
			return "", unbuilt, err
		}
		packages := map[string]bool{}
		for _, m := range t.mutants {
			packages["./"+filepath.ToSlash(filepath.Dir(m.path))] = true
		}
		words := []string{"build", "-gcflags=-e", "-overlay", overlay}
		for p := range packages {
			words = append(words, p)
		}
		said, err := goCommand(time.Hour, words...)
		if err == nil {
			return overlay, unbuilt, nil
		}
		bad := map[*mutation]bool{}
		for _, e := range compilerError.FindAllStringSubmatch(said, -1) {
			line, _ := strconv.Atoi(e[2])
			if m := at[e[1]][line]; m != nil {
				bad[m] = true
				fmt.Printf("%s: does not build: %s\n", m, e[3])
			}
		}
		if len(bad) == 0 {
			return "", unbuilt, fmt.Errorf("go build: %w\n%s", err, said)
		}
		unbuilt += len(bad)
		t.mutants = slices.DeleteFunc(t.mutants, func(m *mutation) bool { return bad[m] })
	}
}

// binary is where a package's tests are compiled to.
func (t *tried) binary(s suite) string {
	return filepath.Join(t.folder, flat(s.folder)+".test")
}

// test runs a suite with a mutant.
func (t *tried) test(s suite, number int, limit time.Duration, more ...string) (said string, took time.Duration, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	c := command.Tool(ctx, t.binary(s), "-test.short", "-test.failfast", "-test.run", s.pattern)
	c.Dir = filepath.FromSlash(s.folder)
	c.Env = append(append(os.Environ(), which+"="+strconv.Itoa(number)), more...)
	out, err := c.CombinedOutput()
	if c.ProcessState != nil {
		took = c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	}
	return string(out), took, err
}

// suites are those of a mutant: its own package's, and those from anywhere that are asked for.
func (t *tried) suites(m *mutation) []suite {
	own := filepath.ToSlash(filepath.Dir(m.path))
	return append([]suite{{own, ""}}, slices.DeleteFunc(slices.Clone(anywhere), func(s suite) bool {
		return s.folder == own || !t.anywhere.MatchString(s.folder)
	})...)
}

// explore compiles all suites and runs each without a mutant.
func (t *tried) explore(overlay string) error {
	t.reach, t.plain = map[suite]map[int]bool{}, map[suite]time.Duration{}
	for _, m := range t.mutants {
		for _, s := range t.suites(m) {
			if t.reach[s] != nil {
				continue
			}
			t.reach[s] = map[int]bool{}
			if said, err := goCommand(time.Hour, "test", "-c", "-vet=off", "-overlay", overlay,
				"-o", t.binary(s), "./"+s.folder); err != nil {
				return fmt.Errorf("compile the tests of %s: %w\n%s", s.folder, err, said)
			}
			if _, err := os.Stat(t.binary(s)); errors.Is(err, os.ErrNotExist) {
				continue // no tests
			}
			file := filepath.Join(t.folder, "reached")
			os.Remove(file)
			start := time.Now()
			said, took, err := t.test(s, -1, time.Hour, reached+"="+file)
			t.plain[s] = time.Since(start)
			if err != nil {
				return fmt.Errorf("%s fails without a mutant: %w\n%s", s.folder, err, said)
			}
			text, _ := os.ReadFile(file)
			for _, number := range strings.Fields(string(text)) {
				n, _ := strconv.Atoi(number)
				t.reach[s][n] = true
			}
			fmt.Printf("%s %s: %.1f s, reaches %d\n", s.folder, s.pattern, took.Seconds(), len(t.reach[s]))
		}
	}
	return nil
}

// slowest is how many times as long a mutant's tests may take; longer counts as noticed.
const slowest = 5

// verdicts of a mutant.
const (
	noticed   = "noticed"
	survived  = "SURVIVED"
	unreached = "NOT REACHED"
)

// try runs the tests that reach a mutant, the quickest first, and says which noticed it.
func (t *tried) try(m *mutation) (verdict, by string) {
	verdict = unreached
	suites := t.suites(m)
	slices.SortStableFunc(suites, func(a, b suite) int { return cmp.Compare(t.plain[a], t.plain[b]) })
	for _, s := range suites {
		if !t.reach[s][m.number] {
			continue
		}
		verdict = survived
		if said, _, err := t.test(s, m.number, slowest*t.plain[s]+time.Minute); err != nil {
			return noticed, s.folder + " " + failure(said)
		}
	}
	return verdict, ""
}

// failure is the first line of a test's output that says what failed.
func failure(said string) string {
	for line := range strings.Lines(said) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "--- FAIL") || strings.HasPrefix(line, "panic:") {
			return line
		}
	}
	return "time"
}

func goCommand(limit time.Duration, words ...string) (said string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	out, err := command.Tool(ctx, "go", words...).CombinedOutput()
	return string(out), err
}

func main() {
	count := flag.Int("count", 200, "how many mutants that build to try")
	longest := flag.Duration("time", time.Hour, "begin no mutant after this time")
	only := flag.String("anywhere", "", "beside its package's, try a mutant by those suites alone whose folders match this expression")
	parallel := flag.Int("parallel", 1, "how many mutants run at a time")
	list := flag.Bool("list", false, "print the mutants and try none")
	flag.Parse()
	if err := run(*count, *longest, *only, *parallel, *list); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

func run(count int, longest time.Duration, only string, parallel int, list bool) error {
	anywhere, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	places, err := all()
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	t := &tried{folder: folder, anywhere: anywhere}
	start, chosen := time.Now(), choose(places, count+count/8) // as many more as do not build
	for i := range chosen {
		if t.mutants = append(t.mutants, &chosen[i]); list {
			fmt.Printf("%s: %s\n", chosen[i].topic, &chosen[i])
		}
	}
	if list {
		return nil
	}
	overlay, unbuilt, err := t.leaveOut()
	if err != nil {
		return err
	}
	t.mutants = t.mutants[:min(count, len(t.mutants))]
	if err := t.explore(overlay); err != nil {
		return err
	}
	verdicts := map[string]map[string]int{}
	next := make(chan *mutation)
	var one sync.Mutex
	var wait sync.WaitGroup
	for range parallel {
		wait.Go(func() {
			for m := range next {
				verdict, by := t.try(m)
				one.Lock()
				if verdicts[m.topic] == nil {
					verdicts[m.topic] = map[string]int{}
				}
				verdicts[m.topic][verdict]++
				fmt.Printf("%s: %s: %s %s\n", m.topic, m, verdict, by)
				one.Unlock()
			}
		})
	}
	for _, m := range t.mutants {
		if time.Since(start) < longest {
			next <- m
		}
	}
	close(next)
	wait.Wait()
	const row = "%-14s %7v %9v %8v %12v\n"
	fmt.Printf(row, "", "places", noticed, "survived", "not reached")
	for i, topic := range topics {
		v := verdicts[topic.name]
		fmt.Printf(row, topic.name, len(places[i]), v[noticed], v[survived], v[unreached])
	}
	fmt.Printf("%d did not build\n", unbuilt)
	return nil
}
