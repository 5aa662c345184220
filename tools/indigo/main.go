// Command indigo runs the CUDA programs of Indigo's suites of labelled bugs with all checks. It prints the confusion table by kind of bug,
// as Markdown. The suites are Indigo (Liu, Azami, Walters and Burtscher, ISPASS 2022), Indigo2 (SC 2023) and Indigo3 (TOPC 2024). Their
// file names list a program's bugs.
//
//	go run ./tools/indigo -keplersim ./keplersim -sample 10 CHECKOUTS
//
// CHECKOUTS holds clones of burtscher/IndigoSuite, Indigo2Suite and Indigo3Suite. Generate the first and the last: run generate_suite.py in
// IndigoSuite/Generators, and generate_all_codes.py cuda in Indigo3Suite with "bug: {all}" in codeGen/configure.txt.
package main

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/keplersim/keplersim/internal/command"
)

// headers replace a library that the programs include and that does not support Kepler.
//
//go:embed include
var headers embed.FS

// kinds are the kinds of bugs, each with its words in file names and the prefixes of the rules that find it. The checks do not look for
// logic errors: wrong fields and precedence, overflows, endless loops.
var kinds = []struct {
	name  string
	words []string
	rules []string
}{
	{"race", []string{"racebug"}, []string{"race-"}},
	{"atomicity", []string{"atomicbug"}, []string{"race-"}},
	{"guard", []string{"guardbug"}, []string{"race-"}},
	{"bounds", []string{"boundsbug", "nbrboundsbug", "nborboundsbug", "excessthreadsbug"},
		[]string{"out-of-bounds", "unset-"}},
	{"synchronisation", []string{"syncbug"}, []string{"race-", "barrier-", "divergent-"}},
	{"unset memory", []string{"uninitializedbug"}, []string{"unset-"}},
	{logic, []string{"fieldbug", "livelockbug", "overflowbug", "precedencebug"}, nil},
	{clean, nil, nil},
}

const (
	clean = "clean"
	logic = "logic"
)

// labels returns the kinds of bugs in a program's name, or clean.
func labels(file string) (list []string) {
	words := strings.Split(strings.ToLower(strings.TrimSuffix(filepath.Base(file), ".cu")), "_")
	for _, kind := range kinds {
		if slices.ContainsFunc(kind.words, func(w string) bool { return slices.Contains(words, w) }) {
			list = append(list, kind.name)
		}
	}
	if list == nil {
		list = []string{clean}
	}
	return list
}

// suite describes a suite: the places of programs, headers and inputs in its clone, and its programs' arguments.
type suite struct {
	name, codes, include, inputs string
	arguments                    func(program, input string) []string
}

var suites = []suite{
	{"Indigo", "IndigoSuite/Generators/IndigoSuite_*/CUDA", "IndigoSuite/Generators/IndigoSuite_*/include",
		"IndigoSuite/Generators/IndigoSuite_*/inputs/*/*.egr",
		func(_, input string) []string { return []string{input, "64", "2"} }},
	{"Indigo2", "Indigo2Suite/codes/cuda", "Indigo2Suite/include", "Indigo2Suite/small-inputs/*.egr",
		func(program, input string) []string {
			switch name, _, _ := strings.Cut(filepath.Base(filepath.Dir(program)), "-"); name {
			case "bfs", "sssp":
				return []string{input, "0", "0"}
			case "pr":
				return []string{input}
			}
			return []string{input, "0"}
		}},
	{"Indigo3", "Indigo3Suite/generatedCodes/CUDA", "Indigo3Suite/lib", "Indigo3Suite/inputs/*.egr",
		func(_, input string) []string { return []string{input, "1", "0"} }},
}

// outcome is the result of checking a program.
type outcome struct {
	file  string
	rules []string // of findings, without warnings
	err   error    // why it did not run
}

// reports tells whether a finding has a rule for this kind of bug.
func (o *outcome) reports(rules []string) bool {
	return slices.ContainsFunc(o.rules, func(rule string) bool {
		return slices.ContainsFunc(rules, func(begins string) bool { return strings.HasPrefix(rule, begins) })
	})
}

// table writes the confusion table by kind of bug. A program with several bugs counts for each.
func table(w io.Writer, all []outcome) {
	fmt.Fprintln(w, "| kind of bug | programs | found | by a rule for it | missed | could not run |\n|---|---|---|---|---|---|")
	for _, kind := range kinds {
		programs, found, right, failed := 0, 0, 0, 0
		for i := range all {
			o := &all[i]
			if !slices.Contains(labels(o.file), kind.name) {
				continue
			}
			programs++
			switch {
			case o.err != nil:
				failed++
			case len(o.rules) > 0:
				found++
				if o.reports(kind.rules) {
					right++
				}
			}
		}
		name, missed, by := kind.name, fmt.Sprint(programs-found-failed), fmt.Sprint(right)
		switch kind.name {
		case clean:
			name, missed, by = "clean (found: accused)", "-", "-"
		case logic:
			name, missed, by = "logic (not looked for)", "-", "-"
		}
		if programs > 0 {
			fmt.Fprintf(w, "| %s | %d | %d | %s | %s | %d |\n", name, programs, found, by, missed, failed)
		}
	}
}

