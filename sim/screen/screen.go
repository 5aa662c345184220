package screen

import (
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/exec"
)

// Memory is device memory. Version changes with its allocations.
type Memory interface {
	Version() uint64
	Reach(address uint64) exec.Reach
}

// Written is what is known of who has written device memory.
type Written interface {
	// Complete reports that somebody has written all bytes of a range, Missing has a bit for each of up to 16 bytes that nobody has, and
	// Write says that somebody has written some.
	Complete(address, bytes uint64) bool
	Missing(address uint64, bytes uint8) uint32
	Write(address uint64, bytes uint8)
	// Keep keeps what is known of a range; Undo makes all that was kept known again, and Done forgets it.
	Keep(address, bytes uint64)
	Undo()
	Done()
}

// Screen screens the launches of a device, one at a time.
type Screen struct {
	memory  Memory
	written Written
	regions []*region // by address, those that the launches have touched
	last    *region   // that was looked for last
	version uint64    // of the allocations that regions are of

	program *isa.MachineProgram // of the launch
	launch  uint32              // its first epoch
	next    uint32              // the epoch that begins next
	span    uint32              // of how many epochs a block makes sure when it begins
	small   bool                // the program accesses parts of words of shared memory
	blocks  []*Block            // that run
	changed []*region           // of which pages are saved
	free    [][]byte            // pages that serve again
	again   bool                // the launch is to be screened again, in other modes

	modes    map[place]mode
	doubtful map[*isa.MachineProgram]bool

	copies, most uint64 // bytes of saved pages, and the most that there were of all
}

// place is an allocation as a program uses it.
type place struct {
	program *isa.MachineProgram
	address uint64
}

// New returns a screen of a device.
func New(memory Memory, written Written) *Screen {
	return &Screen{memory: memory, written: written, next: 1, modes: map[place]mode{}, doubtful: map[*isa.MachineProgram]bool{}}
}

// Suits reports a program that can be screened: its launches can be undone, and none has been suspected before.
func (s *Screen) Suits(m *isa.MachineProgram) bool {
	doubtful, known := s.doubtful[m]
	if !known {
		doubtful = !undoable(m)
		s.doubtful[m] = doubtful
	}
	return !doubtful
}

// undoable reports a program that changes nothing but memory.
func undoable(m *isa.MachineProgram) bool {
	for i := range m.Ops {
		switch op := &m.Ops[i]; {
		case op.Control == isa.ControlSystem:
			return false
		case op.Effect != nil && (op.Effect.Op == isa.OpSust || op.Effect.Op == isa.OpSured):
			return false
		}
	}
	return true
}

// Begin begins a launch.
func (s *Screen) Begin(m *isa.MachineProgram) {
	s.sync()
	s.program, s.span, s.small, s.again, s.blocks = m, 1, false, false, s.blocks[:0]
	for i := range m.Ops {
		op := &m.Ops[i]
		if op.Control == isa.ControlBarrier {
			s.span = barrierEpochs
		}
		if e := op.Effect; e != nil && e.Memory != nil && e.Type.Bytes() < 4 &&
			(e.Memory.Space == isa.SpaceShared || e.Memory.Space == isa.SpaceGeneric) {
			s.small = true
		}
	}
	if s.next > exec.MostEpochs/2 {
		s.renew()
	}
	s.launch = s.next
	for _, r := range s.regions {
		r.read, r.known = false, false
		if r.mode = s.modes[place{m, r.From}]; r.mode != readOnly {
			s.keep(r, r.mode)
		}
	}
}

// barrierEpochs is of how many epochs a block with barriers makes sure when it begins: what it wrote in one of those it knows as its own
// in all of them.
const barrierEpochs = 8

// End ends a launch that was clean.
func (s *Screen) End() { s.release(false) }

// Undo puts memory back to what it was when the launch began. It reports that the launch can be screened again: that nothing was found
// against it but that more is to be kept.
func (s *Screen) Undo() (again bool) {
	s.release(true)
	s.doubtful[s.program] = !s.again
	return s.again
}

// Bytes is the most memory that the screen has had at a time for device memory.
func (s *Screen) Bytes() uint64 { return s.most }

func (s *Screen) account() {
	held := s.copies
	for _, r := range s.regions {
		held += uint64(len(r.cells)) * cellBytes
	}
	s.most = max(s.most, held)
}

// renew numbers epochs anew from 1 on: what lies in the past of all is forgotten, epochs of the launch that are not those of a block that
// runs become one, and so do those that a block has behind it.
func (s *Screen) renew() {
	renewed := make([]exec.Cell, exec.MostEpochs+1)
	for n := s.launch; s.launch > 0 && n < s.next; n++ {
		renewed[n] = 1
	}
	next := uint32(2)
	for _, b := range s.blocks {
		for n := b.first; n < b.current; n++ {
			renewed[n] = exec.Cell(next + 1)
		}
		renewed[b.current] = exec.Cell(next + 2)
		b.renew(next, renewed)
		next = b.end
	}
	for _, r := range s.regions {
		renumber(r.cells, renewed)
	}
	s.launch, s.next = 1, next
	for _, b := range s.blocks {
		b.place(s)
	}
}

func renumber(cells []exec.Cell, renewed []exec.Cell) {
	for i, c := range cells {
		n := renewed[c>>exec.EpochShift]
		if n == 0 {
			c = 0
		}
		cells[i] = c&(1<<exec.EpochShift-1) | n<<exec.EpochShift
	}
}
