package isa

// Instruction is one decoded PTX instruction: every modifier a field, every operand resolved. After lowering the same type describes the
// effect of a machine operation, with physical registers in its operands. conventions.go describes the operands of each opcode.
type Instruction struct {
	Op           Opcode
	Type         Type // the instruction's main type: destination type of cvt and set, element type of ld and st
	From         Type // source type where it differs (cvt, set, slct); TypeNone otherwise
	Guard        Guard
	Mod          Modifiers
	Dst          []Operand // setp has one or two predicates (p|q); vector loads one a component; shfl may add a predicate
	Src          []Operand // in PTX order, without address operands: those are in Memory
	Memory       *Memory   // ld, st, ldu, atom, red, prefetch, tex, suld, sust …
	Targets      []BlockID // bra: one; brx.idx: the table
	Call         *Call
	Line         LineIndex
	InlineRegion int32 // numbers the code before, in and after each inlined call: ptxas contracts nothing across these borders
}

// Modifiers are an instruction's dot-modifiers as fields; the zero value of a field means that the modifier was not given.
type Modifiers struct {
	Rounding   Rounding
	Contract   bool // add, sub and mul of f32 and f64 without a rounding modifier: they round to nearest, and may become part of an fma
	Flush      bool // .ftz
	Saturate   bool // .sat (floats: to [0,1]; integers: to the type's range)
	Approx     bool // .approx
	Full       bool // div.full
	CarryOut   bool // .cc
	Half       Half // .lo .hi .wide of multiplications
	Uniform    bool // .uni
	ShiftMode  ShiftMode
	Compare    Compare
	Bool       BoolOp  // setp and set with a third operand
	Select     Sub     // the sub-operation: prmt mode, shfl mode, vote mode, testp test, atom operation …
	Scale      uint8   // vmad .shr7 or .shr15 as 7 or 15
	PostOp     bool    // vmad .po
	ShiftAmt   bool    // bfind.shiftamt
	SelectMask uint8   // SIMD video: write mask of bytes or halves, bit i element i; 0 is all
	SIMDTypes  [3]Type // video instructions: types of d, a, b
	To         bool    // cvta.to.SPACE: from generic to the space
}

// Rounding is a rounding mode; integer modes round to an integral value.
type Rounding uint8

// Rounding modes.
const (
	RoundNone Rounding = iota
	RoundNearest
	RoundZero
	RoundMinus
	RoundPlus
	RoundNearestInt
	RoundZeroInt
	RoundMinusInt
	RoundPlusInt
	RoundNearestAway
)

// Half picks the part of the product that a multiplication keeps.
type Half uint8

// Halves.
const (
	HalfNone Half = iota
	Lo
	Hi
	Wide
)

// ShiftMode is .clamp or .wrap of shf, vshl and vshr. The direction of shf, left or right, is in Modifiers.Select.
type ShiftMode uint8

// Shift modes.
const (
	ShiftNone ShiftMode = iota
	Clamp
	Wrap
)

// Compare is a comparison of set, setp, vset.
type Compare uint8

// Comparisons; the …U forms are true when an operand is NaN.
const (
	CompareNone Compare = iota
	EQ
	NE
	LT
	LE
	GT
	GE
	LO // unsigned
	LS
	HI
	HS
	EQU
	NEU
	LTU
	LEU
	GTU
	GEU
	NUM
	NAN
)

// BoolOp combines a comparison with a third, Boolean operand.
type BoolOp uint8

// Boolean operations.
const (
	BoolNone BoolOp = iota
	BoolAnd
	BoolOr
	BoolXor
	BoolPopc // bar.red.popc
)

// Sub is an opcode's sub-operation.
type Sub uint8

