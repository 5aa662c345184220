package host

import (
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/sim/check/finding"
	"github.com/keplersim/keplersim/sim/observe"
)

// BenchmarkChecks runs workloads without timing, with no checks and with all, and tells how many times longer the latter take than machine
// code and than a run that somebody observes who does nothing, and how many bytes they keep for each byte of the workload's buffers.
func BenchmarkChecks(b *testing.B) {
	for _, name := range []string{
		"saxpy", "sgemm-tiled", "sgemm-naive", "reduction-shared", "scan", "histogram", "nbody", "stencil", "spmv", "blur", "transpose",
		"bitonic", "fft", "dgemm",
	} {
		b.Run(name, func(b *testing.B) {
			run := func(o sim.Options) (took time.Duration, kept, touched uint64) {
				o.Threads, o.Functional = 1, true
				job, err := Open(b.Context(), filepath.Join("../workloads", name, name+".yaml"), Options{Simulator: o})
				require.NoError(b, err)
				require.NoError(b, job.prepare())
				runtime.GC()
				start := time.Now()
				require.NoError(b, job.execute(b.Context(), &Result{}))
				took = time.Since(start)
				for _, buffer := range job.Workload.Buffers {
					touched += uint64(buffer.Bytes())
				}
				return took, job.gpu.CheckedBytes(), touched
			}
			var native, observed, checked time.Duration
			var kept, touched uint64
			for range b.N {
				took, _, _ := run(sim.Options{})
				native += took
				took, _, _ = run(sim.Options{Observer: observe.Silent{}})
				observed += took
				took, kept, touched = run(sim.Options{Check: finding.All})
				checked += took
			}
			b.ReportMetric(float64(checked)/float64(native), "times-native")
			b.ReportMetric(float64(checked)/float64(observed), "times-observed")
			b.ReportMetric(float64(kept)/float64(touched), "bytes/byte")
		})
	}
}
