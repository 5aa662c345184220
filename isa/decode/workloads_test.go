package decode

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/ptx"
)

// decodeFile decodes one file.
func decodeFile(t *testing.T, path string) *isa.Program {
	t.Helper()
	source, err := os.ReadFile(path)
	require.NoError(t, err)
	file, err := ptx.Parse(filepath.Base(path), string(source))
	require.NoError(t, err)
	p, err := Program([]*ptx.File{file}, Options{})
	require.NoError(t, err)
	return p
}

// TestWorkloads decodes every kernel of the workloads; each has parameters, and pointers among them.
func TestWorkloads(t *testing.T) {
	paths, err := filepath.Glob("../../workloads/*/*.ptx")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(paths), 16)
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			p := decodeFile(t, path)
			assert.Equal(t, 8, p.AddressBytes)
			assert.Empty(t, p.Emulated)
			require.NotEmpty(t, p.Kernels())
			for _, k := range p.Kernels() {
				pointers := 0
				for _, parameter := range k.Parameters {
					if parameter.Pointer {
						pointers++
						assert.Equal(t, 8, parameter.Bytes)
						assert.NotEqual(t, isa.TypeNone, parameter.Pointee)
					}
				}
				for _, b := range k.Blocks {
					for _, i := range b.Instructions {
						if i.Memory != nil && i.Memory.Texture != nil {
							pointers++ // a handle serves as well
						}
						if i.Op == isa.OpCall && i.Call.Function >= 0 &&
							strings.HasPrefix(p.Functions[i.Call.Function].Name, isa.LaunchPrefix) {
							pointers++ // a pointer that a kernel passes on to others is not followed
						}
					}
				}
				assert.Positive(t, pointers, k.Name)
				assert.NotEmpty(t, k.Blocks, k.Name)
			}
		})
	}
}

// TestCompilers decodes clang's output for one source with several targets and options, and texts in the style of older compilers.
func TestCompilers(t *testing.T) {
	paths, err := filepath.Glob("../ptx/testdata/clang/*.ptx")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range append(paths, "../ptx/testdata/call_example.ptx", "../ptx/testdata/legacy.ptx") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			p := decodeFile(t, path)
			require.NotEmpty(t, p.Kernels())
			wellFormed(t, p)
		})
	}
}

// TestCallExample: the example of the PTX interoperability guide becomes 3 = 1 + 2 in registers, on the source's lines.
func TestCallExample(t *testing.T) {
	p := decodeFile(t, "../ptx/testdata/call_example.ptx")
	k := p.Function("_Z4testPi")
	assert.Equal(t, `B0: -> []
    ld.param.u64 %rd1:u64, [+0]
    mov.u32 %r1:u32, 0x1:u32
    mov.u32 %r2:u32, 0x2:u32
    mov.b32 param0+0:b32, %r1:b32
    mov.b32 param1+0:b32, %r2:b32
    mov.b32 %r1:u32, param0+0:b32
    mov.b32 %r2:u32, param1+0:b32
    add.s32 %r3:s32, %r1:s32, %r2:s32
    mov.b32 retval0+0:b32, %r3:b32
    mov.b32 %r3:b32, retval0+0:b32
    st.generic.u32 [%rd1:u64], %r3:u32
    exit
`, k.Listing())
	var lines []int32
	for _, i := range k.Blocks[0].Instructions {
		lines = append(lines, p.Lines[i.Line].Line)
	}
	assert.Equal(t, []int32{6, 6, 6, 8, 8, 1, 1, 3, 3, 8, 8, 9}, lines)
}
