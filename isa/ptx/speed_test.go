package ptx

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/internal/cputime"
)

// generated returns a module of at least the given number of lines, with statements as compilers write them.
func generated(lines int) string {
	var out strings.Builder
	out.WriteString(".version 4.2\n.target sm_35\n.address_size 64\n.file 1 \"generated.cu\"\n")
	written := 4
	for k := 0; written < lines; k++ {
		fmt.Fprintf(&out, ".visible .entry kernel%d(\n\t.param .u64 kernel%d_param_0,\n\t.param .u32 kernel%d_param_1\n)\n{\n"+
			"\t.reg .pred %%p<9>;\n\t.reg .f32 %%f<99>;\n\t.reg .b32 %%r<99>;\n\t.reg .b64 %%rd<99>;\n"+
			"\tld.param.u64 \t%%rd1, [kernel%d_param_0];\n\tcvta.to.global.u64 \t%%rd2, %%rd1;\n", k, k, k, k)
		for i := range 60 {
			fmt.Fprintf(&out, "\t.loc\t1 %d 7\n\tmul.wide.s32 \t%%rd3, %%r%d, 4;\n\tadd.s64 \t%%rd4, %%rd2, %%rd3;  // an address\n"+
				"\tld.global.nc.v4.f32 \t{%%f1, %%f2, %%f3, %%f4}, [%%rd4+%d];\n\tfma.rn.f32 \t%%f5, %%f1, 0f3F800000, %%f2;\n"+
				"\tsetp.lt.s32 \t%%p1, %%r1, %d;\n\tselp.b32 \t%%r2, 1, %%r3, %%p1;\n\tst.shared.f32 \t[%%r4+-8], %%f5;\n"+
				"\t@!%%p1 bra \t$L__BB%d_%d;\n\n"+
				"$L__BB%d_%d:\n", i+1, i, 16*i, i, k, i, k, i)
		}
		out.WriteString("\tret;\n}\n")
		written += 61*11 + 2
	}
	return out.String()
}

// TestParseSpeed asks for 100,000 lines a second of processor time. The best of several runs counts, because other work on the machine only
// makes a run slower.
func TestParseSpeed(t *testing.T) {
	text := generated(100_000)
	require.GreaterOrEqual(t, strings.Count(text, "\n"), 90_000)
	best := time.Hour
	for range 5 {
		start := cputime.Used()
		_, err := Parse("generated.ptx", text)
		require.NoError(t, err)
		best = min(best, cputime.Used()-start)
	}
	perLine := best / time.Duration(strings.Count(text, "\n"))
	t.Logf("%d lines in %v, %v a line", strings.Count(text, "\n"), best, perLine)
	assert.Less(t, perLine*100_000, time.Second)
}

// TestParseAllocatesForFewTokens bounds allocations: nodes come from slabs and names from the source.
func TestParseAllocatesForFewTokens(t *testing.T) {
	text := generated(10_000)
	allocations := testing.AllocsPerRun(3, func() {
		if _, err := Parse("generated.ptx", text); err != nil {
			t.Fatal(err)
		}
	})
	assert.Less(t, allocations, float64(strings.Count(text, "\n"))/10, "allocations against lines")
}

func BenchmarkParse(b *testing.B) {
	text := generated(100_000)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse("generated.ptx", text); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(strings.Count(text, "\n"))*float64(b.N)/b.Elapsed().Seconds(), "lines/s")
}
