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

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/sim/stats"
)

// Kind is what bounds a launch, as far as the model's errors differ by it.
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

// kindTitles are the kinds in a report's words.
var kindTitles = map[Kind]string{
	MemoryBound: "bound by memory", ComputeBound: "bound by arithmetic and issue", SharedBound: "bound by shared memory",
	AtomicBound: "bound by atomics", Divergent: "of diverged warps", Spilling: "that spill registers",
}

// Parts of the work beyond which a launch is of a kind, whatever its busiest unit is.
const (
	spilledPart   = 0.1 // of the load/store unit's time, for local memory
	divergedLanes = 0.7 // of the lanes active
)

// KindOf returns what bounds a launch: spills and divergence where they are a large part of it, else the kind of its busiest unit.
func KindOf(l *stats.Launch) Kind {
	local := booked(l, isa.ClassLocal)
	switch {
	case l.SpillBytes > 0 && over(local, loadStoreCycles(l)) > spilledPart:
		return Spilling
	case metric(l, "warp_execution_efficiency") < 100*divergedLanes:
		return Divergent
	}
	most, _ := nearest(l)
	if class := mostAccess(l).class; most.name == loadStoreUnit && (class == isa.ClassShared || class == isa.ClassSharedAtomic) {
		return SharedBound
	}
	return cmp.Or(most.kind, MemoryBound) // which also what keeps no unit busy counts as
}

// ErrorRow is how far off a launch of a program of others was, whose time on a card was published.
type ErrorRow struct {
	Name  string
	Kind  Kind
	Error float64 // of the time, in percent of the card's; above 0 where ours is longer
}

//go:embed errors.csv
var errorsText string

// errorRows are the rows of the last validation, read once.
var errorRows = sync.OnceValue(func() []ErrorRow {
	rows, err := ReadErrors(strings.NewReader(errorsText))
	if err != nil {
		panic(err) // the file is ours, and a test reads it
	}
	return rows
})

// ReadErrors reads rows as WriteErrors writes them.
func ReadErrors(r io.Reader) ([]ErrorRow, error) {
	lines, err := csv.NewReader(r).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("read the errors of validation: %w", err)
	}
	var rows []ErrorRow
	for i, line := range lines {
		if i == 0 {
			continue
		}
		value, err := strconv.ParseFloat(line[2], 64)
		if err != nil || kindTitles[Kind(line[1])] == "" {
			return nil, fmt.Errorf("errors of validation, line %d: %q is no row", i+1, strings.Join(line, ","))
		}
		rows = append(rows, ErrorRow{line[0], Kind(line[1]), value})
	}
	return rows, nil
}

// WriteErrors writes rows as CSV, by name.
func WriteErrors(w io.Writer, rows []ErrorRow) error {
	rows = slices.Clone(rows)
	slices.SortFunc(rows, func(a, b ErrorRow) int { return cmp.Compare(a.Name, b.Name) })
	out := csv.NewWriter(w)
	lines := [][]string{{"row", "kind", "error_percent"}}
	for _, r := range rows {
		lines = append(lines, []string{r.Name, string(r.Kind), strconv.FormatFloat(r.Error, 'f', 1, 64)})
	}
	if err := out.WriteAll(lines); err != nil {
		return fmt.Errorf("write the errors of validation: %w", err)
	}
	return nil
}

// ErrorBar is how far off the times of launches of one kind were in validation, in percent of the card's.
type ErrorBar struct {
	Kind Kind `json:"kind"`
	// Rows is how many launches were compared. Where they are fewer than fewestRows, the figures are those of all kinds, and Kind is "".
	Rows  int     `json:"rows"`
	Mean  float64 `json:"mean_percent"`  // of the absolute errors
	Worst float64 `json:"worst_percent"` // the largest absolute error
	Bias  float64 `json:"bias_percent"`  // the mean error; above 0 where ours is longer
}

// fewestRows is how many launches of a kind make figures of their own.
const fewestRows = 4

// ErrorBarOf returns how far off launches like this one were. False for a launch without timing.
func ErrorBarOf(l *stats.Launch) (ErrorBar, bool) {
	if l.Functional || len(errorRows()) == 0 {
		return ErrorBar{}, false
	}
	kind := KindOf(l)
	bar := barOf(errorRows(), kind)
	if bar.Rows < fewestRows {
		bar = barOf(errorRows(), "")
	}
	return bar, true
}

// barOf sums up the rows of a kind, all of them for "".
func barOf(rows []ErrorRow, kind Kind) ErrorBar {
	bar := ErrorBar{Kind: kind}
	for _, r := range rows {
		if kind == "" || r.Kind == kind {
			bar.Rows++
			bar.Mean += math.Abs(r.Error)
			bar.Bias += r.Error
			bar.Worst = max(bar.Worst, math.Abs(r.Error))
		}
	}
	if bar.Rows > 0 {
		bar.Mean /= float64(bar.Rows)
		bar.Bias /= float64(bar.Rows)
	}
	return bar
}

// String is the report's line.
func (b ErrorBar) String() string {
	title := "of all kinds"
	if b.Kind != "" {
		title = kindTitles[b.Kind]
	}
	return fmt.Sprintf("%d launches %s, of programs of others, were %.0f %% off in the mean, %.0f %% at worst (docs/validation.md)",
		b.Rows, title, b.Mean, b.Worst)
}
