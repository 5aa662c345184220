// Command mutants changes the simulator's sources in one place after another and runs the tests that should notice. It prints what each
// test run said and the mutants that no test noticed: each is either the same program in other words, or shows a test that is missing.
//
//	go run ./tools/mutants -count 200 -seed 1 -time 40m
//
// No file is changed: the go command gets each mutant by -overlay. The same seed chooses the same mutants of the same sources.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"os"

	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/keplersim/keplersim/internal/command"
)

// anywhere are tests that run whole kernels, the quickest first: kernels recorded on a GPU, random programs, flawed kernels, golden cycles.
var anywhere = []suite{
	{"./testkit/kerneltests", ""}, {"./fuzz", "ProgramsDoNotDiffer"}, {"./testkit/randomptx", "Evaluator|Sample"},
	{"./host", "Check|Order|Screen"}, {"./cli", "CyclesAndCounters"}, {"./sim", ""},
}

// suite is a package's tests, those that match a pattern.
type suite struct{ folder, pattern string }

// operators are what each operator is exchanged for.
var operators = map[token.Token]string{
	token.LSS: "<=", token.LEQ: "<", token.GTR: ">=", token.GEQ: ">", token.EQL: "!=", token.NEQ: "==", token.ADD: "-", token.SUB: "+",
	token.LAND: "||", token.LOR: "&&", token.AND: "|", token.OR: "&", token.SHL: ">>", token.SHR: "<<", token.MUL: "+", token.AND_NOT: "&",
}

// mutation puts a text in the place of another.
type mutation struct {
	path         string
	from, to     int // bytes
	line, column int
	old, fresh   string
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
	add := func(from, to token.Pos, fresh string) {
		m := mutation{path: path, from: files.Position(from).Offset, to: files.Position(to).Offset, line: files.Position(from).Line,
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
			ast.Inspect(f.Body, visit)
		}
	}
	return list, nil
}

func isText(e ast.Expr) bool {
	l, ok := e.(*ast.BasicLit)
	return ok && l.Kind == token.STRING
}

// all lists the mutations of packages, except those of other systems' sources.
func all(folders []string) (list []mutation, err error) {
	for _, folder := range folders {
		paths, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			if strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, "_other.go") {
				continue
			}
			source, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			found, err := mutations(path, source)
			if err != nil {
				return nil, err
			}
			list = append(list, found...)
		}
	}
	return list, nil
}

// verdicts of a mutant.
const (
	unbuilt  = "does not build"
	noticed  = "noticed"
	survived = "SURVIVED"
)

// try runs the tests over a mutant, first those of its package, and says which noticed it.
func (m *mutation) try(folder string, limit time.Duration) (verdict, by string, err error) {
	source, err := os.ReadFile(m.path)
	if err != nil {
		return "", "", err
	}
	changed, overlay := filepath.Join(folder, "mutant.go"), filepath.Join(folder, "overlay.json")
	path, err := filepath.Abs(m.path)
	if err != nil {
		return "", "", err
	}
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {path: changed}})
	if err != nil {
		return "", "", err
	}
	if err := os.WriteFile(changed, m.apply(source), 0o666); err != nil {
		return "", "", err
	}
	if err := os.WriteFile(overlay, replace, 0o666); err != nil {
		return "", "", err
	}
	own := "./" + filepath.Dir(m.path)
	if said, err := goCommand(limit, "build", "-overlay", overlay, own); err != nil {
		return unbuilt, strings.TrimSpace(said), nil
	}
	for _, s := range append([]suite{{own, ""}}, anywhere...) {
		if s.folder == own && s.pattern != "" {
			continue
		}
		words := []string{"test", "-overlay", overlay, "-short", "-failfast", "-vet=off", "-timeout", (limit / 2).String(), "-run",
			s.pattern, s.folder}
		if said, err := goCommand(limit, words...); err != nil {
			return noticed, s.folder + " " + failure(said), nil
		}
	}
	return survived, "", nil
}

// failure is the first line of a test's output that says what failed.
func failure(said string) string {
	for line := range strings.Lines(said) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "--- FAIL") || strings.HasPrefix(line, "panic:") {
			return line
		}
	}
	return ""
}

func goCommand(limit time.Duration, words ...string) (said string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	out, err := command.Tool(ctx, "go", words...).CombinedOutput()
	return string(out), err
}

func main() {
	seed := flag.Uint64("seed", 1, "chooses the mutants")
	count := flag.Int("count", 200, "how many mutants that build to try")
	longest := flag.Duration("time", time.Hour, "begin no mutant after this time")
	limit := flag.Duration("limit", 4*time.Minute, "the longest that a package's tests may take; longer counts as noticed")
	packages := flag.String("packages", "isa/exec,isa/fp,sim/smx,sim/memory,sim/cache,sim/scheduler,sim/check,sim/screen", "what to change")
	list := flag.Bool("list", false, "print the mutants and try none")
	flag.Parse()
	if err := run(*seed, *count, *longest, *limit, strings.Split(*packages, ","), *list); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

func run(seed uint64, count int, longest, limit time.Duration, packages []string, list bool) error {
	mutants, err := all(packages)
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	random := rand.New(rand.NewPCG(seed, 0))
	random.Shuffle(len(mutants), func(i, k int) { mutants[i], mutants[k] = mutants[k], mutants[i] })
	verdicts, start := map[string]int{}, time.Now()
	for n := range mutants {
		if verdicts[noticed]+verdicts[survived] == count || time.Since(start) > longest {
			break
		}
		m := &mutants[n]
		if list {
			fmt.Println(m)
			verdicts[noticed]++
			continue
		}
		verdict, by, err := m.try(folder, limit)
		if err != nil {
			return err
		}
		verdicts[verdict]++
		fmt.Printf("%s: %s %s\n", m, verdict, by)
	}
	fmt.Printf("%d places in %s; %d mutants noticed, %d survived, %d did not build\n", len(mutants), strings.Join(packages, ", "),
		verdicts[noticed], verdicts[survived], verdicts[unbuilt])
	return nil
}
