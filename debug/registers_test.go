package debug

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/keplersim/keplersim/isa"
)

// A register has its value if, on every path, the last write to its place was its own. A copy provides it from before the operation on.
func TestRegistersHoldTheirValues(t *testing.T) {
	gives := func(name string, at isa.Register) []isa.Definition {
		return []isa.Definition{{Name: name, Words: 1, Register: at}}
	}
	guard := isa.Guard{Present: true}
	type op = isa.MachineOp
	for name, c := range map[string]struct {
		ops         []op
		definitions [][]isa.Definition
		want        []uint8 // before each operation
	}{
		"until another has its place": {make([]op, 4),
			[][]isa.Definition{gives("v", 4), gives("w", 5), gives("w", 4), nil}, []uint8{0, 1, 1, 0}},
		"until timing writes there": {[]op{{}, {Writes: []isa.RegisterRange{{First: 3, Count: 2}}}, {}},
			[][]isa.Definition{gives("v", 4), nil, nil}, []uint8{0, 1, 0}},
		"on both ways": {[]op{{}, {Control: isa.ControlBranch, Guard: guard, Target: 3}, {}, {}},
			[][]isa.Definition{gives("v", 4), nil, gives("w", 5), nil}, []uint8{0, 1, 1, 1}},
		"on one way": {[]op{{}, {Control: isa.ControlBranch, Guard: guard, Target: 3}, {}, {}},
			[][]isa.Definition{gives("v", 4), nil, gives("w", 4), nil}, []uint8{0, 1, 1, 0}},
		"lost in a loop": {[]op{{}, {}, {}, {Control: isa.ControlBranch, Guard: guard, Target: 1}, {}},
			[][]isa.Definition{gives("v", 4), nil, gives("w", 4), nil, nil}, []uint8{0, 0, 0, 0, 0}},
		"set for some lanes": {[]op{{Guard: guard}, {}}, [][]isa.Definition{gives("v", 4), nil}, []uint8{0, 0}},
		"overwritten for some lanes": {[]op{{}, {Guard: guard}, {}},
			[][]isa.Definition{gives("v", 4), gives("w", 4), nil}, []uint8{0, 1, 0}},
		"lost in a call": {[]op{{}, {Control: isa.ControlCall}, {}}, [][]isa.Definition{gives("v", 4), nil, nil}, []uint8{0, 1, 0}},
		"a copy": {make([]op, 3),
			[][]isa.Definition{gives("w", 4), {{Name: "v", Words: 1, Register: 4, Copy: true}}, nil}, []uint8{0, 1, 1}},
		"nothing of two places": {make([]op, 3), [][]isa.Definition{gives("v", 4), gives("v", 5), nil}, []uint8{0, 0, 0}},
	} {
		m := &isa.MachineProgram{Ops: c.ops, Definitions: c.definitions, Stack: []isa.FrameInfo{{}}}
		h := find(holdingKey{m, 0, "v"})
		for n, want := range c.want {
			got := uint8(0)
			if h.words > 0 {
				got = h.before(m, int32(n), "v")
			}
			assert.Equal(t, want, got, "%s: operation %d", name, n)
		}
	}
}
