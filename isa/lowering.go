package isa

// Lowering is what isa/lower has to know of an opcode: how its Kepler operations are made, and what their operands may be.
type Lowering struct {
	// By says what makes the operations: the table of forms, or a function of isa/lower/expand.
	By ExpansionKind
	// Forms are the features by which the opcode's rows in the table of forms differ, in the order of the rows' names; nil is the group of
	// the type.
	Forms []FormFeature
	// Control is what the operations from the table do to the warp's control flow.
	Control Control
	// Inline says which sources may be no register.
	Inline InlineSources
	// TakesSigns: its operation on floats reads registers with either sign.
	TakesSigns bool
}

// ExpansionKind names a way to make Kepler operations of an instruction.
type ExpansionKind uint8

// The ways of expansion.
const (
	ExpandByTable  ExpansionKind = iota // by the table of forms
	ExpandMove                          // mov
	ExpandConvert                       // cvt
	ExpandAddress                       // cvta
	ExpandWordwise                      // what works on each 32-bit word alone
	ExpandLoad                          // ld
	ExpandStore                         // st
	ExpandAtomic                        // atom, red
	ExpandImage                         // textures and surfaces
	ExpandPrefetch                      // prefetch, prefetchu
	ExpandBranch                        // bra, brx
	ExpandExit                          // exit, ret
	ExpandCall                          // call
	ExpansionCount
)

// FormFeature names a part of a form's name in the table of forms.
type FormFeature uint8

// The features of forms.
const (
	FormNone         FormFeature = iota // nothing: one form for all
	FormGroup                           // the group of the type: i16, i32, i64, f32, pred ...
	FormSignedGroup                     // the same, where integers' signs count
	FormFromGroup                       // the group of the type that is read
	FormFromOrGroup                     // of the type, or of the one read where the type says nothing
	FormHalf                            // lo, hi, wide
	FormShiftedAdd                      // a multiply-add that is a shift and an addition
	FormPrecision                       // approximate, .full, rounded
	FormSecondResult                    // two destinations
	FormShiftBy                         // a constant, or not
	FormFieldBy                         // a bit field's place: constants, or not
	FormIntegral                        // rounds to an integral number
	FormSelection                       // the sub-operation
	FormSpace                           // the state space
	FormFeatureCount
)

// InlineSources says which sources of an opcode may be an immediate or a constant: Kepler has one such place in an operation, the second
// source, or the third of those with three.
type InlineSources struct {
	Places   []int // sources that may be no register, best first
	Swap     bool  // the first two sources may change places
	Anything bool  // all may
}

// The places for what is no register, as most opcodes have them.
var (
	inlineFirst         = InlineSources{Places: []int{0}}
	inlineSecond        = InlineSources{Places: []int{1}}
	inlineEither        = InlineSources{Places: []int{1}, Swap: true}
	inlineSecondOrThird = InlineSources{Places: []int{1, 2}, Swap: true}
	inlineAny           = InlineSources{Anything: true}
)
