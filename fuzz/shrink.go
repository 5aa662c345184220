package fuzz

import (
	"context"
	"slices"
	"strings"

	"github.com/keplersim/keplersim/internal/pattern"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/sim/check/finding"
)

// Shrink removes lines from a program while it still differs in the same way, and returns the rest. The rest is valid: each register is
// written before it is read, and the checks find no mistake, unless that is the difference.
func (r *Runner) Shrink(ctx context.Context, d *Difference) *Difference {
	least := *d
	if d.Way.Name == Ways[0].Name { // the error of an invalid program would hide the one in question
		return &least
	}
	if r.source.inC {
		return r.shrinkCompiled(ctx, d)
	}
	lines := strings.SplitAfter(d.Text, "\n")
	differs := func(candidate []string) bool {
		text, what := strings.Join(candidate, ""), ""
		if writesFirst(candidate) {
			what = r.again(ctx, text, d.Way)
		}
		if sort(what) != sort(d.What) {
			return false
		}
		least.Text, least.What = text, what
		return true
	}
	for size := len(lines) / 2; size > 0; {
		removed := false
		for at := 0; at+size <= len(lines) && ctx.Err() == nil; {
			if candidate := slices.Concat(lines[:at], lines[at+size:]); differs(candidate) {
				lines, removed = candidate, true
				continue
			}
			at += max(1, size/2)
		}
		if size == 1 && !removed || ctx.Err() != nil {
			break
		}
		if !removed || size > len(lines) {
			size = max(1, min(size, len(lines))/2)
		}
	}
	return &least
}

// sort is the sort of a difference: another number, a panic, an error or finding, none. A program without some of its lines may differ in
// another sort since registers are unset on some path.
func sort(what string) string {
	first, _, _ := strings.Cut(what, " ")
	if what != "" && first != "thread" && first != "panic:" {
		return "error"
	}
	return first
}

// shrinkCompiled shrinks the PTX of a C kernel, which takes a hundredth of the time, if the PTX differs by itself.
func (r *Runner) shrinkCompiled(ctx context.Context, d *Difference) *Difference {
	text, err := r.source.ptx(ctx, d.Text, d.Way.builtin)
	plain := *r
	plain.source = kernels{}
	if err != nil || plain.again(ctx, string(text), d.Way) == "" {
		return d
	}
	compiled := *d
	compiled.Text = string(text)
	return plain.Shrink(ctx, &compiled)
}

var registers = pattern.Lazy(`%[A-Za-z_]+[0-9]*(\.[a-z])?`)

// writesFirst tells whether each register is written in a line before those that read it. In this package's programs, everything that loops
// and branches set is also set before them.
func writesFirst(lines []string) bool {
	written := map[string]bool{}
	for _, line := range lines {
		line = strings.Join(strings.Fields(line), " ")
		if _, rest, ok := strings.Cut(line, ";"); ok && strings.HasPrefix(line, "{ .reg") { // a part of a word, as clang reads it
			line = strings.TrimSpace(rest)
		}
		switch {
		case strings.HasPrefix(line, ".func"), strings.HasPrefix(line, ".visible"):
			clear(written)
			continue
		case line == "", strings.HasPrefix(line, "."), strings.HasPrefix(line, "//"):
			continue
		}
		used := registers().FindAllString(line, -1)
		mnemonic, operands, _ := strings.Cut(line, " ")
		if mnemonic[0] == '@' {
			mnemonic, operands, _ = strings.Cut(operands, " ")
		}
		var results []string
		opcode, _, _ := strings.Cut(mnemonic, ".")
		if len(used) > 0 && strings.IndexAny(operands, "%{") == 0 && opcode != "st" && opcode != "red" {
			end := ","
			if operands[0] == '{' {
				end = "}"
			}
			to, _, _ := strings.Cut(operands, end)
			results = registers().FindAllString(to, -1)
			if line[0] != '@' { // a guarded write may keep the old value
				used = used[len(results):]
			}
		}
		for _, name := range used {
			if !written[name] && !strings.Contains(name, ".") {
				return false
			}
		}
		for _, name := range results {
			written[name] = true
		}
	}
	return true
}

// again describes the difference of a valid program in a way, "" for none or an invalid program.
func (r *Runner) again(ctx context.Context, text string, way Way) string {
	*r.programs = sim.Programs{}
	want, _, err := r.Run(ctx, text, Ways[0])
	if err != nil {
		return ""
	}
	what, _ := r.differs(ctx, text, want, way)
	if checked := Ways[len(Ways)-1]; what != "" && way.Name != checked.Name {
		if mistake, _ := r.differs(ctx, text, want, checked); mistake != "" {
			return ""
		}
		// Optimised, code may compute what no path sets: nothing is found then.
		_, found, err := r.Run(ctx, text, asWritten)
		if err != nil || slices.ContainsFunc(found, func(f *finding.Finding) bool { return f.Rule == finding.UnsetRegister }) {
			return ""
		}
	}
	return what
}

// asWritten looks for registers that are read and not set.
var asWritten = Way{Name: "as written", options: sim.Options{Functional: true, Unoptimised: true, Check: finding.Init}}
