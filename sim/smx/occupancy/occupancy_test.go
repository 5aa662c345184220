package occupancy

import (
	"bufio"
	"compress/bzip2"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/configs"
)

// chips are the configurations whose compute capability NVIDIA's rows name.
var chips = map[string]string{"3.0": "gk104", "3.5": "gk110", "3.7": "gk210"}

func limitsOf(t testing.TB, name string) Limits {
	t.Helper()
	c, err := configs.Load(name, nil)
	require.NoError(t, err)
	return FromConfig(c)
}

// The 60,000 rows are the answers of NVIDIA's own occupancy code (cuda_occupancy.h, CUDA 13.0); see testdata/README.md.
func TestEqualsNVIDIAsOccupancyCode(t *testing.T) {
	file, err := os.Open("testdata/nvidia.csv.bz2")
	require.NoError(t, err)
	defer file.Close()
	limits := map[string]Limits{}
	for capability, chip := range chips {
		limits[capability] = limitsOf(t, chip)
	}
	rows, wrong := 0, 0
	lines := bufio.NewScanner(bzip2.NewReader(file))
	require.True(t, lines.Scan())
	for lines.Scan() {
		capability, rest, _ := strings.Cut(lines.Text(), ",")
		var launch Launch
		var want [9]int
		n, err := fmt.Sscanf(rest, "%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d", &launch.Cache, &launch.Threads, &launch.Registers,
			&launch.Shared,
			&want[0], &want[1], &want[2], &want[3], &want[4], &want[5], &want[6], &want[7], &want[8])
		require.NoError(t, err)
		require.Equal(t, 13, n)
		r := limits[capability].Calculate(launch)
		got := [9]int{r.Blocks, r.Limit[Registers], r.Limit[SharedMemory], r.Limit[Warps], r.Limit[Blocks], int(r.Limiters),
			r.AllocatedRegisters, r.AllocatedShared, 0}
		if rows++; got != want {
			if wrong++; wrong <= 10 {
				t.Errorf("%s: got %v", lines.Text(), got)
			}
		}
	}
	require.NoError(t, lines.Err())
	assert.Equal(t, 60000, rows)
	assert.Zero(t, wrong, "rows that differ")
}

// The example of NVIDIA's Kepler tuning guide: 63 registers a thread, blocks of 256.
func TestTuningGuideExample(t *testing.T) {
	launch := Launch{Threads: 256, Registers: 63}
	for _, want := range []struct {
		limits    Limits
		warps, of int
	}{{Fermi(), 16, 48}, {limitsOf(t, "gk104"), 32, 64}, {limitsOf(t, "gk110"), 32, 64}, {limitsOf(t, "gk210"), 64, 64}} {
		r := want.limits.Calculate(launch)
		assert.Equal(t, want.warps, r.Warps, want.limits.Name)
		assert.Equal(t, want.of, want.limits.Warps, want.limits.Name)
	}
}

// GK20A has GK110's SMX, but a block can have only half of the registers.
func TestGK20AHalvesTheRegistersOfABlock(t *testing.T) {
	l := limitsOf(t, "gk20a")
	assert.Equal(t, 2, l.Calculate(Launch{Threads: 512, Registers: 64}).Blocks)
	assert.Equal(t, 0, l.Calculate(Launch{Threads: 1024, Registers: 64}).Blocks)
	assert.Equal(t, 1, limitsOf(t, "gk110").Calculate(Launch{Threads: 1024, Registers: 64}).Blocks)
}

