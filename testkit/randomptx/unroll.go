package randomptx

import (
	"slices"
	"strconv"
	"strings"
)

// unroll writes out the turns of the loops whose number of turns stands in the text, as the driver's compiler does
// (docs/floating-point.md): a number before the label, no other way in or out, no call and no division that is one. The branch goes, and
// the counter stays, as nothing reads it.
func (f *function) unroll() {
	for label, first := range f.labels {
		last := slices.Index(f.lines, "@%q bra "+label)
		if last-first < 3 || first == 0 || f.rolled[label] {
			continue
		}
		counter, number, ok := strings.Cut(strings.TrimPrefix(f.lines[first-1], "mov.b32 "), ", ")
		start, err := strconv.Atoi(number)
		if !ok || err != nil ||
			f.lines[last-2] != "sub.s32 "+counter+", "+counter+", 1" || f.lines[last-1] != "setp.ge.s32 %q, "+counter+", 0" {
			continue
		}
		body, size := f.lines[first:last], last-first-2
		leaves := func(line string) bool {
			s := parse(line)
			return slices.Contains([]string{"bra", "exit", "ret", "call"}, s.words[0]) || s.divides()
		}
		inside := func() bool {
			for _, at := range f.labels {
				if at > first && at <= last {
					return true
				}
			}
			return false
		}
		if turns := start + 1; !slices.ContainsFunc(body, leaves) && !inside() && turns*size*(size+5) <= 22500 {
			f.lines = slices.Replace(f.lines, first, last+1, slices.Repeat(body, turns)...)
			for name, at := range f.labels {
				if at > last {
					f.labels[name] += turns*len(body) - len(body) - 1
				}
			}
			delete(f.labels, label)
		}
	}
}
