package isa

// Opcode is a PTX opcode: the word before the first dot.
type Opcode uint8

// The opcodes of PTX ISA 1.4 to 9.0, in alphabetical order. What is known of each stands in its row of opcodes.go.
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

// EffectKind says by which rules an opcode's effect is computed. Package exec has one binder for each.
type EffectKind uint8

// The kinds of effect.
const (
	EffectNone       EffectKind = iota // no Kepler can execute the opcode: all its forms are refused
	EffectControl                      // the flow of control, or the order of memory, alone
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
	EffectIndex // one number from a source, which the SMX acts on: brx, nanosleep
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

// OpcodeFacts is what is known of an opcode, whatever its types and modifiers.
type OpcodeFacts struct {
	Name string
	// Operands is the convention by which isa/decode writes the opcode's operands and modifiers, and isa/lower and isa/exec read them. ""
	// for opcodes that no Kepler executes.
	Operands string
	Effect   EffectKind
	Memory   MemoryUse
	// MachineCode: no PTX has it; isa/sass/translate writes it.
	MachineCode bool
	// DecodedAs is the opcode that takes this one's place when it is decoded, OpNone where it stays.
	DecodedAs Opcode
	// Pure: the result follows from the sources alone, so that an instruction may be computed earlier, once for several, or not at all.
	Pure bool
	// Branches: control may go elsewhere than to the next instruction.
	Branches bool
	// WideRegisters: registers may be wider than the type (PTX ISA, operand size exceeding instruction-type size).
	WideRegisters bool
	// TakesSymbols: addresses of variables and functions are operands; other opcodes get them through a mov.
	TakesSymbols bool
	// Lowering is how isa/lower makes its Kepler operations.
	Lowering Lowering
}

// Facts returns the opcode's row.
func (o Opcode) Facts() *OpcodeFacts { return &opcodes[o] }

// String returns the opcode's PTX name.
func (o Opcode) String() string { return opcodes[o].Name }

// Pure reports an opcode whose result follows from its sources alone.
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
