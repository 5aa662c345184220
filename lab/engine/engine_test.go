package engine_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/lab/engine"
)

// of is the run of a workload of the repository.
func of(t *testing.T, name string) *engine.Request {
	t.Helper()
	q := &engine.Request{Files: map[string]string{}, Run: name + ".yaml"}
	for _, file := range []string{name + ".yaml", name + ".ptx"} {
		text, err := os.ReadFile(filepath.Join("../../workloads", name, file))
		require.NoError(t, err)
		q.Files[file] = string(text)
	}
	return q
}

func run(t *testing.T, q *engine.Request, limits engine.Limits) *engine.Response {
	t.Helper()
	r, err := engine.Run(context.Background(), q, limits)
	require.NoError(t, err)
	return r
}

// What a page watches adds up to what the report counts, when it watches all of one SMX.
func TestWatchedAddsUpToTheReport(t *testing.T) {
	q := of(t, "transpose")
	q.Set = []string{"smx.count=1"}
	q.Watch = &engine.Watch{Cycles: 1}
	end := run(t, q, engine.Limits{}).Watched.End
	watch := func(from, cycles int64) (issues int, stalled int64) {
		q.Watch = &engine.Watch{From: from, Cycles: cycles}
		w := run(t, q, engine.Limits{}).Watched
		require.NotNil(t, w)
		assert.Equal(t, 4, w.Schedulers)
		assert.Equal(t, 16, w.Slots)
		for _, i := range w.Issues {
			assert.True(t, i[0] >= from && i[0] < from+cycles, "cycle %d", i[0])
		}
		for _, s := range w.Stalls {
			stalled += s[1] - s[0]
		}
		for _, f := range w.Flights {
			assert.True(t, f[1] <= f[2] && f[2] <= f[3] && f[3] <= f[4] && f[4] <= f[6], "a request's way goes forward: %v", f)
		}
		return len(w.Issues), stalled
	}
	// Two windows beside each other have what one over both has.
	a, stalledA := watch(100, 400)
	b, stalledB := watch(500, 300)
	both, stalled := watch(100, 700)
	assert.Equal(t, both, a+b)
	assert.Equal(t, stalled, stalledA+stalledB)
	assert.Greater(t, end, int64(1000))
}

// Limits hold, and say what they are.
func TestLimits(t *testing.T) {
	q := of(t, "sgemm-tiled")
	r := run(t, q, engine.Limits{BufferBytes: 1000})
	assert.Contains(t, r.Error, "the limit is 1000")
	assert.False(t, r.Passed)
	r = run(t, q, engine.Limits{Cycles: 5000})
	assert.Contains(t, r.Error, "limit of cycles")
	r = run(t, q, engine.Limits{Time: time.Millisecond})
	assert.Contains(t, r.Error, "took longer than 1ms")
	q.Watch = &engine.Watch{SMX: 99, Cycles: 10}
	q.Set = []string{"smx.count=2"}
	assert.Contains(t, run(t, q, engine.Limits{}).Error, "the chip has 2 SMXs")
}
