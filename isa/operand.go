package isa

import "fmt"

// Register numbers a register: virtual (an index into Function.Registers) before lowering, physical after it. A 64-bit value has the
// physical number of its low register, which is even.
type Register int32

// RZ is the physical register that reads as zero and ignores writes.
const RZ Register = 255

// RegisterBank returns the bank of a physical register in a register file of 1, 2 or 4 banks (m Zhang, of Kepler's four).
func RegisterBank(r Register, banks int) int { return int(2*(r>>2&1)+r&1) % banks }

// PT is the predicate that is always true; P0 to P6 are the physical predicates.
const PT Register = 7

// OperandKind says what an operand is.
type OperandKind uint8

// Operand kinds.
const (
	OperandNone      OperandKind = iota
	OperandRegister              // Register, of the width of Type
	OperandPredicate             // Register in the predicate file, Negate for !p
	OperandImmediate             // Immediate holds the bits, sign- or zero-extended to 64
	OperandConstant              // constant memory: Bank, Offset (a folded kernel parameter or .const load)
	OperandSpecial               // Special, one 32- or 64-bit value a lane
	OperandSink                  // `_`
	OperandSymbol                // address of Program.Symbols[Symbol] + Immediate; the loader resolves it before a run
	OperandFunction              // address of Program.Functions[Symbol]
	OperandFrame                 // address of the running function's frame in local memory + Immediate; gone after lowering
)

// Operand is one source or destination of an instruction.
type Operand struct {
	Kind OperandKind
	Type Type // width and kind of the value read or written
	// Negate: !p of a predicate; -a, -b or -c of vmad. In lowered code, a negated register of f32 add, sub, mul, mad, fma and f64 fma; in
	// machine code, a negated 32-bit source of mul or mad.
	Negate    bool
	Absolute  bool // f32 and f64 in machine code: the magnitude, taken before Negate
	Selector  Selector
	Permute   uint16 // SIMD video sources a and b: hex digit i is the index in b:a of element i, 0x3210 for .b3210
	Bank      uint8  // OperandConstant
	Register  Register
	Special   SpecialRegister
	Symbol    int32
	Offset    uint32 // OperandConstant: byte offset in the bank
	Immediate uint64
}

// Selector picks a byte or half of a 32-bit operand, for video instructions.
type Selector uint8

// Selectors.
const (
	SelectWord Selector = iota
	SelectB0
	SelectB1
	SelectB2
	SelectB3
	SelectH0
	SelectH1
)

// Guard is an instruction's predicate @p or @!p.
type Guard struct {
	Present  bool
	Negate   bool
	Register Register
}

// Reg makes a register operand.
func Reg(r Register, t Type) Operand { return Operand{Kind: OperandRegister, Register: r, Type: t} }

// Imm makes an immediate operand of bits already in t's width.
func Imm(bits uint64, t Type) Operand {
	return Operand{Kind: OperandImmediate, Immediate: bits, Type: t}
}

// Predicate makes a predicate operand.
func Predicate(r Register, negate bool) Operand {
	return Operand{Kind: OperandPredicate, Register: r, Negate: negate, Type: Pred}
}

// SpecialRegister is one of PTX's read-only registers.
type SpecialRegister uint8

// Special registers.
const (
	SpecialNone SpecialRegister = iota
	TidX
	TidY
	TidZ
	NtidX
	NtidY
	NtidZ
	CtaidX
	CtaidY
	CtaidZ
	NctaidX
	NctaidY
	NctaidZ
	LaneID
	WarpID
	NwarpID
	SMID
	NSMID
	GridID
	LanemaskEQ
	LanemaskLE
	LanemaskLT
	LanemaskGE
	LanemaskGT
	Clock
	ClockHi
	Clock64
	GlobalTimer
	GlobalTimerLo
	GlobalTimerHi
	TotalSharedSize
	DynamicSharedSize
	AggregateSharedSize
	PM0 // PM0..PM7 follow in order
	PM1
	PM2
	PM3
	PM4
	PM5
	PM6
	PM7
	Envreg0     // Envreg0..Envreg31 follow in order
	EnvregLast  = Envreg0 + 31
	ReservedShm = EnvregLast + 1 // %reserved_smem_offset_* : 0 on Kepler
	// FrameAddress is the start of the running function's frame in the thread's local memory. Kepler's compilers keep it in R1; it has no
	// name in PTX.
	FrameAddress = ReservedShm + 1
)

var specialNames = map[SpecialRegister]string{
	TidX: "%tid.x", TidY: "%tid.y", TidZ: "%tid.z", NtidX: "%ntid.x", NtidY: "%ntid.y", NtidZ: "%ntid.z",
	CtaidX: "%ctaid.x", CtaidY: "%ctaid.y", CtaidZ: "%ctaid.z", NctaidX: "%nctaid.x", NctaidY: "%nctaid.y", NctaidZ: "%nctaid.z",
	LaneID: "%laneid", WarpID: "%warpid", NwarpID: "%nwarpid", SMID: "%smid", NSMID: "%nsmid", GridID: "%gridid",
	LanemaskEQ: "%lanemask_eq", LanemaskLE: "%lanemask_le", LanemaskLT: "%lanemask_lt", LanemaskGE: "%lanemask_ge",
	LanemaskGT: "%lanemask_gt",
	Clock:      "%clock", ClockHi: "%clock_hi", Clock64: "%clock64",
	GlobalTimer: "%globaltimer", GlobalTimerLo: "%globaltimer_lo", GlobalTimerHi: "%globaltimer_hi",
	TotalSharedSize: "%total_smem_size", DynamicSharedSize: "%dynamic_smem_size", AggregateSharedSize: "%aggr_smem_size",
	PM0: "%pm0", PM1: "%pm1", PM2: "%pm2", PM3: "%pm3", PM4: "%pm4", PM5: "%pm5", PM6: "%pm6", PM7: "%pm7",
}

var specialsByName = func() map[string]SpecialRegister {
	byName := make(map[string]SpecialRegister, len(specialNames)+32)
	for s, name := range specialNames {
		byName[name] = s
	}
	for i := range 32 {
		byName[fmt.Sprintf("%%envreg%d", i)] = Envreg0 + SpecialRegister(i)
	}
	return byName
}()

// ParseSpecial finds a special register by its PTX name, with its component (`%tid.x`).
func ParseSpecial(name string) (SpecialRegister, bool) {
	s, ok := specialsByName[name]
	return s, ok
}

// String returns the register's PTX name.
func (s SpecialRegister) String() string {
	if s >= Envreg0 && s <= EnvregLast {
		return fmt.Sprintf("%%envreg%d", s-Envreg0)
	}
	if s == FrameAddress {
		return "%frame"
	}
	return specialNames[s]
}
