package screen

import (
	"bytes"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/exec"
)

// fakeMemory is one allocation with some unwritten bytes.
type fakeMemory struct {
	bytes []byte
	unset map[uint64]bool
	kept  map[uint64]bool
}

const base = 1 << 32

func (m *fakeMemory) Version() uint64 { return 0 }

func (m *fakeMemory) Reach(address uint64) exec.Reach {
	if address-base >= uint64(len(m.bytes)) {
		return exec.Reach{}
	}
	return exec.Reach{From: base, Bytes: uint64(len(m.bytes)), Host: unsafe.Pointer(&m.bytes[0])}
}

func (m *fakeMemory) Complete(address, bytes uint64) bool {
	for at := range m.unset {
		if at-address < bytes {
			return false
		}
	}
	return true
}

func (m *fakeMemory) Missing(address uint64, bytes uint8) (missing uint32) {
	for i := range uint64(bytes) {
		if m.unset[address+i] {
			missing |= 1 << i
		}
	}
	return missing
}

func (m *fakeMemory) Write(address uint64, bytes uint8) {
	for i := range uint64(bytes) {
		delete(m.unset, address+i)
	}
}

func (m *fakeMemory) Keep(address, bytes uint64) {
	for i := range bytes {
		if m.unset[address+i] {
			m.kept[address+i] = true
		}
	}
}

func (m *fakeMemory) Undo() {
	for at := range m.kept {
		m.unset[at] = true
	}
	m.Done()
}

func (m *fakeMemory) Done() { clear(m.kept) }

// fixture is a screen in a launch.
type fixture struct {
	*Screen
	memory  *fakeMemory
	program *isa.MachineProgram
}

func newFixture() *fixture {
	m := &fakeMemory{bytes: bytes.Repeat([]byte{7}, 3*pageBytes+8), unset: map[uint64]bool{}, kept: map[uint64]bool{}}
	f := &fixture{New(m, m), m, &isa.MachineProgram{Ops: []isa.MachineOp{{Control: isa.ControlBarrier}}}}
	f.Begin(f.program, Screened)
	return f
}

func (f *fixture) block() *Block {
	b := &Block{}
	f.StartBlock(b, 64)
	return b
}

// do is an access by one thread, carried out if not suspected.
func (f *fixture) do(b *Block, kind exec.AccessKind, space isa.Space, at uint64, size uint8, thread int) bool {
	a := &exec.Access{Kind: kind, Space: space, Bytes: size, Active: 1 << (thread % 32)}
	if a.Address[thread%32] = at; space == isa.SpaceGlobal {
		a.Address[thread%32] += base
	}
	clean := f.Access(b, thread/32, a)
	if clean && kind == exec.AccessStore && space == isa.SpaceGlobal {
		f.memory.bytes[at]++
	}
	return clean
}

// A launch that writes what it has read is undone and screened again with all cells.
func TestLaunchInPlaceIsScreenedAgain(t *testing.T) {
	f := newFixture()
	b := f.block()
	assert.True(t, f.do(b, exec.AccessLoad, isa.SpaceGlobal, pageBytes+4, 4, 1))
	assert.False(t, f.do(b, exec.AccessStore, isa.SpaceGlobal, pageBytes+4, 4, 1))
	assert.Equal(t, Screened, f.Undo(0))
	f.Begin(f.program, Screened)
	b = f.block()
	assert.True(t, f.do(b, exec.AccessLoad, isa.SpaceGlobal, pageBytes+4, 4, 1))
	assert.True(t, f.do(b, exec.AccessStore, isa.SpaceGlobal, pageBytes+4, 4, 1))
	assert.True(t, f.do(b, exec.AccessStore, isa.SpaceGlobal, 3*pageBytes+4, 4, 1))
	assert.Equal(t, byte(8), f.memory.bytes[3*pageBytes+4])
	assert.False(t, f.do(b, exec.AccessLoad, isa.SpaceGlobal, pageBytes+4, 4, 2))
	assert.Equal(t, Surveyed, f.Undo(0))
	assert.Equal(t, bytes.Repeat([]byte{7}, 3*pageBytes+8), f.memory.bytes)
	assert.Equal(t, Surveyed, f.First(f.program))
	assert.Equal(t, uint64(3*pageBytes+8+pageBytes+8), f.Bytes(), "a cell for each word, a page, and what there is of another")
}

