package report

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	_ "embed"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/sim/stats"
)

// Kind is what bounds a launch. The model's error depends on it.
type Kind string

// Kinds.
const (
	MemoryBound  Kind = "memory"
	ComputeBound Kind = "compute"
	SharedBound  Kind = "shared"
	AtomicBound  Kind = "atomic"
	Divergent    Kind = "divergent"
	Spilling     Kind = "spilling"
)

// kindTitles are the kinds in the report's words.
var kindTitles = map[Kind]string{
	MemoryBound: "bound by memory", ComputeBound: "bound by arithmetic and issue", SharedBound: "bound by shared memory",
	AtomicBound: "bound by atomics", Divergent: "of diverged warps", Spilling: "that spill registers",
}

// Thresholds from which a launch is of a kind, whatever its busiest unit is.
const (
	spilledPart   = 0.1 // of the load/store unit's time, for local memory
	divergedLanes = 0.7 // of the lanes active, below which warps are divergent
)

// KindOf returns what bounds a launch: spills or divergence if they are a large part, else the kind of its busiest unit.
func KindOf(l *stats.Launch) Kind {
	local := unitCycles(l, isa.ClassLocal)
	switch {
	case l.SpillBytes > 0 && ratio(local, loadStoreCycles(l)) > spilledPart:
		return Spilling
	case metric(l, "warp_execution_efficiency") < 100*divergedLanes:
		return Divergent
	}
	most, _ := nearest(l)
	if class := mostAccess(l).class; most.name == loadStoreUnit && (class == isa.ClassShared || class == isa.ClassSharedAtomic) {
		return SharedBound
	}
	return cmp.Or(most.kind, MemoryBound) // launches that keep no unit busy count as memory-bound
}

// ErrorRow is the error for a launch of another project's program whose time on a card was published.
type ErrorRow struct {
	Name    string
	Program string // each program has weight one, however many rows it has
	Chip    string // the die of its card
	Set     string // keys that the row overrides, KEY=VALUE separated by spaces
	Kind    Kind
	Error   float64 // of the time, in percent of the card's; positive if ours is longer
}

//go:embed errors.csv
var errorsText string

// errorRows are the rows of the last validation, read once.
var errorRows = sync.OnceValue(func() []ErrorRow {
	rows, err := ReadErrors(strings.NewReader(errorsText))
	if err != nil {
		panic(err) // the file is embedded, and a test reads it
	}
	return rows
})

// errorColumns are the columns of a file of errors.
var errorColumns = []string{"row", "program", "chip", "set", "kind", "error_percent"}

// ReadErrors reads rows that WriteErrors wrote.
func ReadErrors(r io.Reader) ([]ErrorRow, error) {
	lines, err := csv.NewReader(r).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("read the errors of validation: %w", err)
	}
	if len(lines) == 0 || !slices.Equal(lines[0], errorColumns) {
		return nil, fmt.Errorf("errors of validation: the first line is not %s", strings.Join(errorColumns, ","))
	}
	var rows []ErrorRow
	for i, line := range lines[1:] {
		value, err := strconv.ParseFloat(line[5], 64)
		if err != nil || kindTitles[Kind(line[4])] == "" {
			return nil, fmt.Errorf("errors of validation, line %d: %q is not a row", i+2, strings.Join(line, ","))
		}
		rows = append(rows, ErrorRow{line[0], line[1], line[2], line[3], Kind(line[4]), value})
	}
	return rows, nil
}

// WriteErrors writes rows as CSV, sorted by name.
func WriteErrors(w io.Writer, rows []ErrorRow) error {
	rows = slices.Clone(rows)
	slices.SortFunc(rows, func(a, b ErrorRow) int { return cmp.Compare(a.Name, b.Name) })
	lines := [][]string{errorColumns}
	for _, r := range rows {
		lines = append(lines, []string{r.Name, r.Program, r.Chip, r.Set, string(r.Kind), strconv.FormatFloat(r.Error, 'f', 1, 64)})
	}
	if err := csv.NewWriter(w).WriteAll(lines); err != nil {
		return fmt.Errorf("write the errors of validation: %w", err)
	}
	return nil
}

