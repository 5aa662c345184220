package toolchain_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/testkit/need"
	"github.com/keplersim/keplersim/toolchain"
)

// parts applies an operation to each part, width bits wide, of two words, and combines the results.
func parts(a, b uint32, width int, operation func(a, b int64) int64, signed bool) uint32 {
	out := uint32(0)
	for shift := 0; shift < 32; shift += width {
		mask := uint32(1)<<width - 1
		pa, pb := int64(a>>shift&mask), int64(b>>shift&mask)
		if signed {
			pa, pb = pa<<(64-width)>>(64-width), pb<<(64-width)>>(64-width)
		}
		out |= uint32(operation(pa, pb)) & mask << shift
	}
	return out
}

// SIMD intrinsics on the numbers in a word follow the CUDA C programming guide and its math API.
func TestNumbersInAWord(t *testing.T) {
	need.Clang(t)
	absolute := func(x int64) int64 { return max(x, -x) }
	all := func(test bool) int64 {
		if test {
			return -1
		}
		return 0
	}
	one := func(test bool) int64 { return -all(test) }
	type operation = func(a, b int64) int64
	// In the names, N stands for the number of parts.
	signed := map[string]func(low, high int64) operation{
		"__vaddssN":    func(low, high int64) operation { return func(a, b int64) int64 { return min(max(a+b, low), high) } },
		"__vsubssN":    func(low, high int64) operation { return func(a, b int64) int64 { return min(max(a-b, low), high) } },
		"__vabsdiffsN": func(_, _ int64) operation { return func(a, b int64) int64 { return absolute(a - b) } },
		"__vmaxsN":     func(_, _ int64) operation { return func(a, b int64) int64 { return max(a, b) } },
		"__vminsN":     func(_, _ int64) operation { return func(a, b int64) int64 { return min(a, b) } },
		"__vcmpgtsN":   func(_, _ int64) operation { return func(a, b int64) int64 { return all(a > b) } },
		"__vcmplesN":   func(_, _ int64) operation { return func(a, b int64) int64 { return all(a <= b) } },
		"__vsetltsN":   func(_, _ int64) operation { return func(a, b int64) int64 { return one(a < b) } },
	}
	unsigned := map[string]func(high int64) operation{
		"__vaddN":      func(int64) operation { return func(a, b int64) int64 { return a + b } },
		"__vsubN":      func(int64) operation { return func(a, b int64) int64 { return a - b } },
		"__vaddusN":    func(high int64) operation { return func(a, b int64) int64 { return min(a+b, high) } },
		"__vsubusN":    func(int64) operation { return func(a, b int64) int64 { return max(a-b, 0) } },
		"__vavguN":     func(int64) operation { return func(a, b int64) int64 { return (a + b + 1) / 2 } },
		"__vhadduN":    func(int64) operation { return func(a, b int64) int64 { return (a + b) / 2 } },
		"__vabsdiffuN": func(int64) operation { return func(a, b int64) int64 { return absolute(a - b) } },
		"__vmaxuN":     func(int64) operation { return func(a, b int64) int64 { return max(a, b) } },
		"__vminuN":     func(int64) operation { return func(a, b int64) int64 { return min(a, b) } },
		"__vcmpeqN":    func(int64) operation { return func(a, b int64) int64 { return all(a == b) } },
		"__vcmpneN":    func(int64) operation { return func(a, b int64) int64 { return all(a != b) } },
		"__vcmpgeuN":   func(int64) operation { return func(a, b int64) int64 { return all(a >= b) } },
		"__vsetleuN":   func(int64) operation { return func(a, b int64) int64 { return one(a <= b) } },
	}
	type check struct {
		call string
		want func(a, b uint32) uint32
	}
	var checks []check
	for _, n := range []int{2, 4} {
		width := 32 / n
		high := int64(1)<<width - 1
		name := func(pattern string) string { return strings.ReplaceAll(pattern, "N", fmt.Sprint(n)) }
		for pattern, of := range signed {
			operation := of(-(high+1)/2, high/2)
			checks = append(checks, check{name(pattern) + "(a, b)", func(a, b uint32) uint32 {
				return parts(a, b, width, operation, true)
			}})
		}
		for pattern, of := range unsigned {
			operation := of(high)
			checks = append(checks, check{name(pattern) + "(a, b)", func(a, b uint32) uint32 {
				return parts(a, b, width, operation, false)
			}})
		}
		sum := func(a, b uint32, signed bool) uint32 {
			total := uint32(0)
			parts(a, b, width, func(a, b int64) int64 { total += uint32(absolute(a - b)); return 0 }, signed)
			return total
		}
		checks = append(checks,
			check{name("__vsaduN(a, b)"), func(a, b uint32) uint32 { return sum(a, b, false) }},
			check{name("__vsadsN(a, b)"), func(a, b uint32) uint32 { return sum(a, b, true) }},
			check{name("__vnegN(a)"), func(a, _ uint32) uint32 {
				return parts(0, a, width, func(a, b int64) int64 { return a - b }, true)
			}},
			check{name("__vabsN(a)"), func(a, _ uint32) uint32 {
				return parts(a, 0, width, func(a, _ int64) int64 { return absolute(a) }, true)
			}},
			check{name("__vabsssN(a)"), func(a, _ uint32) uint32 {
				return parts(a, 0, width, func(a, _ int64) int64 { return min(absolute(a), high/2) }, true)
			}},
			check{name("__vnegssN(a)"), func(a, _ uint32) uint32 {
				return parts(a, 0, width, func(a, _ int64) int64 { return min(-a, high/2) }, true)
			}})
	}
	words := append(random(62, func(r *rand.Rand) uint32 { return r.Uint32() }), 0x80008000, 0x7fff0180)
	var source strings.Builder
	source.WriteString("__global__ void words(const unsigned int *x, unsigned int *y) {\n" +
		"  unsigned int a = x[threadIdx.x], b = x[(threadIdx.x + 1) % 64];\n")
	for i, c := range checks {
		fmt.Fprintf(&source, "  y[%d + threadIdx.x] = %s;\n", 64*i, c.call)
	}
	source.WriteString("}\n")
	d := newDevice(t, source.String(), toolchain.Options{}, sim.Options{Functional: true, Threads: 1})
	got := make([]uint32, 64*len(checks))
	to := d.buffer("y", got)
	d.launch("words", line(1), line(64), 0, d.buffer("x", words), to)
	d.read(to, got)
	for i, c := range checks {
		for k, a := range words {
			b := words[(k+1)%64]
			require.Equal(t, c.want(a, b), got[64*i+k], "%s for %#08x, %#08x", c.call, a, b)
		}
	}
}

