package exec

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/machinecode"
	"github.com/keplersim/keplersim/testkit/oracle"
)

// translate makes a program's machine code, or skips the test on a host that runs none.
func translate(t testing.TB, code *Code, mp *isa.MachineProgram) *Native {
	t.Helper()
	if !machinecode.Supported() {
		t.Skip("this host runs no machine code made here")
	}
	n := Translate(code, mp)
	require.NotNil(t, n)
	return n
}

// runNative runs a program of one run as machine code. The interpreter executes the operations that are left. It returns their number.
func runNative(t testing.TB, n *Native, code *Code, w *Warp, active uint32, memory []byte) (left int) {
	t.Helper()
	if w.Scratch == nil {
		w.Scratch = new(Scratch)
	}
	reaches := make([]Reach, n.Accesses())
	for i := range reaches {
		reaches[i] = Reach{Bytes: uint64(len(memory)), Host: unsafe.Pointer(unsafe.SliceData(memory))}
	}
	state := new(NativeState)
	n.Prepare(state, w, n.NewTally(), reaches, active, -1)
	_, why := n.Run(state, 0, 1<<30)
	for ; why == Left; left++ {
		interpret(t, &code.Ops[state.Next], w, active, memory)
		_, why = state.Resume(state.Next, 1<<30)
	}
	return left
}

// interpret executes one operation; memory begins at address 0.
func interpret(t testing.TB, op *Bound, w *Warp, active uint32, memory []byte) (fault *Fault) {
	t.Helper()
	active = op.GuardMask(w, active)
	if op.Kind != KindMemory {
		op.Run(w, active)
		return nil
	}
	var a Access
	for rest := active; rest != 0; {
		left, fault := op.Access(w, rest, &a)
		switch {
		case fault != nil:
		case a.Space == isa.SpaceLocal:
			fault = a.ApplyLocal(w.Local, len(w.Local)/32)
		default:
			fault = a.ApplyFlat(memory)
		}
		if fault != nil {
			return fault
		}
		op.Complete(w, &a, a.Active)
		rest = left
	}
	return nil
}

// TestMachineCodeOfForms runs every form of the record of a real GPU as machine code.
func TestMachineCodeOfForms(t *testing.T) {
	translated := map[string]bool{}
	all := func(oracle.Form) bool { return true }
	testFormsBy(t, all, func(t *testing.T, code *Code, mp *isa.MachineProgram) func(w *Warp, active uint32) {
		mp.Registers = 12
		n := translate(t, code, mp)
		for i := range mp.Ops {
			if n.Translated(int32(i)) {
				translated[mp.Ops[i].Effect.Mnemonic()] = true
			}
		}
		return func(w *Warp, active uint32) { runNative(t, n, code, w, active, nil) }
	})
	// The operations that most time goes to are not left to the interpreter.
	for _, mnemonic := range []string{
		"add.s32", "add.s64", "sub.u32", "sub.s64", "mul.lo.s32", "mul.hi.u32", "mul.wide.s32", "mad.lo.u32",
		"mad.wide.u32", "mul.wide.u16", "and.b32", "or.b64", "xor.b32", "not.b32", "shl.b32", "shr.s32", "shr.u32",
		"shl.b64", "shr.s64", "shr.u64",
		"min.s32", "max.u32", "neg.s32", "abs.s32", "add.rn.f32", "sub.rn.f32", "mul.rn.f32", "fma.rn.f32",
		"div.rn.f32", "sqrt.rn.f32", "add.rn.f64", "mul.rn.f64", "fma.rn.f64", "cvt.rn.f32.s32", "cvt.rn.f32.u32",
		"cvt.rzi.s32.f32", "rcp.rn.f32", "min.f32", "max.f32", "cvt.rni.f32.f32", "neg.f32", "abs.f32",
		"cvt.f64.f32", "cvt.rn.f32.f64", "cvt.rni.f64.f64", "cvt.rn.f64.s32", "cvt.rn.f64.u32", "cvt.rzi.s32.f64", "cvt.rzi.u32.f64",
		"cvt.rzi.u32.f32", "cvt.rni.s32.f32", "cvt.rn.f32.u8", "cvt.u32.u8", "cvt.u8.u32", "cvt.s16.s32", "cvt.s64.s16", "cvt.rzi.u8.f32",
		"div.rn.f64", "sqrt.rn.f64", "rcp.rn.f64", "neg.f64", "abs.f64", "setp.lt.f64", "setp.geu.f64", "setp.lt.s64", "setp.ne.u64",
		"setp.hi.u64", "mul.lo.s64", "mad.lo.u64", "div.s32", "div.u32", "rem.s32", "rem.u32", "popc.b32", "popc.b64",
		"mul.hi.u16", "mul.hi.s16", "rsqrt.approx.f32", "ex2.approx.f32", "bfi.b32",
	} {
		assert.True(t, translated[mnemonic], mnemonic)
	}
}