// Trust is the expected error of a launch's time. It comes from other projects' programs whose times on cards were published; each program
// has weight one. Percentages are of the card's time.
type Trust struct {
	// Validated says that programs like this one were compared on a chip like this one. Otherwise Reason says what was not compared. If at
	// least the chip was, the figures are those of the wider class: Typical is then what one in ten of all launches exceeds.
	Validated bool    `json:"validated"`
	Reason    string  `json:"reason,omitempty"`
	Kind      Kind    `json:"kind,omitempty"`     // what bounds the launch
	Programs  int     `json:"programs,omitempty"` // programs compared, of that kind; of all kinds if not validated
	Rows      int     `json:"rows,omitempty"`
	Typical   float64 `json:"typical_percent,omitempty"`     // absolute error: half of the launches are within it
	NineInTen float64 `json:"nine_in_ten_percent,omitempty"` // nine in ten are within it
	Mean      float64 `json:"mean_percent,omitempty"`        // of the absolute errors
	Text      string  `json:"text"`                          // the report's line

	worst float64
}

// fewestPrograms is the number of programs from which a kind has its own figures.
const fewestPrograms = 4

// TrustOf returns the expected error of a launch's time, and false for a launch without timing.
func TrustOf(l *stats.Launch) (Trust, bool) {
	if l.Functional || len(errorRows()) == 0 {
		return Trust{}, false
	}
	if reason := otherChip(errorRows(), &l.Chip); reason != "" {
		text := "not validated: " + reason + "; nothing is known of the error of its times (docs/validation.md)"
		return Trust{Kind: KindOf(l), Reason: reason, Text: text}, true
	}
	kind := KindOf(l)
	if reason := boardReasons()[l.Chip.Base]; reason != "" {
		return unvalidatedError(errorRows(), kind, reason), true
	}
	for i := range unvalidated {
		if unvalidated[i].is(l) {
			return unvalidatedError(errorRows(), kind, unvalidated[i].title), true
		}
	}
	return expected(errorRows(), kind), true
}

// expected returns the error of rows for launches of a kind.
func expected(rows []ErrorRow, kind Kind) Trust {
	t := summarise(rows, kind)
	from := fmt.Sprintf("median of %d programs", t.Programs)
	switch {
	case t.Programs == 0:
		return unvalidatedError(rows, kind, "kernels "+kindTitles[kind])
	case t.Programs < fewestPrograms: // too few to promise less error than all kinds have
		all := summarise(rows, "")
		t.raise(all)
		from = fmt.Sprintf("the larger median of %s of that kind and of all %d", plural(uint64(t.Programs), "program"), all.Programs)
	}
	t.Validated = true
	t.Text = fmt.Sprintf("expect about %.0f %% error for kernels %s (%s; 9 in 10 within %.0f %%; docs/validation.md)",
		t.Typical, kindTitles[kind], from, t.NineInTen)
	return t
}

// unvalidatedError returns the error for launches unlike any of the rows: typically that which one in ten of the rows exceeds.
func unvalidatedError(rows []ErrorRow, kind Kind, title string) Trust {
	t, all := summarise(rows, kind), summarise(rows, "")
	all.Typical, all.Mean, all.NineInTen = all.NineInTen, all.NineInTen, all.worst
	t.raise(all)
	t.Reason, t.Programs, t.Rows = title, all.Programs, all.Rows
	t.Text = fmt.Sprintf(
		"not validated: %s; expect %.0f %% error, as 1 in 10 of other kernels have, up to %.0f %% and more (docs/validation.md)",
		title, t.Typical, t.NineInTen)
	return t
}

// raise makes errors at least as large as those of other rows.
func (t *Trust) raise(all Trust) {
	t.Typical, t.NineInTen, t.Mean = max(t.Typical, all.Typical), max(t.NineInTen, all.NineInTen), max(t.Mean, all.Mean)
}

// summarise returns the error of the rows of a kind, or of all rows for "".
func summarise(rows []ErrorRow, kind Kind) Trust {
	t := Trust{Kind: kind}
	of := map[string]float64{} // number of rows by program
	var errors []ErrorRow
	for _, r := range rows {
		if kind == "" || r.Kind == kind {
			r.Error = math.Abs(r.Error)
			errors = append(errors, r)
			of[r.Program]++
		}
	}
	if t.Rows, t.Programs = len(errors), len(of); t.Rows == 0 {
		return t
	}
	slices.SortFunc(errors, func(a, b ErrorRow) int { return cmp.Or(cmp.Compare(a.Error, b.Error), cmp.Compare(a.Name, b.Name)) })
	values, weights := make([]float64, t.Rows), make([]float64, t.Rows)
	for i, r := range errors {
		values[i], weights[i] = r.Error, 1/of[r.Program]
	}
	t.Typical, t.NineInTen = quantile(0.5, values, weights), quantile(0.9, values, weights)
	t.worst = values[t.Rows-1]
	var total float64
	for i, w := range weights {
		t.Mean += w * values[i]
		total += w
	}
	t.Mean /= total
	return t
}

