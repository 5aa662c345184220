package isa

// Lanes32 is one 32-bit register of a warp: one word a lane.
type Lanes32 = [32]uint32

// Lanes64 is one 64-bit value of a warp, lane by lane; registers hold it as two Lanes32, low words first.
type Lanes64 = [32]uint64

// FullMask has the bit of every lane set.
const FullMask = ^uint32(0)

// Type is a PTX fundamental type.
type Type uint8

// The fundamental types; TypeNone is for an instruction without a type.
const (
	TypeNone Type = iota
	B8
	B16
	B32
	B64
	B128
	U8
	U16
	U32
	U64
	S8
	S16
	S32
	S64
	F16
	F16x2
	BF16
	F32
	F64
	Pred
	TexRef
	SamplerRef
	SurfRef
)

// TypeKind is what a type's bits mean.
type TypeKind uint8

// Kinds of type.
const (
	KindNone TypeKind = iota
	KindBits
	KindUnsigned
	KindSigned
	KindFloat
	KindPredicate
	KindOpaque
)

type typeInfo struct {
	name  string
	bytes int
	kind  TypeKind
}

var typeTable = [...]typeInfo{
	TypeNone: {"", 0, KindNone},
	B8:       {"b8", 1, KindBits}, B16: {"b16", 2, KindBits}, B32: {"b32", 4, KindBits},
	B64: {"b64", 8, KindBits}, B128: {"b128", 16, KindBits},
	U8: {"u8", 1, KindUnsigned}, U16: {"u16", 2, KindUnsigned}, U32: {"u32", 4, KindUnsigned}, U64: {"u64", 8, KindUnsigned},
	S8: {"s8", 1, KindSigned}, S16: {"s16", 2, KindSigned}, S32: {"s32", 4, KindSigned}, S64: {"s64", 8, KindSigned},
	F16: {"f16", 2, KindFloat}, F16x2: {"f16x2", 4, KindFloat}, BF16: {"bf16", 2, KindFloat},
	F32: {"f32", 4, KindFloat}, F64: {"f64", 8, KindFloat},
	Pred:   {"pred", 1, KindPredicate},
	TexRef: {"texref", 8, KindOpaque}, SamplerRef: {"samplerref", 8, KindOpaque}, SurfRef: {"surfref", 8, KindOpaque},
}

// String returns the type's PTX name without the dot.
func (t Type) String() string { return typeTable[t].name }

// Bytes returns the size of one element in memory.
func (t Type) Bytes() int { return typeTable[t].bytes }

// Kind says what the type's bits mean.
func (t Type) Kind() TypeKind { return typeTable[t].kind }

// Signed reports a signed integer type.
func (t Type) Signed() bool { return typeTable[t].kind == KindSigned }

// Float reports a floating-point type.
func (t Type) Float() bool { return typeTable[t].kind == KindFloat }

// Registers returns how many 32-bit registers a value of the type occupies: 2 for 64-bit types, 0 for predicates.
func (t Type) Registers() int {
	switch {
	case t == Pred:
		return 0
	case t.Bytes() > 8:
		return 4
	case t.Bytes() > 4 && t.Kind() != KindOpaque:
		return 2
	case t.Kind() == KindOpaque:
		return 2
	default:
		return 1
	}
}

// ParseType finds a type by its PTX name without the dot.
func ParseType(name string) (t Type, ok bool) {
	t, ok = typesByName[name]
	return t, ok
}

var typesByName = func() map[string]Type {
	byName := make(map[string]Type, len(typeTable))
	for t, info := range typeTable {
		if info.name != "" {
			byName[info.name] = Type(t)
		}
	}
	return byName
}()

// Space is a PTX state space.
type Space uint8

// State spaces. SpaceGeneric is an address whose space is known only at run time.
const (
	SpaceNone Space = iota
	SpaceGeneric
	SpaceGlobal
	SpaceShared
	SpaceLocal
	SpaceConst
	SpaceParam // a kernel's parameters (constant bank 0) or a function's parameters (its frame)
	SpaceTexture
	SpaceSurface
)

var spaceNames = [...]string{"", "generic", "global", "shared", "local", "const", "param", "tex", "surf"}

// String returns the space's PTX name without the dot.
func (s Space) String() string { return spaceNames[s] }

// The windows of the generic address space that reach shared, local and constant memory, in bytes. Global allocations are outside them.
// With 32-bit addresses the low words of these addresses apply.
const (
	SharedWindow         uint64 = 0x0100_0000 // 16 MiB window of the block's shared memory
	LocalWindow          uint64 = 0x0200_0000 // 16 MiB window of the thread's local memory
	ConstWindow          uint64 = 0x0300_0000 // 16 MiB window of the user constant bank, for reading
	WindowBytes          uint64 = 0x0100_0000
	GlobalBase           uint64 = 0x0500_0000 // first address of device allocations with 32-bit addresses
	GlobalBase64         uint64 = 0x7_0000_0000
	ParameterBase               = 0x140 // byte offset of kernel parameters in constant bank 0, as Kepler's compilers place them
	ConstantBankLiterals        = 2     // the bank where the compiler places a kernel's literal constants
	ConstantBankUser            = 3     // the bank of .const symbols
)