// accessShapes are the places of 32 lanes in a memory of the given number of bytes, for an access size.
var accessShapes = map[string]func(random *rand.Rand, lane, size, bytes int) int{
	"row":        func(_ *rand.Rand, lane, size, _ int) int { return 64 + lane*size },
	"behind":     func(_ *rand.Rand, lane, size, _ int) int { return 60/size*size + lane*size },
	"broadcast":  func(_ *rand.Rand, _, size, _ int) int { return 3 * size },
	"two rows":   func(_ *rand.Rand, lane, size, _ int) int { return lane%16*size + lane/16*256 },
	"column":     func(_ *rand.Rand, lane, _, _ int) int { return lane * 64 },
	"back":       func(_ *rand.Rand, lane, size, _ int) int { return (31 - lane) * size },
	"random":     func(r *rand.Rand, _, size, bytes int) int { return r.IntN(bytes/size) * size },
	"last":       func(_ *rand.Rand, lane, size, bytes int) int { return bytes - (32-lane)*size },
	"past end":   func(_ *rand.Rand, lane, size, bytes int) int { return bytes - (31-lane)*size },
	"before":     func(_ *rand.Rand, lane, size, _ int) int { return (lane - 1) * size },
	"misaligned": func(_ *rand.Rand, lane, size, _ int) int { return lane*size + lane/31*(size/2) },
}

// TestMachineCodeOfAccesses compares loads, stores and atomics with the interpreter: the data read and written, and the accesses that are
// left to it as faults.
func TestMachineCodeOfAccesses(t *testing.T) {
	const bytes = 4096
	random := rand.New(rand.NewPCG(5, 6))
	for _, space := range []isa.Space{isa.SpaceShared, isa.SpaceGlobal, isa.SpaceLocal, isa.SpaceGeneric} {
		for _, ty := range []isa.Type{isa.U8, isa.S8, isa.U16, isa.S16, isa.B32, isa.F64} {
			for _, op := range []isa.Opcode{isa.OpLd, isa.OpSt, isa.OpRed, isa.OpAtom} {
				if (op == isa.OpRed || op == isa.OpAtom) && (ty != isa.B32 || space == isa.SpaceLocal || space == isa.SpaceGeneric) {
					continue
				}
				for vector := uint8(1); vector <= 4; vector *= 2 {
					if ty.Bytes() < 4 && vector > 1 || ty.Bytes()*int(vector) > 16 || vector > 1 && op != isa.OpLd && op != isa.OpSt {
						continue
					}
					compareAccess(t, random, accessOf(space, ty, op, vector), bytes, false)
					if space == isa.SpaceGlobal {
						compareAccess(t, random, accessOf(space, ty, op, vector), bytes, true)
					}
				}
			}
		}
	}
}

// accessOf is an access by the address in registers 4 and 5 plus 16.
func accessOf(space isa.Space, ty isa.Type, op isa.Opcode, vector uint8) *isa.Instruction {
	base := r64(4)
	if space == isa.SpaceShared {
		base = r32(4)
	}
	i := &isa.Instruction{Op: op, Type: ty, Memory: &isa.Memory{Space: space, Base: base, Offset: 16, Vector: vector}}
	var values []isa.Operand
	for n := range int(vector) {
		o := r32(8 + n)
		if ty.Bytes() == 8 {
			o = r64(8 + 2*n)
		}
		values = append(values, o)
	}
	switch op {
	case isa.OpLd:
		i.Dst = values
	case isa.OpSt:
		i.Src = values
	default:
		i.Type, i.Mod.Select, i.Src = isa.U32, isa.AtomicAdd, values
		if op == isa.OpAtom {
			i.Dst = []isa.Operand{r32(12)}
		}
	}
	return i
}

func randomBytes(random *rand.Rand, count int) []byte {
	all := make([]byte, count)
	for k := range all {
		all[k] = byte(random.Uint32())
	}
	return all
}

