package engine

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// Times never go back across changes of the frequency. Each cycle takes what its own frequency says, and earlier cycles keep their times.
func TestTimelineAcrossChanges(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	timeline := NewTimeline(Clock{Megahertz: 745})
	require.False(t, timeline.Changed())
	frequencies, from := []uint64{745}, []Cycle{0}
	for range 30 {
		at := from[len(from)-1] + Cycle(random.IntN(1000))
		earlier := timeline.Picoseconds(at)
		f := uint64(300 + random.IntN(900))
		timeline.Change(at, Clock{Megahertz: f})
		require.Equal(t, earlier, timeline.Picoseconds(at))
		frequencies, from = append(frequencies, f), append(from, at)
	}
	exact, last := 0.0, Picosecond(0)
	for cycle, piece := Cycle(0), 0; cycle < from[len(from)-1]+500; cycle++ {
		for piece+1 < len(from) && from[piece+1] <= cycle {
			piece++
		}
		now := timeline.Picoseconds(cycle)
		require.GreaterOrEqual(t, now, last)
		require.InDelta(t, exact, float64(now), 40) // each change rounds down once
		last = now
		exact += 1e6 / float64(frequencies[piece])
	}
}

// Conversions never go back across changes, and a conversion there and back is never earlier than the start.
func TestCrossingAcrossChanges(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	there, back := NewCrossing(2*745, 3004), NewCrossing(3004, 2*745)
	at, last := int64(0), int64(0)
	for range 200 {
		for range 50 {
			at += int64(random.IntN(40))
			tick := there.Ceil(at)
			require.GreaterOrEqual(t, tick, last)
			require.GreaterOrEqual(t, back.Ceil(tick), at)
			require.LessOrEqual(t, back.Ceil(tick), at+2)
			last = tick
		}
		core := uint64(2 * (324 + random.IntN(900)))
		there = there.Then(at, core, 3004)
		back = there.Back(3004, core)
	}
}
