// Command mutants changes the simulator's sources in one place at a time and runs the tests that should notice. It prints the test that
// noticed each mutant, the mutants that no test noticed, and their counts by topic. A mutant that no test notices shows that a test is
// missing, or it is equivalent to the source: equivalent.txt lists those with the reasons.
//
//	go run ./tools/mutants
//	go run ./tools/mutants -skip 200
//	go run ./tools/mutants -mutants 'barrier.go:57' -suites 'sim/smx|fuzz'
//
// All mutants are compiled at once, and the environment selects one. A function with mutants gets a copy for each, with one change, and
// begins with a choice between them. No file is changed: the go command gets the sources by -overlay. A hash of the source text chooses the
// places, equally many for each topic. So the same sources have the same mutants, and a change of the sources makes few new ones.
//
// First each test runs without a mutant, which shows the functions with mutants that it reaches. Then the tests that reach a mutant try it
// one after another until one notices it: first the tests that found most mutants of its topic a second.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/keplersim/keplersim/internal/command"
)

func goCommand(words ...string) (said string, err error) {
	out, err := command.Tool(context.Background(), "go", words...).CombinedOutput()
	return string(out), err
}

func main() {
	count := flag.Int("count", 200, "how many mutants that build to try")
	skip := flag.Int("skip", 0, "how many mutants that build to pass over before")
	longest := flag.Duration("time", time.Hour, "begin no mutant after this time")
	only := flag.String("suites", "", "try by those suites alone whose folders match this expression")
	mutants := flag.String("mutants", "", "try those mutants alone that match this expression, as they are printed")
	parallel := flag.Int("parallel", runtime.GOMAXPROCS(0), "how many mutants run at a time")
	list := flag.Bool("list", false, "print the mutants and try none")
	flag.Parse()
	if err := tryAll(*count, *skip, *longest, *only, *mutants, *parallel, *list); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

func tryAll(count, skip int, longest time.Duration, only, which string, parallel int, list bool) error {
	suites, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	wanted, err := regexp.Compile(which)
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
	start, chosen := time.Now(), choose(places, (skip+count)*9/8) // more than requested, as some do not compile
	var mutants []*mutation
	for i := range chosen {
		if mutants = append(mutants, &chosen[i]); list {
			fmt.Printf("%s: %s\t%s\n", chosen[i].topic, &chosen[i], chosen[i].key())
		}
	}
	if list {
		return nil
	}
	same, err := equivalents()
	if err != nil {
		return err
	}
	overlay, built, err := leaveOut(folder, mutants)
	if err != nil {
		return err
	}
	unbuilt := len(mutants) - len(built)
	built = built[min(skip, len(built)):min(skip+count, len(built))]
	fmt.Printf("%.0f s: %d mutants compiled, %d are no Go\n", time.Since(start).Seconds(), len(built), unbuilt)
	if err := compile(folder, overlay, suites, parallel); err != nil {
		return err
	}
	fmt.Printf("%.0f s: tests compiled\n", time.Since(start).Seconds())
	tests, err := explore(folder, suites, parallel)
	if err != nil {
		return err
	}
	fmt.Printf("%.0f s: %d tests reach mutants, in %.1f s\n", time.Since(start).Seconds(), len(tests), total(tests).Seconds())
	t := &trial{folder: folder, tests: tests}
	results := table{verdicts: map[string]map[string]int{}, suites: map[string]int{}}
	forEach(parallel, len(built), func(n int) {
		if wanted.MatchString(built[n].String()) && time.Since(start) <= longest {
			results.enter(t, built[n], same)
		}
	})
	results.print(places)
	fmt.Printf("%d are no Go; %.0f minutes\n", unbuilt, time.Since(start).Minutes())
	return nil
}

// enter tries a mutant and prints the verdict.
func (t *table) enter(by *trial, m *mutation, same map[string]string) {
	if same[m.key()] != "" {
		t.count(m, equivalent, "")
		return
	}
	began := time.Now()
	verdict, test, how := by.try(m)
	said, folder := verdict, ""
	if test != nil {
		folder = test.folder
		said += " by " + folder + " " + test.name + ": " + how
	}
	t.count(m, verdict, folder)
	fmt.Printf("%s: %s: %s (%.0f s)\n", m.topic, m, said, time.Since(began).Seconds())
}

func total(tests []*test) (sum time.Duration) {
	for _, t := range tests {
		sum += t.took
	}
	return sum
}

// table counts verdicts.
type table struct {
	one      sync.Mutex
	verdicts map[string]map[string]int // by topic
	suites   map[string]int            // noticed mutants, by the tests' folder
}

func (t *table) count(m *mutation, verdict, by string) {
	t.one.Lock()
	defer t.one.Unlock()
	if t.verdicts[m.topic] == nil {
		t.verdicts[m.topic] = map[string]int{}
	}
	t.verdicts[m.topic][verdict]++
	if by != "" {
		t.suites[by]++
	}
}

func (t *table) print(places [][]mutation) {
	const row = "%-14s %7v %8v %8v %11v %9v %12v\n"
	fmt.Printf("\n"+row, "", "places", "tried", noticed, equivalent, "survived", "not reached")
	sum := map[string]int{}
	line := func(name string, places int, v map[string]int) {
		fmt.Printf(row, name, places,
			v[noticed]+v[equivalent]+v[survived]+v[unreached], v[noticed], v[equivalent], v[survived], v[unreached])
	}
	all := 0
	for i, topic := range topics {
		v := t.verdicts[topic.name]
		line(topic.name, len(places[i]), v)
		all += len(places[i])
		for verdict, n := range v {
			sum[verdict] += n
		}
	}
	line("all", all, sum)
	var by []string
	for folder, n := range t.suites {
		by = append(by, fmt.Sprintf("%4d by %s", n, folder))
	}
	slices.Sort(by)
	slices.Reverse(by)
	fmt.Printf("\n%s\n", strings.Join(by, "\n"))
}
