package exec_test

import (
	"math/bits"
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

// TestMachineCodeOfRandomPrograms runs random programs, lowered, in the interpreter and as machine code, on all lanes and on some.
// Registers, predicates and memory agree at the end, and so do the lanes of each operation.
func TestMachineCodeOfRandomPrograms(t *testing.T) {
	if !machinecode.Supported() {
		t.Skip("this host runs no machine code made here")
	}
	for seed := range uint64(150) {
		random := rand.New(rand.NewPCG(seed, 7))
		text := randomKernel(random, 20+random.IntN(150))
		file, err := ptx.Parse("random.ptx", text)
		require.NoError(t, err)
		p, err := decode.Program([]*ptx.File{file}, decode.Options{})
		require.NoError(t, err)
		mp, err := lower.Program(t.Context(), p, p.Function("k"), lower.Options{})
		require.NoError(t, err)
		code, err := exec.Bind(mp)
		require.NoError(t, err)
		native := exec.Translate(code, mp)
		require.NotNil(t, native)
		memory := make([]byte, 32*512)
		for i := range memory {
			memory[i] = byte(random.Uint32() >> random.IntN(8))
		}
		for _, active := range []uint32{isa.FullMask, random.Uint32(), 1 << random.IntN(32)} {
			one, other := newRandomWarp(code, mp, memory), newRandomWarp(code, mp, memory)
			executed, lanes := one.interpret(t, mp, active)
			gotExecuted, gotLanes := other.native(t, native, mp, active)
			require.Equal(t, one.memory, other.memory, "seed %d, lanes %x\n%s", seed, active, text)
			require.Equal(t, one.Registers, other.Registers, "seed %d, lanes %x\n%s", seed, active, text)
			require.Equal(t, one.Predicates, other.Predicates, "seed %d, lanes %x", seed, active)
			require.Equal(t, one.Carry, other.Carry, "seed %d, lanes %x", seed, active)
			require.Equal(t, executed, gotExecuted)
			require.Equal(t, lanes, gotLanes)
		}
	}
}

// randomWarp is a warp with its memory. place maps a device address to its offset in memory; without it they are equal. Machine code knows
// one piece of device memory: it begins at address from and is the first bytes of memory.
type randomWarp struct {
	*exec.Warp
	code        *exec.Code
	memory      []byte
	timingOnly  bool
	place       func(t *testing.T, address uint64) uint64
	from, bytes uint64
}

func newRandomWarp(code *exec.Code, mp *isa.MachineProgram, memory []byte) *randomWarp {
	w := &exec.Warp{Registers: make([]isa.Lanes32, mp.Registers+1), Block: &exec.Block{Launch: code.Launch(make([]byte, 8))},
		Local: make([]byte, 32*max(4, mp.LocalBytes)), Scratch: new(exec.Scratch)}
	for lane := range 32 {
		w.Tid[0][lane] = uint32(lane)
	}
	w.Predicates[isa.PT] = isa.FullMask
	return &randomWarp{w, code, append([]byte(nil), memory...), false, nil, 0, uint64(len(memory))}
}

// step executes one operation by the interpreter, and returns its lanes.
func (w *randomWarp) step(t *testing.T, mp *isa.MachineProgram, at int32, active uint32) uint32 {
	op := &w.code.Ops[at]
	mask := op.GuardMask(w.Warp, active)
	if op.Kind != exec.KindMemory {
		op.Run(w.Warp, mask)
		return mask
	}
	var a exec.Access
	rest, fault := op.Access(w.Warp, mask, &a)
	require.Nil(t, fault)
	require.Zero(t, rest)
	switch a.Space {
	case isa.SpaceLocal:
		fault = a.ApplyLocal(w.Local, mp.LocalBytes)
	case isa.SpaceParam:
		fault = a.ApplyFlat(w.Block.Launch.Bank0)
	default:
		for m := mask; w.place != nil && m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m)
			a.Address[lane], a.Shape = w.place(t, a.Address[lane]), exec.Shape{}
		}
		fault = a.ApplyFlat(w.memory)
	}
	require.Nil(t, fault)
	op.Complete(w.Warp, &a, mask)
	return mask
}

// interpret runs all operations up to the exit, and counts.
func (w *randomWarp) interpret(t *testing.T, mp *isa.MachineProgram, active uint32) (executed, lanes []uint64) {
	executed, lanes = make([]uint64, len(mp.Ops)), make([]uint64, len(mp.Ops))
	for i := int32(0); mp.Ops[i].Control != isa.ControlExit; i++ {
		if slow := mp.Ops[i].Slow; slow != nil {
			i += int32(slow.Length) - 1
			continue
		}
		executed[i]++
		lanes[i] += count(w.step(t, mp, i, active))
	}
	return executed, lanes
}

// native does the same as machine code.
func (w *randomWarp) native(t *testing.T, n *exec.Native, mp *isa.MachineProgram, active uint32) (executed, lanes []uint64) {
	executed, lanes = make([]uint64, len(mp.Ops)), make([]uint64, len(mp.Ops))
	reaches := make([]exec.Reach, n.Accesses())
	for i := range reaches {
		reaches[i] = exec.Reach{From: w.from, Bytes: w.bytes, Host: unsafe.Pointer(unsafe.SliceData(w.memory))}
	}
	state, tally := &exec.NativeState{TimingOnly: w.timingOnly}, n.NewTally()
	n.Prepare(state, w.Warp, tally, reaches, active, -1)
	_, why := n.Run(state, 0, 1<<30)
	for why == exec.Left {
		w.step(t, mp, state.Next, active)
		_, why = state.Resume(state.Next, 1<<30)
	}
	require.Equal(t, exec.Controlled, why)
	require.Equal(t, isa.ControlExit, mp.Ops[state.Next].Control)
	tally.Add(w.code, func(op int, times, on uint64) {
		executed[op] += times
		lanes[op] += on
	})
	return executed, lanes
}

func count(mask uint32) (n uint64) {
	for ; mask != 0; mask &= mask - 1 {
		n++
	}
	return n
}