// Bytes are followed one by one if some access is of bytes.
func TestBytesAreScreened(t *testing.T) {
	f := newFixture()
	b := f.block()
	assert.True(t, f.do(b, exec.AccessStore, isa.SpaceGlobal, 4, 1, 1))
	assert.True(t, f.do(b, exec.AccessStore, isa.SpaceGlobal, 5, 1, 2))
	assert.False(t, f.do(b, exec.AccessLoad, isa.SpaceGlobal, 4, 4, 1))
	f.Undo(0)
	f = newFixture()
	b = f.block()
	assert.True(t, f.do(b, exec.AccessStore, isa.SpaceGlobal, 4, 4, 1))
	assert.False(t, f.do(b, exec.AccessStore, isa.SpaceGlobal, 8, 1, 1), "with cells for words")
	assert.Equal(t, Screened, f.Undo(0))
	f.Begin(f.program, Screened)
	b = f.block()
	assert.True(t, f.do(b, exec.AccessStore, isa.SpaceGlobal, 4, 4, 1))
	assert.True(t, f.do(b, exec.AccessStore, isa.SpaceGlobal, 8, 1, 1))
}

// Unwritten memory must not be read, and is unwritten again after a launch is undone.
func TestUnsetMemoryIsScreened(t *testing.T) {
	f := newFixture()
	f.memory.unset[base+8] = true
	b := f.block()
	assert.True(t, f.do(b, exec.AccessLoad, isa.SpaceGlobal, 4, 4, 1))
	assert.False(t, f.do(b, exec.AccessLoad, isa.SpaceGlobal, 8, 4, 1))
	f.Undo(0)
	f = newFixture()
	f.memory.unset[base+8], f.memory.unset[base+9] = true, true
	b = f.block()
	assert.True(t, f.do(b, exec.AccessStore, isa.SpaceGlobal, 8, 4, 1))
	assert.True(t, f.do(b, exec.AccessLoad, isa.SpaceGlobal, 8, 4, 1))
	assert.Empty(t, f.memory.unset)
	f.Undo(0)
	assert.Len(t, f.memory.unset, 2)
}

// Machine code gets cells where it may write, and learns which words have been written.
func TestReachOfMachineCode(t *testing.T) {
	f := newFixture()
	for at := uint64(4); at < 12; at++ {
		f.memory.unset[base+at], f.memory.unset[base+2*pageBytes+at] = true, true
	}
	b := f.block()
	f.do(b, exec.AccessStore, isa.SpaceGlobal, 4, 4, 1)
	f.do(b, exec.AccessStore, isa.SpaceGlobal, 2*pageBytes+8, 4, 1)
	r := f.Reach(base+4, exec.AccessStore)
	page := func(n int) byte { return *(*byte)(unsafe.Add(r.Pages, n)) }
	set := func(n int) byte { return *(*byte)(unsafe.Add(r.Set, n)) }
	assert.NotZero(t, page(0))
	assert.Zero(t, page(1), "not kept")
	assert.NotZero(t, page(-1), "before it")
	assert.Equal(t, byte(exec.WordSet), set(2*pageBytes/4+2))
	assert.Equal(t, []byte{0, exec.WordSet, 0, 0}, []byte{set(0), set(1), set(2), set(3)}, "only what the screen has seen")
	f.Undo(0)
	assert.Zero(t, set(1), "undone")
	assert.Zero(t, set(2*pageBytes/4+2), "in each page")
	f.memory.unset = map[uint64]bool{}
	f.Begin(f.program, Screened)
	b = f.block()
	f.do(b, exec.AccessStore, isa.SpaceGlobal, 4, 4, 1)
	assert.Nil(t, f.Reach(base+4, exec.AccessStore).Set, "all was written before the launch")
	f.End()
	assert.Zero(t, page(0), "for the next launch")
	f.Begin(f.program, Screened)
	b = f.block()
	f.do(b, exec.AccessLoad, isa.SpaceGlobal, 4, 4, 1)
	assert.Equal(t, f.memory.Reach(base), f.Reach(base, exec.AccessLoad), "only read")
}

// Epochs are renumbered when all are used up, and no access of the launch is forgotten.
func TestEpochsBeginAnew(t *testing.T) {
	f := newFixture()
	f.next = exec.MostEpochs - 40
	f.launch = f.next
	other := f.block()
	assert.True(t, f.do(other, exec.AccessStore, isa.SpaceGlobal, 8, 4, 1))
	b := f.block()
	assert.True(t, f.do(b, exec.AccessStore, isa.SpaceGlobal, 4, 4, 1))
	assert.True(t, f.do(b, exec.AccessStore, isa.SpaceShared, 4, 4, 1))
	for n := range 100 {
		f.Barrier(b)
		at := uint64(16 + 4*n)
		assert.True(t, f.do(b, exec.AccessStore, isa.SpaceGlobal, at, 4, 1))
		f.Barrier(b)
		assert.True(t, f.do(b, exec.AccessStore, isa.SpaceGlobal, at, 4, 2), "behind a barrier")
		assert.False(t, f.do(b, exec.AccessStore, isa.SpaceGlobal, at, 4, 3))
		assert.False(t, f.do(b, exec.AccessStore, isa.SpaceGlobal, 8, 4, 3), "another block's")
		assert.True(t, f.do(b, exec.AccessLoad, isa.SpaceShared, 4, 4, n%7))
		assert.False(t, f.do(b, exec.AccessLoad, isa.SpaceShared, 8, 4, 1), "nobody has written it")
	}
	assert.Less(t, f.next, uint32(exec.MostEpochs/2))
	assert.True(t, f.do(other, exec.AccessLoad, isa.SpaceGlobal, 8, 4, 1))
	assert.False(t, f.do(other, exec.AccessLoad, isa.SpaceGlobal, 4, 4, 1))
	f.EndBlock(b)
	f.EndBlock(other)
	f.End()
	f.Begin(f.program, Screened)
	assert.True(t, f.do(f.block(), exec.AccessStore, isa.SpaceGlobal, 8, 4, 3), "the launch before has ended")
}

