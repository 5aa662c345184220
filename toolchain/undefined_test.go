package toolchain_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/testkit/need"
	"github.com/keplersim/keplersim/toolchain"
)

// Only lane 0 sets base, and the shuffle gives it to the others, whose own argument was never set. Programs for Kepler count like this,
// once a warp instead of once a thread, with and without a function around the shuffle.
const countedByWarps = `
__device__ int from_leader(int v, int leader) { return __shfl(v, leader); }

__global__ void compact(const int *in, int *out, int *count, int *adds, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  bool keep = i < n && in[i] > 0;
  unsigned int kept = __ballot(keep);
  int base;
  if (lane == 0) { base = atomicAdd(count, __popc(kept)); atomicAdd(adds, 1); }
  base = __shfl(base, 0);
  if (keep) out[base + __popc(kept & ((1u << lane) - 1))] = in[i];
}

__global__ void compact_by_functions(const int *in, int *out, int *count, int *adds, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  if (i >= n || in[i] <= 0) return;
  unsigned int kept = __ballot(1);
  int leader = __ffs(kept) - 1, base;
  if (lane == leader) { base = atomicAdd(count, __popc(kept)); atomicAdd(adds, 1); }
  base = from_leader(base, leader) + __popc(kept & ((1u << lane) - 1));
  out[base] = in[i];
}
`

func TestVariablesThatOneLaneSets(t *testing.T) {
	need.Clang(t)
	const n = 150
	in, want := make([]int32, n), []int32{}
	for i := range in {
		if in[i] = int32(i); i%3 == 0 {
			in[i] = -in[i]
		} else {
			want = append(want, in[i])
		}
	}
	levels := []string{"0", "1", "3"}
	if testing.Short() {
		levels = levels[2:]
	}
	for _, level := range levels {
		for _, kernel := range []string{"compact", "compact_by_functions"} {
			t.Run(kernel+" -O"+level, func(t *testing.T) {
				d := newDevice(t, countedByWarps, toolchain.Options{Level: level}, sim.Options{Functional: true})
				out, count, adds := make([]int32, len(want)), make([]int32, 1), make([]int32, 1)
				outAt, countAt, addsAt := d.buffer("out", out), d.buffer("count", count), d.buffer("adds", adds)
				d.launch(kernel, line(3), line(64), 0, d.buffer("in", in), outAt, countAt, addsAt, int32(n))
				d.read(outAt, out)
				d.read(countAt, count)
				d.read(addsAt, adds)
				slices.Sort(out) // warps come in any order
				require.Equal(t, want, out)
				require.Equal(t, []int32{int32(len(want))}, count)
				warps := int32(5) // warps with at least one element
				if kernel == "compact" {
					warps = 6
				}
				require.Equal(t, []int32{warps}, adds)
			})
		}
	}
}

// A static constant counts as the host last wrote it, which no compiler sees: the driver API writes by name.
func TestStaticConstantsThatTheHostWrites(t *testing.T) {
	need.Clang(t)
	d := newDevice(t, `
static __constant__ int never[2], first = 7, unused = 1;
extern "C" __global__ void sum(int *out) { *out = never[1] + first; }
`, toolchain.Options{}, sim.Options{Functional: true})
	sum := make([]int32, 1)
	at := d.buffer("sum", sum)
	require.NoError(t, d.module.WriteSymbol("never", 4, []byte{30, 0, 0, 0}))
	require.NoError(t, d.module.WriteSymbol("first", 0, []byte{4, 0, 0, 0}))
	d.launch("sum", line(1), line(1), 0, at)
	d.read(at, sum)
	require.Equal(t, int32(34), sum[0])
	require.Error(t, d.module.WriteSymbol("unused", 0, []byte{1}))
}