// check builds a program and runs it with all checks on each input.
func (r *runner) check(s *suite, file string, inputs []string) outcome {
	o := outcome{file: file}
	folder, err := os.MkdirTemp("", "indigo")
	if err != nil {
		o.err = err
		return o
	}
	defer os.RemoveAll(folder)
	program, report := filepath.Join(folder, "program"), filepath.Join(folder, "report.json")
	ctx, cancel := context.WithTimeout(context.Background(), r.limit)
	defer cancel()
	include, err := onlyMatch(r.checkouts, s.include)
	if err != nil {
		o.err = err
		return o
	}
	if err := os.CopyFS(folder, headers); err != nil {
		o.err = err
		return o
	}
	build := command.Tool(ctx, r.keplersim, "nvcc", "-O3", "-I", include, "-I", filepath.Join(folder, "include"), "-o", program, file)
	if said, err := build.CombinedOutput(); err != nil {
		first, _, _ := strings.Cut(strings.TrimSpace(string(said)), "\n\n")
		o.err = fmt.Errorf("build: %w: %s", err, first)
		return o
	}
	for _, input := range inputs {
		words := append([]string{"run", "--check", "--format", "json", "--output", report, program, "--"}, s.arguments(file, input)...)
		checked := command.Tool(ctx, r.keplersim, words...)
		checked.Cancel = func() error { return checked.Process.Signal(os.Interrupt) } // the report then has the findings so far
		checked.WaitDelay = 5 * time.Second
		said, failure := checked.CombinedOutput()
		text, err := os.ReadFile(report)
		var result struct {
			Hazards []struct{ Rule, Severity string }
		}
		if err != nil || json.Unmarshal(text, &result) != nil {
			if o.rules == nil {
				o.err = fmt.Errorf("%w: %s", failure, said)
			}
			return o
		}
		for _, h := range result.Hazards {
			if h.Severity == "error" && h.Rule != "leak" && !slices.Contains(o.rules, h.Rule) {
				o.rules = append(o.rules, h.Rule)
			}
		}
	}
	return o
}

// runner has the command's flags.
type runner struct {
	checkouts, keplersim string
	limit                time.Duration
	sample               uint64
	inputs               int
	without              string
}

// onlyMatch finds the only folder that matches a pattern.
func onlyMatch(checkouts, pattern string) (string, error) {
	found, err := filepath.Glob(filepath.Join(checkouts, pattern))
	if err != nil {
		return "", err
	}
	if len(found) != 1 {
		return "", fmt.Errorf("%s: %d folders: clone the suite and generate it (see the head of tools/indigo/main.go)", pattern, len(found))
	}
	return found[0], nil
}

// hash orders files at random, but equally on each machine.
func hash(file string) uint64 {
	h := fnv.New64a()
	io.WriteString(h, filepath.Base(file))
	return h.Sum64()
}

// chosen returns some inputs of a suite, the first by hash.
func (r *runner) chosen(s *suite) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(r.checkouts, s.inputs))
	if err != nil {
		return nil, err
	}
	slices.SortFunc(files, func(a, b string) int {
		if hash(a) < hash(b) {
			return -1
		}
		return 1
	})
	return files[:min(r.inputs, len(files))], nil
}

// run runs a sample of a suite's programs and prints its table.
func (r *runner) run(s *suite) error {
	folder, err := onlyMatch(r.checkouts, s.codes)
	if err != nil {
		return err
	}
	inputs, err := r.chosen(s)
	if err != nil {
		return err
	}
	var all []outcome
	generated := 0
	err = filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".cu" {
			return err
		}
		if generated++; hash(path)%r.sample != 0 || r.without != "" && strings.Contains(path, r.without) {
			return nil
		}
		o := r.check(s, path, inputs)
		fmt.Fprintf(os.Stderr, "%s: %s: %v %v\n", filepath.Base(path), strings.Join(labels(path), ", "), o.rules, o.err)
		all = append(all, o)
		return nil
	})
	fmt.Printf("\n%s: %d of %d programs, %d inputs\n\n", s.name, len(all), generated, len(inputs))
	table(os.Stdout, all)
	return err
}

func main() {
	r := &runner{}
	flag.StringVar(&r.keplersim, "keplersim", "keplersim", "the program to run")
	flag.DurationVar(&r.limit, "limit", time.Minute, "the longest that a program may take")
	flag.Uint64Var(&r.sample, "sample", 1, "run one program in so many, chosen by a hash of its name")
	flag.IntVar(&r.inputs, "inputs", 3, "how many inputs each program runs on, chosen by a hash of their names")
	flag.StringVar(&r.without, "without", "", "leave out programs whose names have this, as in _LivelockBug, which do not end")
	only := flag.String("suite", "", "run this suite alone: Indigo, Indigo2 or Indigo3")
	flag.Parse()
	if flag.NArg() != 1 || r.sample == 0 {
		fmt.Fprintln(os.Stderr, "indigo CHECKOUTS")
		os.Exit(2)
	}
	r.checkouts = flag.Arg(0)
	var failures []error
	for i := range suites {
		if *only == "" || *only == suites[i].name {
			failures = append(failures, r.run(&suites[i]))
		}
	}
	if err := errors.Join(failures...); err != nil {
		fmt.Fprintln(os.Stderr, "indigo:", err)
		os.Exit(1)
	}
}
