package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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

// suites are the tests that try mutants: a package's tests whose names match a pattern. With parts, each subtest counts as a test.
var suites = []struct {
	folder, pattern string
	parts           bool
}{
	{"sim/smx", ".", false}, {"sim/check", ".", false}, {"sim/memory", ".", false}, {"sim/dram", ".", false}, {"sim/hyperq", ".", false},
	{"sim/scheduler", ".", false}, {"sim/cache", ".", false}, {"sim/screen", ".", false}, {"sim/device", ".", false}, {"sim", ".", false},
	{"isa/exec", ".", false}, {"isa/fp", ".", false}, {"isa/lower", ".", false}, {"isa/lower/expand", ".", false},
	{"isa/lower/flow", ".", false},
	{"code", ".", false},
	{"isa/lower/machine", ".", false}, {"isa/lower/schedule", ".", false}, {"fuzz", "ProgramsDoNotDiffer|SumsGoOn", false},
	{"testkit/kerneltests", "^TestKernels$", true}, {"testkit/randomptx", ".", false}, {"host", ".", false},
	{"cli", "CyclesAndCountersAreThose", true}, // the workloads' cycles and counters, on three chips
}

// test is a test of a package.
type test struct {
	folder, name string
	reach        map[int]bool // the mutants in functions that it calls
	took         time.Duration
	tried, found map[string]int // mutants, by topic
}

const (
	longestTest = 4 * time.Second // tests that take longer are left out
	timeFactor  = 4               // time limit with a mutant, as a factor of the test's own time, plus two seconds
	memoryLimit = 6 << 30         // memory limit of a test, in bytes
)

// binary is the path of a package's compiled tests.
func binary(folder, of string) string { return filepath.Join(folder, flat(of)+".test") }

// run runs tests of a package with a mutant, for a limited time on one processor.
func run(ctx context.Context, folder, of, pattern string, mutant int, most time.Duration, more ...string) (said string, took time.Duration,
	err error) {
	ctx, cancel := context.WithTimeout(ctx, 20*most+time.Minute/2) // against endless waiting
	defer cancel()
	c := command.Tool(ctx, binary(folder, of), "-test.short", "-test.failfast", "-test.v", "-test.run", pattern)
	c.Dir = filepath.FromSlash(of)
	c.Env = append(os.Environ(), mutantVariable+"="+strconv.Itoa(mutant), limitVariable+"="+strconv.Itoa(1+int(most.Seconds())))
	c.Env = append(c.Env, more...)
	var out strings.Builder
	c.Stdout, c.Stderr = &out, &out
	if err := c.Start(); err != nil {
		return "", 0, err
	}
	stop := make(chan bool)
	go func() {
		for tick := time.NewTicker(time.Second / 5); ; {
			select {
			case <-stop:
				return
			case <-tick.C:
				if resident(c.Process.Pid) > memoryLimit {
					cancel()
				}
			}
		}
	}()
	err = c.Wait()
	close(stop)
	return out.String(), c.ProcessState.UserTime() + c.ProcessState.SystemTime(), err
}

// resident is a process's resident memory, 0 if the system does not tell.
func resident(process int) int {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/statm", process))
	if words := strings.Fields(string(text)); len(words) > 1 {
		pages, _ := strconv.Atoi(words[1])
		return pages * os.Getpagesize()
	}
	return 0
}

var passed = regexp.MustCompile(`(?m)^( *)--- PASS: (\S+)`)

// compile compiles the tests of the selected suites.
func compile(folder, overlay string, only *regexp.Regexp, parallel int) error {
	failures := make([]error, len(suites))
	forEach(parallel, len(suites), func(n int) {
		of := suites[n].folder
		if !only.MatchString(of) {
			return
		}
		if said, err := goCommand("test", "-c", "-vet=off", "-overlay", overlay, "-o", binary(folder, of), "./"+of); err != nil {
			failures[n] = fmt.Errorf("compile the tests of %s: %w\n%s", of, err, said)
		}
	})
	return errors.Join(failures...)
}

