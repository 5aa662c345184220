package stats

// Share has the counters of one multiprocessor that reports show.
type Share struct {
	ActiveCycles, InstExecuted, BlocksLaunched uint64
}

// Shares returns the share of each multiprocessor.
func (l *Launch) Shares() []Share {
	if l.SMXs == nil {
		return l.shares
	}
	shares := make([]Share, len(l.SMXs))
	for i := range shares {
		s := &l.SMXs[i]
		shares[i] = Share{s.ActiveCycles, s.InstExecuted, s.BlocksLaunched}
	}
	return shares
}

// Slim drops the counters of the single multiprocessors, except those in Shares. That is seven eighths of a launch's memory, which matters
// when a report keeps thousands of launches. Total stays.
func (l *Launch) Slim() { l.shares, l.SMXs = l.Shares(), nil }
