package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
)

// Change is the difference between two runs, of the kinds for which the model's error of time ratios was measured.
type Change string

// The changes. VariantChange is any change of a kernel and its launch, or several.
const (
	BlockChange     Change = "another block size"
	TileChange      Change = "another tile"   // more or less work for each thread or block
	LayoutChange    Change = "another layout" // of the data in memory, or of how they are loaded
	RegistersChange Change = "another limit on registers"
	CodeChange      Change = "another unrolling or algorithm"
	VariantChange   Change = "another variant"
	BoardChange     Change = "another board" // with the same kernel
	ECCChange       Change = "ECC on or off"
	LaunchChange    Change = "another option of the launch"
	KeyChange       Change = "another key of the configuration"
	SeveralChange   Change = "several changes at once"
)

// pointPart is a column of the file of points, with the change that a difference in it means. variant says that the change is also a
// VariantChange.
type pointPart struct {
	column  string
	change  Change
	variant bool
}

// parts are the columns that distinguish points of the same work.
var parts = []pointPart{
	{"board", BoardChange, false}, {"ecc", ECCChange, false}, {"block", BlockChange, true}, {"tile", TileChange, true},
	{"layout", LayoutChange, true}, {"registers", RegistersChange, true}, {"code", CodeChange, true},
}

// columnChanges maps columns of a study to changes. macroChanges maps words in a macro's name to changes.
var (
	columnChanges = map[string]Change{
		"board": BoardChange, "dram.ecc": ECCChange, "block": BlockChange, "maxrregcount": RegistersChange, "grid": LaunchChange,
		"shared": LaunchChange, "cache_config": LaunchChange, "bank_mode": LaunchChange, "dlcm": LaunchChange, "fmad": LaunchChange,
		"use_fast_math": LaunchChange,
	}
	macroChanges = []struct {
		word   string
		change Change
	}{
		{"BLOCK", BlockChange}, {"TILE", TileChange}, {"LAYOUT", LayoutChange}, {"SOA", LayoutChange}, {"PAD", LayoutChange},
		{"UNROLL", CodeChange},
	}
)

// ChangeOf returns what a column of a study changes: the board, the configuration, or how the kernel is written and launched.
func ChangeOf(column string) Change {
	name, _, _ := strings.Cut(column, "=")
	if change, ok := columnChanges[name]; ok {
		return change
	}
	if macro, ok := strings.CutPrefix(name, "define."); ok {
		for _, m := range macroChanges {
			if strings.Contains(strings.ToUpper(macro), m.word) {
				return m.change
			}
		}
		return VariantChange
	}
	if strings.Contains(name, ".") {
		return KeyChange
	}
	return VariantChange
}

// ChangeError is the error of simulated time ratios between points that differ only in one kind of change. All programs have equal weight.
type ChangeError struct {
	Half, NineInTen float64 // half, and nine in ten, of the ratios are off by less, in percent
	// Ranks is Kendall's rank correlation: the share of pairs in the right order minus the share in the wrong order.
	Ranks float64
	// Regret is how much longer the simulation's best point takes on the card than the card's own best, in percent. It is the mean over all
	// sets of points that differ only in this change; Worst is the largest.
	Regret, Worst   float64
	Pairs, Programs int
}

// ErrorOfChange returns the error for a change, from the points of the last validation. ok is false if no such points were compared.
func ErrorOfChange(change Change) (e ChangeError, ok bool) {
	e, ok = changeErrors()[change]
	return e, ok
}

// changeErrors caches the errors of all changes that were compared.
var changeErrors = sync.OnceValue(func() map[Change]ChangeError { return errorsOfChanges(points()) })

// pairError is the error of a pair of points: how far off their ratio is, in percent, and whether their order is right (1), wrong (-1) or
// open (0).
type pairError struct{ percent, order float64 }

// errorsOfChanges compares all pairs of points with the same work that differ in one change.
func errorsOfChanges(points []Point) map[Change]ChangeError {
	pairs := map[Change]map[string][]pairError{} // by change and program
	regrets := map[Change]map[string][]float64{} // of each set of points, by change and program
	for _, kind := range append([]Change{VariantChange}, changesOfParts()...) {
		pairs[kind], regrets[kind] = map[string][]pairError{}, map[string][]float64{}
		sets := map[string][]Point{}
		for _, p := range points {
			key := p.keyWithout(kind)
			sets[key] = append(sets[key], p)
		}
		for _, set := range sets {
			if len(set) < 2 {
				continue
			}
			program := set[0].Program
			best, least := set[0], set[0]
			for i, a := range set {
				if a.Ours < best.Ours {
					best = a
				}
				if a.Theirs < least.Theirs {
					least = a
				}
				for _, b := range set[:i] {
					if kind == BoardChange && a.Parts[0] == b.Parts[0] {
						continue // they differ only in ECC
					}
					off := math.Abs(math.Log(a.Ours / b.Ours * b.Theirs / a.Theirs))
					order := float64(cmp.Compare(a.Ours, b.Ours) * cmp.Compare(a.Theirs, b.Theirs))
					pairs[kind][program] = append(pairs[kind][program], pairError{100 * math.Expm1(off), order})
				}
			}
			regrets[kind][program] = append(regrets[kind][program], 100*(best.Theirs/least.Theirs-1))
		}
	}
	all := map[Change]ChangeError{}
	for kind, byProgram := range pairs {
		if len(byProgram) > 0 {
			all[kind] = combine(byProgram, regrets[kind])
		}
	}
	return all
}

