package host

import (
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/sim/check/finding"
)

// BenchmarkChecks runs workloads without timing, with no checks and with all, and tells how many times longer the latter take, and how many
// bytes they keep for each byte of the workload's buffers.
func BenchmarkChecks(b *testing.B) {
	for _, name := range []string{"saxpy", "sgemm-tiled", "sgemm-naive", "reduction-shared", "scan", "histogram", "nbody", "stencil",
		"spmv", "blur", "transpose", "bitonic", "fft", "dgemm"} {
		b.Run(name, func(b *testing.B) {
			run := func(set finding.Set) (took time.Duration, kept, touched uint64) {
				job, err := Open(b.Context(), filepath.Join("../workloads", name, name+".yaml"),
					Options{Simulator: sim.Options{Threads: 1, Functional: true, Check: set}})
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
			var plain, checked time.Duration
			var kept, touched uint64
			for range b.N {
				took, _, _ := run(finding.None)
				plain += took
				took, kept, touched = run(finding.All)
				checked += took
			}
			b.ReportMetric(float64(checked)/float64(plain), "times")
			b.ReportMetric(float64(kept)/float64(touched), "bytes/byte")
		})
	}
}
