//go:build linux

package device_test

import (
	"context"
	"flag"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/keplersim/keplersim/host"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/sim/device"
)

var modelled = flag.String("model", "", "workload files, separated by commas, that TestThreadsOfWorkloads runs and prints the model of")

// threadClock is the processor time of the calling thread, so other work on the machine does not lengthen it.
func threadClock() time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}

// handover is the time to find, begin and end a task, and to wake a thread that waits for it.
const handover = 2 * time.Microsecond

// The model of workloads on 1 to 16 threads for docs/performance.md: go test ./sim/device -run ThreadsOfWorkloads -v -model FILES.
func TestThreadsOfWorkloads(t *testing.T) {
	for _, file := range strings.Split(*modelled, ",") {
		if file == "" {
			continue
		}
		record := func(threads int) *device.Recording {
			job, err := host.Open(context.Background(), file, host.Options{Simulator: sim.Options{Threads: 2}})
			require.NoError(t, err)
			r := device.Record(threads, threadClock)
			defer r.Stop()
			_, err = job.Run(t.Context())
			require.NoError(t, err)
			r.Steady()
			return r
		}
		for _, threads := range []int{1, 2} {
			r := record(threads)
			all, memory, serial := r.Total()
			percent := func(part time.Duration) float64 { return 100 * float64(part) / float64(all) }
			t.Logf("%s, by its costs on %d: %v, memory %.1f %%, between epochs %.1f %%", file, threads, all.Round(time.Millisecond),
				percent(memory), percent(serial))
			for _, n := range []int{2, 4, 8, 16} {
				t.Logf("%3d threads: %5.2f times; %5.2f with a memory system of half the cost, %5.2f with none, %5.2f with free handovers",
					n, float64(all)/float64(r.Time(n, handover)), float64(all)/float64(r.Scaled(0.5).Time(n, handover)),
					float64(all)/float64(r.Scaled(0).Time(n, handover)), float64(all)/float64(r.Time(n, 0)))
			}
		}
	}
}