// The math API's minima and maxima by type give back that type: what is above 2^31 stays positive in a larger one.
func TestExtremesOfATypeHaveThatType(t *testing.T) {
	need.Clang(t)
	d := newDevice(t, `__global__ void extremes(unsigned long long *y) {
  unsigned int big = 0x80000000 + (unsigned int)y[0];
  y[0] = umin(big, big + 1), y[1] = umax(big, 1);
  y[2] = llmin(-1, big), y[3] = llmax(-1, big);
  y[4] = ullmin(-1, big), y[5] = ullmax(-1, big);
}`, toolchain.Options{}, sim.Options{Functional: true, Threads: 1})
	got := make([]uint64, 6)
	y := d.buffer("y", got)
	d.launch("extremes", line(1), line(1), 0, y)
	d.read(y, got)
	assert.Equal(t, []uint64{1 << 31, 1 << 31, math.MaxUint64, 1 << 31, 1 << 31, math.MaxUint64}, got)
}

// The first number of the first ten subsequences of seed 1234 is the one that the cuRAND guide's host example prints. An offset gives the
// number that as many calls would reach.
func TestRandomNumbersAreThoseOfCurand(t *testing.T) {
	need.Clang(t)
	d := newDevice(t, `
#include <curand_kernel.h>
__global__ void subsequences(float *u) {
  curandState state;
  curand_init(1234ull, threadIdx.x, 0, &state);
  u[threadIdx.x] = curand_uniform(&state);
}
__global__ void offsets(unsigned int *skipped, unsigned int *walked, float *normal) {
  curandState a, b;
  curand_init(99, 3, 37 * threadIdx.x, &a);
  curand_init(99, 3, 0, &b);
  for (int i = 0; i < 37 * threadIdx.x; i++) curand(&b);
  skipped[threadIdx.x] = curand(&a);
  walked[threadIdx.x] = curand(&b);
  normal[2 * threadIdx.x] = curand_normal(&a);
  normal[2 * threadIdx.x + 1] = curand_normal(&a);
}`, toolchain.Options{}, sim.Options{Functional: true, Threads: 1})
	uniform, normal := make([]float32, 10), make([]float32, 128)
	skipped, walked := make([]uint32, 64), make([]uint32, 64)
	au, as, aw, an := d.buffer("uniform", uniform), d.buffer("skipped", skipped), d.buffer("walked", walked), d.buffer("normal", normal)
	d.launch("subsequences", line(1), line(10), 0, au)
	d.launch("offsets", line(1), line(64), 0, as, aw, an)
	d.read(au, uniform)
	d.read(as, skipped)
	d.read(aw, walked)
	d.read(an, normal)
	for i, want := range []float64{0.1455, 0.8202, 0.5504, 0.2948, 0.9147, 0.8690, 0.3219, 0.7829, 0.0113, 0.2855} {
		assert.InDelta(t, want, uniform[i], 0.00006, "subsequence %d", i)
	}
	assert.Equal(t, walked, skipped)
	sum, squares := 0.0, 0.0
	for _, x := range normal {
		sum += float64(x)
		squares += float64(x) * float64(x)
	}
	assert.InDelta(t, 0, sum/128, 4/math.Sqrt(128))
	assert.InDelta(t, 1, squares/128, 0.5)
}

