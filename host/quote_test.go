package host

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/sim/stats"
)

// Lines are quoted from the code itself, from the file that debug information names, or from a file of that name next to the code.
func TestQuotes(t *testing.T) {
	folder := t.TempDir()
	source := filepath.Join(folder, "kernel.cu")
	require.NoError(t, os.WriteFile(source, []byte("int a;\n\t x =  y\x1b[31m +\tz; \r\n"+strings.Repeat("long ", 50)+"\n"), 0o644))
	var q quotes
	q.keep(filepath.Join(folder, "kernel.ptx"), []byte("// first\nmov.u32 %r1, 3;\n"))
	at := func(file string, line int) string { return q.line(stats.Place{File: file, Line: line}) }
	assert.Equal(t, "mov.u32 %r1, 3;", at(filepath.Join(folder, "kernel.ptx"), 2))
	assert.Equal(t, "int a;", at(source, 1))
	assert.Equal(t, "int a;", at("/elsewhere/kernel.cu", 1), "beside the code")
	assert.Equal(t, "x = y [31m + z;", at("kernel.cu", 2), "on one line, and without what a terminal would obey")
	assert.Equal(t, mostQuoted, len([]rune(at("kernel.cu", 3))))
	for _, line := range []int{-1, 0, 5, 1 << 40} {
		assert.Empty(t, at("kernel.cu", line))
	}
	assert.Empty(t, at("missing.cu", 1))
	assert.Empty(t, at("/dev/zero", 1), "no plain file")
	assert.Empty(t, at(folder, 1))
	assert.Empty(t, new(quotes).line(stats.Place{File: source, Line: 1}), "no code was loaded")
}

// A launch's lines come with their text, also if the code is only PTX.
func TestLaunchesQuoteTheirLines(t *testing.T) {
	path := filepath.Join("..", "workloads", "saxpy", "saxpy.ptx")
	j, err := Open(context.Background(), path, Options{})
	require.NoError(t, err)
	r, err := j.Run(context.Background())
	require.NoError(t, err)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	lines := strings.Split(string(text), "\n")
	for _, s := range r.Launches[0].Source {
		if s.File != "" {
			assert.Equal(t, strings.Join(strings.Fields(lines[s.Line-1]), " "), s.Text)
		}
	}
}