// compareAccess compares one access. Generic ones are to local memory. In a heap, some granules must not be accessed.
func compareAccess(t *testing.T, random *rand.Rand, i *isa.Instruction, bytes int, heap bool) {
	t.Helper()
	guarded := isa.MachineOp{Effect: i, Guard: isa.Guard{Present: true, Negate: true, Register: 2}}
	for _, op := range []isa.MachineOp{{Effect: i}, guarded} {
		mp := &isa.MachineProgram{Program: &isa.Program{}, Registers: 64, Ops: []isa.MachineOp{op}}
		code, err := Bind(mp)
		require.NoError(t, err)
		n := translate(t, code, mp)
		require.True(t, n.Translated(0), i.Mnemonic())
		for name, place := range accessShapes {
			for _, active := range []uint32{isa.FullMask, 1, 0xaaaaaaaa, 0xfffffffe, random.Uint32()} {
				_, w := machine(t)
				for lane := range 32 {
					at := uint64(place(random, lane, i.Type.Bytes()*int(i.Memory.Vector), bytes) - 16)
					w.Registers[4][lane], w.Registers[5][lane] = uint32(at), uint32(at>>32)
				}
				w.Block.Launch = code.Launch(nil)
				w.Predicates[2] = random.Uint32() & random.Uint32()
				memory := randomBytes(random, bytes)
				other, theirs := *w, append([]byte(nil), memory...)
				other.Registers = append([]isa.Lanes32(nil), w.Registers...)
				w.Block.Shared = memory
				from := uint64(0)
				if space := i.Memory.Space; space == isa.SpaceLocal || space == isa.SpaceGeneric { // of each lane
					memory, theirs = randomBytes(random, 32*bytes), nil
					theirs = append(theirs, memory...)
					w.Local, other.Local = memory, theirs
				}
				switch i.Memory.Space {
				case isa.SpaceGlobal: // the memory crosses a boundary of 4 GiB; the interpreter's begins at 0
					from = 1<<32 - uint64(bytes)/2
					moveAddresses(w, from)
				case isa.SpaceGeneric:
					moveAddresses(w, isa.LocalWindow)
					other.Registers = append([]isa.Lanes32(nil), w.Registers...)
				}
				fault := interpret(t, &code.Ops[0], &other, active, theirs)
				state := new(NativeState)
				reaches := make([]Reach, n.Accesses())
				for k := range reaches {
					reaches[k] = Reach{From: from, Bytes: uint64(bytes), Host: unsafe.Pointer(unsafe.SliceData(memory))}
				}
				if live := make([]byte, bytes>>GranuleShift+3); heap && fault == nil {
					for k := range live {
						live[k] = byte(min(1, random.Uint32N(50)))
					}
					for k := range reaches {
						reaches[k].Live = unsafe.Pointer(unsafe.SliceData(live))
					}
					for lane := range 32 {
						at := pack64(w.Registers[4][lane], w.Registers[5][lane]) - from + 16
						if code.Ops[0].GuardMask(w, active)>>lane&1 != 0 && live[at>>GranuleShift] == 0 {
							fault = &Fault{}
						}
					}
				}
				n.Prepare(state, w, n.NewTally(), reaches, active, -1)
				_, why := n.Run(state, 0, 1000)
				w.Registers[4], w.Registers[5] = other.Registers[4], other.Registers[5]
				require.Equal(t, fault != nil, why == Left, "%s, %s, lanes %x", i.Mnemonic(), name, active)
				if heap && fault != nil {
					continue
				}
				require.Equal(t, theirs, memory, "%s, %s, lanes %x", i.Mnemonic(), name, active)
				require.Equal(t, other.Registers, w.Registers, "%s, %s, lanes %x", i.Mnemonic(), name, active)
			}
		}
	}
}

// moveAddresses adds to the addresses in registers 4 and 5.
func moveAddresses(w *Warp, by uint64) {
	for lane := range 32 {
		at := pack64(w.Registers[4][lane], w.Registers[5][lane]) + by
		w.Registers[4][lane], w.Registers[5][lane] = uint32(at), uint32(at>>32)
	}
}

