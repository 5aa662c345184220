package fp

import (
	"os"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/testkit/oracle"
)

// exhaustiveVariable asks, when set, for all 2^32 inputs of every function instead of a few runs.
const exhaustiveVariable = "KEPLERSIM_EXHAUSTIVE"

// sampledRuns are the runs compared in every test: zeros and subnormals, the largest values and NaN of either sign, ordinary values, and
// what trigonometry finds hard; others are spread evenly.
var sampledRuns = []uint32{0, 31, 0x2000, 0x2020, 0x1fdf, 0x1fe0, 0x0fe0, 0x0fe7, 0x1001, 0x1080, 0x2ff1, 0x3fe0}

// digestOfRun evaluates a function on one run of inputs.
func digestOfRun(f func(d, a *Lanes32, active uint32), run uint32) uint32 {
	var sum uint64
	var in, out Lanes32
	for base := run * oracle.RunLength; ; base += 32 {
		for i := range in {
			in[i] = base + uint32(i)
		}
		f(&out, &in, ^uint32(0))
		for i := range in {
			sum += oracle.Digest(in[i], out[i])
		}
		if (base+32)%oracle.RunLength == 0 {
			return uint32(sum)
		}
	}
}

func TestExhaustive(t *testing.T) {
	digests, err := oracle.Digests()
	require.NoError(t, err)
	require.Len(t, digests, 22)
	runs := slices.Clone(sampledRuns)
	for run := uint32(257); run < oracle.Runs; run += 1009 {
		runs = append(runs, run)
	}
	if os.Getenv(exhaustiveVariable) != "" {
		runs = nil
		for run := range uint32(oracle.Runs) {
			runs = append(runs, run)
		}
	}
	var names []string
	for name := range digests {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		k, ok := keyOf(oracle.Form{Name: name})
		require.True(t, ok, name)
		op, ok := Find(k)
		require.True(t, ok, name)
		var next, equal atomic.Int64
		var workers sync.WaitGroup
		for range runtime.GOMAXPROCS(0) {
			workers.Go(func() {
				for i := next.Add(1) - 1; i < int64(len(runs)); i = next.Add(1) - 1 {
					if digestOfRun(op.Unary32, runs[i]) == digests[name][runs[i]] {
						equal.Add(1)
					}
				}
			})
		}
		workers.Wait()
		t.Logf("%s%s %d of %d runs of 2^18 inputs equal (%.4f %%)", name, strings.Repeat(" ", 24-len(name)), equal.Load(), len(runs),
			100*float64(equal.Load())/float64(len(runs)))
		assert.EqualValues(t, len(runs), equal.Load(), name)
	}
}
