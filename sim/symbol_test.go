package sim_test

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const symbols = `.version 4.2
.target sm_35
.address_size 64
.const .align 4 .u32 taps[3] = {1, 2};
.const .align 8 .u64 where = count;
.global .u32 _ZL5count = 5;
.global .u32 count = 7;
.global .u32 _ZL4mine = 9;
.visible .entry k(.param .u64 out, .param .u64 index)
{
	.reg .b32 %r<9>; .reg .b64 %d<6>;
	ld.param.u64 %d1, [out];
	ld.param.u32 %r1, [index];
	ld.const.u32 %r2, [taps+4];
	mul.wide.u32 %d2, %r1, 4;
	mov.u64 %d3, taps;
	add.u64 %d3, %d3, %d2;
	ld.const.u32 %r3, [%d3];
	ld.const.u64 %d4, [where];
	ld.global.u32 %r4, [%d4];
	st.global.v2.u32 [%d1], {%r2, %r3};
	add.u32 %r4, %r4, 1;
	st.global.u32 [count], %r4;
	ret;
}
`

// A host program writes and reads variables in constant and global memory. Its writes hold for later launches.
func TestSymbols(t *testing.T) {
	for name, o := range modes {
		t.Run(name, func(t *testing.T) {
			d := deviceWith(t, "gk110", o, "symbols.ptx", []byte(symbols))
			out := d.allocate("out", 8)
			read := func(name string, words int) []uint32 {
				data := make([]byte, 4*words)
				require.NoError(t, d.module.ReadSymbol(name, 0, data))
				list := make([]uint32, words)
				for i := range list {
					list[i] = binary.LittleEndian.Uint32(data[4*i:])
				}
				return list
			}
			launch := func(index uint64) []uint32 {
				_, err := d.launch("k", 1, 1, out, index)
				require.NoError(t, err)
				return d.words(out, 2)
			}
			assert.Equal(t, []uint32{2, 1}, launch(0), "as the text has it")
			require.NoError(t, d.module.WriteSymbol("taps", 4, []byte{50, 0, 0, 0, 60, 0, 0, 0}))
			assert.Equal(t, []uint32{50, 60}, launch(2))
			assert.Equal(t, []uint32{1, 50, 60}, read("taps", 3))
			assert.Equal(t, []uint32{50, 1}, launch(0))
			assert.Equal(t, []uint32{10}, read("count", 1), "three launches have counted")
			require.NoError(t, d.module.WriteSymbol("count", 0, []byte{0, 1, 0, 0}))
			launch(0)
			assert.Equal(t, []uint32{257}, read("count", 1))

			assert.Equal(t, []uint32{9}, read("mine", 1), "a static variable of C++")

			address, err := d.module.SymbolAddress("count")
			require.NoError(t, err)
			assert.Equal(t, []uint32{257}, d.words(address, 1))
			// Constants get an address on request, and then their values are those in memory.
			at, err := d.module.SymbolAddress("taps")
			require.NoError(t, err)
			assert.Equal(t, []uint32{1, 50, 60}, d.words(at, 3))
			require.NoError(t, d.Write(at+4, []byte{70, 0, 0, 0}))
			assert.Equal(t, []uint32{70, 60}, launch(2))
			assert.Equal(t, []uint32{1, 70, 60}, read("taps", 3))
			require.NoError(t, d.module.WriteSymbol("taps", 8, []byte{80, 0, 0, 0}))
			assert.Equal(t, []uint32{70, 80}, launch(2))
			assert.Equal(t, []uint32{1, 70, 80}, d.words(at, 3))
			assert.ErrorContains(t, d.module.WriteSymbol("taps", 8, make([]byte, 5)), "bytes 8 to 13 of taps, which has 12")
			assert.ErrorContains(t, d.module.WriteSymbol("taps", 1<<63, make([]byte, 5)), "of taps, which has 12")
			assert.ErrorContains(t, d.module.ReadSymbol("k", 0, nil), "the module has no .global or .const variable k")
		})
	}
}

// Loads outside all constants fail. On request they read 0, as on a card, and the first is reported.
func TestPastConstants(t *testing.T) {
	for name, o := range modes {
		t.Run(name, func(t *testing.T) {
			for _, asked := range []bool{false, true} {
				var told []string
				if asked {
					o.Card = func(what string) { told = append(told, what) }
				}
				d := deviceWith(t, "gk110", o, "symbols.ptx", []byte(symbols))
				out := d.allocate("out", 8)
				for _, index := range []uint64{6, 16 << 10, 1<<32 - 1} { // behind the bank's 24 bytes, behind 64 KiB, and 16 GiB behind
					_, err := d.launch("k", 1, 1, out, index)
					if !asked {
						require.ErrorContains(t, err, "a card reads 0 outside constant memory and goes on: so does --memory card")
						break
					}
					require.NoError(t, err)
					assert.Equal(t, []uint32{2, 0}, d.words(out, 2))
				}
				if asked {
					require.Len(t, told, 1)
					assert.Contains(t, told[0], "load at 0x18 of constant memory, outside every variable, reads 0 as on a card")
				}
			}
		})
	}
}