// A run begins at every branch target, even right behind a slow path. Each operation of the path has the path's length.
func TestRunsBeginBehindSlowPaths(t *testing.T) {
	path := &isa.SlowPath{Length: 3}
	mp := &isa.MachineProgram{Ops: []isa.MachineOp{
		{}, {Slow: path}, {Slow: path}, {Slow: path},
		{Control: isa.ControlBranch, Target: 6, Reconverge: 6}, {}, {}, {Control: isa.ControlExit},
	}}
	p := newPlan(mp)
	for at, begins := range []bool{0: true, 5: true, 6: true, 7: false} {
		assert.Equal(t, begins, p.runAt[at] >= 0, "operation %d", at)
	}
	assert.Equal(t, []int32{0}, p.runs[p.runAt[0]].operations)
	assert.Equal(t, int32(4), p.runs[p.runAt[0]].next)
}

// Products with a register that the run has set to a power of two become shifts, unless the register has changed since.
func TestMachineCodeOfKnownFactors(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 9))
	for _, factor := range []uint32{0, 1, 2, 4, 12, 1 << 30, 1 << 31} {
		for _, ty := range []isa.Type{isa.U32, isa.S32} {
			for _, changed := range []bool{false, true} {
				product := &isa.Instruction{Op: isa.OpMad, Type: ty, Dst: []isa.Operand{r64(8)},
					Src: []isa.Operand{r32(4), r32(7), r64(10)}}
				product.Mod.Half = isa.Wide
				ops := []isa.MachineOp{{Effect: &isa.Instruction{Op: isa.OpMov, Type: isa.B32, Dst: []isa.Operand{r32(7)},
					Src: []isa.Operand{isa.Imm(uint64(factor), isa.B32)}}}}
				if changed {
					ops = append(ops, isa.MachineOp{Effect: &isa.Instruction{Op: isa.OpAdd, Type: isa.U32, Dst: []isa.Operand{r32(7)},
						Src: []isa.Operand{r32(7), r32(12)}}})
				}
				mp := &isa.MachineProgram{Program: &isa.Program{}, Registers: 64, Ops: append(ops, isa.MachineOp{Effect: product})}
				code, err := Bind(mp)
				require.NoError(t, err)
				n := translate(t, code, mp)
				for _, active := range []uint32{isa.FullMask, 0xfffffffe, random.Uint32() | 1} {
					_, w := machine(t)
					w.Block.Launch = code.Launch(nil)
					for r := range w.Registers {
						for lane := range 32 {
							w.Registers[r][lane] = random.Uint32()
						}
					}
					other := *w
					other.Registers = append([]isa.Lanes32(nil), w.Registers...)
					for k := range code.Ops {
						require.Nil(t, interpret(t, &code.Ops[k], &other, active, nil))
					}
					require.Zero(t, runNative(t, n, code, w, active, nil))
					require.Equal(t, other.Registers, w.Registers, "%v by %d, changed %t, lanes %x", ty, factor, changed, active)
				}
			}
		}
	}
}

// Operations that read a clock are left to the interpreter: code of the host has no clock. With a number in its place each is translated.
func TestMachineCodeReadsNoClock(t *testing.T) {
	for _, test := range []struct {
		op      isa.Opcode
		ty      isa.Type
		sources int
	}{{isa.OpAdd, isa.U32, 2}, {isa.OpAdd, isa.U64, 2}, {isa.OpMul, isa.U32, 2}, {isa.OpMul, isa.U64, 2}, {isa.OpMad, isa.U64, 3},
		{isa.OpAnd, isa.B64, 2}, {isa.OpMin, isa.U32, 2}, {isa.OpSub, isa.S64, 2}} {
		for place := range test.sources {
			for _, clock := range []bool{true, false} {
				i := &isa.Instruction{Op: test.op, Type: test.ty, Dst: []isa.Operand{isa.Reg(8, test.ty)}}
				for n := range test.sources {
					i.Src = append(i.Src, isa.Imm(uint64(n+3), test.ty))
				}
				if clock {
					i.Src[place] = isa.Operand{Kind: isa.OperandSpecial, Special: isa.Clock64, Type: test.ty}
				}
				if i.Op == isa.OpMul || i.Op == isa.OpMad {
					i.Mod.Half = isa.Lo
				}
				mp := &isa.MachineProgram{Program: &isa.Program{}, Registers: 64, Ops: []isa.MachineOp{{Effect: i}}}
				code, err := Bind(mp)
				require.NoError(t, err)
				require.Equal(t, !clock, translate(t, code, mp).Translated(0), "%s %s, source %d", test.op.Facts().Name, test.ty, place)
			}
		}
	}
}

// Translated reports whether an operation has code, or is left to the caller.
func (n *Native) Translated(op int32) bool { return n.variants[modePlain][0]().translated[op] }
