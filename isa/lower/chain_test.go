package lower_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/keplersim/keplersim/isa/lower"
)

// rowsOfALoop reads the given number of rows of a matrix in each turn of a loop, as clang unrolls it. Each row has its own multiple of the
// row's length, which is in %r4.
func rowsOfALoop(length string, rows int) string {
	var b, loop strings.Builder
	b.WriteString(length + "\nmov.u32 %r5, %r2;\nmov.f32 %f1, 0f00000000;\nmov.u32 %r6, 0;\nshl.b32 %r7, %r4, 7;\n")
	for n := 2; n < rows; n++ {
		fmt.Fprintf(&b, "mul.lo.s32 %%r%d, %%r4, %d;\n", 10+n, n)
	}
	for n := range rows {
		switch n {
		case 0:
			loop.WriteString("mov.u32 %r8, %r5;\n")
		case 1:
			loop.WriteString("add.s32 %r8, %r5, %r4;\n")
		default:
			fmt.Fprintf(&loop, "add.s32 %%r8, %%r%d, %%r5;\n", 10+n)
		}
		loop.WriteString("mul.wide.s32 %rd4, %r8, 4;\nadd.s64 %rd5, %rd1, %rd4;\nld.global.f32 %f2, [%rd5];\nadd.f32 %f1, %f1, %f2;\n")
	}
	return b.String() + "again:\n" + loop.String() + "add.s32 %r5, %r5, %r7;\nadd.s32 %r6, %r6, 1;\nsetp.lt.s32 %p1, %r6, 100;\n" +
		"@%p1 bra again;\nst.global.f32 [%rd3], %f1;"
}

// TestSumsOfALoopGoOn: rows that are a constant step apart do not take a register each for their addresses. The step may be computed or a
// parameter. nvcc has 40 registers for KTT's product without shared memory, which reads 64 rows per turn (GTX 680).
func TestSumsOfALoopGoOn(t *testing.T) {
	for name, length := range map[string]string{"computed": "shr.u32 %r4, %r1, 1;", "parameter": "mov.u32 %r4, %r1;"} {
		t.Run(name, func(t *testing.T) {
			few := lowered(t, rowsOfALoop(length, 16), lower.Options{ComputeCapability: 30})
			many := lowered(t, rowsOfALoop(length, 64), lower.Options{ComputeCapability: 30})
			assert.LessOrEqual(t, many.Registers, 40)
			assert.LessOrEqual(t, many.Registers, few.Registers+2)
			assert.Zero(t, many.SpillBytes)
		})
	}
}

// Counters that start a step apart and advance alike become one. The others' sums are computed from its sum, and the others do not advance.
func TestCountersThatBeginAStepApart(t *testing.T) {
	var starts, sums, counts strings.Builder
	for n := 1; n <= 4; n++ {
		fmt.Fprintf(&starts, "mad.lo.u32 %%r%d, %%r4, %d, %%r5;\n", 10+n, n)
		fmt.Fprintf(&sums, "add.u32 %%r7, %%r8, %%r%d;\nmad.lo.u32 %%r9, %%r9, 3, %%r7;\n", 10+n)
		fmt.Fprintf(&counts, "add.u32 %%r%d, %%r%d, %%r1;\n", 10+n, 10+n)
	}
	mp := lowered(t, "shr.u32 %r4, %r1, 1;\nadd.u32 %r5, %r2, 5;\n"+starts.String()+"mov.u32 %r9, 1;\nand.b32 %r8, %r2, 3;\nagain:\n"+
		sums.String()+"mad.lo.u32 %r9, %r9, 3, %r5;\nadd.u32 %r5, %r5, %r1;\n"+counts.String()+
		"add.u32 %r8, %r8, 1;\nsetp.lt.u32 %p1, %r8, 100;\n@%p1 bra again;\nst.global.u32 [%rd3], %r9;",
		lower.Options{ComputeCapability: 35})
	assert.Equal(t, 1+4+3, count(mp, "IADD"), "a start, four sums, and the counters %%r5, %%r8 and %%r11: %v", mnemonics(mp))
}
