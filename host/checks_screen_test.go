package host

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/sim/check/finding"
	"github.com/keplersim/keplersim/sim/observe"
)

// spinning is a kernel that waits for other blocks in a loop: how often it looks depends on where the warps' turns end.
const spinning = "grid_barrier"

// found runs a workload or kernel with all checks. It describes their findings, each launch's counters and the buffers' contents. With an
// observer, the checks run without the quick screening of launches, and operation by operation.
func found(t *testing.T, file string, o Options, observer observe.Observer) (text []string) {
	o.Simulator.Observer = observer
	job, err := Open(t.Context(), file, o)
	require.NoError(t, err)
	result, err := job.Run(t.Context())
	text = append(text, fmt.Sprint(err))
	for _, f := range result.Mistakes {
		text = append(text, fmt.Sprintf("%s %+v", f, *f))
	}
	for _, l := range result.Launches {
		if l.Name == spinning {
			continue
		}
		text = append(text, fmt.Sprintf("%s %+v", l.Name, l.Total))
	}
	for i := range job.Workload.Buffers {
		text = append(text, fmt.Sprintf("%x", bufferBytes(t, job, i)))
	}
	return text
}

// bufferBytes returns a buffer's contents.
func bufferBytes(t *testing.T, job *Job, i int) []byte {
	b := &job.Workload.Buffers[i]
	data := make([]byte, b.Bytes())
	address, err := job.BufferAddress(b.Name)
	require.NoError(t, err)
	require.NoError(t, job.gpus[b.Device].Read(address, data))
	return data
}

// Checks give the same findings, word for word, with and without the quick screening and machine code, and launches do the same.
func TestFastChecksFindTheSame(t *testing.T) {
	sources, err := filepath.Glob("../testdata/checks/*.cu")
	require.NoError(t, err)
	count := 0
	for _, source := range sources {
		for _, f := range readFlawed(t, source) {
			if count++; testing.Short() && count%6 != 0 {
				continue
			}
			for _, variant := range []string{"bug", "fixed"} {
				path := f.file + "." + variant + ".ptx"
				want, got := found(t, path, f.options(t, true), observe.Silent{}), found(t, path, f.options(t, true), nil)
				assertSame(t, want, got, f.kernel+" of "+path)
			}
		}
	}
	files, err := filepath.Glob("../workloads/*/*.yaml")
	require.NoError(t, err)
	kernels, err := filepath.Glob("../testdata/kernels/*/*.yaml")
	require.NoError(t, err)
	kernels = everyNth(kernels, 8)
	if testing.Short() {
		files, kernels = everyNth(files, 8), everyNth(kernels, 8)
	}
	options := Options{Simulator: sim.Options{Threads: 1, Functional: true, Check: finding.All}}
	for _, file := range append(files, kernels...) {
		assertSame(t, found(t, file, options, observe.Silent{}), found(t, file, options, nil), file)
	}
}

// assertSame compares descriptions and shows the beginning of the difference.
func assertSame(t *testing.T, want, got []string, name string) {
	t.Helper()
	if !assert.Len(t, got, len(want), name) {
		return
	}
	for i := range want {
		if want[i] != got[i] {
			t.Errorf("%s: %.500s\nand not\n%.500s", name, got[i], want[i])
		}
	}
}
