package exec

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/testkit/oracle"
)

// videoBody binds a body of one video instruction on registers a, b, c and d of 32 bits.
func videoBody(t *testing.T, body string) func(a, b, c uint32) uint32 {
	t.Helper()
	code, err := Bind(formProgram(t, oracle.Form{Name: body, Inputs: []string{"b32", "b32", "b32"}, Output: "b32", Body: body}))
	require.NoError(t, err, body)
	w := &Warp{Registers: make([]isa.Lanes32, 12), Block: &Block{Launch: code.Launch(nil)}}
	return func(a, b, c uint32) uint32 {
		w.Registers[2][3], w.Registers[4][3], w.Registers[6][3] = a, b, c
		for i := range code.Ops {
			code.Ops[i].Run(w, 1<<3)
		}
		return w.Registers[0][3]
	}
}

// A second minimum or maximum sees all bits of a signed result: values that an H100 computed.
func TestVideoSecondComparisonSeesAllBits(t *testing.T) {
	for _, c := range []struct {
		body          string
		a, b, c, want uint32
	}{
		{"vmax.s32.u32.s32.min {d}, {a}, {b}, {c};", 0x807fffff, 0x80000000, 0x5c, 0x5c},
		{"vmax.s32.u32.s32.min {d}, {a}, {b}, {c};", 0xffffffff, 0x7fffffff, 0x19491a97, 0x19491a97},
		{"vmin.s32.u32.u32.max {d}, {a}, {b}, {c};", 0x807fffff, 0x80000000, 1, 0x80000000},
		{"vabsdiff.s32.u32.u32.max {d}, {a}, {b}, {c};", 0x5a, 0xffffffff, 0x20, 0xffffffa5},
		{"vabsdiff.s32.u32.u32.min {d}, {a}, {b}, {c};", 0x807fffff, 0x41, 0x6470136e, 0x6470136e},
	} {
		require.Equal(t, c.want, videoBody(t, c.body)(c.a, c.b, c.c), c.body)
	}
}

// The record has the SIMD instructions with whole registers only: selected elements and write masks are compared with a plain
// evaluation element by element.
func TestVideoElementsAndMasks(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	for range 60 {
		var choiceA, choiceB [4]int
		for n := range 4 {
			choiceA[n], choiceB[n] = random.IntN(8), random.IntN(8)
		}
		mask := 1 + random.IntN(15)
		letters := ""
		for n := 3; n >= 0; n-- {
			if mask>>n&1 == 1 {
				letters += fmt.Sprint(n)
			}
		}
		word := func(c [4]int) string { return fmt.Sprintf("b%d%d%d%d", c[3], c[2], c[1], c[0]) }
		operands := fmt.Sprintf("{d}.b%s, {a}.%s, {b}.%s, {c};", letters, word(choiceA), word(choiceB))
		merge := videoBody(t, "vadd4.u32.s32.u32.sat "+operands)
		sum := videoBody(t, "vabsdiff4.u32.u32.u32.add "+operands)
		for range 20 {
			a, b, c := random.Uint32(), random.Uint32(), random.Uint32()
			element := func(n int) byte { return byte((uint64(b)<<32 | uint64(a)) >> (8 * n)) }
			merged, summed := c, c
			for n := range 4 {
				if mask>>n&1 == 0 {
					continue
				}
				x, y := element(choiceA[n]), element(choiceB[n])
				v := min(255, max(0, int(int8(x))+int(y)))
				merged = merged&^(0xff<<(8*n)) | uint32(v)<<(8*n)
				summed += uint32(max(x, y) - min(x, y))
			}
			require.Equal(t, merged, merge(a, b, c), operands)
			require.Equal(t, summed, sum(a, b, c), operands)
		}
	}
	halves := videoBody(t, "vmax2.s32.s32.s32 {d}.h1, {a}.h03, {b}.h12, {c};")
	// Element 1 of a's choice is half 0, of b's choice half 1. Both are halves of a.
	require.EqualValues(t, 0x7fff1234, halves(0x80007fff, 0, 0xffff1234))
}

func TestScalarVideo(t *testing.T) {
	random := rand.New(rand.NewPCG(13, 14))
	for body, f := range map[string]func(a, b, c uint32) uint32{
		"vmad.s32.s32.s32 {d}, {a}.h0, -{b}.h1, {c};": func(a, b, c uint32) uint32 {
			return c - uint32(int32(int16(a))*int32(int16(b>>16)))
		},
		"vmad.s32.s32.s32 {d}, {a}.b3, {b}.b0, -{c};": func(a, b, c uint32) uint32 {
			return uint32(int32(int8(a>>24))*int32(int8(b))) - c
		},
		"vmad.u32.u32.u32.po {d}, {a}.h0, {b}.h0, {c};": func(a, b, c uint32) uint32 { return (a&0xffff)*(b&0xffff) + c + 1 },
		"vmin.s32.u32.s32.max {d}, {a}.b2, {b}.h0, {c};": func(a, b, c uint32) uint32 {
			return uint32(max(min(int32(a>>16&0xff), int32(int16(b))), int32(c)))
		},
		"vsub.s32.u32.u32.sat {d}.h1, {a}, {b}, {c};": func(a, b, c uint32) uint32 {
			v := max(-0x8000, min(0x7fff, int64(a)-int64(b)))
			return c&0xffff | uint32(v)<<16
		},
		"vshl.u32.u32.u32.sat.clamp {d}, {a}, {b}.b0;": func(a, b, c uint32) uint32 {
			// A signed intermediate result of 34 bits, as recorded (testdata/kernels/video-scalar).
			v := new(big.Int).Lsh(big.NewInt(int64(a)), uint(min(b&0xff, 32)))
			v.Mod(v, big.NewInt(1<<34))
			if v.Bit(33) == 1 {
				return 0
			}
			return uint32(min(v.Uint64(), 0xffffffff))
		},
		"vset.s32.u32.ge.add {d}, {a}.b0, {b}.b1, {c};": func(a, b, c uint32) uint32 {
			if int32(int8(a)) >= int32(b>>8&0xff) {
				return c + 1
			}
			return c
		},
	} {
		run := videoBody(t, body)
		for range 300 {
			a, b, c := random.Uint32()>>random.IntN(32), random.Uint32()>>random.IntN(32), random.Uint32()>>random.IntN(32)
			require.Equal(t, f(a, b, c), run(a, b, c), "%s with %x %x %x", body, a, b, c)
		}
	}
}
