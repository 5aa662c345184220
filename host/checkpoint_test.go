package host_test

import (
	"context"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/host"
	"github.com/keplersim/keplersim/sim"
)

// whole is all that a run leaves, but for the time that it took.
type whole struct {
	Result   *host.Result
	Contents []string
	Notes    []string
}

// complete runs a workload to its end.
func complete(t *testing.T, file string, o host.Options) whole {
	t.Helper()
	job, err := host.Open(context.Background(), file, o)
	require.NoError(t, err)
	result, err := job.Run(context.Background())
	require.NoError(t, err)
	for _, l := range result.Launches {
		l.Wall = 0
	}
	contents, err := job.Contents()
	require.NoError(t, err)
	return whole{result, contents, job.Notes}
}

// goesOn checks that a run that is saved at a moment, and one that goes on from there, leave what an undisturbed run does, and returns where
// the checkpoint was taken.
func goesOn(t *testing.T, file string, undisturbed whole, o host.Options, at host.Save) *host.Saved {
	t.Helper()
	at.To = filepath.Join(t.TempDir(), "run.ckpt")
	o.Save = &at
	saving := complete(t, file, o)
	taken := saving.Result.Saved
	require.NotNil(t, taken, "a checkpoint at %s of %d", &at, undisturbed.Result.Cycle)
	saving.Result.Saved = nil
	assert.Equal(t, undisturbed, saving, "the run that was saved goes on as if it had not been")
	o.Save, o.Resume = nil, at.To
	o.Simulator.Threads = 2
	resumed := complete(t, file, o)
	require.Equal(t, taken, resumed.Result.Resumed)
	resumed.Result.Resumed = nil
	assert.Equal(t, undisturbed, resumed, "the run that goes on from a checkpoint at %s, taken at cycle %d of %d", &at, taken.Cycle,
		undisturbed.Result.Cycle)
	return taken
}

// Every workload, saved at a random cycle, goes on to the same bytes, counters, cycles and timeline. What is random is the same each time.
func TestEveryWorkloadGoesOnFromACheckpoint(t *testing.T) {
	list, err := filepath.Glob("../workloads/*/*.yaml")
	require.NoError(t, err)
	chips := []string{"gk110", "gk104", "gk210", "k40"}
	for i, file := range list {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
			o := host.Options{Config: chips[i%len(chips)], Build: "test", Simulator: sim.Options{Threads: 1}}
			switch {
			case strings.Contains(file, "multi-gpu"): // needs a board of two
				o.Config = "k80"
			case launchesFromKernels(file):
				o.Config = "gk110"
			}
			undisturbed := complete(t, file, o)
			seed := fnv.New64a()
			seed.Write([]byte(filepath.Base(file)))
			random := rand.New(rand.NewPCG(seed.Sum64(), 1))
			at := host.Save{Cycle: random.Int64N(undisturbed.Result.Cycle)}
			taken := goesOn(t, file, undisturbed, o, at)
			assert.GreaterOrEqual(t, taken.Cycle, at.Cycle)
			if info, err := os.Stat(taken.File); err == nil {
				t.Logf("%s: asked for cycle %d of %d, taken at %d, %d launches before, %v running, state %d bytes, file %d", o.Config,
					at.Cycle, undisturbed.Result.Cycle, taken.Cycle, taken.Launches, taken.Kernels, taken.State, info.Size())
			}
		})
	}
}
