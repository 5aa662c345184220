package sim_test

import (
	"context"
	"os"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/internal/cputime"
	"github.com/keplersim/keplersim/sim"
)

// BenchmarkTinyLaunches puts 10,000 launches of a kernel of one warp into 32 streams. It reports how many are simulated in a second of
// processor time, garbage collection included. It also reports how much more memory is in use at the last thousand than at the first.
func BenchmarkTinyLaunches(b *testing.B) {
	const launches, streams = 10_000, 32
	config, err := configs.Load("gk110", []string{"hyperq.connections=32"})
	require.NoError(b, err)
	text, err := os.ReadFile("../workloads/hyperq/chain.ptx")
	require.NoError(b, err)
	begin := cputime.Used()
	for b.Loop() {
		gpu, err := sim.New(config, sim.Options{Threads: 1})
		require.NoError(b, err)
		module, err := gpu.Load("chain.ptx", text)
		require.NoError(b, err)
		data, err := gpu.Allocate("data", 4*32*streams)
		require.NoError(b, err)
		var all []*sim.Stream
		for range streams {
			all = append(all, gpu.NewStream(sim.StreamOptions{}))
		}
		var before, after runtime.MemStats
		for n := range launches {
			if n%1000 == 0 && n <= 1000 {
				runtime.GC()
				runtime.ReadMemStats(&before)
			}
			s := n % streams
			parameters := []byte{7: 0, 8: byte(32 * s), 9: byte(32 * s >> 8), 12: 1, 15: 0}
			for i := range 8 {
				parameters[i] = byte(data >> (8 * i))
			}
			_, err := gpu.Start(context.Background(), sim.Launch{
				Module: module, Kernel: "chain", Grid: [3]int{1}, Block: [3]int{32}, Parameters: parameters, In: all[s],
			})
			require.NoError(b, err)
			if n%256 == 255 {
				require.NoError(b, gpu.Synchronize(context.Background()))
			}
		}
		require.NoError(b, gpu.Synchronize(context.Background()))
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc)-float64(before.HeapAlloc), "bytes-grown")
	}
	b.ReportMetric(float64(launches*b.N)/(cputime.Used()-begin).Seconds(), "launches/cpu-s")
}
