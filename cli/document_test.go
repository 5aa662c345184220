package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The example of the PTX Writer's Guide to Interoperability, chapter 6, as printed: it stores 3. Messages about it name lines of
// call_example.cu and foo(int, int). In the debug information that name has a parameter that foo's PTX symbol lacks.
func TestInteroperabilityExample(t *testing.T) {
	text, err := os.ReadFile("../isa/debuginfo/testdata/call_example.ptx")
	require.NoError(t, err)
	folder := t.TempDir()
	kernel, workload := filepath.Join(folder, "call_example.ptx"), filepath.Join(folder, "call_example.yaml")
	require.NoError(t, os.WriteFile(kernel, text, 0o644))
	require.NoError(t, os.WriteFile(workload, []byte(`
module: call_example.ptx
buffers:
  p: {type: s32, count: 1}
steps:
  - launch: {kernel: _Z4testPi, grid: [1], block: [1], args: [p]}
expect:
  p: {values: [3]}
`), 0o644))
	for _, test := range []struct {
		args  []string
		parts []string
	}{
		{
			[]string{"run", kernel, "--format", "full"}, []string{"as expected: p", "test(int*)", "foo(int, int)  1 call " +
				"inlined", "call_example.cu:3, inlined at call_example.cu:8", "call_example.cu:9"},
		},
		{[]string{"run", kernel, "--functional", "--format", "full"}, []string{"as expected: p", "foo(int, int)",
			"call_example.cu:3, inlined at call_example.cu:8"}},
		{
			[]string{"run", kernel, "--format", "json"},
			[]string{
				`"passed": true`, `"name": "foo(int, int)"`, `"symbol": "_Z3fooi"`, `"file": "call_example.cu"`, `"line": 8`,
				`"inlined_at"`,
			},
		},
		{
			[]string{"run", kernel, "--format", "source"},
			[]string{`test(int*),call_example.cu,3,"foo(int, int)",call_example.cu:8,`, "test(int*),call_example.cu,8,test(int*),,"},
		},
		{[]string{"lower", kernel}, []string{"test(int*) (_Z4testPi): ", "call_example.cu:3 foo(int, int), inlined at call_example.cu:8"}},
		{[]string{"inspect", kernel}, []string{"foo(int, int) (inlined)", "test(int*)", "call_example.cu:3 foo(int, int), inlined at " +
			"call_example.cu:8: PTX 19-20, 2 instructions"}},
		{[]string{"inspect", "--format", "json", kernel}, []string{`"foo(int, int)"`, `"call_example.cu"`}},
	} {
		code, out, errOut := keplersim(t, append(test.args, small...)...)
		if test.args[0] == "inspect" {
			code, out, errOut = keplersim(t, test.args...)
		}
		assert.Zero(t, code, "%v: %s", test.args, errOut)
		for _, part := range test.parts {
			assert.Contains(t, out, part, "%v", test.args)
		}
	}
}
