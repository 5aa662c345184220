package exec

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa"
)

// shuffleSource returns the source lane of one lane by the words of the PTX reference. The lanes of a segment agree in the bits of the
// segment mask. up counts towards the segment's start; down and the others may not pass the clamp.
func shuffleSource(t *testing.T, mode isa.Sub, lane, b, c int) (source int, inside bool) {
	segment := c >> 8 & 31
	var members []int // the lane's segment in order
	for l := range 32 {
		if l&segment == lane&segment {
			members = append(members, l)
		}
	}
	low := lane & segment
	limit := low | c&31&^segment
	switch mode {
	case isa.ShflUp:
		source = lane - b&31
		inside = source >= limit
	case isa.ShflDown:
		source = lane + b&31
		inside = source <= limit
	case isa.ShflBfly:
		source = lane ^ b&31
		inside = source <= limit
	case isa.ShflIdx:
		source = low | b&31&^segment
		inside = source <= limit
		require.Contains(t, members, source)
	}
	if !inside {
		source = lane
	}
	return source, inside
}

func TestShuffleFollowsTheReference(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, mode := range []isa.Sub{isa.ShflUp, isa.ShflDown, isa.ShflBfly, isa.ShflIdx} {
		code, w := machine(t, &isa.Instruction{Op: isa.OpShfl, Type: isa.B32, Mod: isa.Modifiers{Select: mode},
			Dst: []isa.Operand{r32(2), isa.Predicate(1, false)}, Src: []isa.Operand{r32(4), r32(6), r32(8)}})
		for range 100 {
			for lane := range 32 {
				w.Registers[6][lane] = random.Uint32N(40)
				w.Registers[8][lane] = []uint32{0x1f, 0, 0x181f, 0x1c1f, 0x1c00, 0x1007, random.Uint32N(1 << 13)}[random.IntN(7)]
			}
			active := random.Uint32()
			before, inside := w.Registers[2], w.Predicates[1]
			code.Ops[0].Run(w, active)
			for lane := range 32 {
				if active>>lane&1 == 0 {
					require.Equal(t, before[lane], w.Registers[2][lane])
					require.Equal(t, inside>>lane&1, w.Predicates[1]>>lane&1)
					continue
				}
				b, c := w.Registers[6][lane], w.Registers[8][lane]
				source, ok := shuffleSource(t, mode, lane, int(b), int(c))
				require.Equal(t, w.Registers[4][source], w.Registers[2][lane], "mode %d lane %d b %d c %x", mode, lane, b, c)
				require.Equal(t, ok, w.Predicates[1]>>lane&1 == 1)
			}
			// The same with immediate operands, which are resolved before the run.
			b, c := w.Registers[6][0], w.Registers[8][0]
			fixed, v := machine(t, &isa.Instruction{Op: isa.OpShfl, Type: isa.B32, Mod: isa.Modifiers{Select: mode},
				Dst: []isa.Operand{r32(2), isa.Predicate(1, false)}, Src: []isa.Operand{r32(4), isa.Imm(uint64(b), isa.U32),
					isa.Imm(uint64(c), isa.U32)}})
			fixed.Ops[0].Run(v, isa.FullMask)
			for lane := range 32 {
				source, ok := shuffleSource(t, mode, lane, int(b), int(c))
				require.Equal(t, v.Registers[4][source], v.Registers[2][lane])
				require.Equal(t, ok, v.Predicates[1]>>lane&1 == 1)
			}
		}
	}
}

// The width of a shuffle, in CUDA's terms: four segments of 8 lanes, each reading its first lane.
func TestShuffleBroadcastsWithinSegments(t *testing.T) {
	code, w := machine(t, &isa.Instruction{Op: isa.OpShfl, Type: isa.B32, Mod: isa.Modifiers{Select: isa.ShflIdx},
		Dst: []isa.Operand{r32(2)}, Src: []isa.Operand{r32(4), isa.Imm(0, isa.U32), isa.Imm((32-8)<<8|31, isa.U32)}})
	code.Ops[0].Run(w, isa.FullMask)
	for lane := range 32 {
		require.Equal(t, w.Registers[4][lane/8*8], w.Registers[2][lane])
	}
}

func TestVote(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	vote := func(mode isa.Sub, d isa.Operand, src ...isa.Operand) *isa.Instruction {
		return &isa.Instruction{Op: isa.OpVote, Type: isa.Pred, Mod: isa.Modifiers{Select: mode}, Dst: []isa.Operand{d}, Src: src}
	}
	p := isa.Predicate(1, true)
	code, w := machine(t,
		vote(isa.VoteAll, isa.Predicate(2, false), p), vote(isa.VoteAny, isa.Predicate(3, false), p),
		vote(isa.VoteUni, isa.Predicate(4, false), p), vote(isa.VoteBallot, r32(2), p), vote(isa.VoteBallot, r32(3), p, r32(4)),
		&isa.Instruction{Op: isa.OpActivemask, Type: isa.B32, Dst: []isa.Operand{r32(5)}})
	for range 500 {
		active := random.Uint32() & random.Uint32()
		if active == 0 {
			continue
		}
		values := []uint32{0, isa.FullMask, random.Uint32(), ^active, active}[random.IntN(5)]
		w.Predicates[1] = ^values
		members := random.Uint32() | active
		for lane := range 32 {
			w.Registers[4][lane] = members
		}
		for i := range code.Ops {
			code.Ops[i].Run(w, active)
		}
		yes, n := 0, 0
		for lane := range 32 {
			if active>>lane&1 == 1 {
				n++
				yes += int(values >> lane & 1)
			}
		}
		expand := func(b bool) uint32 {
			if b {
				return active
			}
			return 0
		}
		require.Equal(t, expand(yes == n), w.Predicates[2]&active)
		require.Equal(t, expand(yes > 0), w.Predicates[3]&active)
		require.Equal(t, expand(yes == n || yes == 0), w.Predicates[4]&active)
		lane := bits.TrailingZeros32(active)
		require.Equal(t, values&active, w.Registers[2][lane])
		require.Equal(t, values&active&members, w.Registers[3][lane])
		require.Equal(t, active, w.Registers[5][lane])
	}
}

func TestMatch(t *testing.T) {
	code, w := machine(t,
		&isa.Instruction{Op: isa.OpMatch, Type: isa.B32, Mod: isa.Modifiers{Select: isa.MatchAny}, Dst: []isa.Operand{r32(2)},
			Src: []isa.Operand{r32(4), isa.Imm(0xffffffff, isa.U32)}},
		&isa.Instruction{Op: isa.OpMatch, Type: isa.B64, Mod: isa.Modifiers{Select: isa.MatchAll},
			Dst: []isa.Operand{r32(3), isa.Predicate(1, false)}, Src: []isa.Operand{r64(6), isa.Imm(0xffffffff, isa.U32)}})
	for lane := range 32 {
		w.Registers[4][lane] = uint32(lane % 4)
		w.Registers[6][lane], w.Registers[7][lane] = 5, uint32(lane/16)
	}
	code.Ops[0].Run(w, 0x0000ffff)
	require.EqualValues(t, 0x2222, w.Registers[2][1])
	code.Ops[1].Run(w, 0x0000ffff)
	require.EqualValues(t, 0xffff, w.Registers[3][0])
	require.EqualValues(t, 0xffff, w.Predicates[1]&0xffff)
	code.Ops[1].Run(w, isa.FullMask)
	require.EqualValues(t, 0, w.Registers[3][0])
	require.EqualValues(t, 0, w.Predicates[1])
}
