package sampling

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// follow runs a launch whose pieces have some costs, in cycles a warp instruction, until its first window has begun, and returns the piece
// with which the window begins.
func follow(t *testing.T, costs []float64) (first int) {
	t.Helper()
	s, l := &sampled{}, &launch{Figures: &Figures{}, wave: 1}
	now := Progress{}
	s.pieces = []piece{{end: now}}
	for i, cost := range costs {
		now = Progress{At: now.At + pieceCycles, Executed: now.Executed + uint64(pieceCycles/cost*1e3), Finished: uint64(i)}
		s.pieces = append(s.pieces, piece{end: now})
		if s.settle(l, now) {
			return int(s.from.At / pieceCycles)
		}
	}
	require.Fail(t, "the beginning is never over")
	return 0
}

// The first window begins when the special beginning is over: soon if there is none, and not before costly pieces have passed.
func TestFirstWindowBeginsBehindTheBeginning(t *testing.T) {
	even := make([]float64, 20)
	for i := range even {
		even[i] = 1 + 0.001*math.Sin(float64(i))
	}
	assert.LessOrEqual(t, follow(t, even), firstLeast/pieceCycles+1)
	dear := append([]float64{5, 5, 4, 3, 2.5, 2, 1.5}, even...)
	assert.GreaterOrEqual(t, follow(t, dear), 7)
}

// While L2 keeps writes, the beginning is not over, unless they are few.
func TestFirstWindowBeginsWhenL2WritesBack(t *testing.T) {
	for name, c := range map[string]struct {
		written, back uint64 // sectors in a piece
		over          bool
	}{
		"kept": {3000, 0, false}, "in part": {3000, 2000, false}, "written back": {3000, 2900, true}, "little": {400, 0, true},
		"nothing": {0, 0, true},
	} {
		s := &sampled{pieces: []piece{{}, {end: Progress{At: pieceCycles}, written: c.written, back: c.back}}}
		assert.Equal(t, c.over, s.writesBack(0.5), name)
	}
}

// Windows in which far fewer blocks ended than their instructions suggest may be wrong by as much, if pieces differ.
func TestWindowsThatMissThePhaseOfBlocks(t *testing.T) {
	for name, c := range map[string]struct {
		ended   uint64
		squares float64 // sum of the pieces' squared distances
		want    float64
	}{
		"as many": {400, 0.36, 0}, "by chance": {350, 0.36, 0}, "a quarter": {100, 0.36, 1}, "a quarter, all alike": {100, 0.0001, 0.0375},
		"thrice as many": {1200, 0.01, 800. / 460 * 0.2},
	} {
		s := &measurements{windows: []window{{to: Progress{Executed: 40_000, Finished: c.ended}}}, noise: noise{c.squares, 1}}
		assert.InDelta(t, c.want, s.missing(100), 1e-9, name)
	}
}

// A window is longer if its pieces spread, because their mean spreads less by the square root of their number. It is never longer than the
// limit.
func TestLengthOfWindows(t *testing.T) {
	for share, want := range map[float64]float64{0: WindowLeast / 2, 0.03: WindowLeast, 0.05: 6_250, 0.2: WindowMost} {
		assert.InDelta(t, want, lengthFor(share), 1, share)
	}
}
