package validation

import (
	"context"
	"fmt"
	"strings"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim"
)

// Sweep is a family of measurements on one board without a single published figure: curves that show the parameters of a memory.
type Sweep struct {
	Name string
	run  func(ctx context.Context, s *sweeping) ([]SweepTable, error)
}

// SweepTable is one diagram of a sweep: rows by X, or by Label if X has no meaning, and a column for each curve.
type SweepTable struct {
	Title   string
	Columns []string
	Rows    []SweepRow
}

// SweepRow is one point of every curve. Values not measured are NaN.
type SweepRow struct {
	Label  string
	X      float64
	Values []float64
}

// Sweeps returns all sweeps.
func Sweeps() []Sweep {
	return []Sweep{
		{Name: "caches", run: sweepCaches},
		{Name: "strides", run: sweepStrides},
		{Name: "constants", run: sweepConstants},
		{Name: "shared", run: sweepShared},
		{Name: "occupancy", run: sweepOccupancy},
		{Name: "l2", run: sweepL2},
		{Name: "atomics", run: sweepAtomics},
	}
}

// FindSweep returns the sweep with this name.
func FindSweep(name string) (Sweep, error) {
	var names []string
	for _, s := range Sweeps() {
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	return Sweep{}, fmt.Errorf("there is no sweep %q; there are %s", name, strings.Join(names, ", "))
}

// Run measures a board.
func (s *Sweep) Run(ctx context.Context, config *configs.Config, o Options) ([]SweepTable, error) {
	return s.run(ctx, &sweeping{config: config, options: o})
}

// sweeping is a sweep in progress.
type sweeping struct {
	config  *configs.Config
	options Options
	done    int
}

// bench returns a new board for a point of the sweep.
func (s *sweeping) bench(o sim.Options) (*bench, error) { return newBench(s.config, o) }

// point reports that another point of the total is done.
func (s *sweeping) point(total int, format string, values ...any) {
	s.done++
	if s.options.Progress != nil {
		s.options.Progress(Progress{Done: s.done, Total: total, Row: fmt.Sprintf(format, values...)})
	}
}

// fill measures the points of a table, column by column.
func (s *sweeping) fill(t *SweepTable, points int, measure func(row *SweepRow, column int) (float64, error)) error {
	for i := range t.Rows {
		row := &t.Rows[i]
		for column, name := range t.Columns {
			v, err := measure(row, column)
			if err != nil {
				return fmt.Errorf("%s: %s, %s: %w", t.Title, row.Label, name, err)
			}
			row.Values = append(row.Values, v)
			s.point(points, "%s: %s, %s", t.Title, row.Label, name)
		}
	}
	return nil
}

// powers are rows from one number to another, by powers of two.
func powers(from, to int, label func(int) string) []SweepRow {
	var rows []SweepRow
	for n := from; n <= to; n *= 2 {
		rows = append(rows, SweepRow{Label: label(n), X: float64(n)})
	}
	return rows
}

// sizeText formats a number of bytes as 512, 48K or 2M.
func sizeText(bytes int) string {
	switch {
	case bytes >= 1<<20 && bytes%(1<<20) == 0:
		return fmt.Sprintf("%dM", bytes>>20)
	case bytes >= 1<<10 && bytes%(1<<10) == 0:
		return fmt.Sprintf("%dK", bytes>>10)
	}
	return fmt.Sprint(bytes)
}
