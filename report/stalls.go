package report

import (
	"cmp"
	"math"
	"slices"

	"github.com/keplersim/keplersim/sim/stats"
)

// stallShare is one stall reason's part of all stalls.
type stallShare struct {
	reason stats.Stall
	part   float64
}

// stallShares returns the stall reasons with their parts, the largest first. The parts are rounded to a tenth of a percent and still sum to
// 100 %: the largest remainders are rounded up.
func stallShares(l *stats.Launch) []stallShare {
	all := l.Stalled()
	if all == 0 {
		return nil
	}
	shares := make([]stallShare, 0, stats.StallCount)
	tenths := make([]int, stats.StallCount)
	lost := make([]float64, stats.StallCount)
	left := 1000
	for s := range stats.StallCount {
		exact := 1000 * float64(l.Total.Stalls[s]) / float64(all)
		tenths[s] = int(math.Floor(exact))
		lost[s] = exact - float64(tenths[s])
		left -= tenths[s]
	}
	for ; left > 0; left-- {
		worst := 0
		for s := range lost {
			if lost[s] > lost[worst] {
				worst = s
			}
		}
		tenths[worst]++
		lost[worst] = -1
	}
	for s := range stats.StallCount {
		if tenths[s] > 0 {
			shares = append(shares, stallShare{s, float64(tenths[s]) / 1000})
		}
	}
	sortShares(shares)
	return shares
}

// sortShares sorts stalls, the largest first.
func sortShares(shares []stallShare) {
	slices.SortStableFunc(shares, func(a, b stallShare) int { return cmp.Compare(b.part, a.part) })
}
