package sim_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/testkit/texturerecords"
)

// recordedCase is one case of testdata/textures, to be run in a kernel.
type recordedCase struct{ *texturerecords.Case }

// kernel runs the instruction once a thread.
func (c recordedCase) kernel() string {
	var b strings.Builder
	b.WriteString(".version 4.3\n.target sm_35\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out, .param .u64 " +
		"object, .param .u32 count) {\n")
	fmt.Fprintf(&b, ".reg .b32 %%c<%d>, %%d<%d>, %%i, %%n; .reg .b64 %%in, %%out, %%t, %%at, %%wide<4>; .reg .pred %%p;\n", max(c.Words, 1),
		max(c.Results, 1))
	b.WriteString("mov.u32 %i, %ctaid.x; mov.u32 %n, %tid.x; mad.lo.u32 %i, %i, 128, %n; ld.param.u32 %n, [count]; setp.ge.u32 %p, %i, " +
		"%n; @%p exit;\n")
	fmt.Fprintf(&b, "ld.param.u64 %%in, [in]; mul.wide.u32 %%at, %%i, %d; add.u64 %%in, %%in, %%at; ld.param.u64 %%out, [out]; "+
		"mul.wide.u32 %%at, %%i, %d; add.u64 %%out, %%out, %%at; ld.param.u64 %%t, [object];\n", 4*c.Words, 4*c.Kept)
	for n := range c.Words {
		fmt.Fprintf(&b, "ld.global.b32 %%c%d, [%%in+%d];\n", n, 4*n)
	}
	b.WriteString(c.Instruction + "\n")
	for n := range c.Kept {
		fmt.Fprintf(&b, "st.global.b32 [%%out+%d], %%d%d;\n", 4*n, n)
	}
	b.WriteString("exit; }\n")
	return b.String()
}

// texture returns the binding of the instruction's object.
func (c recordedCase) texture(t *testing.T, address uint64) sim.Texture {
	t.Helper()
	image, sampling, err := c.Image()
	require.NoError(t, err)
	image.Address = address
	return sim.Texture{Image: image, Sampling: sampling}
}

// run executes the case on a device and returns the bytes at the place of the answers.
func (c recordedCase) run(t *testing.T, gpu *sim.GPU) []byte {
	t.Helper()
	place := func(name string, data []byte, size int) uint64 {
		address, err := gpu.Allocate(name, uint64(max(size, 4)))
		require.NoError(t, err)
		require.NoError(t, gpu.Write(address, data))
		return address
	}
	texels, in := place("texels", c.Texels, len(c.Texels)), place("in", c.Operands, len(c.Operands))
	out := place("out", nil, 4*c.Count*c.Kept)
	h, err := gpu.BindTexture("object", c.texture(t, texels))
	require.NoError(t, err)
	m, err := gpu.Load("case.ptx", []byte(c.kernel()))
	require.NoError(t, err, c.Instruction)
	object := h.Texture
	if strings.Contains(c.Instruction, "su") && !strings.HasPrefix(c.Instruction, "t") {
		object = h.Surface
	}
	var parameters []byte
	for _, p := range []uint64{in, out, object} {
		parameters = binary.LittleEndian.AppendUint64(parameters, p)
	}
	parameters = binary.LittleEndian.AppendUint32(parameters, uint32(c.Count))
	_, err = gpu.Launch(context.Background(), sim.Launch{
		Module: m, Kernel: "k", Grid: [3]int{(c.Count + 127) / 128}, Block: [3]int{128}, Parameters: parameters,
	})
	require.NoError(t, err, c.Instruction)
	answer := make([]byte, len(c.Answers))
	from := out
	if c.Kept == 0 {
		from = texels
	}
	require.NoError(t, gpu.Read(from, answer))
	return answer
}

// races are cases in which two warps write to the same place, because layers have only 16 bits.
var races = []string{"sust.b.a2d.b32.zero ", "sust.b.a2d.v4.b32.zero "}

// Instructions in kernels give a GPU's recorded answers: surfaces and queries of all kinds, and reads with integers, levels and gradients.
// (isa/texture tests how texels are located and summed.)
func TestRecordedInstructions(t *testing.T) {
	config, err := configs.Load("gk110", nil)
	require.NoError(t, err)
	for _, name := range []string{"surfaces", "queries", "integers", "levels", "gathers"} {
		t.Run(name, func(t *testing.T) {
			wrong, i := 0, -1
			err := texturerecords.Read(name, func(recorded *texturerecords.Case) error {
				c := recordedCase{recorded}
				if i++; i%20 != 0 && name == "gathers" || c.Refused != "" {
					return nil
				}
				if slices.ContainsFunc(races, func(form string) bool { return strings.HasPrefix(c.Instruction, form) }) {
					return nil
				}
				if name == "queries" && c.Resource != "" {
					return nil // memory that is not an array
				}
				gpu, err := sim.New(config, sim.Options{Functional: i%4 != 0, Threads: 1})
				require.NoError(t, err)
				if got := c.run(t, gpu); !bytes.Equal(got, c.Answers) {
					if wrong++; wrong < 8 {
						at := 0
						for got[at] == c.Answers[at] {
							at++
						}
						at &^= 3
						t.Errorf("%s of %s %v %s x%d: word %d is %x, recorded %x", c.Instruction, c.Geometry, c.Size, c.Format, c.Channels,
							at/4, got[at:at+4], c.Answers[at:at+4])
					}
				}
				return nil
			})
			require.NoError(t, err)
			assert.Zero(t, wrong)
		})
	}
}