// Sub-operations, by the opcode that has them.
const (
	SubNone Sub = iota
	// prmt
	PrmtF4E
	PrmtB4E
	PrmtRC8
	PrmtECL
	PrmtECR
	PrmtRC16
	// shfl
	ShflUp
	ShflDown
	ShflBfly
	ShflIdx
	// vote
	VoteAll
	VoteAny
	VoteUni
	VoteBallot
	// shf
	ShiftLeft
	ShiftRight
	// testp
	TestFinite
	TestInfinite
	TestNumber
	TestNotANumber
	TestNormal
	TestSubnormal
	// atom, red, and the secondary operation of video instructions (add, min, max)
	AtomicAdd
	AtomicMin
	AtomicMax
	AtomicAnd
	AtomicOr
	AtomicXor
	AtomicInc
	AtomicDec
	AtomicExch
	AtomicCas
	// bar
	BarSync
	BarArrive
	BarRed
	BarWarp // bar.warp.sync
	// membar / fence scopes are in Memory.Scope
	// match
	MatchAny
	MatchAll
	// video merge: destination selector is in Dst[0].Selector
)

// CacheOperator is the .ca .cg … of a load or store.
type CacheOperator uint8

// Cache operators.
const (
	CacheDefault  CacheOperator = iota
	CacheAll                    // .ca
	CacheGlobal                 // .cg
	CacheStream                 // .cs
	CacheLastUse                // .lu
	CacheVolatile               // .cv
	CacheBack                   // .wb
	CacheThrough                // .wt
	CacheReadOnly               // .nc
)

// Order is a memory order.
type Order uint8

// Memory orders.
const (
	OrderWeak Order = iota
	OrderVolatile
	OrderRelaxed
	OrderAcquire
	OrderRelease
	OrderAcqRel
	OrderSeqCst
)

// Scope is the set of threads that an order reaches.
type Scope uint8

// Scopes.
const (
	ScopeNone Scope = iota
	ScopeBlock
	ScopeCluster
	ScopeDevice
	ScopeSystem
)

// Memory describes what a memory instruction touches.
type Memory struct {
	Space   Space
	Base    Operand // register, symbol, immediate or none; the address is Base + Offset
	Offset  int64   // bytes
	Vector  uint8   // components: 1, 2, 4 (8 on newer targets)
	Cache   CacheOperator
	Order   Order
	Scope   Scope
	Uniform bool        // ldu
	Texture *TextureRef // tex, tld4, txq, suld, sust, sured, suq
}

// TextureRef is the geometry and object of a texture or surface instruction.
type TextureRef struct {
	Object      Operand // symbol (texref, surfref) or a 64-bit handle in a register
	Sampler     Operand
	Geometry    string // 1d 2d 3d a1d a2d cube acube 2dms
	Coordinates []Operand
	Level       Operand // .level
	Gradient    []Operand
	Component   uint8  // tld4 .r .g .b .a as 0 to 3
	Query       string // txq and suq
	ClampMode   string // surfaces: trap clamp zero
	Formatted   bool   // sust.p, sured.p
	MipMode     string // "", level, grad, base
}

// Call describes a call instruction.
type Call struct {
	Function  int32          // index into Program.Functions, or -1 for an indirect call
	Target    int32          // of an indirect call: index into Instruction.Src of the register that holds the function; -1 otherwise
	Returns   []CallArgument // where results go
	Arguments []CallArgument
	Prototype *Prototype // indirect calls; may be nil
}

// CallArgument is one argument or result of a call: scalars travel in registers, arrays in the caller's frame.
type CallArgument struct {
	Variable int32 // index into the caller's Function.Variables (frame memory, SpaceLocal); -1 for a scalar
	Operand  int32 // of a scalar: index into Instruction.Src (argument) or Instruction.Dst (result); -1 otherwise
	// Offset and Bytes are a variable's place in the caller's frame. Lowering fills them in.
	Offset, Bytes int
}

// Prototype is the signature of a function.
type Prototype struct {
	Returns    []Parameter
	Parameters []Parameter
	NoReturn   bool
}

// BlockID indexes Function.Blocks.
type BlockID int32

// LineIndex indexes Program.Lines; 0 is "unknown".
type LineIndex int32
