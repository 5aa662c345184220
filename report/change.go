package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Change is what differs between two runs, as far as the model's error for their ratio was measured.
type Change string

// Changes.
const (
	VariantChange Change = "another variant" // of one program on one board: block, tile, layout, registers, code
	BoardChange   Change = "another board"   // with the same kernel
	KeyChange     Change = "another key"     // of the configuration: no card has it
)

// ChangeOf is what a column of a study changes: its board, a key of the configuration, or how the kernel is written and launched.
func ChangeOf(column string) Change {
	name, _, _ := strings.Cut(column, "=")
	switch {
	case name == "board":
		return BoardChange
	case strings.Contains(name, ".") && !strings.HasPrefix(name, "define."):
		return KeyChange
	}
	return VariantChange
}

// ChangeError is the error of ratios of two times, over all pairs of published times that differ in such a change. Each program weighs one.
type ChangeError struct {
	Half, NineInTen float64 // half and nine in ten of the ratios are off by less, in percent
	Pairs, Programs int
}

// ErrorOfChange returns the error for a change, from the errors of the last validation; ok is false where no card was compared.
func ErrorOfChange(change Change) (e ChangeError, ok bool) { return errorOfChange(change, errorRows()) }

func errorOfChange(change Change, rows []ErrorRow) (e ChangeError, ok bool) {
	byProgram := map[string][]float64{}
	for i, a := range rows {
		for _, b := range rows[:i] {
			if a.Program == b.Program && changed(a, b) == change {
				off := math.Abs(math.Log((1 + a.Error/100) / (1 + b.Error/100)))
				byProgram[a.Program] = append(byProgram[a.Program], 100*math.Expm1(off))
				e.Pairs++
			}
		}
	}
	type pair struct{ off, weight float64 }
	var all []pair
	for _, list := range byProgram {
		for _, off := range list {
			all = append(all, pair{off, 1 / float64(len(list))})
		}
	}
	if len(all) == 0 {
		return e, false
	}
	slices.SortFunc(all, func(a, b pair) int { return cmp.Compare(a.off, b.off) })
	var offs, weights []float64
	for _, p := range all {
		offs, weights = append(offs, p.off), append(weights, p.weight)
	}
	e.Programs, e.Half, e.NineInTen = len(byProgram), quantile(0.5, offs, weights), quantile(0.9, offs, weights)
	return e, true
}

// kernelsOfPrograms are programs whose rows on one card are different kernels, or types of data, and not variants of one.
var kernelsOfPrograms = []string{"gpu-stream", "popcorn", "shoc"}

// changed returns what differs between two rows of one program, "" where it is more than one thing.
func changed(a, b ErrorRow) Change {
	nameA, cardA, _ := strings.Cut(a.Name, "@")
	nameB, cardB, _ := strings.Cut(b.Name, "@")
	folder := func(name string) string { return name[:max(strings.LastIndex(name, "/"), 0)] }
	switch {
	case cardA == cardB && a.Set == b.Set && !slices.Contains(kernelsOfPrograms, a.Program):
		return VariantChange
	case cardA != cardB && folder(nameA) == folder(nameB): // the last part names the card
		return BoardChange
	}
	return ""
}

// Judge says whether a ratio of two times is more than the model's error for such a change.
func (c Change) Judge(ratio float64) string {
	e, ok := ErrorOfChange(c)
	if !ok {
		return "No card has this configuration: how sure such a difference is was not measured."
	}
	off := 100 * (max(ratio, 1/ratio) - 1)
	with := fmt.Sprintf("with %s (%d pairs of published times of %d programs)", c, e.Pairs, e.Programs)
	switch {
	case off <= e.Half:
		return fmt.Sprintf("Within the model's error: %s half of such ratios are off by more than %.0f %%.", with, e.Half)
	case off <= e.NineInTen:
		return fmt.Sprintf("Likely, not sure: %s half of such ratios are off by less than %.0f %%, one in ten by more than %.0f %%.", with,
			e.Half, e.NineInTen)
	}
	return fmt.Sprintf("Safe: %s nine in ten such ratios are off by less than %.0f %%.", with, e.NineInTen)
}

// changeOf is what differs between the launches of two reports.
func changeOf(a, b *SavedLaunch) Change {
	change := VariantChange
	if a.Config != b.Config {
		change = BoardChange
	}
	for _, pair := range [2][2][]string{{a.Overrides, b.Overrides}, {b.Overrides, a.Overrides}} {
		for _, set := range pair[0] {
			if !slices.Contains(pair[1], set) && ChangeOf(set) == KeyChange {
				return KeyChange
			}
		}
	}
	return change
}
