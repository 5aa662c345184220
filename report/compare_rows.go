package report

// Row is a point of a study: a workload on a board, with metrics over all its launches.
type Row struct {
	Workload, Board string
	Axes            []string // as in l2.bytes=512K
	Metrics         map[string]float64
	Failure         string // why its figures mean nothing; "" if the point is OK
}

// SavedRows returns rows of a study, of different workloads, as a report to compare. Each row takes the place of a kernel.
func SavedRows(name string, rows []Row) Saved {
	s := Saved{Name: name}
	for _, r := range rows {
		s.Launches = append(s.Launches, &SavedLaunch{jsonLaunch: jsonLaunch{Name: r.Workload, Symbol: r.Workload, Config: r.Board,
			Overrides: r.Axes, Cycles: uint64(r.Metrics["cycles"]), TimeUS: r.Metrics["time_us"]}, Metrics: r.Metrics})
		if r.Failure != "" {
			s.rows = append(s.rows, r.Workload+" "+r.Failure)
		}
	}
	return s
}

// row reports whether the launch is a row of a study, which has only metrics.
func (l *SavedLaunch) row() bool { return l.Grid == [3]int{} }

// known returns a figure that launches of reports have but rows of studies lack.
func known(of func(*SavedLaunch) float64) func(*SavedLaunch) (float64, bool) {
	return func(l *SavedLaunch) (float64, bool) { return of(l), !l.row() }
}
