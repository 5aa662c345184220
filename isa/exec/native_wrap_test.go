package exec_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/decode"
	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/isa/lower"
	"github.com/keplersim/keplersim/isa/machinecode"
	"github.com/keplersim/keplersim/isa/ptx"
)

// wrapping is a kernel with a load or store. The address is lane * step + low in the low word, and high in the high word.
const wrapping = `.version 6.0
.target sm_35
.address_size 64
.visible .entry k(.param .u32 step, .param .u32 low, .param .u32 high)
{
	.reg .b32 %%r<5>, %%v<2>;
	.reg .b64 %%d, %%out;
	mov.u32 %%r4, %%tid.x;
	mov.u32 %%v0, 1;
	mov.u32 %%v1, 2;
	ld.param.u32 %%r1, [step];
	ld.param.u32 %%r2, [low];
	ld.param.u32 %%r3, [high];
	mad.lo.u32 %%r0, %%r4, %%r1, %%r2;
	mov.b64 %%d, {%%r0, %%r3};
	%s
	mul.wide.u32 %%out, %%r4, 8;
	add.u64 %%out, %%out, 0x2fffff000;
	st.global.v2.u32 [%%out], {%%v0, %%v1};
	exit;
}
`

// near4GiB are two pieces of memory, one after the other on the host. The first crosses the end of a region of 4 GiB, and the second its
// beginning.
var near4GiB = []struct{ from, bytes uint64 }{{0x2_ffff_f000, 0x2000}, {0x1_ffff_f000, 0x2000}}

// hostPlace returns an address's offset in the memory of both pieces.
func hostPlace(t *testing.T, address uint64) uint64 {
	at := uint64(0)
	for _, p := range near4GiB {
		if address-p.from < p.bytes {
			return at + address - p.from
		}
		at += p.bytes
	}
	require.Fail(t, "outside", "%#x", address)
	return 0
}

// translated returns kernel k of a module as a machine program, bound, and as machine code.
func translated(t *testing.T, text string) (*isa.MachineProgram, *exec.Code, *exec.Native) {
	t.Helper()
	file, err := ptx.Parse("k.ptx", text)
	require.NoError(t, err)
	p, err := decode.Program([]*ptx.File{file}, decode.Options{})
	require.NoError(t, err)
	mp, err := lower.Program(t.Context(), p, p.Function("k"), lower.Options{})
	require.NoError(t, err)
	code, err := exec.Bind(mp)
	require.NoError(t, err)
	native := exec.Translate(code, mp)
	require.NotNil(t, native)
	return mp, code, native
}

// Accesses whose low address words wrap at 4 GiB go where each lane's address says, wherever the word wraps, in machine code as in the
// interpreter.
func TestMachineCodeOfAddressesThatWrap(t *testing.T) {
	if !machinecode.Supported() {
		t.Skip("this host runs no machine code made here")
	}
	forms := []struct {
		text string
		size uint32
	}{
		{"ld.global.u32 %v0, [%d];", 4}, {"st.global.u32 [%d], %r0;", 4}, {"ld.global.v2.u32 {%v0, %v1}, [%d];", 8},
		{"st.global.v2.u32 [%d], {%r0, %r1};", 8}, {"ld.global.u32 %v0, [%d+8];", 4}, {"st.global.u32 [%d+-8], %r0;", 4},
		{"ld.global.u8 %v0, [%d];", 1}, {"st.global.u16 [%d], %r0;", 2}, {"ld.u32 %v0, [%d];", 4},
	}
	for _, form := range forms {
		t.Run(form.text, func(t *testing.T) {
			t.Parallel()
			mp, code, native := translated(t, fmt.Sprintf(wrapping, form.text))
			random := rand.New(rand.NewPCG(uint64(form.size), 4))
			memory := make([]byte, 0x4000)
			for i := range memory {
				memory[i] = byte(random.Uint32())
			}
			for range 200 {
				step := form.size
				if random.IntN(4) == 0 {
					step = -step
				}
				low := form.size * (uint32(random.IntN(96)) - 64)
				active := []uint32{isa.FullMask, random.Uint32() | 1<<random.IntN(32)}[random.IntN(2)]
				run := func(run func(w *randomWarp)) *randomWarp {
					w := newRandomWarp(code, mp, memory)
					w.Block.Launch = code.Launch(binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(
						binary.LittleEndian.AppendUint32(nil, step), low), 2))
					w.place, w.from, w.bytes = hostPlace, near4GiB[0].from, near4GiB[0].bytes
					run(w)
					return w
				}
				one := run(func(w *randomWarp) { w.interpret(t, mp, active) })
				other := run(func(w *randomWarp) { w.native(t, native, mp, active) })
				require.Equal(t, one.memory, other.memory, "step %d from %#x, lanes %x", int32(step), low, active)
				require.Equal(t, one.Registers, other.Registers, "step %d from %#x, lanes %x", int32(step), low, active)
			}
		})
	}
}

// A load of a byte reads no word that is partly behind the memory. If the memory's size is no multiple of 4, its last bytes are left to the
// caller.
func TestMachineCodeReadsNothingBehindMemory(t *testing.T) {
	if !machinecode.Supported() {
		t.Skip("this host runs no machine code made here")
	}
	mp, code, native := translated(t, `.version 6.0
.target sm_35
.address_size 64
.visible .entry k(.param .u64 at)
{
	.reg .b32 %r;
	.reg .b64 %d;
	ld.param.u64 %d, [at];
	ld.global.u8 %r, [%d];
	st.global.u8 [%d], %r;
	exit;
}
`)
	memory := make([]byte, 7)
	for at, want := range []exec.Reason{exec.Controlled, exec.Controlled, exec.Controlled, exec.Controlled, exec.Left, exec.Left,
		exec.Left} {
		w := newRandomWarp(code, mp, memory)
		w.Block.Launch = code.Launch(binary.LittleEndian.AppendUint64(nil, uint64(at)))
		reaches := make([]exec.Reach, native.Accesses())
		for i := range reaches {
			reaches[i] = exec.Reach{Bytes: uint64(len(memory)), Host: unsafe.Pointer(unsafe.SliceData(memory))}
		}
		state := &exec.NativeState{}
		native.Prepare(state, w.Warp, native.NewTally(), reaches, isa.FullMask, -1)
		_, why := native.Run(state, 0, 1<<30)
		require.Equal(t, want, why, "byte %d", at)
	}
}
