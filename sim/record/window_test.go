package record_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/keplersim/keplersim/recording"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/sim/record"
)

// mostWindow is the most bytes of a file for 10,000 cycles of one SMX.
const mostWindow = 50 << 20

// A window of 10,000 cycles of one SMX is small, and a run gives the same bytes for any number of threads.
func TestWindowsAreSmallAndAlike(t *testing.T) {
	o := record.Options{SMXs: []int{0}, Window: recording.Window{To: 10_000}}
	first, _ := recorded(t, "../../workloads/transpose/transpose.yaml", "gk110", o, sim.Options{Threads: 1})
	assert.Less(t, len(first), mostWindow)
	for _, threads := range []int{2, 7} {
		again, _ := recorded(t, "../../workloads/transpose/transpose.yaml", "gk110", o, sim.Options{Threads: threads})
		assert.Equal(t, first, again, "%d threads", threads)
	}
	whole, _ := recorded(t, "../../workloads/hyperq/hyperq.yaml", "gk110", record.Options{}, sim.Options{Threads: 1})
	again, _ := recorded(t, "../../workloads/hyperq/hyperq.yaml", "gk110", record.Options{}, sim.Options{Threads: 3})
	assert.True(t, string(whole) == string(again), "all of a run with several grids at once")
}

// A run with nested launches that park blocks also gives the same bytes.
func TestRecordingsOfLaunchesFromKernelsAreAlike(t *testing.T) {
	names, counts := []string{"bfs-nested", "mariani-silver", "quicksort"}, []int{2, 3, 7}
	if testing.Short() {
		names, counts = names[:1], counts[1:2]
	}
	for _, name := range names {
		file := "../../workloads/" + name + "/" + name + ".yaml"
		first, launches := recorded(t, file, "gk110", record.Options{}, sim.Options{Threads: 1})
		for _, threads := range counts {
			again, others := recorded(t, file, "gk110", record.Options{}, sim.Options{Threads: threads})
			assert.True(t, string(first) == string(again), "%s, %d threads", name, threads)
			for i, l := range others {
				l.Wall = launches[i].Wall
			}
			assert.Equal(t, launches, others, "%s, %d threads", name, threads)
		}
		left := false
		for _, track := range read(t, first).Tracks {
			for _, b := range track.Blocks {
				left = left || b.Left
			}
		}
		assert.Equal(t, name == "bfs-nested", left, "%s: blocks leave their SMXs where they wait for long", name)
	}
}

// BenchmarkRecording compares a run that records 10,000 cycles of one SMX with one that records nothing.
func BenchmarkRecording(b *testing.B) {
	const file = "../../workloads/sgemm-tiled/sgemm-tiled.yaml"
	b.Run("window", func(b *testing.B) {
		for b.Loop() {
			recorded(b, file, "gk110", record.Options{SMXs: []int{0}, Window: recording.Window{To: 10_000}}, sim.Options{Threads: 1})
		}
	})
	b.Run("all", func(b *testing.B) {
		for b.Loop() {
			recorded(b, file, "gk110", record.Options{}, sim.Options{Threads: 1})
		}
	})
}
