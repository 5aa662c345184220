// Command indigo runs the CUDA programs of a suite of labelled bugs with all checks and prints the confusion table by kind of bug, as
// Markdown. It is made for Indigo's generated programs (Liu, Azami, Walters and Burtscher, ISPASS 2022), whose file names say which bugs a
// program has: boundsBug, raceBug, atomicBug, guardBug and syncBug; a program without any of them is clean.
//
//	go run ./tools/indigo -keplersim ./keplersim FOLDER -- ARGUMENTS OF EACH PROGRAM
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/keplersim/keplersim/internal/command"
)

// kinds are the bugs by the words of file names.
var kinds = []string{"boundsBug", "raceBug", "atomicBug", "guardBug", "syncBug"}

const clean = "clean"

// labels are the bugs that a program has by its name; clean alone where it has none.
func labels(file string) (list []string) {
	name := strings.ToLower(filepath.Base(file))
	for _, kind := range kinds {
		if strings.Contains(name, strings.ToLower(kind)) {
			list = append(list, kind)
		}
	}
	if list == nil {
		list = []string{clean}
	}
	return list
}

// outcome is what the checks say of a program.
type outcome struct {
	file  string
	rules []string // of findings that are no warnings
	err   error    // it could not be run
}

// table is the confusion table, by kind of bug; a program with several bugs counts for each.
func table(w io.Writer, all []outcome) {
	fmt.Fprintln(w, "| | programs | found | missed | could not run |\n|---|---|---|---|---|")
	for _, kind := range append(slices.Clone(kinds), clean) {
		programs, found, failed := 0, 0, 0
		for _, o := range all {
			if !slices.Contains(labels(o.file), kind) {
				continue
			}
			programs++
			switch {
			case o.err != nil:
				failed++
			case len(o.rules) > 0:
				found++
			}
		}
		name, missed := kind, fmt.Sprint(programs-found-failed)
		if kind == clean {
			name, missed = "clean (found: accused)", "-"
		}
		fmt.Fprintf(w, "| %s | %d | %d | %s | %d |\n", name, programs, found, missed, failed)
	}
}

// check runs a program with all checks.
func check(ctx context.Context, keplersim, file string, arguments []string) outcome {
	o := outcome{file: file}
	report, err := os.CreateTemp("", "indigo-*.json")
	if err != nil {
		o.err = err
		return o
	}
	report.Close()
	defer os.Remove(report.Name())
	words := append([]string{"run", "--check", "--format", "json", "--output", report.Name(), file, "--"}, arguments...)
	said, failure := command.Tool(ctx, keplersim, words...).CombinedOutput()
	text, err := os.ReadFile(report.Name())
	var r struct {
		Hazards []struct{ Rule, Severity string }
	}
	if err != nil || json.Unmarshal(text, &r) != nil {
		o.err = fmt.Errorf("%w: %s", failure, said)
		return o
	}
	for _, h := range r.Hazards {
		if h.Severity == "error" && h.Rule != "leak" && !slices.Contains(o.rules, h.Rule) {
			o.rules = append(o.rules, h.Rule)
		}
	}
	return o
}

func main() {
	keplersim := flag.String("keplersim", "keplersim", "the program to run")
	limit := flag.Duration("limit", time.Minute, "the longest that a program may take")
	flag.Parse()
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "indigo FOLDER -- ARGUMENTS")
		os.Exit(2)
	}
	arguments := flag.Args()[1:]
	if len(arguments) > 0 && arguments[0] == "--" {
		arguments = arguments[1:]
	}
	var all []outcome
	err := filepath.WalkDir(flag.Arg(0), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".cu" {
			return err
		}
		ctx, cancel := context.WithTimeout(context.Background(), *limit)
		defer cancel()
		o := check(ctx, *keplersim, path, arguments)
		fmt.Fprintf(os.Stderr, "%s: %s: %v %v\n", path, strings.Join(labels(path), ", "), o.rules, o.err)
		all = append(all, o)
		return nil
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, "indigo:", err)
		os.Exit(1)
	}
	table(os.Stdout, all)
}