// Poisson numbers for means below 64 and above 4000 are those of an H200 with cuRAND 13.0, seed 1234, subsequences 0 to 9; between them
// they are the quantiles of a uniform number.
func TestPoissonNumbers(t *testing.T) {
	need.Clang(t)
	d := newDevice(t, `
#include <curand_kernel.h>
__global__ void numbers(unsigned int *n, float *u) {
  curandState state, same;
  curandStatePhilox4_32_10_t philox;
  curandStateMRG32k3a_t mrg;
  int i = threadIdx.x;
  curand_init(1234, i, 0, &state), n[i] = curand_poisson(&state, 4);
  curand_init(1234, i, 0, &state), n[10 + i] = curand_poisson(&state, 63.9);
  curand_init(1234, i, 0, &state), n[20 + i] = curand_poisson(&state, 10000);
  curand_init(1234, i, 0, &philox), n[30 + i] = curand_poisson(&philox, 20.5);
  curand_init(1234, i, 0, &mrg), n[40 + i] = curand_poisson(&mrg, 4001);
  const double means[] = {64, 300.25, 4000};
  for (int k = 0; k < 3; k++) {
    same = state;
    n[50 + 10 * k + i] = curand_poisson(&state, means[k]), u[10 * k + i] = curand_uniform(&same);
  }
}`, toolchain.Options{}, sim.Options{Functional: true, Threads: 1})
	got, uniform := make([]uint32, 80), make([]float32, 30)
	n, u := d.buffer("n", got), d.buffer("u", uniform)
	d.launch("numbers", line(1), line(10), 0, n, u)
	d.read(n, got)
	d.read(u, uniform)
	assert.Equal(t, []uint32{
		5, 5, 6, 4, 3, 4, 2, 3, 0, 2,
		74, 58, 68, 72, 50, 68, 72, 72, 67, 63,
		10036, 9991, 9936, 9966, 10039, 10080, 10136, 10094, 9911, 10180,
		21, 15, 30, 19, 26, 20, 20, 19, 24, 21,
		3978, 3892, 4023, 4010, 3997, 3918, 3977, 4079, 3921, 4035,
	}, got[:50])
	for i, x := range uniform {
		mean, below, up := []float64{64, 300.25, 4000}[i/10], 0.0, 0.0
		for k := range got[50+i] + 1 {
			logarithm, _ := math.Lgamma(float64(k) + 1)
			below, up = up, up+math.Exp(float64(k)*math.Log(mean)-mean-logarithm)
		}
		assert.True(t, below < float64(x) && float64(x) <= up, "mean %g: %d for %g, between %g and %g", mean, got[50+i], x, below, up)
	}
}

