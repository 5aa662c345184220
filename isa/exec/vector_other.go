//go:build !amd64

package exec

import "github.com/keplersim/keplersim/isa"

// hasVectors is false, so the functions below are never called.
const hasVectors = false

var vectors map[form]operation

func vectorMerge(_, _ *isa.Lanes32, _ uint32)     {}
func vectorChoose(_, _, _ *isa.Lanes32, _ uint32) {}
func vectorLessU(_, _ *isa.Lanes32) uint32        { return 0 }
func vectorLessS(_, _ *isa.Lanes32) uint32        { return 0 }
func vectorDiffer(_, _ *isa.Lanes32) uint32       { return 0 }
func vectorBeyond(_ *isa.Lanes32, _, _, _ uint32) uint32 {
	return 0
}
func vectorJoin(_ *isa.Lanes64, _, _ *isa.Lanes32)  {}
func vectorSplit(_, _ *isa.Lanes32, _ *isa.Lanes64) {}
func vectorAddress(_ *isa.Lanes64, _, _ *isa.Lanes32, _ uint32, _, _ uint64) (any, all uint64, even uint32) {
	return 0, 0, 0
}
