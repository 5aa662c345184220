// Command testrun runs go test -json and prints what go test prints, with the full output of failures. The last line counts the tests that
// were skipped because a tool is missing, which the package need marks:
//
//	go run ./tools/testrun [-all] go test -json -short ./...
//
// With -all a skipped test is a failure.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/keplersim/keplersim/testkit/need"
)

// event is a line of go test -json; see go doc test2json for the fields.
type event struct {
	Action, Package, Test, ImportPath, Output string
}

// test identifies a test of a package. The package's own lines have an empty test name.
type test struct{ Package, Name string }

// record is the state of a test run.
type record struct {
	out          io.Writer
	output       map[test][]string
	missing      map[string][]test // skipped tests, by tool
	installHints map[string]string // how to install a tool, by tool
	failed       []test
}

func newRecord(out io.Writer) *record {
	return &record{out: out, output: map[test][]string{}, missing: map[string][]test{}, installHints: map[string]string{}}
}

// read processes the lines of go test -json.
func (r *record) read(in io.Reader) error {
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if json.Unmarshal(line, &e) != nil { // other lines are printed unchanged
				fmt.Fprintf(r.out, "%s", line)
			} else {
				r.take(e)
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// take processes one event. A test's lines are printed if it fails, a package's own lines at once.
func (r *record) take(e event) {
	at := test{e.Package, e.Test}
	switch {
	case e.Action == "build-output":
		fmt.Fprint(r.out, e.Output)
	case e.Action == "output" && e.Test == "":
		if e.Output != "PASS\n" && !strings.HasPrefix(e.Output, "?   \t") {
			fmt.Fprint(r.out, e.Output)
		}
	case e.Action == "output":
		r.output[at] = append(r.output[at], e.Output)
	case e.Action == "fail" && e.Test == "":
		r.unfinished(e.Package)
	case e.Action == "fail":
		r.failed = append(r.failed, at)
		r.show(at)
	case e.Action == "skip":
		r.skipped(at)
		delete(r.output, at)
	case e.Action == "pass":
		delete(r.output, at)
	}
}

// show prints a test's lines.
func (r *record) show(at test) {
	for _, line := range r.output[at] {
		if !strings.HasPrefix(line, "=== ") {
			fmt.Fprint(r.out, line)
		}
	}
	delete(r.output, at)
}

// unfinished prints the lines of tests that the end of a package has cut off, for example by a panic.
func (r *record) unfinished(pkg string) {
	for _, at := range slices.SortedFunc(maps.Keys(r.output), func(a, b test) int { return strings.Compare(a.Name, b.Name) }) {
		if at.Package == pkg {
			r.failed = append(r.failed, at)
			r.show(at)
		}
	}
}

// skipped counts a test that was skipped because a tool is missing.
func (r *record) skipped(at test) {
	text := strings.Join(r.output[at], "")
	if _, reason, ok := strings.Cut(text, need.Mark); ok {
		tool, how, _ := strings.Cut(reason, ": ")
		how, _, _ = strings.Cut(how, "\n")
		r.missing[tool], r.installHints[tool] = append(r.missing[tool], at), how
	}
}

// end prints the failures and how to install missing tools, and counts skipped tests.
func (r *record) end() (left int) {
	for _, at := range r.failed {
		fmt.Fprintf(r.out, "failed: %s %s\n", at.Package, at.Name)
	}
	tools := slices.SortedFunc(maps.Keys(r.missing), func(a, b string) int {
		return cmp.Or(len(r.missing[b])-len(r.missing[a]), strings.Compare(a, b))
	})
	var counts []string
	for _, tool := range tools {
		fmt.Fprintf(r.out, "%s is missing: %s\n", tool, r.installHints[tool])
		left += len(r.missing[tool])
		counts = append(counts, fmt.Sprintf("%s (%d)", tool, len(r.missing[tool])))
	}
	switch left {
	case 0:
		fmt.Fprintln(r.out, "no test left out")
	case 1:
		fmt.Fprintln(r.out, "1 test left out:", counts[0])
	default:
		fmt.Fprintf(r.out, "%d tests left out: %s\n", left, strings.Join(counts, ", "))
	}
	return left
}

func main() {
	all := flag.Bool("all", false, "a test that is left out is a failure")
	flag.Parse()
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "testrun: give the command: testrun go test -json ./...")
		os.Exit(2)
	}
	command := exec.Command(flag.Arg(0), flag.Args()[1:]...)
	command.Stderr = os.Stderr
	os.Exit(run(command, os.Stdout, *all))
}

// run runs a command and returns the exit code.
func run(command *exec.Cmd, to io.Writer, all bool) int {
	out, err := command.StdoutPipe()
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		fmt.Fprintln(to, "testrun:", err)
		return 2
	}
	r := newRecord(to)
	if err := r.read(out); err != nil {
		fmt.Fprintln(to, "testrun:", err)
	}
	err = command.Wait()
	left := r.end()
	if all && left > 0 {
		fmt.Fprintln(to, "FAIL: every test was asked for")
	}
	if err != nil || all && left > 0 {
		return 1
	}
	return 0
}
