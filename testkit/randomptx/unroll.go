package randomptx

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// unroll unrolls loops as the driver's compiler does (docs/floating-point.md): completely if the number of iterations is constant, else in
// groups of four, two and one. Such a loop has no other entry or exit, no call, and no division by a call.
func (f *function) unroll() {
	for _, label := range f.loops() {
		first := f.labels[label]
		last := slices.Index(f.lines, "@%q bra "+label)
		counter, start, ok := f.straightLoop(label, first, last)
		if !ok {
			continue
		}
		body, size := f.lines[first:last], last-first-2
		if number, err := strconv.Atoi(start); err != nil && strings.HasPrefix(f.lines[first-1], "and.b32 ") {
			if iterationSize(body) <= 18 {
				f.unrollOpen(label, counter, first, last)
			}
		} else if iterations := number + 1; err == nil && iterations*size*(size+5) <= 22500 {
			f.replace(first, last+1, slices.Repeat(body, iterations)...)
			delete(f.labels, label)
		}
	}
}

// loops returns the labels of loops, in the text's order.
func (f *function) loops() (all []string) {
	for label, first := range f.labels {
		if slices.Index(f.lines, "@%q bra "+label) >= first {
			all = append(all, label)
		}
	}
	slices.SortFunc(all, func(a, b string) int { return f.labels[a] - f.labels[b] })
	return all
}

// straightLoop returns the counter of a loop of straight code, and its initial value.
func (f *function) straightLoop(label string, first, last int) (counter, start string, ok bool) {
	if last-first < 3 || first == 0 || f.rolled[label] {
		return "", "", false
	}
	before := parse(f.lines[first-1])
	if !before.is("mov") && !before.is("and") {
		return "", "", false
	}
	counter = before.writes
	leaves := func(line string) bool {
		s := parse(line)
		return slices.Contains([]string{"bra", "exit", "ret", "call"}, s.words[0]) || s.divides()
	}
	for _, at := range f.labels {
		if at > first && at <= last {
			return "", "", false
		}
	}
	return counter, before.operands[1], !slices.ContainsFunc(f.lines[first:last], leaves) &&
		f.lines[last-2] == "sub.s32 "+counter+", "+counter+", 1" && f.lines[last-1] == "setp.ge.s32 %q, "+counter+", 0"
}

// iterationSize is the number of instructions that a loop's iteration counts as, without its step and comparison.
func iterationSize(body []string) int {
	size := len(body) - 2
	for _, line := range body {
		if s := parse(line); s.guarded() || s.is("add") && strings.HasSuffix(s.mnemonic, "64") && !strings.HasSuffix(s.mnemonic, "f64") {
			size++
		}
	}
	return size
}

// unrollOpen rewrites a loop with an unknown number of iterations in groups of four, two and one. At least one iteration runs, so the text
// needs no branch around the loop.
func (f *function) unrollOpen(label, counter string, first, last int) {
	body := f.lines[first:last]
	var text []string
	labels := map[string]int{}
	pair, one, out := label+"_2", label+"_1", label+"_0"
	left := func(iterations int) string { return fmt.Sprintf("setp.ge.s32 %%q, %s, %d", counter, iterations-1) }
	mark := func(name string) { labels[name] = first + len(text) }
	text = append(text, left(4), "@!%q bra "+pair)
	mark(label)
	text = append(append(text, slices.Repeat(body, 4)...), left(4), "@%q bra "+label, left(1), "@!%q bra "+out)
	mark(pair)
	text = append(append(append(text, left(2), "@!%q bra "+one), slices.Repeat(body, 2)...), left(1), "@!%q bra "+out)
	mark(one)
	text = append(text, body...)
	mark(out)
	f.replace(first, last+1, text...)
	for name, at := range labels {
		f.labels[name] = at
	}
}

// replace replaces lines by others.
func (f *function) replace(first, end int, lines ...string) {
	f.lines = slices.Replace(f.lines, first, end, lines...)
	for name, at := range f.labels {
		if at >= end {
			f.labels[name] += len(lines) - (end - first)
		}
	}
}
