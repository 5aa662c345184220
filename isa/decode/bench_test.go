package decode

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa/ptx"
)

// BenchmarkProgram decodes a module of about 100,000 lines.
func BenchmarkProgram(b *testing.B) {
	source, err := os.ReadFile("../../workloads/nbody/nbody.ptx")
	require.NoError(b, err)
	head, kernel, ok := strings.Cut(string(source), ".visible .entry")
	require.True(b, ok)
	var text strings.Builder
	text.WriteString(head)
	lines := 0
	for n := 0; lines < 100_000; n++ {
		text.WriteString(".visible .entry" + strings.ReplaceAll(kernel, "nbody(", "nbody"+itoa(n)+"("))
		lines += strings.Count(kernel, "\n")
	}
	file, err := ptx.Parse("large.ptx", text.String())
	require.NoError(b, err)
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		p, err := Program([]*ptx.File{file}, Options{})
		require.NoError(b, err)
		require.Greater(b, len(p.Kernels()), 100)
	}
	b.ReportMetric(float64(lines)*float64(b.N)/b.Elapsed().Seconds(), "lines/s")
}
