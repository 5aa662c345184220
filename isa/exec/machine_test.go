package exec

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa"
)

// A truth table of plop has a bit for each combination of its sources. Bit 1 is for the first source alone.
func TestPredicateTables(t *testing.T) {
	for table := range 256 {
		plop := &isa.Instruction{Op: isa.OpPlop, Type: isa.Pred, Mod: isa.Modifiers{SelectMask: uint8(table), Scale: uint8(^table)},
			Dst: []isa.Operand{isa.Predicate(0, false), isa.Predicate(1, false)},
			Src: []isa.Operand{isa.Predicate(2, false), isa.Predicate(3, true), isa.Predicate(4, false)}}
		code, w := machine(t, plop)
		w.Predicates[2], w.Predicates[3], w.Predicates[4] = 0xaaaaaaaa, ^uint32(0xcccccccc), 0xf0f0f0f0 // lane n has the bits of n
		code.Ops[0].Run(w, isa.FullMask)
		for lane := range 32 {
			require.Equal(t, uint32(table>>(lane%8)&1), w.Predicates[0]>>lane&1, "table %08b of %03b", table, lane%8)
			require.Equal(t, uint32(^table>>(lane%8)&1), w.Predicates[1]>>lane&1, "table %08b of %03b", ^table, lane%8)
		}
	}
	bad := &isa.Instruction{Op: isa.OpPlop, Type: isa.Pred, Dst: []isa.Operand{isa.Predicate(0, false)},
		Src: []isa.Operand{isa.Predicate(1, false)}}
	_, err := Bind(&isa.MachineProgram{Program: &isa.Program{}, Ops: []isa.MachineOp{{Effect: bad}}})
	require.ErrorIs(t, err, ErrUnsupported)
}

// A subtraction of low words with carry, then setc of high words, compares 64-bit numbers as Go does.
func TestComparisonsBehindACarry(t *testing.T) {
	compare := map[isa.Compare][2]func(a, b uint64) bool{
		isa.LT: {func(a, b uint64) bool { return a < b }, func(a, b uint64) bool { return int64(a) < int64(b) }},
		isa.LE: {func(a, b uint64) bool { return a <= b }, func(a, b uint64) bool { return int64(a) <= int64(b) }},
		isa.GT: {func(a, b uint64) bool { return a > b }, func(a, b uint64) bool { return int64(a) > int64(b) }},
		isa.GE: {func(a, b uint64) bool { return a >= b }, func(a, b uint64) bool { return int64(a) >= int64(b) }},
		isa.EQ: {func(a, b uint64) bool { return a == b }, func(a, b uint64) bool { return a == b }},
		isa.NE: {func(a, b uint64) bool { return a != b }, func(a, b uint64) bool { return a != b }},
	}
	random := rand.New(rand.NewPCG(3, 4))
	edges := []uint32{0, 1, math.MaxInt32, math.MaxInt32 + 1, math.MaxUint32}
	word := func() uint32 {
		if random.IntN(2) == 0 {
			return edges[random.IntN(len(edges))]
		}
		return random.Uint32()
	}
	for how, wants := range compare {
		for n, typ := range []isa.Type{isa.U32, isa.S32} {
			code, w := machine(t,
				&isa.Instruction{Op: isa.OpSub, Type: isa.U32, Mod: isa.Modifiers{CarryOut: true}, Dst: []isa.Operand{r32(0)},
					Src: []isa.Operand{r32(2), r32(4)}},
				&isa.Instruction{Op: isa.OpSetc, Type: typ, Mod: isa.Modifiers{Compare: how, Bool: isa.BoolAnd},
					Dst: []isa.Operand{isa.Predicate(0, false)}, Src: []isa.Operand{r32(3), r32(5), isa.Predicate(7, false)}})
			for range 100 {
				for lane := range 32 {
					for r := 2; r < 6; r++ {
						w.Registers[r][lane] = word()
					}
					if lane%4 == 0 { // equal numbers, and equal upper words
						w.Registers[5][lane] = w.Registers[3][lane]
					}
					if lane%8 == 0 {
						w.Registers[4][lane] = w.Registers[2][lane]
					}
				}
				code.Ops[0].Run(w, isa.FullMask)
				code.Ops[1].Run(w, isa.FullMask)
				for lane := range 32 {
					a, b := pack64(w.Registers[2][lane], w.Registers[3][lane]), pack64(w.Registers[4][lane], w.Registers[5][lane])
					require.Equal(t, wants[n](a, b), w.Predicates[0]>>lane&1 != 0, "%v %v of %#x and %#x", how, typ, a, b)
				}
			}
		}
	}
}

// Signs and magnitudes of float sources: |x| clears the sign, and -|x| sets it.
func TestMagnitudesOfSources(t *testing.T) {
	for _, negative := range []bool{false, true} {
		source := r32(2)
		source.Absolute, source.Negate = true, negative
		code, w := machine(t, &isa.Instruction{Op: isa.OpAdd, Type: isa.F32, Mod: isa.Modifiers{Rounding: isa.RoundNearest},
			Dst: []isa.Operand{r32(0)}, Src: []isa.Operand{source, r32(3)}})
		for lane := range 32 {
			w.Registers[2][lane] = math.Float32bits(float32(lane) - 15.5)
			w.Registers[3][lane] = math.Float32bits(100)
		}
		code.Ops[0].Run(w, isa.FullMask)
		for lane := range 32 {
			want := math.Abs(float64(lane) - 15.5)
			if negative {
				want = -want
			}
			require.Equal(t, float32(100+want), math.Float32frombits(w.Registers[0][lane]))
		}
	}
}

// Products and their sums take the negatives of integers that are marked so.
func TestNegatedIntegers(t *testing.T) {
	for signs := range 8 {
		i := &isa.Instruction{Op: isa.OpMad, Type: isa.S32, Mod: isa.Modifiers{Half: isa.Lo}, Dst: []isa.Operand{r32(0)}}
		for n := range 3 {
			o := r32(2 + n)
			o.Negate = signs>>n&1 != 0
			i.Src = append(i.Src, o)
		}
		code, w := machine(t, i)
		before := append([]isa.Lanes32(nil), w.Registers...)
		code.Ops[0].Run(w, isa.FullMask)
		for lane := range 32 {
			var v [3]uint32
			for n := range v {
				if v[n] = before[2+n][lane]; signs>>n&1 != 0 {
					v[n] = -v[n]
				}
			}
			require.Equal(t, v[0]*v[1]+v[2], w.Registers[0][lane], "signs %03b", signs)
		}
	}
}

// A division's check is per lane: a subnormal divisor sends only its own lane to the slow path (slow_test.go).
func TestDivisionCheckIsOfEachLane(t *testing.T) {
	code, w := machine(t, &isa.Instruction{Op: isa.OpFchk, Type: isa.F32, Dst: []isa.Operand{isa.Predicate(0, false)},
		Src: []isa.Operand{isa.Reg(2, isa.F32), isa.Reg(4, isa.F32)}})
	const slow = uint32(0x80010420)
	for lane := range 32 {
		w.Registers[2][lane], w.Registers[4][lane] = math.Float32bits(1), math.Float32bits(3)
		if slow>>lane&1 != 0 {
			w.Registers[4][lane] = 1
		}
	}
	code.Ops[0].Run(w, isa.FullMask)
	require.Equal(t, slow, w.Predicates[0])
}
