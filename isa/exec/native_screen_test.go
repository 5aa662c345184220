package exec

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa"
)

// Two threads of a block may read a word, but one may write it only behind a barrier. Another block may not access a word that was written.
// A word that atomics change has no other accesses. In shared memory a read needs a write of the block before it.
func TestCellsSuspectConflicts(t *testing.T) {
	const read, write, change = AccessLoad, AccessStore, AccessAtomic
	type step struct {
		block, barrier int // how often the block has passed its barrier
		kind           AccessKind
		thread         Cell
	}
	for name, c := range map[string]struct {
		shared bool
		steps  []step
		clean  bool
	}{
		"own":                        {false, []step{{0, 0, read, 1}, {0, 0, write, 1}, {0, 0, read, 1}, {0, 0, write, 1}}, true},
		"read by two":                {false, []step{{0, 0, read, 1}, {0, 0, read, 2}}, true},
		"read by two, written":       {false, []step{{0, 0, read, 1}, {0, 0, read, 2}, {0, 0, write, 2}}, false},
		"read by two, later written": {false, []step{{0, 0, read, 1}, {0, 0, read, 2}, {0, 1, write, 2}}, true},
		"written, read":              {false, []step{{0, 0, write, 1}, {0, 0, read, 2}}, false},
		"written, later read":        {false, []step{{0, 0, write, 1}, {0, 1, read, 2}, {0, 1, read, 3}}, true},
		"written, read, other block": {false, []step{{0, 0, write, 1}, {0, 1, read, 2}, {1, 0, read, 2}}, false},
		"read by several blocks":     {false, []step{{0, 0, read, 1}, {1, 0, read, 2}, {1, 1, read, 2}}, true},
		"the same, written":          {false, []step{{0, 0, read, 1}, {1, 0, read, 2}, {1, 1, write, 2}}, false},
		"atomics":                    {false, []step{{0, 0, change, 1}, {0, 1, change, 2}, {1, 0, change, 2}}, true},
		"atomics, read":              {false, []step{{0, 0, change, 1}, {1, 0, change, 2}, {1, 1, read, 2}}, false},
		"read, atomics":              {false, []step{{0, 0, read, 1}, {0, 1, change, 2}}, false},
		"written, atomics":           {false, []step{{0, 0, write, 1}, {0, 1, change, 2}}, false},
		"shared, unset":              {true, []step{{0, 0, read, 1}}, false},
		"shared, unset atomics":      {true, []step{{0, 0, change, 1}}, false},
		"shared":                     {true, []step{{0, 0, write, 1}, {0, 1, change, 2}, {0, 1, change, 3}, {0, 2, read, 3}}, true},
		"shared, atomics and reads":  {true, []step{{0, 0, write, 1}, {0, 1, change, 2}, {0, 1, read, 3}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			cell, clean := Epoch(3)|cellWritten|cellBlock|7, true // of an earlier launch
			for _, s := range c.steps {
				first := Epoch(uint32(10 + 10*s.block))
				scope := Scope{Current: first + Epoch(uint32(s.barrier)), First: first, Launch: Epoch(10), Shared: c.shared}
				var ok bool
				cell, ok = scope.Access(s.kind, cell, s.thread)
				clean = clean && ok
			}
			assert.Equal(t, c.clean, clean)
		})
	}
}

// randomCell is a cell of any state, often one that belongs to the accessing lane.
func randomCell(random *rand.Rand, s *Scope, thread Cell) Cell {
	epochs := []Cell{0, s.Launch - Epoch(1), s.Launch, s.First - Epoch(1), s.First, s.Current - Epoch(1), s.Current, s.Current + Epoch(1)}
	if s.Shared {
		epochs = []Cell{0, s.Launch - Epoch(1), s.Launch, s.Current - Epoch(1), s.Current}
	}
	c := epochs[random.IntN(len(epochs))]
	switch random.IntN(6) {
	case 0:
		c |= cellSeveral
	case 1:
		c |= cellAtomic
	case 2:
		if c |= cellSeveral; !s.Shared {
			return c | othersRead
		}
	default:
		c |= thread + Cell(random.IntN(2))
	}
	if s.Shared {
		return c | Cell(random.IntN(2))*cellWritten
	}
	return c | Cell(random.IntN(4))*cellWritten
}

