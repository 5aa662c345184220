package host

import (
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/internal/cputime"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/sim/check/finding"
	"github.com/keplersim/keplersim/sim/observe"
)

// BenchmarkChecks runs all workloads without timing, with no checks and with all. It reports how much longer checks take than machine code,
// and than a run with an observer that does nothing. It also reports the most bytes that the checks keep for a byte of the buffers. Times
// are processor times, the shortest of several runs.
func BenchmarkChecks(b *testing.B) {
	files, err := filepath.Glob("../workloads/*/*.yaml")
	require.NoError(b, err)
	for _, file := range files {
		b.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(b *testing.B) {
			run := func(o sim.Options) (took time.Duration, kept, touched uint64) {
				o.Threads, o.Functional = 1, true
				job, err := Open(b.Context(), file, Options{Simulator: o})
				require.NoError(b, err)
				require.NoError(b, job.prepare())
				runtime.GC()
				start := cputime.Used()
				require.NoError(b, job.execute(b.Context(), &Result{}))
				took = cputime.Used() - start
				for i := range job.Workload.Buffers {
					touched += uint64(job.Workload.Buffers[i].Bytes())
				}
				for _, g := range job.gpus {
					kept += g.CheckedBytes()
				}
				return took, kept, touched
			}
			native, observed, checked := time.Hour, time.Hour, time.Hour
			var kept, touched uint64
			for range b.N {
				took, _, _ := run(sim.Options{})
				native = min(native, took)
				took, _, _ = run(sim.Options{Observer: observe.Silent{}})
				observed = min(observed, took)
				took, kept, touched = run(sim.Options{Check: finding.All})
				checked = min(checked, took)
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(native.Seconds()*1e3, "ms-native")
			b.ReportMetric(observed.Seconds()*1e3, "ms-observed")
			b.ReportMetric(checked.Seconds()*1e3, "ms-checked")
			b.ReportMetric(float64(checked)/float64(native), "times-native")
			b.ReportMetric(float64(checked)/float64(observed), "times-observed")
			b.ReportMetric(float64(kept)/float64(max(1, touched)), "bytes/byte")
		})
	}
}
