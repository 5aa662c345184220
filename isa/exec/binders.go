package exec

import "github.com/keplersim/keplersim/isa"

// binders choose an operation's functions and operands, by the kind of its opcode's effect.
var binders = [isa.EffectCount]func(*binder, *Bound, *isa.Instruction) error{
	isa.EffectControl:             bindNothing,
	isa.EffectArithmetic:          bindArithmetic,
	isa.EffectCarry:               bindCarry,
	isa.EffectConversion:          bindFloat,
	isa.EffectMove:                bindMove,
	isa.EffectPredicateComparison: bindSetp,
	isa.EffectSetComparison:       bindSet,
	isa.EffectSelection:           bindSelection,
	isa.EffectFloatTest:           bindTestp,
	isa.EffectAddressConversion:   bindConvertAddress,
	isa.EffectSpaceTest:           bindIsSpace,
	isa.EffectObjectTest:          bindIsType,
	isa.EffectMemoryAccess:        bindMemory,
	isa.EffectImageAccess:         bindImage,
	isa.EffectShuffle:             bindShuffle,
	isa.EffectVote:                bindVote,
	isa.EffectMatch:               bindMatch,
	isa.EffectWarpReduction:       bindReduction,
	isa.EffectActiveMask:          bindActivemask,
	isa.EffectBarrier:             bindBarrier,
	isa.EffectIndex:               bindIndex,
	isa.EffectCall:                bindCall,
	isa.EffectReturn:              bindReturn,
	isa.EffectPredicateTable:      bindPredicateTable,
	isa.EffectFlagComparison:      bindFlagComparison,
	isa.EffectComparedSelection:   bindComparedSelection,
	isa.EffectDivisionCheck:       bindDivisionCheck,
	isa.EffectUpperEstimate:       bindUpperEstimate,
	isa.EffectPackedPredicates:    bindPackedPredicates,
	isa.EffectUnpackedBits:        bindUnpackedBits,
}

// bindNothing binds operations that only act on control or memory order.
func bindNothing(_ *binder, bound *Bound, _ *isa.Instruction) error {
	bound.Kind = KindNone
	return nil
}
