package exec

import "github.com/keplersim/keplersim/isa"

// form identifies an integer operation in the table: opcode, type (bits as unsigned), and the half of a product.
type form struct {
	op   isa.Opcode
	t    isa.Type
	half isa.Half
	sat  bool
}

var (
	layout22    = [5]uint8{2, 2, 2}
	layout221   = [5]uint8{2, 2, 1}
	layout211   = [5]uint8{2, 1, 1}
	layout2112  = [5]uint8{2, 1, 1, 2}
	layout2222  = [5]uint8{2, 2, 2, 2}
	layoutUnary = [5]uint8{2, 2}
)

// integer has every integer operation that depends only on its sources. A 16-bit operation without an entry uses the 32-bit entry of the
// same signedness.
var integer = map[form]operation{
	{op: isa.OpAdd, t: isa.U32}:            {binary32: add32},
	{op: isa.OpAdd, t: isa.S32}:            {binary32: add32},
	{op: isa.OpAdd, t: isa.S32, sat: true}: {binary32: addSat32},
	{op: isa.OpAdd, t: isa.U64}:            {planar: add64, words: layout22},
	{op: isa.OpAdd, t: isa.S64}:            {planar: add64, words: layout22},
	{op: isa.OpSub, t: isa.U32}:            {binary32: sub32},
	{op: isa.OpSub, t: isa.S32}:            {binary32: sub32},
	{op: isa.OpSub, t: isa.S32, sat: true}: {binary32: subSat32},
	{op: isa.OpSub, t: isa.U64}:            {planar: sub64, words: layout22},
	{op: isa.OpSub, t: isa.S64}:            {planar: sub64, words: layout22},

	{op: isa.OpMul, t: isa.U32, half: isa.Lo}:   {binary32: mulLow32},
	{op: isa.OpMul, t: isa.S32, half: isa.Lo}:   {binary32: mulLow32},
	{op: isa.OpMul, t: isa.U32, half: isa.Hi}:   {binary32: mulHighU32},
	{op: isa.OpMul, t: isa.S32, half: isa.Hi}:   {binary32: mulHighS32},
	{op: isa.OpMul, t: isa.U16, half: isa.Hi}:   {binary32: mulHighU16},
	{op: isa.OpMul, t: isa.S16, half: isa.Hi}:   {binary32: mulHighS16},
	{op: isa.OpMul, t: isa.U16, half: isa.Wide}: {binary32: mulLow32},
	{op: isa.OpMul, t: isa.S16, half: isa.Wide}: {binary32: mulLow32},
	{op: isa.OpMul, t: isa.U32, half: isa.Wide}: {planar: mulWideU32, words: layout211},
	{op: isa.OpMul, t: isa.S32, half: isa.Wide}: {planar: mulWideS32, words: layout211},
	{op: isa.OpMul, t: isa.U64, half: isa.Lo}:   {planar: mulLow64, words: layout22},
	{op: isa.OpMul, t: isa.S64, half: isa.Lo}:   {planar: mulLow64, words: layout22},
	{op: isa.OpMul, t: isa.U64, half: isa.Hi}:   planarBinary(mulHighU64),
	{op: isa.OpMul, t: isa.S64, half: isa.Hi}:   planarBinary(mulHighS64),

	{op: isa.OpMad, t: isa.U32, half: isa.Lo}:            {ternary32: madLow32},
	{op: isa.OpMad, t: isa.S32, half: isa.Lo}:            {ternary32: madLow32},
	{op: isa.OpMad, t: isa.U32, half: isa.Hi}:            {ternary32: madHighU32},
	{op: isa.OpMad, t: isa.S32, half: isa.Hi}:            {ternary32: madHighS32},
	{op: isa.OpMad, t: isa.S32, half: isa.Hi, sat: true}: scalarTernary(madHighSat32),
	{op: isa.OpMad, t: isa.U16, half: isa.Hi}:            {ternary32: madHighU16},
	{op: isa.OpMad, t: isa.S16, half: isa.Hi}:            {ternary32: madHighS16},
	{op: isa.OpMad, t: isa.U16, half: isa.Wide}:          {ternary32: madLow32},
	{op: isa.OpMad, t: isa.S16, half: isa.Wide}:          {ternary32: madLow32},
	{op: isa.OpMad, t: isa.U32, half: isa.Wide}:          {planar: madWideU32, words: layout2112},
	{op: isa.OpMad, t: isa.S32, half: isa.Wide}:          {planar: madWideS32, words: layout2112},
	{op: isa.OpMad, t: isa.U64, half: isa.Lo}:            {planar: madLow64, words: layout2222},
	{op: isa.OpMad, t: isa.S64, half: isa.Lo}:            {planar: madLow64, words: layout2222},
	{op: isa.OpMad, t: isa.U64, half: isa.Hi}:            planarTernary(func(a, b, c uint64) uint64 { return mulHighU64(a, b) + c }),
	{op: isa.OpMad, t: isa.S64, half: isa.Hi}:            planarTernary(func(a, b, c uint64) uint64 { return mulHighS64(a, b) + c }),

	{op: isa.OpSad, t: isa.U32}: {ternary32: sadU32},
	{op: isa.OpSad, t: isa.S32}: {ternary32: sadS32},
	{op: isa.OpSad, t: isa.U64}: planarTernary(sadU64),
	{op: isa.OpSad, t: isa.S64}: planarTernary(sadS64),

	{op: isa.OpDiv, t: isa.U32}: {binary32: divU32},
	{op: isa.OpDiv, t: isa.S32}: {binary32: divS32},
	{op: isa.OpDiv, t: isa.U64}: planarBinary(divU64),
	{op: isa.OpDiv, t: isa.S64}: planarBinary(divS64),
	{op: isa.OpRem, t: isa.U32}: {binary32: remU32},
	{op: isa.OpRem, t: isa.S32}: {binary32: remS32},
	{op: isa.OpRem, t: isa.U64}: planarBinary(remU64),
	{op: isa.OpRem, t: isa.S64}: planarBinary(remS64),

	{op: isa.OpMin, t: isa.U32}: {binary32: minU32},
	{op: isa.OpMin, t: isa.S32}: {binary32: minS32},
	{op: isa.OpMin, t: isa.U64}: planarBinary(func(a, b uint64) uint64 { return min(a, b) }),
	{op: isa.OpMin, t: isa.S64}: planarBinary(func(a, b uint64) uint64 { return uint64(min(int64(a), int64(b))) }),
	{op: isa.OpMax, t: isa.U32}: {binary32: maxU32},
	{op: isa.OpMax, t: isa.S32}: {binary32: maxS32},
	{op: isa.OpMax, t: isa.U64}: planarBinary(func(a, b uint64) uint64 { return max(a, b) }),
	{op: isa.OpMax, t: isa.S64}: planarBinary(func(a, b uint64) uint64 { return uint64(max(int64(a), int64(b))) }),

	{op: isa.OpAbs, t: isa.S32}:  {unary32: absolute32},
	{op: isa.OpAbs, t: isa.S64}:  planarUnary(absolute64),
	{op: isa.OpNeg, t: isa.S32}:  {unary32: negate32},
	{op: isa.OpNeg, t: isa.S64}:  planarUnary(func(a uint64) uint64 { return -a }),
	{op: isa.OpNot, t: isa.U32}:  {unary32: not32},
	{op: isa.OpNot, t: isa.U64}:  {planar: not64, words: layoutUnary},
	{op: isa.OpCnot, t: isa.U32}: {unary32: cnot32},
	{op: isa.OpCnot, t: isa.U64}: planarUnary(cnot64),
	{op: isa.OpAnd, t: isa.U32}:  {binary32: and32},
	{op: isa.OpAnd, t: isa.U64}:  {planar: and64, words: layout22},
	{op: isa.OpOr, t: isa.U32}:   {binary32: or32},
	{op: isa.OpOr, t: isa.U64}:   {planar: or64, words: layout22},
	{op: isa.OpXor, t: isa.U32}:  {binary32: xor32},
	{op: isa.OpXor, t: isa.U64}:  {planar: xor64, words: layout22},
	{op: isa.OpShl, t: isa.U32}:  {binary32: shiftLeft32},
	{op: isa.OpShl, t: isa.U64}:  {planar: shiftLeft64, words: layout221},
	{op: isa.OpShr, t: isa.U32}:  {binary32: shiftRightU32},
	{op: isa.OpShr, t: isa.S32}:  {binary32: shiftRightS32},
	{op: isa.OpShr, t: isa.U64}:  {planar: shiftRightU64, words: layout221},
	{op: isa.OpShr, t: isa.S64}:  {planar: shiftRightS64, words: layout221},

	{op: isa.OpMul24, t: isa.U32, half: isa.Lo}:            scalarBinary(func(a, b uint32) uint32 { return uint32(product24U(a, b)) }),
	{op: isa.OpMul24, t: isa.S32, half: isa.Lo}:            scalarBinary(func(a, b uint32) uint32 { return uint32(product24S(a, b)) }),
	{op: isa.OpMul24, t: isa.U32, half: isa.Hi}:            scalarBinary(mulHigh24U),
	{op: isa.OpMul24, t: isa.S32, half: isa.Hi}:            scalarBinary(mulHigh24S),
	{op: isa.OpMad24, t: isa.U32, half: isa.Lo}:            scalarTernary(madLow24U),
	{op: isa.OpMad24, t: isa.S32, half: isa.Lo}:            scalarTernary(madLow24S),
	{op: isa.OpMad24, t: isa.U32, half: isa.Hi}:            scalarTernary(madHigh24U),
	{op: isa.OpMad24, t: isa.S32, half: isa.Hi}:            scalarTernary(madHigh24S),
	{op: isa.OpMad24, t: isa.S32, half: isa.Hi, sat: true}: scalarTernary(madHighSat24),

	{op: isa.OpPopc, t: isa.U32}: scalarUnary(populationCount32),
	{op: isa.OpPopc, t: isa.U64}: planarCount(populationCount64),
	{op: isa.OpClz, t: isa.U32}:  scalarUnary(leadingZeros32),
	{op: isa.OpClz, t: isa.U64}:  planarCount(leadingZeros64),
	{op: isa.OpBrev, t: isa.U32}: scalarUnary(reverse32),
	{op: isa.OpBrev, t: isa.U64}: planarUnary(reverse64),
	{op: isa.OpBfe, t: isa.U32}:  scalarTernary(extractU32),
	{op: isa.OpBfe, t: isa.S32}:  scalarTernary(extractS32),
	{op: isa.OpBfe, t: isa.U64}:  extractLanes(extractU64),
	{op: isa.OpBfe, t: isa.S64}:  extractLanes(extractS64),
	{op: isa.OpBfer, t: isa.U32}: scalarBinary(func(a, b uint32) uint32 { return extractU32(a, b, b>>8) }),
	{op: isa.OpBfer, t: isa.S32}: scalarBinary(func(a, b uint32) uint32 { return extractS32(a, b, b>>8) }),
	{op: isa.OpBfir, t: isa.U32}: scalarTernary(func(a, b, c uint32) uint32 { return uint32(insert(uint64(a), uint64(b), c, c>>8)) }),
	{op: isa.OpBfi, t: isa.U32}:  {quaternary32: insertLanes32},
	{op: isa.OpBfi, t: isa.U64}:  {planar: insertLanes64, words: [5]uint8{2, 2, 2, 1, 1}},
	{op: isa.OpFns, t: isa.U32}:  scalarTernary(findNthSet),
	{op: isa.OpLop3, t: isa.U32}: {quaternary32: lop3Lanes},
}

// plain returns the unsigned type of the same size for a bit type, and other types unchanged.
func plain(t isa.Type) isa.Type {
	switch t {
	case isa.B8:
		return isa.U8
	case isa.B16, isa.F16, isa.BF16:
		return isa.U16
	case isa.B32, isa.F16x2:
		return isa.U32
	case isa.B64:
		return isa.U64
	}
	return t
}

// widened returns the 32-bit type of the same signedness.
func widened(t isa.Type) isa.Type {
	if t.Signed() {
		return isa.S32
	}
	return isa.U32
}
