package runtime

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim"
)

// attributesPTX has a kernel that reads attributes 0 to 199 of a device and stores each one's error and value.
const attributesPTX = `.version 4.2
.target sm_30
.address_size 64
.extern .func (.param .b32 error) cudaDeviceGetAttribute(.param .b64 value, .param .b32 number, .param .b32 device);
.visible .entry ask(.param .u64 into, .param .u32 device) {
	.reg .u64 %at; .reg .u32 %n, %d, %e; .reg .pred %p;
	ld.param.u64 %at, [into];
	ld.param.u32 %d, [device];
	mov.u32 %n, 0;
LOOP:	{
	.param .b64 value; .param .b32 number; .param .b32 device_; .param .b32 error;
	st.param.b64 [value], %at;
	st.param.b32 [number], %n;
	st.param.b32 [device_], %d;
	call (error), cudaDeviceGetAttribute, (value, number, device_);
	ld.param.b32 %e, [error];
	}
	st.global.u32 [%at+4], %e;
	add.u64 %at, %at, 8;
	add.u32 %n, %n, 1;
	setp.lt.u32 %p, %n, 200;
	@%p bra LOOP;
	ret;
}
`

// Host and kernels get the same value of every attribute, on every board and on a second device. The values agree with deviceQuery's output
// on real boards.
func TestAttributesAreTheSameForHostAndKernel(t *testing.T) {
	published := map[string]map[int]int64{
		// deviceQuery of a Tesla K40m: two copy engines, 15 SMX at 745 MHz, memory at 3,004 MHz on a 384-bit bus, 1.5 MB of L2.
		"k40m": {40: 2, 16: 15, 13: 745000, 36: 3004000, 37: 384, 38: 1572864, 75: 3, 76: 5, 39: 2048, 84: 0, 18: 0, 79: 1},
		"k20c": {40: 2, 16: 13, 36: 2600000, 37: 320, 38: 1310720},
		// A Tesla K80 is a board of two GPUs with 13 SMX each, 112 KB of shared memory and 131,072 registers.
		"k80":    {40: 2, 16: 13, 84: 1, 85: 0, 81: 112 << 10, 82: 131072, 76: 7},
		"gtx680": {40: 1, 16: 8, 37: 256, 38: 524288, 75: 3, 76: 0, 78: 0, 79: 0},
		"gk20a":  {18: 1, 16: 1, 76: 2, 78: 0, 79: 1}, // a Tegra K1 shares the processor's memory
	}
	boards, err := configs.List()
	require.NoError(t, err)
	for _, board := range boards {
		t.Run(board.Name, func(t *testing.T) {
			t.Parallel()
			name, config := board.Name, board.Config
			k := newAsker(t, Options{Devices: []*configs.Config{config, config}, Simulator: sim.Options{Functional: true}})
			image := makeImage("attributes.ptx", false, []byte(attributesPTX))
			for device := range 2 {
				ask := func(of operation, payload []byte, a ...uint64) *response {
					q := &request{operation: of, device: device, payload: payload}
					copy(q.a[:], a)
					got := k.serve(t.Context(), q)
					require.Equal(t, Success, got.err)
					return got
				}
				ask(opModule, image, 1)
				host := ask(opAttributes, nil).data[nameBytes:]
				into := ask(opAllocate, nil, 8*200).r[0]
				parameters := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint64(nil, into), uint32(device))
				ask(opLaunch, append([]byte("ask\x00"), parameters...), 1, 1|1<<32, 1|1<<32, 1|1<<32)
				ask(opSynchronize, nil, waitDevice)
				known := 0
				for number := range 200 {
					value, wanted := int64(binary.LittleEndian.Uint64(host[8*number:])), Success
					if value == noAttribute {
						value, wanted = 0, ErrInvalidValue
					} else {
						known++
					}
					raw := k.arena.at(into+uint64(8*number), 8)
					require.Equal(t, wanted, Error(binary.LittleEndian.Uint32(raw[4:])), "attribute %d", number)
					require.Equal(t, value, int64(int32(binary.LittleEndian.Uint32(raw))), "attribute %d", number)
					if want, ok := published[name][number]; ok {
						assert.Equal(t, want, value, "attribute %d", number)
					}
					assert.LessOrEqual(t, value, int64(math.MaxInt32))
				}
				assert.Equal(t, 122, known, "attributes 1 to 122")
			}
		})
	}
}