func TestCheckNamesTheLimitAndItsValue(t *testing.T) {
	for _, test := range []struct {
		chip   string
		launch Launch
		want   string
	}{
		{"gk110", Launch{Threads: 0}, "a block of 0 threads: a block has 1 thread at least"},
		{"gk110", Launch{Threads: 1025}, "a block of 1025 threads: gk110 has blocks of 1024 threads at most"},
		{"gk110", Launch{Threads: 32, Registers: 300}, "300 registers a thread: gk110 has 255 at most"},
		{"gk104", Launch{Threads: 32, Registers: 64}, "64 registers a thread: gk104 has 63 at most"},
		{"gk110", Launch{Threads: 32, Registers: -1}, "-1 registers a thread: give 0 or more"},
		{"gk110", Launch{Threads: 32, Shared: 49 << 10}, "50176 bytes of shared memory a block: gk110 has 49152 at most"},
		{"gk110", Launch{Threads: 32, Shared: -1}, "-1 bytes of shared memory a block"},
		{"gk110", Launch{Threads: 32, Cache: 4}, "cache preference 4"},
	} {
		assert.ErrorContains(t, limitsOf(t, test.chip).Check(test.launch), test.want)
	}
	assert.NoError(t, limitsOf(t, "gk110").Check(Launch{Threads: 1024, Registers: 255, Shared: 48 << 10}))
}

// The used and the free resources sum to the whole SMX, and one block more would not fit.
func TestResidentAndFreeMakeTheWhole(t *testing.T) {
	for _, l := range []Limits{Fermi(), limitsOf(t, "gk104"), limitsOf(t, "gk20a"), limitsOf(t, "gk110"), limitsOf(t, "gk210")} {
		for threads := 1; threads <= 1024; threads += 31 {
			for registers := 0; registers <= l.RegistersPerThread; registers += 9 {
				for shared := 0; shared <= 48<<10; shared += 5555 {
					launch := Launch{Threads: threads, Registers: registers, Shared: shared, Cache: CacheConfig(threads % 4)}
					r := l.Calculate(launch)
					require.Equal(t, l.Warps, r.Warps+r.Wasted.Warps)
					require.Equal(t, l.Registers, r.Blocks*r.AllocatedRegisters+r.Wasted.Registers)
					require.Equal(t, r.SharedPerSMX, r.Blocks*r.AllocatedShared+r.Wasted.Shared)
					require.GreaterOrEqual(t, r.Wasted.RoundedRegisters, 0)
					require.NotZero(t, r.Limiters)
					more := r.Blocks + 1
					fits := more <= l.Blocks && more*r.WarpsPerBlock <= l.Warps && more*r.AllocatedShared <= r.SharedPerSMX &&
						more*r.WarpsPerBlock*l.RegistersPerWarp(registers) <= l.Registers/l.Partitions/max(l.RegistersPerWarp(registers),
							1)*l.Partitions*l.RegistersPerWarp(registers) &&
						roundUp(r.WarpsPerBlock, l.Partitions)*l.RegistersPerWarp(registers) <= l.RegistersPerBlock
					require.False(t, fits, "%s %+v: %+v", l.Name, launch, r)
				}
			}
		}
	}
}

func TestCacheConfigNames(t *testing.T) {
	for c := range cacheConfigs {
		parsed, err := ParseCacheConfig(c.String())
		require.NoError(t, err)
		assert.Equal(t, c, parsed)
	}
	_, err := ParseCacheConfig("most")
	assert.EqualError(t, err, `cache preference "most": choose one of none, shared, l1, equal`)
	for chip, sizes := range map[string]map[string]CacheConfig{
		"gk110": {"48K": PreferShared, "16K": PreferL1, "32": PreferEqual, "l1": PreferL1},
		"gk210": {"112K": PreferShared, "80K": PreferL1, "96K": PreferEqual},
	} {
		c, err := configs.Load(chip, nil)
		require.NoError(t, err)
		for text, want := range sizes {
			parsed, err := FromConfig(c).CacheConfig(text)
			require.NoError(t, err)
			assert.Equal(t, want, parsed, "%s %s", chip, text)
		}
		_, err = FromConfig(c).CacheConfig("64K")
		assert.ErrorContains(t, err, chip+" cannot have 64 KB of shared memory an SMX")
		_, err = FromConfig(c).CacheConfig("most")
		assert.ErrorContains(t, err, "equal, and no size of shared memory, as in 32K")
	}
}

func BenchmarkCalculate(b *testing.B) {
	l := limitsOf(b, "gk110")
	for i := 0; b.Loop(); i++ {
		l.Calculate(Launch{Threads: 1 + i&1023, Registers: i % 256, Shared: i % 49152})
	}
}
