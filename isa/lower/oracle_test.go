package lower_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa/decode"
	"github.com/keplersim/keplersim/isa/lower"
	"github.com/keplersim/keplersim/isa/ptx"
	"github.com/keplersim/keplersim/testkit/oracle"
)

// oracleBody puts an oracle's body between loads of its inputs and a store of its output.
func oracleBody(form oracle.Form) string {
	var b strings.Builder
	register := func(ptxType string) string {
		switch ptxType {
		case "u8", "s8", "b8":
			return "b32"
		case "f16":
			return "b16"
		}
		return ptxType
	}
	access := func(ptxType string) string {
		if ptxType == "f16" {
			return "b16"
		}
		return ptxType
	}
	pairs := []string{"{p}", "%p1", "{x}", "%r90", "{y}", "%r91", "{d}", "%out"}
	fmt.Fprintf(&b, ".reg .%s %%out;\n", register(form.Output))
	for n, input := range form.Inputs {
		name := "%in" + string(rune('a'+n))
		fmt.Fprintf(&b, ".reg .%s %s;\nld.global.%s %s, [%%rd3+%d];\n", register(input), name, access(input), name, 8*n)
		pairs = append(pairs, "{"+string(rune('a'+n))+"}", name)
	}
	fmt.Fprintf(&b, "%s\nst.global.%s [%%rd3+64], %%out;\n", strings.NewReplacer(pairs...).Replace(form.Body), access(form.Output))
	return b.String()
}

// TestOracleForms lowers every form that was run on a GPU and verifies the result, with registers to spare and without.
func TestOracleForms(t *testing.T) {
	o, err := oracle.Open()
	require.NoError(t, err)
	for i, form := range o.Forms {
		if testing.Short() && i%8 != 0 {
			continue
		}
		file, err := ptx.Parse(form.Name, kernelText(oracleBody(form)))
		if !assert.NoError(t, err, form.Name) {
			continue
		}
		p, err := decode.Program([]*ptx.File{file}, decode.Options{})
		if !assert.NoError(t, err, form.Name) {
			continue
		}
		for _, o := range []lower.Options{{}, {ComputeCapability: 30, MaxRegisters: 16}} {
			assert.NoError(t, lower.Verify(p, p.Kernels()[0], o), form.Name)
		}
	}
}