// explore runs each test without a mutant, to find its time and the mutants it reaches.
func explore(folder string, only *regexp.Regexp, parallel int) (tests []*test, err error) {
	for _, s := range suites {
		if !only.MatchString(s.folder) {
			continue
		}
		if s.parts {
			said, _, err := run(context.Background(), folder, s.folder, s.pattern, 0, time.Hour)
			if err != nil {
				return nil, fmt.Errorf("%s fails without a mutant: %w\n%s", s.folder, err, said)
			}
			for _, m := range passed.FindAllStringSubmatch(said, -1) {
				if m[1] != "" {
					tests = append(tests, &test{folder: s.folder, name: m[2]})
				}
			}
			continue
		}
		c := command.Tool(context.Background(), binary(folder, s.folder), "-test.list", s.pattern)
		c.Dir = filepath.FromSlash(s.folder)
		list, err := c.Output()
		if err != nil {
			return nil, fmt.Errorf("list the tests of %s: %w", s.folder, err)
		}
		for _, name := range strings.Fields(string(list)) {
			if strings.HasPrefix(name, "Test") || strings.HasPrefix(name, "Fuzz") {
				tests = append(tests, &test{folder: s.folder, name: name})
			}
		}
	}
	forEach(parallel, len(tests), func(n int) { tests[n].measure(folder, n) })
	return slices.DeleteFunc(tests, func(t *test) bool { return len(t.reach) == 0 }), nil
}

// pattern matches only this test.
func (t *test) pattern() string {
	return "^" + strings.ReplaceAll(regexp.QuoteMeta(t.name), "/", "$/^") + "$"
}

// measure runs a test without a mutant. A test that is too slow or fails on this machine reaches none.
func (t *test) measure(folder string, number int) {
	file := filepath.Join(folder, fmt.Sprintf("reached%d", number))
	said, took, err := run(context.Background(), folder, t.folder, t.pattern(), -1, 2*longestTest, reachedVariable+"="+file)
	t.took, t.reach, t.tried, t.found = took, map[int]bool{}, map[string]int{}, map[string]int{}
	if err != nil || took > longestTest {
		fmt.Printf("left out: %s %s: %.1f s, %s\n", t.folder, t.name, took.Seconds(), failure(said, err))
		return
	}
	text, _ := os.ReadFile(file)
	for _, word := range strings.Fields(string(text)) {
		n, _ := strconv.Atoi(word)
		t.reach[n] = true
	}
}

// forEach calls a function for the numbers below count, several at a time.
func forEach(parallel, count int, f func(n int)) {
	next := make(chan int)
	var wait sync.WaitGroup
	for range parallel {
		wait.Go(func() {
			for n := range next {
				f(n)
			}
		})
	}
	for n := range count {
		next <- n
	}
	close(next)
	wait.Wait()
}

// The verdicts on a mutant.
const (
	noticed    = "noticed"
	equivalent = "equivalent"
	survived   = "SURVIVED"
	unreached  = "NOT REACHED"
)

// trial tries mutants with tests.
type trial struct {
	folder string
	tests  []*test
	mutex  sync.Mutex // guards the tests' counts
}

// worth estimates how many mutants of a topic a test finds a second. It uses the mutants tried so far; the first guess is higher for the
// test's own package. Starting a test also takes time.
func (t *test) worth(m *mutation) float64 {
	guess := 0.1
	if t.folder == m.folder() {
		guess = 0.5
	}
	return (float64(t.found[m.topic]) + guess) / (float64(t.tried[m.topic]) + 1) / (t.took.Seconds() + 0.05)
}

// take removes the most valuable test from a list.
func (t *trial) take(m *mutation, list []*test) (best *test, rest []*test) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	best = slices.MaxFunc(list, func(a, b *test) int { return cmp.Compare(a.worth(m), b.worth(m)) })
	return best, slices.DeleteFunc(list, func(t *test) bool { return t == best })
}

// try runs the tests that reach a mutant, the most valuable first, and returns the test that noticed it.
func (t *trial) try(m *mutation) (verdict string, by *test, how string) {
	left := slices.DeleteFunc(slices.Clone(t.tests), func(t *test) bool { return !t.reach[m.number] })
	verdict = unreached
	for len(left) > 0 {
		verdict = survived
		var now *test
		now, left = t.take(m, left)
		said, _, err := run(context.Background(), t.folder, now.folder, now.pattern(), m.number, timeFactor*now.took+2*time.Second)
		t.mutex.Lock()
		now.tried[m.topic]++
		if err != nil {
			now.found[m.topic]++
		}
		t.mutex.Unlock()
		if err != nil {
			return noticed, now, failure(said, err)
		}
	}
	return verdict, nil, ""
}

// failure is the first line of a test's output that says what failed, or how it ended.
func failure(said string, err error) string {
	for line := range strings.Lines(said) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "--- FAIL") || strings.HasPrefix(line, "panic:") {
			return line
		}
	}
	return fmt.Sprint(err)
}