func TestHalfPrecisionAndGroups(t *testing.T) {
	need.Clang(t)
	d := newDevice(t, `
#include <cuda_fp16.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
__global__ void halves(const float *x, unsigned short *h, float *back) {
  __half2 v = __floats2half2_rn(x[0], x[1]);
  h[0] = __half_as_ushort(__low2half(v)), h[1] = __half_as_ushort(__float2half_rz(x[1])), h[2] = __half_as_ushort(__float2half_ru(x[1]));
  back[0] = __half2float(v.x), back[1] = __high2float(v);
}
__device__ int place(cg::thread_block_tile<2> pair) { return 10 * pair.meta_group_size() + pair.meta_group_rank(); }
__global__ void groups(int *out) {
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<8>(block);
  int rank = block.thread_rank(), at = 6 * rank;
  out[at] = tile.shfl(rank, 2);
  out[at + 1] = cg::reduce(tile, rank, cg::plus<int>());
  out[at + 2] = tile.ballot(rank % 3 == 0);
  out[at + 3] = tile.meta_group_rank() + 100 * place(cg::tiled_partition<2>(tile));
  out[at + 4] = tile.any(rank == 9) * 2 + tile.all(rank < 16);
  if (rank % 5 == 0) {
    auto together = cg::coalesced_threads();
    out[at + 5] = together.thread_rank() + 100 * together.size() + 10000 * together.shfl(rank, 1);
  }
}`, toolchain.Options{}, sim.Options{Functional: true, Threads: 1})
	x := []float32{0.333333333, 1.0004}
	h, back := make([]uint16, 3), make([]float32, 2)
	ah, ab := d.buffer("h", h), d.buffer("back", back)
	d.launch("halves", line(1), line(1), 0, d.buffer("x", x), ah, ab)
	d.read(ah, h)
	d.read(ab, back)
	assert.Equal(t, []uint16{0x3555, 0x3c00, 0x3c01}, h)
	assert.Equal(t, []float32{0x1.554p-2, 1}, back)

	out := make([]int32, 6*32)
	to := d.buffer("out", out)
	d.launch("groups", line(1), [3]int{16, 2, 1}, 0, to)
	d.read(to, out)
	for rank := range int32(32) {
		first := rank &^ 7
		votes := int32(0)
		for i := range int32(8) {
			if (first+i)%3 == 0 {
				votes |= 1 << i
			}
		}
		anyAll := int32(0)
		if first == 8 {
			anyAll += 2
		}
		if first < 16 {
			anyAll++
		}
		last := int32(0)
		if rank%5 == 0 {
			last = rank/5 + 100*7 + 10000*5
		}
		places := rank/8 + 100*(10*4+rank%8/2)
		assert.Equal(t, []int32{first + 2, 8*first + 28, votes, places, anyAll, last}, out[6*rank:6*rank+6], "thread %d", rank)
	}
}

// A lane reads after __syncwarp() what other lanes wrote before it. No load moves before the barrier, even if it provably reads another
// word than its own lane wrote.
func TestWarpBarrierOrdersMemory(t *testing.T) {
	need.Clang(t)
	d := newDevice(t, `
__global__ void sum(int *out, const int *in) {
  __shared__ int s[32];
  int i = threadIdx.x;
  s[i] = in[i];
  __syncwarp();
  if (i < 16) s[i] += s[i + 16]; __syncwarp();
  if (i < 8) s[i] += s[i + 8]; __syncwarp();
  if (i < 4) s[i] += s[i + 4]; __syncwarp();
  if (i < 2) s[i] += s[i + 2]; __syncwarp();
  if (i == 0) *out = s[0] + s[1];
}`, toolchain.Options{}, sim.Options{Functional: true, Threads: 1})
	in, out := make([]int32, 32), make([]int32, 1)
	for i := range in {
		in[i] = int32(i * i)
	}
	to := d.buffer("out", out)
	d.launch("sum", line(1), line(32), 0, to, d.buffer("in", in))
	d.read(to, out)
	assert.Equal(t, int32(31*32*63/6), out[0])
}

// A whole program in C++, with uses of the host library, parses, and its kernels compile.
func TestWholeProgramInCPlusPlus(t *testing.T) {
	program(t, "whole_program")
}
