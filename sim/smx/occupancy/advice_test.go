package occupancy

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each change is the smallest of its kind: no smaller one gains as much.
func TestAdviceGainsAndIsNearest(t *testing.T) {
	for _, chip := range []string{"gk104", "gk110", "gk210"} {
		l := limitsOf(t, chip)
		for threads := 1; threads <= 1024; threads += 57 {
			for registers := 16; registers <= l.RegistersPerThread; registers += 7 {
				for shared := 0; shared <= 48<<10; shared += 6000 {
					launch := Launch{Threads: threads, Registers: registers, Shared: shared, Cache: CacheConfig(threads % 4)}
					now := l.Calculate(launch)
					kinds := map[ChangeKind]bool{}
					for _, c := range l.Advise(launch) {
						require.Greater(t, c.Result.Warps, now.Warps)
						require.Equal(t, l.Calculate(c.Launch), c.Result)
						require.NoError(t, l.Check(c.Launch))
						kinds[c.Kind] = true
						step := c.Launch
						switch c.Kind {
						case ChangeRegisters:
							step.Registers++
						case ChangeShared:
							step.Shared++
						default:
							continue
						}
						require.LessOrEqual(t, l.Calculate(step).Blocks, now.Blocks, "%+v is nearer than %+v", step, c.Launch)
					}
					if !kinds[ChangeRegisters] {
						for n := 1; n < registers; n++ {
							step := launch
							step.Registers = n
							require.LessOrEqual(t, l.Calculate(step).Blocks, now.Blocks, "%+v gains and is not advised", step)
						}
					}
				}
			}
		}
	}
}

func TestAdviceOfTheTuningGuideExample(t *testing.T) {
	changes := limitsOf(t, "gk110").Advise(Launch{Threads: 256, Registers: 63})
	var registers []int
	for _, c := range changes {
		if c.Kind == ChangeRegisters {
			registers = append(registers, c.Launch.Registers, c.Result.Blocks)
		}
	}
	// 48 registers are 6 units of 256 for a warp: 10 warps in each of 4 partitions, 5 blocks of 8 warps.
	assert.Equal(t, []int{48, 5}, registers)
}

func TestNeitherAloneButBothTogether(t *testing.T) {
	l := limitsOf(t, "gk110")
	launch := Launch{Threads: 256, Registers: 64, Shared: 12 << 10} // 4 blocks by registers and by shared memory
	require.Equal(t, "registers, shared", l.Calculate(launch).Limiters.String())
	for _, c := range l.Advise(launch) {
		if c.Kind == ChangeRegistersAndShared {
			assert.Equal(t, []int{48, 9728, 5}, []int{c.Launch.Registers, c.Launch.Shared, c.Result.Blocks})
			return
		}
	}
	t.Fatal("no advice for both")
}

func TestBestIsTheLargestOfTheFullest(t *testing.T) {
	l := limitsOf(t, "gk110")
	best, result := l.Best(Launch{Threads: 1, Registers: 32}, nil)
	assert.Equal(t, []int{1024, 64}, []int{best.Threads, result.Warps})
	best, result = l.Best(Launch{Threads: 1, Registers: 63}, nil)
	assert.Equal(t, []int{1024, 32}, []int{best.Threads, result.Warps})
	best, result = l.Best(Launch{Threads: 1, Registers: 37}, nil) // 5 units a warp: 12 warps a partition, 48 in all
	assert.Equal(t, []int{768, 48}, []int{best.Threads, result.Warps})
	best, _ = l.Best(Launch{Threads: 1, Registers: 16}, func(threads int) int { return threads * 48 })
	assert.Equal(t, 1024, best.Threads)
}
