package host

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/sim/check/finding"
)

// partlyWritten are two kernels. The first threads of one write a word each. All threads of the other read a word, under a guard. A
// statement computes its index in %r2 from the thread in %r1.
const partlyWritten = `.version 4.3
.target sm_35
.address_size 64
.visible .entry write(.param .u64 a, .param .u32 written) {
  .reg .u32 %%r<9>;
  .reg .u64 %%d<9>;
  .reg .pred %%p<3>;
  mov.u32 %%r1, %%tid.x;
  ld.param.u64 %%d1, [a];
  ld.param.u32 %%r3, [written];
  mul.wide.u32 %%d3, %%r1, 4;
  add.u64 %%d4, %%d1, %%d3;
  setp.lt.u32 %%p1, %%r1, %%r3;
  @%%p1 st.global.u32 [%%d4], %%r1;
  ret;
}
.visible .entry read(.param .u64 a, .param .u64 o) {
  .reg .u32 %%r<9>;
  .reg .u64 %%d<9>;
  .reg .pred %%p<3>;
  mov.u32 %%r1, %%tid.x;
  ld.param.u64 %%d1, [a];
  ld.param.u64 %%d2, [o];
  mov.u32 %%r5, 0;
  and.b32 %%r4, %%r1, 1;
  setp.eq.u32 %%p2, %%r4, 0;
  %s
  mul.wide.u32 %%d5, %%r2, 4;
  add.u64 %%d6, %%d1, %%d5;
  %sld.global.u32 %%r5, [%%d6];
  mul.wide.u32 %%d3, %%r1, 4;
  add.u64 %%d7, %%d2, %%d3;
  st.global.u32 [%%d7], %%r5;
  ret;
}
`

// A warp that reads unwritten words is found where machine code has read written words with the same operation: in a row, one place, or
// scattered words, by all lanes or some.
func TestUnwrittenWordsAreFoundBesideWrittenOnes(t *testing.T) {
	file := filepath.Join(t.TempDir(), "k.yaml")
	for name, index := range map[string]string{
		"row": "mov.u32 %r2, %r1;", "one place": "and.b32 %r2, %r1, 0xffffffe0;",
		"scattered": "xor.b32 %r2, %r1, 5;",
	} {
		for _, guard := range []string{"", "@%p2 "} {
			for _, written := range []int{128, 97, 64} {
				text := fmt.Sprintf(partlyWritten, index, guard)
				require.NoError(t, os.WriteFile(strings.TrimSuffix(file, "yaml")+"ptx", []byte(text), 0o600))
				require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, `module: k.ptx
config: k20
buffers:
  a: {type: u32, count: 2048, init: unset}
  o: {type: u32, count: 128}
steps:
  - launch: {kernel: write, grid: [1], block: [128], args: [a, {u32: %d}]}
  - launch: {kernel: read, grid: [1], block: [128], args: [a, o]}
`, written), 0o600))
				job, err := Open(t.Context(), file, Options{Simulator: sim.Options{Threads: 1, Functional: true, Check: finding.All}})
				require.NoError(t, err)
				result, err := job.Run(t.Context())
				require.NoError(t, err)
				var rules []string
				for _, f := range result.Mistakes {
					rules = append(rules, f.Rule.ID)
				}
				want := []string{finding.UnsetMemory.ID}
				if written == 128 || written == 97 && name == "one place" {
					want = nil
				}
				assert.Equal(t, want, rules, "%s %s %d", name, guard, written)
			}
		}
	}
}
