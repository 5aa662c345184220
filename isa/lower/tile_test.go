package lower_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa/lower"
)

// productOfTiles is the inner loop of a matrix product: each turn loads depth columns of 4·rows values and as many rows of 4·columns, by
// fours, and adds their products to 16·rows·columns sums.
func productOfTiles(rows, columns, depth int) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".reg .f32 %%s<%d>, %%v<%d>;\nmov.u32 %%r5, 0;\n", 16*rows*columns, 4*(rows+columns)*depth)
	for i := range 16 * rows * columns {
		fmt.Fprintf(&b, "mov.f32 %%s%d, 0f00000000;\n", i)
	}
	b.WriteString("LOOP:\n")
	value := 0
	load := func(n, at int) (first int) {
		first = value
		for q := range n {
			fmt.Fprintf(&b, "ld.global.v4.f32 {%%v%d, %%v%d, %%v%d, %%v%d}, [%%rd3+%d];\n", value, value+1, value+2, value+3, at+16*q)
			value += 4
		}
		return first
	}
	for k := range depth {
		left, right := load(rows, 1024*k), load(columns, 1024*k+512)
		for i := range 4 * rows {
			for j := range 4 * columns {
				sum := 4*columns*i + j
				fmt.Fprintf(&b, "fma.rn.f32 %%s%d, %%v%d, %%v%d, %%s%d;\n", sum, left+i, right+j, sum)
			}
		}
	}
	b.WriteString("add.s64 %rd3, %rd3, 4096;\nadd.u32 %r5, %r5, 1;\nsetp.lt.u32 %p1, %r5, %r1;\n@%p1 bra LOOP;\n")
	for i := range 16 * rows * columns {
		fmt.Fprintf(&b, "st.global.f32 [%%rd2+%d], %%s%d;\n", 4*i, i)
	}
	return b.String()
}

// Sums are made of the registers that a vector load fills, and its words are not copied out of them, though the kernel spills. A few loads
// find no row of four.
func TestVectorsAreUsedInPlaceUnderCaps(t *testing.T) {
	for _, c := range []struct{ rows, columns, depth int }{{1, 1, 4}, {1, 2, 4}, {2, 2, 2}, {1, 3, 4}} {
		words := 4 * (c.rows + c.columns) * c.depth
		p := decodeText(t, "k.ptx", kernelText(productOfTiles(c.rows, c.columns, c.depth)))
		for registers := 30; ; registers += 4 {
			mp, err := lower.Program(t.Context(), p, p.Kernels()[0], lower.Options{MaxRegisters: registers})
			require.NoError(t, err)
			copies, inLoop := 0, false
			for n := range mp.Ops {
				op := &mp.Ops[n]
				inLoop = inLoop || op.Mnemonic == "LD.E.128"
				if inLoop && op.Mnemonic == "MOV" {
					copies++
				}
			}
			assert.LessOrEqual(t, copies, words/2, "%v at %d registers", c, registers)
			require.NoError(t, lower.Verify(p, p.Kernels()[0], lower.Options{MaxRegisters: registers}))
			if mp.SpillBytes == 0 {
				break
			}
		}
	}
}
