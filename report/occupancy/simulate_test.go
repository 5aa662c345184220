package occupancy

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/keplersim/keplersim/study/store"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// aRun is a run whose cycles follow from the point, and that counts what it runs.
type aRun struct {
	runs    atomic.Int64
	atOnce  atomic.Int64
	most    atomic.Int64
	started chan struct{} // where given, each run sends here and then waits for goOn
	goOn    chan struct{}
}

func (r *aRun) run(_ context.Context, p Point) (Measured, error) {
	now := r.atOnce.Add(1)
	defer r.atOnce.Add(-1)
	for most := r.most.Load(); now > most && !r.most.CompareAndSwap(most, now); most = r.most.Load() {
	}
	if r.started != nil {
		r.started <- struct{}{}
		<-r.goOn
	}
	r.runs.Add(1)
	if p.Launch.Registers == 13 {
		return Measured{}, errors.New("thirteen is not simulated")
	}
	return Measured{Cycles: int64(1000 * p.Launch.Registers), IPC: 1}, nil
}

func keyOf(p Point) string { return store.Fingerprint(fmt.Append(nil, p.Limits.Name, p.Launch)) }

func sweptStudy(t *testing.T, sweeps ...string) *Study {
	t.Helper()
	var axes []Axis
	for _, text := range sweeps {
		axis, err := ParseAxis(text)
		require.NoError(t, err)
		axes = append(axes, axis)
	}
	return newStudy(t, "gk110", axes...)
}

func TestSimulateFillsEveryPointAndNamesTheRefused(t *testing.T) {
	s, r := sweptStudy(t, "registers=10..20"), &aRun{}
	var last Progress
	require.NoError(t, s.Simulate(context.Background(), Simulation{Run: r.run, Key: keyOf, Workers: 3, Progress: func(p Progress) {
		last = p
	}}))
	assert.Equal(t, Progress{Done: 11, Total: 11}, last)
	for _, p := range s.Points {
		if p.Launch.Registers == 13 {
			assert.Equal(t, "thirteen is not simulated", p.Refused)
			continue
		}
		assert.EqualValues(t, 1000*p.Launch.Registers, p.Measured.Cycles)
	}
}

func TestSimulateUsesAllWorkersAtOnce(t *testing.T) {
	s, r := sweptStudy(t, "registers=16..23"), &aRun{started: make(chan struct{}), goOn: make(chan struct{})}
	var all sync.WaitGroup
	all.Go(func() {
		assert.NoError(t, s.Simulate(context.Background(), Simulation{Run: r.run, Key: keyOf, Workers: 4}))
	})
	for range 2 { // four start before any of them ends, twice
		for range 4 {
			<-r.started
		}
		for range 4 {
			r.goOn <- struct{}{}
		}
	}
	all.Wait()
	assert.EqualValues(t, 4, r.most.Load())
}

func openStore(t *testing.T, folder string) *store.Store {
	t.Helper()
	s, err := store.Open(folder)
	require.NoError(t, err)
	return s
}

// A study that is stopped half-way is finished by the second run, which repeats nothing.
func TestSimulateGoesOnWhereItWasStopped(t *testing.T) {
	cache, ctx := t.TempDir(), context.Background()
	stopped, cancel := context.WithCancel(ctx)
	first, r := sweptStudy(t, "registers=16..47"), &aRun{}
	err := first.Simulate(stopped, Simulation{Run: r.run, Key: keyOf, Store: openStore(t, cache), Workers: 2, Progress: func(p Progress) {
		if p.Done == 10 {
			cancel()
		}
	}})
	require.ErrorIs(t, err, context.Canceled)
	assert.ErrorContains(t, err, "of 32 points; the same command goes on from here")
	kept, err := filepath.Glob(filepath.Join(cache, "*", "*.json"))
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(kept), 10)
	require.Less(t, len(kept), 32)

	// What a killed program leaves behind, a half-written result, is made again.
	require.NoError(t, os.WriteFile(kept[0], []byte(`{"cycles": 16`), 0o600))
	second, again := sweptStudy(t, "registers=16..47"), &aRun{}
	var last Progress
	require.NoError(t, second.Simulate(ctx, Simulation{Run: again.run, Key: keyOf, Store: openStore(t, cache), Workers: 2,
		Progress: func(p Progress) {
			last = p
		}}))
	assert.EqualValues(t, 32-len(kept)+1, again.runs.Load())
	assert.Equal(t, Progress{Done: 32, Total: 32, Cached: len(kept) - 1}, last)

	third, nothing := sweptStudy(t, "registers=16..47"), &aRun{}
	require.NoError(t, third.Simulate(ctx, Simulation{Run: nothing.run, Key: keyOf, Store: openStore(t, cache), Workers: 2}))
	assert.Zero(t, nothing.runs.Load())
	assert.Equal(t, second.Points, third.Points)
}

