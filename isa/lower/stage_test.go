package lower

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa/decode"
	"github.com/keplersim/keplersim/isa/ptx"

	"github.com/keplersim/keplersim/isa/lower/target"
)

// Every rule about the order of passes is checked: if the two passes that it names change places, the check fails.
func TestPassOrderIsChecked(t *testing.T) {
	require.NoError(t, checkOrder(Passes, passOrder))
	for _, o := range passOrder {
		swapped := slices.Clone(Passes)
		at := func(name string) int { return slices.Index(PassNames(), name) }
		swapped[at(o.first)], swapped[at(o.second)] = swapped[at(o.second)], swapped[at(o.first)]
		assert.Error(t, checkOrder(swapped, passOrder), "%s before %s", o.second, o.first)
	}
	assert.ErrorContains(t, checkOrder(Passes, []orderRule{{"schedule", "paint", ""}}), "no such pass")
	assert.ErrorContains(t, checkOrder(append(slices.Clone(Passes), Passes[0]), nil), "two passes are called unreachable")
}

// Each pass is named by some rule, so none can be moved without a check.
func TestEachPassHasItsPlace(t *testing.T) {
	for _, name := range PassNames() {
		assert.True(t, slices.ContainsFunc(passOrder, func(o orderRule) bool { return o.first == name || o.second == name }), name)
	}
}

// The function can be printed after every pass: instructions ahead of expand, operations from there on, physical registers once they are
// allocated.
func TestPrintAfter(t *testing.T) {
	file, err := ptx.Parse("k.ptx", `.version 4.2
.target sm_35
.address_size 64
.visible .entry k(.param .u64 a, .param .u32 n) {
	.reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<2>;
	ld.param.u64 %rd1, [a];
	ld.param.u32 %r1, [n];
	mov.u32 %r2, %tid.x;
	setp.ge.u32 %p1, %r2, %r1;
	@%p1 bra END;
	mul.wide.u32 %rd2, %r2, 4;
	add.s64 %rd3, %rd1, %rd2;
	st.global.u32 [%rd3], %r2;
END:
	ret;
}`)
	require.NoError(t, err)
	p, err := decode.Program([]*ptx.File{file}, decode.Options{})
	require.NoError(t, err)
	after := func(pass string) string {
		var b strings.Builder
		require.NoError(t, PrintAfter(t.Context(), p, p.Kernels()[0], target.Options{}, pass, &b))
		return b.String()
	}
	expanded := false
	for _, name := range PassNames() {
		expanded = expanded || name == "expand"
		text := after(name)
		assert.Equal(t, expanded, strings.Contains(text, "ST.E"), "%s:\n%s", name, text)
		assert.Contains(t, text, "st.global.u32", name)
	}
	assert.Contains(t, after("fold-parameters"), "mov", "a parameter is moved")
	assert.Regexp(t, `setp\S* %p1, \S+, c0\[0x148\]`, after("copies"), "the parameter is read where it is used")
	assert.Regexp(t, `mad\.wide\S* %rd3`, after("combine"), "product and sum are one")
	assert.NotContains(t, after("schedule"), "(R", "no register is given yet")
	assert.Regexp(t, `%r2\(R\d+\)`, after("allocate"))
	assert.Regexp(t, `@%p1\(P0\) EXIT`, after("allocate"))

	var b strings.Builder
	assert.ErrorContains(t, PrintAfter(t.Context(), p, p.Kernels()[0], target.Options{}, "alocate", &b),
		`no pass is called "alocate"; allocate is`)
}