// quantile returns the smallest of the sorted values at which the cumulated weights reach the share p of all weights.
func quantile(p float64, sorted, weights []float64) float64 {
	var total, soFar float64
	for _, w := range weights {
		total += w
	}
	for i, w := range weights {
		if soFar += w; soFar >= p*total {
			return sorted[i]
		}
	}
	return sorted[len(sorted)-1]
}

// otherChip says why no row is of such a chip, "" if some are.
func otherChip(rows []ErrorRow, c *stats.Chip) string {
	if c.Base == "" || !configs.Embedded(c.Base) {
		return fmt.Sprintf("the configuration %s is not one that comes with the simulator", c.Config)
	}
	if !slices.ContainsFunc(rows, func(r ErrorRow) bool { return r.Chip == c.Name }) {
		return fmt.Sprintf("no published times of a %s were compared", c.Name)
	}
	covered := setByRows(rows)
	var others []string
	for _, set := range c.Overrides {
		if key, _, _ := strings.Cut(set, "="); !covered[key] {
			others = append(others, key)
		}
	}
	if len(others) > 0 {
		return fmt.Sprintf("no card was measured with another %s", configs.JoinOverrides(others))
	}
	return ""
}

// boardsText says what is not validated about the embedded configurations that no measured board covers.
//
//go:embed boards.csv
var boardsText string

// boardReasons are the reasons by configuration, read once; boards_test.go has their derivation.
var boardReasons = sync.OnceValue(func() map[string]string {
	lines, err := csv.NewReader(strings.NewReader(boardsText)).ReadAll()
	if err != nil {
		panic(err) // the file is embedded, and a test reads it
	}
	reasons := map[string]string{}
	for _, line := range lines {
		reasons[line[0]] = line[1]
	}
	return reasons
})

// setByRows returns the keys that rows override.
func setByRows(rows []ErrorRow) map[string]bool {
	set := map[string]bool{}
	for _, r := range rows {
		for _, pair := range strings.Fields(r.Set) {
			key, _, _ := strings.Cut(pair, "=")
			set[key] = true
		}
	}
	return set
}

// feature is something that a launch does for which validation has large errors, or no rows.
type feature struct {
	title string
	is    func(*stats.Launch) bool
}

// Thresholds from which a launch has a feature.
const (
	manyRequests = 0.2 // of the memory requests
	hotSlice     = 3   // times the mean busy time of L2's slices
	hotBusy      = 0.3 // of the launch
	fewWarps     = 1.5 // resident in an SMX, on average over its active cycles
	narrowBytes  = 0.5 // of the bytes of the sectors that stores and loads move
	narrowBus    = 4   // channels of 64 bits
	heavySpills  = 128 // bytes per thread
)

// unvalidated are the features. The first that a launch has is named.
var unvalidated = []feature{
	{"generic pointers into shared memory", func(l *stats.Launch) bool {
		return l.StaticShared+l.DynamicShared > 0 && partOf(l, stats.AccessGenericLoad, stats.AccessGenericStore) > manyRequests
	}},
	{"texture reads", func(l *stats.Launch) bool { return partOf(l, stats.AccessTextureRead) > manyRequests }},
	{"one hot line of L2", func(l *stats.Launch) bool {
		slices := l.Memory.L2Slices
		return slices.Most > hotBusy*float64(l.Cycles) && slices.Most*float64(l.Chip.L2Slices) > hotSlice*slices.Sum
	}},
	{"a single warp at a time", func(l *stats.Launch) bool {
		return l.Total.ActiveCycles > 0 && float64(l.Total.ActiveWarpCycles) < fewWarps*float64(l.Total.ActiveCycles)
	}},
	{"narrow strides on a 256-bit board", func(l *stats.Launch) bool {
		t := l.Total.GlobalStore
		t.Add(&l.Total.GlobalLoad)
		return l.Chip.DRAMChannels == narrowBus && KindOf(l) == MemoryBound &&
			float64(t.Bytes) < narrowBytes*stats.SectorBytes*float64(t.Sectors)
	}},
	{"heavy spilling", func(l *stats.Launch) bool { return l.SpillBytes >= heavySpills && KindOf(l) == Spilling }},
}

// partOf returns the part of a launch's memory requests that are of some kinds.
func partOf(l *stats.Launch, kinds ...stats.AccessKind) float64 {
	all, matching := uint64(0), uint64(0)
	for i := range l.Source {
		for _, a := range l.Source[i].Accesses {
			all += a.Requests
			if slices.Contains(kinds, a.Kind) {
				matching += a.Requests
			}
		}
	}
	return ratio(matching, all)
}
