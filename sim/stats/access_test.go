package stats

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/keplersim/keplersim/isa"
)

func TestKindOf(t *testing.T) {
	effect := func(op isa.Opcode, space isa.Space) *isa.Instruction {
		return &isa.Instruction{Op: op, Memory: &isa.Memory{Space: space}}
	}
	for _, c := range []struct {
		op   isa.MachineOp
		want string // "" for none
	}{
		{isa.MachineOp{Class: isa.ClassGlobal, Effect: effect(isa.OpLd, isa.SpaceGlobal)}, "global load"},
		{isa.MachineOp{Class: isa.ClassGlobal, Effect: effect(isa.OpSt, isa.SpaceGlobal)}, "global store"},
		{isa.MachineOp{Class: isa.ClassGlobal, Effect: effect(isa.OpLd, isa.SpaceGeneric)}, "generic load"},
		{isa.MachineOp{Class: isa.ClassGlobal, Effect: effect(isa.OpSt, isa.SpaceGeneric)}, "generic store"},
		{isa.MachineOp{Class: isa.ClassReadOnly, Effect: effect(isa.OpLd, isa.SpaceGlobal)}, "read-only load"},
		{isa.MachineOp{Class: isa.ClassAtomic, Effect: effect(isa.OpAtom, isa.SpaceGlobal)}, "atomic"},
		{isa.MachineOp{Class: isa.ClassAtomic, Effect: effect(isa.OpRed, isa.SpaceGeneric)}, "reduction"},
		{isa.MachineOp{Class: isa.ClassSharedAtomic, Effect: effect(isa.OpRed, isa.SpaceShared)}, "shared atomic"},
		{isa.MachineOp{Class: isa.ClassShared, Effect: effect(isa.OpSt, isa.SpaceShared)}, "shared store"},
		{isa.MachineOp{Class: isa.ClassSurface, Effect: effect(isa.OpSust, isa.SpaceNone)}, "surface write"},
		{isa.MachineOp{Class: isa.ClassTexture, Effect: effect(isa.OpTex, isa.SpaceNone)}, "texture read"},
		{isa.MachineOp{Class: isa.ClassLocal, Spill: true}, "local store"},
		{isa.MachineOp{Class: isa.ClassLocal, Spill: true, Writes: []isa.RegisterRange{{First: 3, Count: 1}}}, "local load"},
		{isa.MachineOp{Class: isa.ClassFP32}, ""},
	} {
		kind, ok := KindOf(&c.op)
		assert.Equal(t, c.want != "", ok)
		if ok {
			assert.Equal(t, c.want, kind.String())
		}
	}
	for kind := range AccessKinds {
		assert.NotEmpty(t, kind.String())
	}
}

// A line's accesses are sorted by kind, whatever order they come in, and add up by kind.
func TestAccessesStandApart(t *testing.T) {
	var s SourceCount
	one := AccessCount{Traffic: Traffic{Requests: 1, Transactions: 4}}
	for _, kind := range []AccessKind{AccessReduction, AccessGlobalLoad, AccessGlobalStore, AccessGlobalLoad} {
		s.AddAccesses(kind, &one)
	}
	s.AddAccesses(AccessTextureRead, &AccessCount{})
	var kinds []string
	for _, k := range s.Accesses {
		kinds = append(kinds, k.Kind.String())
	}
	assert.Equal(t, []string{"global load", "global store", "reduction"}, kinds, "none of what did not happen")
	sum := s.Of(AccessGlobalLoad, AccessReduction)
	assert.Equal(t, []uint64{3, 12}, []uint64{sum.Requests, sum.Transactions})
}
