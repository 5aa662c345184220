package sim_test

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/sim"
)

// Calls pass predicates: no GPU of today can be asked, since its PTX compiler fails on them.
func TestPredicateParameters(t *testing.T) {
	eachMode(t, "predicates.ptx", func(t *testing.T, d device) {
		data := d.run("predicates", 1, 32, 4*32)
		for i := range uint32(32) {
			want := i
			if (i%2 == 0) != (i > 20) {
				want += 100
			}
			both, either := i >= 24 && i > 4, i >= 24 || i > 4
			if i < 16 && either || i >= 16 && both {
				want += 1000
			}
			assert.Equal(t, want, binary.LittleEndian.Uint32(data[4*i:]), "thread %d", i)
		}
	})
}

// The first thread's results of testdata/kernels/calls-bitfields, computed by hand from the rules of the PTX Writer's Guide to
// Interoperability, 1.2 and 1.3. Fields a and b share the byte 0xa5, c begins a new short, d and e share the word 0x12345678, and f, g and
// h share the last eight bytes.
func TestBitFieldsLieAsTheGuideSays(t *testing.T) {
	const folder = "../testdata/kernels/calls-bitfields/"
	text, err := os.ReadFile(folder + "calls-bitfields.ptx")
	require.NoError(t, err)
	for name, o := range modes {
		t.Run(name, func(t *testing.T) {
			d := loadDevice(t, "calls.ptx", o)
			module, err := d.Load("calls-bitfields.ptx", text)
			require.NoError(t, err)
			d.module = module
			given, err := hex.DecodeString("a53c000078563412efcdab89674523" + "01" + "10000000" + "fedcba98")
			require.NoError(t, err)
			var words []uint64
			for i := 0; i < len(given); i += 8 {
				words = append(words, binary.LittleEndian.Uint64(given[i:]))
			}
			out := d.allocate("out", 16*8)
			_, err = d.launch("bitfields", 1, 1, append(words, out)...)
			require.NoError(t, err)
			data := make([]byte, 9*8)
			require.NoError(t, d.Read(out, data))
			f := int64(0x6789abcdef * 3 % (1 << 40)) // 40 bits, the highest not set
			for k, want := range []int64{
				-4,    // a takes b, 0b10100, in three bits
				29,    // b takes a, -3, in five bits
				0,     // c
				0x123, // d takes e
				0x678, // e takes d, 0x45678, in twelve bits
				f, 0x23, 0x45, 16,
			} {
				assert.Equal(t, want, int64(binary.LittleEndian.Uint64(data[8*k:])), "result %d", k)
			}
		})
	}
}

// All of dynamic shared memory is behind static shared memory, including its last word if its alignment leaves a gap.
func TestDynamicSharedMemoryBehindAGap(t *testing.T) {
	const text = `.version 4.2
.target sm_35
.address_size 64
.extern .shared .align 16 .b8 pool[];
.visible .entry gap(.param .u64 out)
{
	.shared .align 1 .b8 own[3];
	.reg .b32 %r<6>;
	.reg .b64 %rd<4>;
	ld.param.u64 %rd1, [out];
	st.shared.u8 [own+2], 7;
	mov.u32 %r1, pool;
	st.shared.u32 [pool+60], %r1;
	ld.shared.u32 %r2, [%r1+60];
	ld.shared.u8 %r3, [own+2];
	add.u32 %r2, %r2, %r3;
	st.global.u32 [%rd1], %r2;
	ret;
}
`
	for name, o := range modes {
		t.Run(name, func(t *testing.T) {
			d := loadDevice(t, "calls.ptx", o)
			module, err := d.Load("gap.ptx", []byte(text))
			require.NoError(t, err)
			d.module = module
			out := d.allocate("out", 4)
			_, err = d.Launch(context.Background(), sim.Launch{
				Module: module, Kernel: "gap", Shared: 64, Parameters: binary.LittleEndian.AppendUint64(nil, out),
			})
			require.NoError(t, err)
			assert.Equal(t, []uint32{16 + 7}, d.words(out, 1))
		})
	}
}

// A launch without a configuration gets no parameter buffer, and other launches of its module run.
func TestDeviceRuntimeIsThere(t *testing.T) {
	eachMode(t, "runtime.ptx", func(t *testing.T, d device) {
		_, err := d.launch("child", 1, 32, 0)
		require.NoError(t, err)
		_, err = d.launch("parent", 1, 32, 0)
		require.NoError(t, err)
	})
}

// Each call adds the first of its two arguments and passes on the second and their sum: x, 1, x+1, x+2, 2x+3.
func TestListsOfArgumentsThroughRecursion(t *testing.T) {
	eachMode(t, "variadic.ptx", func(t *testing.T, d device) {
		data := d.run("lists", 1, 32, 8*32)
		for i := range uint64(32) {
			assert.Equal(t, 5*i+7, binary.LittleEndian.Uint64(data[8*i:]), "thread %d", i)
		}
	})
}

// Today's drivers cannot load a module with 32-bit addresses: the results are computed from PTX's definition of each instruction.
func TestKernelWithShortAddresses(t *testing.T) {
	eachMode(t, "addresses32.ptx", func(t *testing.T, d device) {
		out := d.allocate("out", 4*34)
		require.Less(t, out, uint64(1)<<32)
		kernel := d.module.Program().Function("addresses")
		assert.Equal(t, []int{0, 4}, []int{kernel.Parameters[0].Offset, kernel.Parameters[1].Offset})
		parameters := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, uint32(out)), 7)
		_, err := d.Launch(
			context.Background(), sim.Launch{Module: d.module, Kernel: "addresses", Block: [3]int{32}, Parameters: parameters},
		)
		require.NoError(t, err)
		words := d.words(out, 34)
		assert.Equal(t, []uint32{32, 7 * 32}, words[:2], "the atomics")
		for i, got := range words[2:] {
			assert.Equal(t, uint32(i)+1000+5*10000+5*100000+6*1000000+10000000+40000000, got, "thread %d", i)
		}
	})
}