// Machine code updates cells as Scope does. It leaves an access that Scope suspects to the caller.
func TestMachineCodeScreens(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 9))
	left, passed := 0, 0
	for _, space := range []isa.Space{isa.SpaceShared, isa.SpaceGlobal} {
		for _, ty := range []isa.Type{isa.B32, isa.F64} {
			for _, op := range []isa.Opcode{isa.OpLd, isa.OpSt, isa.OpRed, isa.OpAtom} {
				if ty == isa.F64 && (op == isa.OpRed || op == isa.OpAtom) {
					continue
				}
				for range 40 {
					l, p := screenAccess(t, random, accessOf(space, ty, op, 1))
					left, passed = left+l, passed+p
				}
			}
		}
	}
	assert.Greater(t, left, 1000)
	assert.Greater(t, passed, 1000)
}

// allSet is a warp that has set all registers.
func allSet() *LanesSet {
	set := new(LanesSet)
	for i := range set {
		set[i] = isa.FullMask
	}
	return set
}

// Machine code follows which registers the lanes have set, and leaves an operation that uses others to the caller.
func TestMachineCodeWatchesRegisters(t *testing.T) {
	copied := isa.MachineOp{Effect: &isa.Instruction{Op: isa.OpMov, Type: isa.B32, Dst: []isa.Operand{r32(2)},
		Src: []isa.Operand{r32(1)}}}
	added := isa.MachineOp{Effect: &isa.Instruction{Op: isa.OpAdd, Type: isa.U32, Dst: []isa.Operand{r32(3)},
		Src: []isa.Operand{r32(2), r32(2)}}, Guard: isa.Guard{Present: true, Register: 2}}
	for _, ops := range [][]isa.MachineOp{{copied}, {added}, {copied, added}} {
		mp := &isa.MachineProgram{Program: &isa.Program{}, Registers: 64, Ops: ops}
		code, err := Bind(mp)
		require.NoError(t, err)
		n := translate(t, code, mp)
		for _, has := range []uint32{0, 0xffff, 0xfff0ffff, isa.FullMask} {
			for _, active := range []uint32{isa.FullMask, 0xff00} {
				_, w := machine(t)
				w.Block.Launch = code.Launch(nil)
				w.Predicates[2] = 0x0ff0f0ff
				set := new(LanesSet)
				set[1], set[2], set[entryPredicates+2] = has, has, isa.FullMask
				want, clean := *set, true
				for i := range ops {
					unset := FindUnset(mp)
					mask := code.Ops[i].GuardMask(w, active)
					copies := want
					missing := unset.Use(&copies, int32(i), mask, nil)
					clean = clean && missing == 0 && (i > 0 || ops[i].Effect.Op != isa.OpMov || mask&^has == 0)
					want = copies
				}
				state := new(NativeState)
				state.Screen(&Screening{Set: set})
				n.Prepare(state, w, n.NewTally(), nil, active, -1)
				_, why := n.Run(state, 0, 1000)
				require.Equal(t, clean, why != Left, "%d operations, set %x, active %x", len(ops), has, active)
				if clean {
					require.Equal(t, want[:3], set[:3], "register 3 nothing reads")
				}
			}
		}
	}
}

