package translate_test

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/cubin"
	"github.com/keplersim/keplersim/isa/sass"
	"github.com/keplersim/keplersim/isa/sass/translate"
)

// plain is code without control words.
func plain(t *testing.T, texts ...string) (code []byte) {
	t.Helper()
	for n, text := range texts {
		w, err := sass.SM35.Encode(text, uint64(n*sass.WordBytes))
		require.NoError(t, err)
		code = binary.LittleEndian.AppendUint64(code, w)
	}
	return code
}

// A call of a function in its own section goes where the relocation says, with a copy for each call. The kernel has the registers of the
// largest function, and the frames of the deepest calls.
func TestCallsOfFunctions(t *testing.T) {
	call := func(at int, name string) cubin.Relocation {
		return cubin.Relocation{Offset: at, Type: cubin.Relocate32From23, Symbol: name}
	}
	m := &cubin.Module{Architecture: 35, Functions: []*cubin.Function{
		{Name: "k", Kernel: true, Registers: 8, Stack: 16, Relocated: []cubin.Relocation{call(8, "outer"), call(16, "inner")},
			Code: plain(t, "MOV R1, c[0x0][0x44]", "JCAL 0x0", "JCAL 0x0", "EXIT")},
		{Name: "inner", Registers: 30, Stack: 8, Code: plain(t, "S2R R0, SR_LMEMHIOFF", "RET")},
		{Name: "outer", Registers: 20, Stack: 24, Relocated: []cubin.Relocation{call(0, "inner")}, Code: plain(t, "JCAL 0x0", "RET")},
		{Name: "other", Registers: 90, Stack: 900, Code: plain(t, "RET")},
	}}
	p, err := translate.Program("k.cubin", []*cubin.Module{m})
	require.NoError(t, err)
	require.NoError(t, p.Functions[0].Resolved())
	mp := p.Functions[0].Machine
	assert.Equal(t, 30, mp.Registers)
	assert.Equal(t, 16+24+8, mp.LocalBytes)
	assert.Equal(t, isa.Imm(16+24+8, isa.B32), mp.Ops[0].Effect.Src[0], "the stack begins at the end")
	var names []string
	for n := range mp.Ops {
		names = append(names, fmt.Sprint(mp.Ops[n].Mnemonic, " ", mp.Ops[n].Target))
	}
	assert.Equal(t, []string{"MOV -1", "JCAL 4", "JCAL 8", "EXIT -1", "JCAL 6", "RET 2", "S2R -1", "RET 5", "S2R -1", "RET 3"}, names)

	outer := m.Functions[2]
	outer.Stack = 512<<10 - 16
	p, err = translate.Program("k.cubin", []*cubin.Module{m})
	require.NoError(t, err)
	assert.ErrorContains(t, p.Functions[0].Resolved(), "the frames of its calls take 524296 bytes")
	outer.Stack = 24

	m.Functions[0].Relocated[0].Symbol = "vprintf"
	p, err = translate.Program("k.cubin", []*cubin.Module{m})
	require.NoError(t, err)
	assert.ErrorContains(t, p.Functions[0].Resolved(), "the file does not have vprintf")

	m.Functions[0].Relocated = nil
	m.Functions[0].Code = plain(t, "MOV R1, R0")
	p, err = translate.Program("k.cubin", []*cubin.Module{m})
	require.NoError(t, err)
	assert.ErrorContains(t, p.Functions[0].Resolved(), "the code's end is reached", "and not another function's first operation")
}

// An executable may have a kernel twice, from two files that include it, but not two different kernels of one name.
func TestKernelsOfOneName(t *testing.T) {
	module := func(texts ...string) *cubin.Module {
		return &cubin.Module{Architecture: 35,
			Functions: []*cubin.Function{{Name: "k", Kernel: true, Registers: 8, Code: plain(t, texts...)}}}
	}
	p, err := translate.Program("a.out", []*cubin.Module{module("EXIT"), module("EXIT")})
	require.NoError(t, err)
	assert.Len(t, p.Functions, 1)
	_, err = translate.Program("a.out", []*cubin.Module{module("EXIT"), module("NOP", "EXIT")})
	assert.ErrorContains(t, err, "two kernels k")
}

// A branch behind a difference compares unsigned numbers.
func TestBranchOnADifference(t *testing.T) {
	var values [8]isa.Lanes32
	for lane := range values[0] {
		values[0][lane], values[2][lane] = uint32(lane)<<27, 16<<27
	}
	for condition, holds := range map[string]func(x, y uint32) bool{
		"HS": func(x, y uint32) bool { return x >= y }, "LO": func(x, y uint32) bool { return x < y },
		"HI": func(x, y uint32) bool { return x > y }, "LS": func(x, y uint32) bool { return x <= y },
		"EQ": func(x, y uint32) bool { return x == y }, "NE": func(x, y uint32) bool { return x != y },
	} {
		want := uint32(0)
		for lane := range values[0] {
			if holds(values[0][lane], values[2][lane]) {
				want |= 1 << lane
			}
		}
		mp, err := machine(t, "ISUB R6.CC, R2, R4\nSSY 0x30\nBRA CC."+condition+", 0x30\nMOV R0, R2\nEXIT\nEXIT")
		require.NoError(t, err)
		w := lanes(t, mp, &values)
		branch := &mp.Ops[4]
		require.Equal(t, isa.ControlBranch, branch.Control)
		assert.Equal(t, fmt.Sprintf("%08x", want), fmt.Sprintf("%08x", w.Predicates[branch.Guard.Register]), condition)
		assert.True(t, mp.Ops[2].Uncounted && mp.Ops[3].Uncounted && !branch.Uncounted)
	}
	_, err := machine(t, "IADD R6.CC, R2, R4\nBRA CC.HS, 0x10\nEXIT")
	assert.ErrorContains(t, err, "this use of the condition code is not simulated", "a sum has no order")
}
