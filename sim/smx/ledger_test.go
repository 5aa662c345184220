package smx

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/observe"
	"github.com/keplersim/keplersim/sim/stats"
)

// A class's waits between two cycles equal a count cycle by cycle, whenever they are read.
func TestWaitsAreCountedCycleByCycle(t *testing.T) {
	random := rand.New(rand.NewPCG(20, 21))
	var c waits
	var counted [waitCount]engine.Cycle
	for now := engine.Cycle(0); now < 5_000; now++ {
		for wait := range waitCount {
			require.Equal(t, counted[wait], c.upTo(wait, now), "cycle %d", now)
		}
		for random.IntN(3) == 0 { // several times in a cycle too: the last counts
			c.change(wait(random.IntN(int(waitCount))), now)
		}
		counted[c.wait]++
	}
	for wait := range waitCount {
		require.Positive(t, counted[wait])
	}
}

// Observers and recordings have a name for each entry of the scoreboard, up to the last.
func TestEveryEntryOfTheScoreboardHasAName(t *testing.T) {
	assert.EqualValues(t, observe.EntryAccess, scoreboardEntries-1)
	assert.EqualValues(t, observe.EntryCarry, scoreboardCarry)
	assert.EqualValues(t, observe.EntryPredicate, scoreboardPredicate)
}

// A stall is for the entry that is ready last, at whatever place in the operation.
func TestAStallIsForTheLastEntry(t *testing.T) {
	for last := range 3 {
		op := operation{checkCount: 3}
		w := &warp{reason: stats.StallMemoryDependency}
		for i, e := range []uint16{4, 9, 2} {
			op.checks[i] = e
			w.scoreboard[e] = readyAt(engine.Cycle(100+i), stats.StallExecutionDependency)
		}
		w.scoreboard[op.checks[last]] = readyAt(700, stats.StallMemoryDependency)
		w.operations = []operation{op}
		assert.Equal(t, observe.Entry(op.checks[last]), w.waitedFor())
		w.reason = stats.StallSync
		assert.Equal(t, observe.None, w.waitedFor(), "a barrier is no entry")
	}
}
