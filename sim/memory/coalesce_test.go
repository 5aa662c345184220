package memory

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/exec"
)

// keplerParts are the parts of every Kepler board.
var keplerParts = Parts{32, 32, 32, 32, 16}

// keplerBanks are the banks of every Kepler board.
var keplerBanks = SharedBanks{keplerParts, 31, 8}

// access returns a full warp's access with the address of each lane.
func access(size int, address func(lane int) uint64) *exec.Access {
	a := &exec.Access{Bytes: uint8(size), Active: isa.FullMask}
	for lane := range 32 {
		a.Address[lane] = address(lane)
	}
	return a
}

// The CUDA C Programming Guide's rules for compute capability 3.x, case by case: lines of 128 bytes, sectors of 32.
func TestCoalesce(t *testing.T) {
	const base = firstAddress
	for _, test := range []struct {
		name                  string
		access                *exec.Access
		line                  int
		transactions, sectors int
	}{
		{"f32, consecutive and aligned", access(4, func(l int) uint64 { return base + uint64(4*l) }), 128, 1, 4},
		{"f32, reversed", access(4, func(l int) uint64 { return base + uint64(4*(31-l)) }), 128, 1, 4},
		{"f32, permuted in the line", access(4, func(l int) uint64 { return base + uint64(4*(l*7%32)) }), 128, 1, 4},
		{"f32, misaligned by one element", access(4, func(l int) uint64 { return base + 4 + uint64(4*l) }), 128, 2, 5},
		{"f32, misaligned by a sector", access(4, func(l int) uint64 { return base + 32 + uint64(4*l) }), 128, 2, 4},
		{"f32, stride 2", access(4, func(l int) uint64 { return base + uint64(8*l) }), 128, 2, 8},
		{"f32, stride 8", access(4, func(l int) uint64 { return base + uint64(32*l) }), 128, 8, 32},
		{"f32, stride 32", access(4, func(l int) uint64 { return base + uint64(128*l) }), 128, 32, 32},
		{"f32, all on one word", access(4, func(int) uint64 { return base + 64 }), 128, 1, 1},
		{"u8, consecutive", access(1, func(l int) uint64 { return base + uint64(l) }), 128, 1, 1},
		{"u16, consecutive", access(2, func(l int) uint64 { return base + uint64(2*l) }), 128, 1, 2},
		{"f64, two lines", access(8, func(l int) uint64 { return base + uint64(8*l) }), 128, 2, 8},
		{"f64, all on one word", access(8, func(int) uint64 { return base }), 128, 1, 1},
		{"float4, four lines", access(16, func(l int) uint64 { return base + uint64(16*l) }), 128, 4, 16},
		{"float4, misaligned by 16 bytes", access(16, func(l int) uint64 { return base + 16 + uint64(16*l) }), 128, 6, 18},
		{"float4, all on one: once a half", access(16, func(int) uint64 { return base }), 128, 2, 2},
		{"f32 in lines of 32 bytes", access(4, func(l int) uint64 { return base + uint64(4*l) }), 32, 4, 4},
	} {
		out := Coalesce(test.access, test.line, &keplerParts, nil)
		sectors, lanes := 0, uint32(0)
		for _, tr := range out {
			sectors += bits.OnesCount8(tr.Sectors)
			require.Zero(t, lanes&tr.Lanes, test.name)
			lanes |= tr.Lanes
			require.Zero(t, tr.Line%uint64(test.line), test.name)
		}
		require.Len(t, out, test.transactions, test.name)
		require.Equal(t, test.sectors, sectors, test.name)
		require.EqualValues(t, isa.FullMask, lanes, test.name)
	}
}

// For any access, each active lane is served once, by a transaction whose line and sectors hold its address. No two transactions of one
// part of the warp share a line. Each sector has a lane that asked for it.
func TestCoalesceServesEveryLaneOnce(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 3000 {
		size := 1 << random.IntN(5)
		spread := 1 << random.IntN(14)
		a := access(size, func(int) uint64 { return firstAddress + uint64(random.IntN(spread)*size) })
		a.Active = random.Uint32()
		out := Coalesce(a, 128, &keplerParts, nil)
		var served uint32
		for i, tr := range out {
			require.NotZero(t, tr.Lanes)
			require.Zero(t, served&tr.Lanes)
			served |= tr.Lanes
			var sectors uint8
			part := -1
			for m := tr.Lanes; m != 0; m &= m - 1 {
				lane := bits.TrailingZeros32(m)
				require.Equal(t, tr.Line, a.Address[lane]&^127)
				sectors |= 1 << (a.Address[lane] % 128 / 32)
				width := 32
				if size == 16 {
					width = 16
				}
				if part < 0 {
					part = lane / width
				}
				require.Equal(t, part, lane/width)
			}
			require.Equal(t, sectors, tr.Sectors)
			for _, other := range out[:i] {
				require.False(t, size < 16 && other.Line == tr.Line)
			}
		}
		require.Equal(t, a.Active, served)
	}
}

// Sectors that a GTX 680 read from L2, as CUPTI counted them for kernels of the Kernel Tuning Toolkit's examples, whose loads all follow
// from the source. In n-body, 512 warps walk over 16,384 bodies, with all lanes on one. In gemm, 8,192 warps of 8 by 4 threads take 1,024
// steps. In each a thread reads two neighbours of a row of A by its x and two of a row of B by its y, one by one or as a float2.
func TestVectorLoadsOfSharedSectors(t *testing.T) {
	const base, bodies, warps, steps = firstAddress, 512 * 16384, 8192, 1024
	x := func(l int) uint64 { return uint64(l % 8 * 8) }
	y := func(l int) uint64 { return uint64(l / 8 * 8) }
	at := func(size int, offset uint64, place func(int) uint64) *exec.Access {
		return access(size, func(l int) uint64 { return base + offset + place(l) })
	}
	same := func(int) uint64 { return 0 }
	for _, test := range []struct {
		name     string
		loads    []*exec.Access
		times    int
		measured float64
	}{
		{"nbody 64,1,0,0,0,0,0,1: a float4 of a body", []*exec.Access{at(16, 0, same)}, bodies, 16_793_903},
		{"nbody 64,1,0,0,1,0,0,4: a float4 of four bodies' x, y, z and mass",
			[]*exec.Access{at(16, 0, same), at(16, 1<<16, same), at(16, 2<<16, same), at(16, 3<<16, same)}, bodies / 4, 16_791_750},
		{"gemm 16,16,32,8,8,8,8,2,1,1,0,0,0,0: floats",
			[]*exec.Access{at(4, 0, x), at(4, 4, x), at(4, 0, y), at(4, 4, y)}, warps * steps, 50_331_975},
		{"gemm 16,16,32,8,8,8,8,2,2,2,0,0,0,0: float2", []*exec.Access{at(8, 0, x), at(8, 0, y)}, warps * steps, 25_166_090},
	} {
		sectors := 0
		for _, a := range test.loads {
			for _, tr := range Coalesce(a, 128, &keplerParts, nil) {
				sectors += bits.OnesCount8(tr.Sectors)
			}
		}
		require.InEpsilon(t, test.measured, float64(sectors*test.times), 0.001, test.name)
	}
}

func BenchmarkCoalesce(b *testing.B) {
	for name, stride := range map[string]uint64{"consecutive": 4, "strided": 128} {
		b.Run(name, func(b *testing.B) {
			a := access(4, func(l int) uint64 { return firstAddress + stride*uint64(l) })
			out := make([]Transaction, 0, 32)
			for b.Loop() {
				out = Coalesce(a, 128, &keplerParts, out[:0])
			}
		})
	}
}