func TestSimulateRunsEqualInputsOnce(t *testing.T) {
	s, r := sweptStudy(t, "registers=16..31"), &aRun{}
	require.NoError(t, s.Simulate(context.Background(), Simulation{Run: r.run, Key: func(Point) string { return "one" }, Workers: 2}))
	assert.EqualValues(t, 1, r.runs.Load())
	assert.True(t, s.Simulated())
}

func TestSimulateSaysWhyNothingRan(t *testing.T) {
	s, r := sweptStudy(t, "registers=13"), &aRun{}
	assert.ErrorContains(t, s.Simulate(context.Background(), Simulation{Run: r.run, Key: keyOf}), "thirteen")
	s = sweptStudy(t, "registers=20")
	folder := filepath.Join(t.TempDir(), "store")
	results := openStore(t, folder)
	require.NoError(t, os.RemoveAll(folder))
	require.NoError(t, os.WriteFile(folder, nil, 0o600))
	var warnings []error
	warn := func(err error) { warnings = append(warnings, err) }
	require.NoError(t, s.Simulate(context.Background(), Simulation{Run: r.run, Key: keyOf, Store: results, Workers: 3, Warn: warn}))
	require.Len(t, warnings, 1, "once, however many results")
	assert.ErrorContains(t, warnings[0], "cannot keep a result in ")
	for _, p := range s.Points {
		assert.NotNil(t, p.Measured, "a result that cannot be kept is told all the same")
	}
}

// A point with a wrong result is told of everywhere and recommended nowhere.
func TestWrongPointsAreNeverRecommended(t *testing.T) {
	s := sweptStudy(t, "block=128..512:128")
	outcomes := []Measured{{Cycles: 100, Outcome: WrongResult, Wrong: "y differs in 3 of 9 elements"}, {Cycles: 300, Outcome: AsExpected},
		{Cycles: 200, Outcome: AsUnchanged}, {Cycles: 400, Outcome: NotChecked, Wrong: "no"}}
	require.NoError(t, s.Simulate(context.Background(), Simulation{Key: keyOf, Run: func(_ context.Context, p Point) (Measured, error) {
		return outcomes[p.Launch.Threads/128-1], nil
	}}))
	var text, csvText, jsonText strings.Builder
	require.NoError(t, s.WriteText(&text, nil))
	require.NoError(t, s.WriteCSV(&csvText))
	require.NoError(t, s.WriteJSON(&jsonText))
	assert.Contains(t, text.String(), "WRONG RESULT: gk110, blocks of 128, 63 registers, 0 bytes shared: y differs in 3 of 9 elements\n")
	assert.Regexp(t, `(?m) 100 +0\.000 +0\.0 % +WRONG$`, text.String())
	assert.Contains(t, text.String(), "gk110: left out, since the kernel then computes something else or cannot run: 1 of 4 points\n")
	assert.Contains(t, text.String(), "gk110: the most warps, 32 of 64 (50.0 %), first with block 256\n")
	assert.Contains(t, text.String(), "gk110: the least cycles, 200, with block 384 (occupancy 37.5 %, achieved 0.0 %; its results are "+
		"those of the unchanged launch)")
	assert.Contains(t, csvText.String(), ",wrong,y differs in 3 of 9 elements\n")
	assert.Contains(t, csvText.String(), ",as expected,\n")
	assert.Contains(t, jsonText.String(), `"result": "wrong"`)
	assert.False(t, s.AllWrong())
	for i := range s.Points {
		s.Points[i].Measured.Outcome = WrongResult
	}
	assert.True(t, s.AllWrong())
	assert.NotEmpty(t, s.FirstWrong())
}
