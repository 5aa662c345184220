//go:build linux

package runtime

import (
	"fmt"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/internal/cputime"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/testkit/need"
)

// cost is what something took.
type cost struct{ cpu, clock time.Duration }

func (c cost) less(other cost) cost { return cost{c.cpu - other.cpu, c.clock - other.clock} }

func (c cost) String() string {
	return fmt.Sprintf("%.3f s of processors, %.3f s by the clock", c.cpu.Seconds(), c.clock.Seconds())
}

// processorTime is what this process and those that it has waited for have used.
func processorTime() time.Duration { return cputime.Used() + cputime.UsedByChildren() }

// copying runs the program of so many copies, which is compiled already, from looking for it in the cache to its end.
func copying(t testing.TB, count, bytes int) cost {
	begin, before := time.Now(), processorTime()
	o := Options{Simulator: sim.Options{Functional: true}}
	r := runWith(t, t.Context(), o, 1, "", []string{strconv.Itoa(count), strconv.Itoa(bytes)}, "copies.cu")
	want := (count - 1) % 100
	if count == 0 {
		want = 0
	}
	assert.Equal(t, fmt.Sprintf("%d cudaSuccess\n", want), r.out, r.messages)
	r.session.Close()
	return cost{processorTime() - before, time.Since(begin)}
}

// overheads are what whole programs may take beside what they simulate. Limits are of processor time: others may keep the clock's.
var overheads = []struct {
	name         string
	count, bytes int
	limit        time.Duration
}{
	{"start of a cached program", 0, 4, 300 * time.Millisecond},
	{"10000 copies of 4 bytes", 10_000, 4, time.Second},
	{"one copy of 1 GB", 1, 1_000_000_000, time.Second},
}

// overhead is what copies take beyond the program's start, or the start itself.
func overhead(t testing.TB, count, bytes int) cost {
	base := copying(t, 0, bytes)
	if count == 0 {
		return base
	}
	return copying(t, count, bytes).less(base)
}

// buildCopies compiles the program, so that it is found from then on.
func buildCopies(t testing.TB) {
	built, err := (&Build{Sources: []string{filepath.Join("testdata", "programs", "copies.cu")}}).Program(t.Context())
	require.NoError(t, err)
	t.Cleanup(built.Close)
}

// machineCopies is what the machine itself takes to have fresh memory of so many bytes and to copy it to as much: a guest's memory that the
// host has taken back costs several times what it did, whoever touches it.
func machineCopies(t *testing.T, bytes int) time.Duration {
	before := cputime.Used()
	var parts [2][]byte
	for i := range parts {
		part, err := syscall.Mmap(-1, 0, bytes, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
		require.NoError(t, err)
		defer func() { assert.NoError(t, syscall.Munmap(part)) }()
		parts[i] = part
	}
	for i := 0; i < bytes; i += 4096 {
		parts[0][i] = 1
	}
	copy(parts[1], parts[0])
	return cputime.Used() - before
}

// The best of three counts, and a machine that is slow itself may take three times what its own copies do.
func TestOverhead(t *testing.T) {
	need.Builder(t)
	buildCopies(t)
	for _, c := range overheads {
		if testing.Short() && c.bytes > 1<<20 {
			continue
		}
		var took cost
		limit := c.limit
		for try := 0; try < 3 && (try == 0 || took.cpu > limit); try++ {
			limit = max(c.limit, 3*machineCopies(t, c.bytes))
			took = overhead(t, c.count, c.bytes)
			t.Logf("%s: %v, of %v", c.name, took, limit)
		}
		assert.Less(t, took.cpu, limit, c.name)
	}
}

func BenchmarkOverhead(b *testing.B) {
	need.Builder(b)
	buildCopies(b)
	for _, c := range overheads {
		b.Run(c.name, func(b *testing.B) {
			var sum cost
			for b.Loop() {
				took := overhead(b, c.count, c.bytes)
				sum.cpu, sum.clock = sum.cpu+took.cpu, sum.clock+took.clock
			}
			b.ReportMetric(sum.cpu.Seconds()/float64(b.N), "cpu-s")
			b.ReportMetric(sum.clock.Seconds()/float64(b.N), "clock-s")
		})
	}
}
