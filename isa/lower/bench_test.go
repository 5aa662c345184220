package lower_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa/lower"
)

// branching is PTX of the given number of lines. About every tenth branches forward.
func branching(lines int) string {
	var b strings.Builder
	for i := range 32 {
		fmt.Fprintf(&b, "ld.global.u32 %%r%d, [%%rd3+%d];\n", i, 4*i)
	}
	for i := 0; i < lines; i++ {
		x, y, z := i*7%32, i*13%31, i*11%32
		switch {
		case i%10 == 5:
			fmt.Fprintf(&b, "setp.lt.u32 %%p1, %%r%d, %%r%d;\n@%%p1 bra L%d;\nadd.u32 %%r%d, %%r%d, %d;\nL%d:\n", x, y, i, z, x, i, i)
			i += 3
		case i%2 == 0:
			fmt.Fprintf(&b, "mad.lo.u32 %%r%d, %%r%d, %%r%d, %%r%d;\n", z, x, y, z)
		default:
			fmt.Fprintf(&b, "add.u32 %%r%d, %%r%d, %%r%d;\n", z, x, y)
		}
	}
	for i := range 32 {
		fmt.Fprintf(&b, "st.global.u32 [%%rd3+%d], %%r%d;\n", 4*i, i)
	}
	return b.String()
}

// BenchmarkProgram lowers a large kernel, decoded before.
func BenchmarkProgram(b *testing.B) {
	for _, lines := range []int{10_000, 40_000} {
		b.Run(fmt.Sprint(lines), func(b *testing.B) {
			p := decodeText(b, "k.ptx", kernelText(branching(lines)))
			for b.Loop() {
				_, err := lower.Program(b.Context(), p, p.Kernels()[0], lower.Options{ComputeCapability: 35})
				require.NoError(b, err)
			}
		})
	}
}
