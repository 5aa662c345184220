package isa

// Opcode is a PTX opcode: the word before the first dot.
type Opcode uint8

// The opcodes of PTX ISA 1.4 to 9.0, in alphabetical order. Their properties are in opcodes.go.
const (
	OpNone Opcode = iota
	OpAbs
	OpActivemask
	OpAdd
	OpAddc
	OpAlloca
	OpAnd
	OpApplypriority
	OpAtom
	OpBar
	OpBarrier
	OpBfe
	OpBfi
	OpBfind
	OpBmsk
	OpBra
	OpBrev
	OpBrkpt
	OpBrx
	OpCall
	OpClusterlaunchcontrol
	OpClz
	OpCnot
	OpCopysign
	OpCos
	OpCp
	OpCreatepolicy
	OpCvt
	OpCvta
	OpDiscard
	OpDiv
	OpDp2a
	OpDp4a
	OpElect
	OpEx2
	OpExit
	OpFence
	OpFma
	OpFns
	OpGetctarank
	OpGriddepcontrol
	OpIsspacep
	OpIstypep
	OpLd
	OpLdmatrix
	OpLdu
	OpLg2
	OpLop3
	OpMad
	OpMad24
	OpMadc
	OpMapa
	OpMatch
	OpMax
	OpMbarrier
	OpMembar
	OpMin
	OpMma
	OpMov
	OpMovmatrix
	OpMul
	OpMul24
	OpMultimem
	OpNanosleep
	OpNeg
	OpNot
	OpOr
	OpPmevent
	OpPopc
	OpPrefetch
	OpPrefetchu
	OpPrmt
	OpRcp
	OpRed
	OpRedux
	OpRem
	OpRet
	OpRsqrt
	OpSad
	OpSelp
	OpSet
	OpSetmaxnreg
	OpSetp
	OpPlop
	OpSetc
	OpCsel
	OpFchk
	OpBfer
	OpBfir
	OpRcp64h
	OpRsqrt64h
	OpP2r
	OpR2p
	OpShf
	OpShfl
	OpShl
	OpShr
	OpSin
	OpSlct
	OpSqrt
	OpSt
	OpStackrestore
	OpStacksave
	OpStmatrix
	OpSub
	OpSubc
	OpSuld
	OpSuq
	OpSured
	OpSust
	OpSzext
	OpTanh
	OpTcgen05
	OpTensormap
	OpTestp
	OpTex
	OpTld4
	OpTrap
	OpTxq
	OpVabsdiff
	OpVabsdiff2
	OpVabsdiff4
	OpVadd
	OpVadd2
	OpVadd4
	OpVavrg2
	OpVavrg4
	OpVmad
	OpVmax
	OpVmax2
	OpVmax4
	OpVmin
	OpVmin2
	OpVmin4
	OpVote
	OpVset
	OpVset2
	OpVset4
	OpVshl
	OpVshr
	OpVsub
	OpVsub2
	OpVsub4
	OpWgmma
	OpWmma
	OpXor
	OpcodeCount
)

// EffectKind selects the rules by which an opcode's effect is computed. Package exec has one binder for each kind.
type EffectKind uint8

// The kinds of effect.
const (
	EffectNone       EffectKind = iota // no Kepler executes the opcode: all its forms are refused
	EffectControl                      // only control flow or memory order
	EffectArithmetic                   // a function of the sources: of integers, floats, bits or predicates
	EffectCarry                        // a function of the sources and the carry flag
	EffectConversion
	EffectMove
	EffectPredicateComparison // setp
	EffectSetComparison       // set
	EffectSelection           // by a predicate or a sign
	EffectFloatTest           // testp
	EffectAddressConversion   // cvta
	EffectSpaceTest           // isspacep
	EffectObjectTest          // istypep
	EffectMemoryAccess        // ld, st, atom, red and prefetches
	EffectImageAccess         // textures and surfaces
	EffectShuffle
	EffectVote
	EffectMatch
	EffectWarpReduction
	EffectActiveMask
	EffectBarrier
	EffectIndex // brx, nanosleep: the SMX acts on one number from a source
	EffectCall
	EffectReturn
	EffectPredicateTable    // plop
	EffectFlagComparison    // setc
	EffectComparedSelection // csel
	EffectDivisionCheck     // fchk
	EffectUpperEstimate     // rcp64h, rsqrt64h
	EffectPackedPredicates  // p2r
	EffectUnpackedBits      // r2p
	EffectCount
)

// MemoryUse says what an opcode's Instruction.Memory holds.
type MemoryUse uint8

// The uses of memory.
const (
	MemoryUnused  MemoryUse = iota // Memory is nil
	MemoryAddress                  // an address that is accessed
	MemoryOrder                    // an order and a scope
	MemorySpace                    // a state space
	MemoryTexture                  // a texture or sampler, and coordinates
	MemorySurface                  // a surface, and coordinates
)

// OpcodeFacts holds what is true of an opcode whatever its types and modifiers.
type OpcodeFacts struct {
	Name string
	// Operands describes the opcode's operands and modifiers, as isa/decode writes them and isa/lower and isa/exec read them. "" for
	// opcodes that no Kepler executes.
	Operands string
	Effect   EffectKind
	Memory   MemoryUse
	// MachineCode: only isa/sass/translate writes the opcode; PTX does not have it.
	MachineCode bool
	// DecodedAs is the opcode that decoding replaces this one with, OpNone if it stays.
	DecodedAs Opcode
	// Pure: the result depends only on the sources. So an instruction may be computed earlier, once for several uses, or not at all.
	Pure bool
	// Branches: control may go elsewhere than to the next instruction.
	Branches bool
	// WideRegisters: registers may be wider than the type (PTX ISA, operand size exceeding instruction-type size).
	WideRegisters bool
	// TakesSymbols: operands may be addresses of variables and functions; for other opcodes a mov reads the address first.
	TakesSymbols bool
	// Lowering says how isa/lower makes the Kepler operations.
	Lowering Lowering
}

// Facts returns the opcode's row.
func (o Opcode) Facts() *OpcodeFacts { return &opcodes[o] }

// String returns the opcode's PTX name.
func (o Opcode) String() string { return opcodes[o].Name }

// Pure reports an opcode whose result depends only on its sources.
func (o Opcode) Pure() bool { return opcodes[o].Pure }

var opcodesByName = func() map[string]Opcode {
	byName := make(map[string]Opcode, OpcodeCount)
	for o := OpNone + 1; o < OpcodeCount; o++ {
		if !opcodes[o].MachineCode {
			byName[opcodes[o].Name] = o
		}
	}
	return byName
}()

// ParseOpcode finds an opcode by its PTX name.
func ParseOpcode(name string) (Opcode, bool) {
	o, ok := opcodesByName[name]
	return o, ok
}
