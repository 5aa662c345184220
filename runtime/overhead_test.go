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

// cost is processor and wall-clock time.
type cost struct{ cpu, clock time.Duration }

func (c cost) less(other cost) cost { return cost{c.cpu - other.cpu, c.clock - other.clock} }

func (c cost) String() string {
	return fmt.Sprintf("%.3f s of processors, %.3f s by the clock", c.cpu.Seconds(), c.clock.Seconds())
}

// processorTime is the processor time of this process and of the children it has waited for.
func processorTime() time.Duration { return cputime.Used() + cputime.UsedByChildren() }

// copying runs the compiled program with count copies, from the search in the cache to the end.
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

// overheads limit a program's time besides the simulation. Limits are processor time, as other programs may delay the wall clock.
var overheads = []struct {
	name         string
	count, bytes int
	limit        time.Duration
}{
	{"start of a cached program", 0, 4, 300 * time.Millisecond},
	{"10000 copies of 4 bytes", 10_000, 4, time.Second},
	{"one copy of 1 GB", 1, 1_000_000_000, time.Second},
}

// overhead is the time of copies beyond the program's start, or of the start itself.
func overhead(t testing.TB, count, bytes int) cost {
	base := copying(t, 0, bytes)
	if count == 0 {
		return base
	}
	return copying(t, count, bytes).less(base)
}

// buildCopies compiles the program into the cache.
func buildCopies(t testing.TB) {
	built, err := (&Build{Sources: []string{filepath.Join("testdata", "programs", "copies.cu")}}).Program(t.Context())
	require.NoError(t, err)
	t.Cleanup(built.Close)
}

// machineCopies is the time of the machine itself to allocate fresh memory and copy it. On a virtual machine, memory that the host has
// taken back costs several times more, for any program.
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

// The best of three tries counts. A slow machine may take three times the time of its own copies.
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
