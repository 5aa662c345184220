package isa

// Lowering is what isa/lower needs to know about an opcode: how to make its Kepler operations, and what their operands may be.
type Lowering struct {
	// By selects what makes the operations: the table of forms, or a function of isa/lower/expand.
	By ExpansionKind
	// Forms are the features that distinguish the opcode's rows in the table of forms, in the order of the rows' names. nil: the rows
	// differ by the group of the type.
	Forms []FormFeature
	// Control is what the operations from the table do to the warp's control flow.
	Control Control
	// Inline says which sources may be an immediate or a constant.
	Inline InlineSources
	// TakesSigns: its operation on floats reads registers with either sign.
	TakesSigns bool
}

// ExpansionKind names a way to expand an instruction into Kepler operations.
type ExpansionKind uint8

// The ways of expansion.
const (
	ExpandByTable  ExpansionKind = iota // by the table of forms
	ExpandMove                          // mov
	ExpandConvert                       // cvt
	ExpandAddress                       // cvta
	ExpandWordwise                      // operations that treat each 32-bit word on its own
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
	FormSignedGroup                     // the same, with signed and unsigned integers apart
	FormFromGroup                       // the group of the source type
	FormFromOrGroup                     // the group of the type, or of the source type where there is none
	FormHalf                            // lo, hi, wide
	FormShiftedAdd                      // a multiply-add that is a shift and an addition
	FormPrecision                       // approximate, .full, rounded
	FormSecondResult                    // two destinations
	FormShiftBy                         // whether the shift count is a constant
	FormFieldBy                         // whether a bit field's place is constant
	FormIntegral                        // rounds to an integral number
	FormSelection                       // the sub-operation
	FormSpace                           // the state space
	FormFeatureCount
)

// InlineSources says which sources of an opcode may be an immediate or a constant. A Kepler operation has one place for such a source: the
// second source, or the third of three.
type InlineSources struct {
	Places   []int // sources that may be an immediate or a constant, best first
	Swap     bool  // the first two sources commute
	Anything bool  // every source may be
}

// The InlineSources of most opcodes.
var (
	inlineFirst         = InlineSources{Places: []int{0}}
	inlineSecond        = InlineSources{Places: []int{1}}
	inlineEither        = InlineSources{Places: []int{1}, Swap: true}
	inlineSecondOrThird = InlineSources{Places: []int{1, 2}, Swap: true}
	inlineAny           = InlineSources{Anything: true}
)
