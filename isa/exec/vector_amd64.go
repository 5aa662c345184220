package exec

import (
	"maps"

	"golang.org/x/sys/cpu"

	"github.com/keplersim/keplersim/isa"
)

// The hottest lane functions with AVX2, eight lanes per instruction. On other hosts the scalar loops do the same.

//go:noescape
func vectorAdd(d, a, b *isa.Lanes32, active uint32)

//go:noescape
func vectorSub(d, a, b *isa.Lanes32, active uint32)

//go:noescape
func vectorMulLow(d, a, b *isa.Lanes32, active uint32)

//go:noescape
func vectorMulHighU(d, a, b *isa.Lanes32, active uint32)

//go:noescape
func vectorMulHighS(d, a, b *isa.Lanes32, active uint32)

//go:noescape
func vectorAnd(d, a, b *isa.Lanes32, active uint32)

//go:noescape
func vectorOr(d, a, b *isa.Lanes32, active uint32)

//go:noescape
func vectorXor(d, a, b *isa.Lanes32, active uint32)

//go:noescape
func vectorMinU(d, a, b *isa.Lanes32, active uint32)

//go:noescape
func vectorMaxU(d, a, b *isa.Lanes32, active uint32)

//go:noescape
func vectorMinS(d, a, b *isa.Lanes32, active uint32)

//go:noescape
func vectorMaxS(d, a, b *isa.Lanes32, active uint32)

//go:noescape
func vectorShiftLeft(d, a, b *isa.Lanes32, active uint32)

//go:noescape
func vectorShiftRightU(d, a, b *isa.Lanes32, active uint32)

//go:noescape
func vectorShiftRightS(d, a, b *isa.Lanes32, active uint32)

//go:noescape
func vectorMadLow(d, a, b, c *isa.Lanes32, active uint32)

//go:noescape
func vectorExtractU(d, a, b, c *isa.Lanes32, active uint32)

//go:noescape
func vectorMerge(d, s *isa.Lanes32, active uint32)

//go:noescape
func vectorChoose(d, a, b *isa.Lanes32, mask uint32)

//go:noescape
func vectorLessU(a, b *isa.Lanes32) uint32

//go:noescape
func vectorLessS(a, b *isa.Lanes32) uint32

//go:noescape
func vectorDiffer(a, b *isa.Lanes32) uint32

// vectorBeyond returns the lanes whose words, without some bits, are below least or more than span above it.
//
//go:noescape
func vectorBeyond(words *isa.Lanes32, without, least, span uint32) (lanes uint32)

//go:noescape
func vectorAdd64(d, dHigh, a, aHigh, b, bHigh, c, cHigh *isa.Lanes32, active uint32)

//go:noescape
func vectorSub64(d, dHigh, a, aHigh, b, bHigh, c, cHigh *isa.Lanes32, active uint32)

//go:noescape
func vectorMulWideU(d, dHigh, a, aHigh, b, bHigh, c, cHigh *isa.Lanes32, active uint32)

//go:noescape
func vectorMulWideS(d, dHigh, a, aHigh, b, bHigh, c, cHigh *isa.Lanes32, active uint32)

//go:noescape
func vectorMadWideU(d, dHigh, a, aHigh, b, bHigh, c, cHigh *isa.Lanes32, active uint32)

//go:noescape
func vectorMadWideS(d, dHigh, a, aHigh, b, bHigh, c, cHigh *isa.Lanes32, active uint32)

//go:noescape
func vectorJoin(d *isa.Lanes64, low, high *isa.Lanes32)

//go:noescape
func vectorSplit(low, high *isa.Lanes32, s *isa.Lanes64)

// vectorAddress joins the words of addresses, and adds narrow to their low words and wide to the whole. It returns the bitwise OR and AND
// of the addresses, and all ones if each is 1<<shift more than the previous one.
//
//go:noescape
func vectorAddress(d *isa.Lanes64, low, high *isa.Lanes32, narrow uint32, wide, shift uint64) (any, all uint64, even uint32)

// hasVectors reports that the host has AVX2.
var hasVectors = cpu.X86.HasAVX2

func init() {
	for f, op := range maps.Clone(vectors) {
		if f.t.Signed() || !signless[f.op] || f.half != isa.HalfNone && f.half != isa.Lo {
			continue
		}
		f.t = map[isa.Type]isa.Type{isa.U32: isa.S32, isa.U64: isa.S64}[f.t]
		vectors[f] = op
	}
}

// signless operations are the same for signed and unsigned operands.
var signless = map[isa.Opcode]bool{isa.OpAdd: true, isa.OpSub: true, isa.OpMul: true, isa.OpMad: true}

// vectors are the entries of table integer with a vector form; init adds their signed twins.
var vectors = map[form]operation{
	{op: isa.OpAdd, t: isa.U32}:                 {binary32: vectorAdd},
	{op: isa.OpSub, t: isa.U32}:                 {binary32: vectorSub},
	{op: isa.OpMul, t: isa.U32, half: isa.Lo}:   {binary32: vectorMulLow},
	{op: isa.OpMad, t: isa.U32, half: isa.Lo}:   {ternary32: vectorMadLow},
	{op: isa.OpMul, t: isa.U32, half: isa.Hi}:   {binary32: vectorMulHighU},
	{op: isa.OpMul, t: isa.S32, half: isa.Hi}:   {binary32: vectorMulHighS},
	{op: isa.OpAnd, t: isa.U32}:                 {binary32: vectorAnd},
	{op: isa.OpOr, t: isa.U32}:                  {binary32: vectorOr},
	{op: isa.OpXor, t: isa.U32}:                 {binary32: vectorXor},
	{op: isa.OpMin, t: isa.U32}:                 {binary32: vectorMinU},
	{op: isa.OpMax, t: isa.U32}:                 {binary32: vectorMaxU},
	{op: isa.OpMin, t: isa.S32}:                 {binary32: vectorMinS},
	{op: isa.OpMax, t: isa.S32}:                 {binary32: vectorMaxS},
	{op: isa.OpShl, t: isa.U32}:                 {binary32: vectorShiftLeft},
	{op: isa.OpShr, t: isa.U32}:                 {binary32: vectorShiftRightU},
	{op: isa.OpShr, t: isa.S32}:                 {binary32: vectorShiftRightS},
	{op: isa.OpBfe, t: isa.U32}:                 {ternary32: vectorExtractU},
	{op: isa.OpAdd, t: isa.U64}:                 {planar: vectorAdd64, words: layout22},
	{op: isa.OpSub, t: isa.U64}:                 {planar: vectorSub64, words: layout22},
	{op: isa.OpMul, t: isa.U32, half: isa.Wide}: {planar: vectorMulWideU, words: layout211},
	{op: isa.OpMul, t: isa.S32, half: isa.Wide}: {planar: vectorMulWideS, words: layout211},
	{op: isa.OpMad, t: isa.U32, half: isa.Wide}: {planar: vectorMadWideU, words: layout2112},
	{op: isa.OpMad, t: isa.S32, half: isa.Wide}: {planar: vectorMadWideS, words: layout2112},
}
