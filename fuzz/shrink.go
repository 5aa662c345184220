package fuzz

import (
	"context"
	"slices"
	"strings"

	"github.com/keplersim/keplersim/internal/pattern"
)

// Shrink takes lines out of a program while it still differs in the same way, and returns what is left. What it keeps is valid: each
// register is written before it is read, and checks find no mistake in it, unless that is the difference.
func (r *Runner) Shrink(ctx context.Context, d *Difference) *Difference {
	least := *d
	if d.Way.Name == Ways[0].Name { // an error of a program that is refused would hide the one that is looked for
		return &least
	}
	lines := strings.SplitAfter(d.Text, "\n")
	differs := func(candidate []string) bool {
		text, what := strings.Join(candidate, ""), ""
		if writesFirst(candidate) {
			what = r.again(ctx, text, d.Way)
		}
		if what != "" {
			least.Text, least.What = text, what
		}
		return what != ""
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

var registers = pattern.Lazy(`%[a-z]+[0-9]*(\.[a-z])?`)

// writesFirst tells whether each register is written in lines before those that read it: all that loops and branches set is set before them
// in programs of this package.
func writesFirst(lines []string) bool {
	written := map[string]bool{}
	for _, line := range lines {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, ".func"), strings.HasPrefix(line, ".visible"):
			clear(written)
			continue
		case line == "", strings.HasPrefix(line, "."):
			continue
		}
		used := registers().FindAllString(line, -1)
		mnemonic, operands, _ := strings.Cut(line, " ")
		if mnemonic[0] == '@' {
			mnemonic, operands, _ = strings.Cut(operands, " ")
		}
		result := ""
		opcode, _, _ := strings.Cut(mnemonic, ".")
		if len(used) > 0 && strings.HasPrefix(operands, "%") && opcode != "st" && opcode != "red" {
			result = registers().FindString(operands)
			if line[0] != '@' { // else it keeps its value where the guard does not hold
				used = used[1:]
			}
		}
		for _, name := range used {
			if !written[name] && !strings.Contains(name, ".") {
				return false
			}
		}
		written[result] = true
	}
	return true
}

// again says how a valid program differs in a way, "" where it does not or is not valid.
func (r *Runner) again(ctx context.Context, text string, way Way) string {
	want, _, err := r.Run(ctx, text, Ways[0])
	if err != nil {
		return ""
	}
	what := r.differs(ctx, text, want, way)
	if checked := Ways[len(Ways)-1]; what == "" || way.Name != checked.Name && r.differs(ctx, text, want, checked) != "" {
		return ""
	}
	return what
}
