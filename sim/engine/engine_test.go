package engine

import (
	"math/big"
	"math/rand/v2"
	"sort"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRatioIsExactOverLongRuns(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		from, to := uint64(1+random.IntN(4000)), uint64(1+random.IntN(4000))
		ratio := NewRatio(from, to)
		count := random.Int64N(1 << 50)
		exact := new(big.Int).Mul(big.NewInt(count), new(big.Int).SetUint64(to))
		floor, rest := new(big.Int).QuoRem(exact, new(big.Int).SetUint64(from), new(big.Int))
		require.Equal(t, floor.Int64(), ratio.Floor(count))
		ceil := floor.Int64()
		if rest.Sign() != 0 {
			ceil++
		}
		require.Equal(t, ceil, ratio.Ceil(count))
	}
}

func TestClockInPicoseconds(t *testing.T) {
	clock := Clock{Megahertz: 732}
	require.Equal(t, Picosecond(1_000_000), clock.Picoseconds(732))
	require.Equal(t, Picosecond(1366), clock.Picoseconds(1))
	require.Equal(t, Cycle(732), clock.Cycles(1_000_000))
	require.Equal(t, Cycle(0), clock.Cycles(1366))
	require.Equal(t, Cycle(1), clock.CyclesUp(1366))
}

type queued struct {
	time  Cycle
	order int
}

// Both queues order values like a stable sort, with pushes between the pops.
func TestQueuesOrderByTimeThenArrival(t *testing.T) {
	for seed := uint64(0); seed < 50; seed++ {
		random := rand.New(rand.NewPCG(seed, 7))
		wheel := NewWheel[queued](64)
		var heap Heap[queued]
		var model []queued
		now, order := Cycle(0), 0
		for range 400 {
			if random.IntN(5) < 3 {
				distance := random.IntN(20)
				if random.IntN(4) == 0 {
					distance = random.IntN(500)
				}
				v := queued{now + Cycle(distance), order}
				order++
				wheel.Push(v.time, v)
				heap.Push(v.time, v)
				model = append(model, v)
				sort.SliceStable(model, func(i, j int) bool { return model[i].time < model[j].time })
			} else if len(model) > 0 {
				want := model[0]
				model = model[1:]
				next, ok := wheel.Next()
				require.True(t, ok)
				require.Equal(t, want.time, next)
				_, _, early := wheel.PopBefore(want.time)
				require.False(t, early)
				time, got, ok := wheel.PopBefore(want.time + 1)
				require.True(t, ok)
				require.Equal(t, want, got)
				require.Equal(t, want.time, time)
				_, got = heap.Pop()
				require.Equal(t, want, got)
				now = want.time
			}
			require.Equal(t, len(model), wheel.Len())
			require.Equal(t, len(model), heap.Len())
		}
	}
}

func TestQueuesDoNotAllocate(t *testing.T) {
	wheel := NewWheel[int](256)
	var heap Heap[int]
	now := Cycle(0)
	work := func() {
		for i := range 64 {
			wheel.Push(now+Cycle(i%50), i)
			heap.Push(now+Cycle(i%50), i)
		}
		for range 64 {
			now, _, _ = wheel.PopBefore(Never)
			heap.Pop()
		}
	}
	work()
	require.Zero(t, testing.AllocsPerRun(100, work))
}

func BenchmarkWheel(b *testing.B) {
	wheel := NewWheel[int32](4096)
	for i := range 1000 {
		wheel.Push(Cycle(i%300), int32(i))
	}
	for b.Loop() {
		now, value, _ := wheel.PopBefore(Never)
		wheel.Push(now+60+Cycle(value&127), value)
	}
}

func BenchmarkHeap(b *testing.B) {
	var heap Heap[int32]
	for i := range 1000 {
		heap.Push(Cycle(i%300), int32(i))
	}
	for b.Loop() {
		now, value := heap.Pop()
		heap.Push(now+60+Cycle(value&127), value)
	}
}