// changesOfParts returns the changes that are a single column each.
func changesOfParts() (list []Change) {
	for _, part := range parts {
		list = append(list, part.change)
	}
	return list
}

// combine makes one error of pairs and regrets, with equal weight for each program.
func combine(pairs map[string][]pairError, regrets map[string][]float64) ChangeError {
	type weighted struct{ percent, weight float64 }
	var all []weighted
	e := ChangeError{Programs: len(pairs)}
	for program, list := range pairs {
		e.Pairs += len(list)
		share := 1 / float64(len(list))
		for _, p := range list {
			all = append(all, weighted{p.percent, share})
			e.Ranks += p.order * share / float64(len(pairs))
		}
		for _, r := range regrets[program] {
			e.Regret += r / float64(len(regrets[program])*len(pairs))
			e.Worst = max(e.Worst, r)
		}
	}
	slices.SortFunc(all, func(a, b weighted) int {
		return cmp.Or(cmp.Compare(a.percent, b.percent), cmp.Compare(a.weight, b.weight))
	})
	var percents, weights []float64
	for _, p := range all {
		percents, weights = append(percents, p.percent), append(weights, p.weight)
	}
	e.Half, e.NineInTen = quantile(0.5, percents, weights), quantile(0.9, percents, weights)
	return e
}

// Judge returns whether a ratio of two times is larger than the model's error for such a change, as a sentence.
func (c Change) Judge(ratio float64) string {
	e, ok := ErrorOfChange(c)
	if !ok {
		return fmt.Sprintf("Not validated: there is no pair of published times with %s.", c)
	}
	off := 100 * (max(ratio, 1/ratio) - 1)
	with := fmt.Sprintf("with %s (%d pairs of published times of %s)", c, e.Pairs, plural(uint64(e.Programs), "program"))
	order := fmt.Sprintf("The faster of two is the faster on the card, too, in %.0f %% of these pairs.", 50*(1+e.Ranks))
	switch {
	case off <= e.Half:
		return fmt.Sprintf("Within the model's error: %s half of such ratios are off by more than %.0f %%. %s", with, e.Half, order)
	case off <= e.NineInTen:
		return fmt.Sprintf("Likely, not sure: %s half of such ratios are off by less than %.0f %%, one in ten by more than %.0f %%. %s",
			with, e.Half, e.NineInTen, order)
	}
	return fmt.Sprintf("Safe: %s nine in ten such ratios are off by less than %.0f %%.", with, e.NineInTen)
}

// changeOf returns the change between the launches of two reports.
func changeOf(a, b *SavedLaunch) Change {
	var changes []Change
	add := func(change Change) {
		if !slices.Contains(changes, change) {
			changes = append(changes, change)
		}
	}
	if a.Config != b.Config {
		add(BoardChange)
	}
	for _, pair := range [2][2][]string{{a.Overrides, b.Overrides}, {b.Overrides, a.Overrides}} {
		for _, set := range pair[0] {
			if !slices.Contains(pair[1], set) {
				add(ChangeOf(set))
			}
		}
	}
	if a.Block != b.Block {
		add(BlockChange)
	}
	if len(changes) == 1 && changes[0] == BlockChange && a.threads() != b.threads() {
		return VariantChange // the work is divided differently
	}
	return joined(changes)
}

// threads returns the number of threads of a launch.
func (l *SavedLaunch) threads() int {
	n := 1
	for i := range l.Grid {
		n *= l.Grid[i] * l.Block[i]
	}
	return n
}

// joined returns several changes as one.
func joined(changes []Change) Change {
	if len(changes) == 1 {
		return changes[0]
	}
	for _, change := range changes {
		if !slices.ContainsFunc(parts, func(p pointPart) bool { return p.change == change && p.variant }) && change != VariantChange {
			return SeveralChange
		}
	}
	return VariantChange // without any change the code must differ
}
