package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const (
	mutantVariable  = "KEPLERSIM_MUTANT"  // the active mutant's number; for -1, none is active and functions reached are written to
	reachedVariable = "KEPLERSIM_REACHED" // this file
	limitVariable   = "KEPLERSIM_SECONDS" // processor time after which the process ends
)

// chooser is the source added to each package with mutants. It uses only what Linux and macOS have.
const chooser = `package %s

import (
	mutantOS "os"
	mutantNumber "strconv"
	mutantAtomic "sync/atomic"
	mutantCalls "syscall"
)

var mutantNow, _ = mutantNumber.Atoi(mutantOS.Getenv("` + mutantVariable + `"))

var mutantsReached [1 << 16]mutantAtomic.Bool

func init() {
	if n, err := mutantNumber.ParseUint(mutantOS.Getenv("` + limitVariable + `"), 10, 32); err == nil {
		_ = mutantCalls.Setrlimit(mutantCalls.RLIMIT_CPU, &mutantCalls.Rlimit{Cur: n, Max: n})
	}
}

func mutantReached(number int) bool {
	if !mutantsReached[number].Load() && mutantsReached[number].CompareAndSwap(false, true) {
		if f, err := mutantOS.OpenFile(mutantOS.Getenv("` + reachedVariable + `"), mutantOS.O_APPEND|mutantOS.O_CREATE|mutantOS.O_WRONLY, 0o666); err == nil {
			_, _ = f.WriteString(mutantNumber.Itoa(number) + "\n")
			_ = f.Close()
		}
	}
	return false
}
`

// instrument adds mutants to their source. at maps lines of the result to mutants.
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
		fmt.Fprintf(&out, " if mutantNow == %d || mutantNow == -1 && mutantReached(%[1]d) { %[2]s%[3]s%[4]s }; ",
			m.number, f.call, suffix, f.arguments)
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

// flat turns a path into a file name, which appears in compiler messages.
func flat(path string) string { return strings.ReplaceAll(filepath.ToSlash(path), "/", "+") }

// overlay writes the sources with mutants. It returns the file for -overlay, and the mutants by line.
func overlay(folder string, all []*mutation) (file string, at map[string]map[int]*mutation, err error) {
	replace := map[string]string{}
	at = map[string]map[int]*mutation{}
	byPath := map[string][]*mutation{}
	for _, m := range all {
		byPath[m.path] = append(byPath[m.path], m)
	}
	write := func(path string, content []byte) error {
		absolute, err := filepath.Abs(path)
		if err != nil {
			return err
		}
		replace[absolute] = filepath.Join(folder, flat(path))
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
	file = filepath.Join(folder, "overlay.json")
	return file, at, os.WriteFile(file, text, 0o666)
}

var compilerError = regexp.MustCompile(`(?m)([^\s/\\]+\.go):(\d+):\d+: (.*)`)

// leaveOut compiles the packages with mutants and drops mutants that do not compile, until the rest compiles.
func leaveOut(folder string, mutants []*mutation) (file string, left []*mutation, err error) {
	for {
		file, at, err := overlay(folder, mutants)
		if err != nil {
			return "", nil, err
		}
		packages := map[string]bool{}
		for _, m := range mutants {
			packages["./"+m.folder()] = true
		}
		words := slices.Concat([]string{"build", "-gcflags=-e", "-overlay", file}, slices.Sorted(maps.Keys(packages)))
		said, err := goCommand(words...)
		if err == nil {
			return file, mutants, nil
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
			return "", nil, fmt.Errorf("go build: %w\n%s", err, said)
		}
		mutants = slices.DeleteFunc(mutants, func(m *mutation) bool { return bad[m] })
	}
}