func screenAccess(t *testing.T, random *rand.Rand, i *isa.Instruction) (left, passed int) {
	t.Helper()
	const bytes = 4096
	guarded := isa.MachineOp{Effect: i, Guard: isa.Guard{Present: true, Negate: true, Register: 2}}
	for _, op := range []isa.MachineOp{{Effect: i}, guarded} {
		mp := &isa.MachineProgram{Program: &isa.Program{}, Registers: 64, Ops: []isa.MachineOp{op}}
		code, err := Bind(mp)
		require.NoError(t, err)
		n := translate(t, code, mp)
		for _, shape := range []string{"row", "broadcast", "two rows", "back", "random", "last"} {
			active := []uint32{isa.FullMask, 0xfffffffe, random.Uint32() | 1}[random.IntN(3)]
			_, w := machine(t)
			w.Block.Launch = code.Launch(nil)
			for lane := range 32 {
				at := uint64(accessShapes[shape](random, lane, i.Type.Bytes(), bytes) - 16)
				w.Registers[4][lane], w.Registers[5][lane] = uint32(at), uint32(at>>32)
			}
			w.Predicates[2] = random.Uint32() & random.Uint32() &^ 1
			w.Block.Shared = make([]byte, bytes)
			thread := Cell(32 * random.IntN(32))
			scope := Scope{Current: Epoch(30), First: Epoch(20), Launch: Epoch(10), Shared: i.Memory.Space == isa.SpaceShared}
			if scope.Shared {
				scope.First = scope.Launch
			}
			var a Access
			_, fault := code.Ops[0].Access(w, code.Ops[0].GuardMask(w, active), &a)
			require.Nil(t, fault)
			cells := make([]Cell, bytes/4)
			kinds := []Cell{randomCell(random, &scope, thread), randomCell(random, &scope, thread)}
			for k := range cells {
				cells[k] = kinds[0] // mostly equal, so that some accesses pass
				if random.IntN(40) == 0 {
					cells[k] = kinds[1]
				}
			}
			if random.IntN(3) == 0 { // each lane has its own
				own, _ := scope.Access(a.Kind, Epoch(12), 0)
				for m := a.Active; m != 0; m &= m - 1 {
					lane := bits.TrailingZeros32(m)
					cells[a.Address[lane]/4] = own&^cellToucher | thread + Cell(lane)
				}
			}
			want, clean := slices.Clone(cells), true
			for m := a.Active; m != 0; m &= m - 1 {
				lane := bits.TrailingZeros32(m)
				for word := range uint64(a.Bytes) / 4 {
					var ok bool
					c := &want[a.Address[lane]/4+word]
					*c, ok = scope.Access(a.Kind, *c, thread+Cell(lane))
					clean = clean && ok
				}
			}
			memory, pages := make([]byte, bytes), []byte{1, 1, 1, 1}
			state := new(NativeState)
			reaches := []Reach{{Bytes: bytes, Host: unsafe.Pointer(&memory[0]), Cells: unsafe.Pointer(&cells[0]),
				Pages: unsafe.Pointer(&pages[1])}}
			state.Screen(&Screening{Cells: unsafe.Pointer(&cells[0]), Shared: scope, Global: scope, Thread: thread, Set: allSet()})
			n.Prepare(state, w, n.NewTally(), reaches, active, -1)
			_, why := n.Run(state, 0, 1000)
			require.Equal(t, clean, why != Left, "%s, %s, lanes %x, cells %x", i.Mnemonic(), shape, active, kinds)
			if !clean {
				left++
				continue
			}
			passed++
			require.Equal(t, want, cells, "%s, %s, lanes %x, cells %x", i.Mnemonic(), shape, active, kinds)
			if a.Kind != AccessLoad && !scope.Shared { // a write to a page that is not marked writable is left to the caller
				pages[1] = 0
				n.Prepare(state, w, n.NewTally(), reaches, active, -1)
				_, why = n.Run(state, 0, 1000)
				require.Equal(t, Left, why)
			}
		}
	}
	return left, passed
}

// Without cells, reads are not screened and writes are left to the caller, in words and in bytes.
func TestMachineCodeScreensNothingThatIsOnlyRead(t *testing.T) {
	for _, ty := range []isa.Type{isa.U8, isa.B32} {
		for _, op := range []isa.Opcode{isa.OpLd, isa.OpSt} {
			mp := &isa.MachineProgram{Program: &isa.Program{}, Registers: 64,
				Ops: []isa.MachineOp{{Effect: accessOf(isa.SpaceGlobal, ty, op, 1)}}}
			code, err := Bind(mp)
			require.NoError(t, err)
			n := translate(t, code, mp)
			_, w := machine(t)
			w.Registers[4], w.Registers[5] = isa.Lanes32{}, isa.Lanes32{}
			w.Block.Launch = code.Launch(nil)
			memory, state := make([]byte, 64), new(NativeState)
			state.Screen(&Screening{Set: allSet()})
			n.Prepare(state, w, n.NewTally(), []Reach{{Bytes: 64, Host: unsafe.Pointer(&memory[0])}}, isa.FullMask, -1)
			_, why := n.Run(state, 0, 1000)
			assert.Equal(t, op == isa.OpSt, why == Left, "%s %s", op, ty)
		}
	}
}