// Blocks that take turns keep their own past.
func TestBlocksThatTakeTurns(t *testing.T) {
	f := newFixture()
	one, two := f.block(), f.block()
	for n := range 5 {
		for i, b := range []*Block{one, two} {
			assert.True(t, f.do(b, exec.AccessStore, isa.SpaceGlobal, uint64(4*i), 4, n))
			f.Barrier(b)
		}
	}
	assert.False(t, f.do(one, exec.AccessLoad, isa.SpaceGlobal, 4, 4, 1))
}

// Launches that change more than memory cannot be undone.
func TestSystemCallsAreNotScreened(t *testing.T) {
	f := newFixture()
	assert.Equal(t, Screened, f.First(f.program))
	assert.Equal(t, Checked, f.First(&isa.MachineProgram{Ops: []isa.MachineOp{{Control: isa.ControlSystem}}}))
	assert.Equal(t, Checked, f.First(&isa.MachineProgram{Ops: []isa.MachineOp{{Effect: &isa.Instruction{Op: isa.OpSust}}}}))
}

// Shared memory is watched even if it is a single word. A block without any has nothing to watch.
func TestTheSmallestSharedMemoryIsWatched(t *testing.T) {
	f := newFixture()
	for bytes, watched := range map[int]bool{0: false, 1: true, 4: true, 5: true} {
		b := &Block{}
		f.StartBlock(b, bytes)
		assert.Equal(t, watched, b.Cells != nil, "%d bytes", bytes)
		f.EndBlock(b)
	}
}

// An access far behind a thread's local memory, which ends the kernel, takes no memory of the host for what is ahead of it.
func TestFarLocalAccesses(t *testing.T) {
	l := &Local{}
	a := &exec.Access{Active: 1, Kind: exec.AccessLoad}
	a.Bytes, a.Address[0] = 4, 1<<40
	l.Access(a, func(int, uint32) { t.Error("it is out of bounds, and not unset") })
	assert.Empty(t, l.lanes[0])
}

// A suspected launch is surveyed. Where it only reads, and all has been written, checks need not hear of its reads. Where it writes, pages
// are saved first.
func TestSurveysFindWhatIsOnlyRead(t *testing.T) {
	for name, c := range map[string]struct {
		write bool // there, too
		unset bool // a byte of what is read
		want  Stage
	}{
		"read":           {false, false, Spared},
		"read and unset": {false, true, Checked},
		"read, written":  {true, false, Checked},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture()
			if c.unset {
				f.memory.unset[base+pageBytes] = true
			}
			access := func(kind exec.AccessKind, at uint64) bool {
				address := [32]uint64{base + at}
				a := exec.Access{Kind: kind, Space: isa.SpaceGlobal, Bytes: 4, Active: 1, Address: address}
				return f.Survey(&a)
			}
			f.Begin(f.program, Surveyed)
			assert.True(t, access(exec.AccessLoad, 4))
			assert.False(t, access(exec.AccessStore, 4*pageBytes), "no memory that can be restored")
			assert.Nil(t, f.Surveyed(base+4, exec.AccessStore).Host, "not saved")
			if c.write {
				assert.True(t, access(exec.AccessStore, pageBytes))
				f.memory.bytes[pageBytes] = 9
				r := f.Surveyed(base+4, exec.AccessStore)
				page := func(n int) byte { return *(*byte)(unsafe.Add(r.Pages, n)) }
				assert.Equal(t, []byte{1, 0, 1, 0}, []byte{page(-1), page(0), page(1), page(2)}, "saved")
			}
			require.Equal(t, c.want, f.Undo(worthSurvey))
			assert.Equal(t, byte(7), f.memory.bytes[pageBytes])
			if f.Begin(f.program, Spared); c.want == Spared {
				assert.NotNil(t, f.Surveyed(base+4, exec.AccessLoad).Host)
			}
			assert.Nil(t, f.Surveyed(base+4, exec.AccessStore).Host)
		})
	}
}
