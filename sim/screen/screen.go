package screen

import (
	"slices"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/exec"
)

// Memory is device memory. Version changes with its allocations.
type Memory interface {
	Version() uint64
	Reach(address uint64) exec.Reach
}

// Written records which bytes of device memory have been written.
type Written interface {
	// Complete reports that all bytes of a range have been written. Missing has a bit for each unwritten byte of up to 16 bytes. Write
	// marks bytes as written.
	Complete(address, bytes uint64) bool
	Missing(address uint64, bytes uint8) uint32
	Write(address uint64, bytes uint8)
	// Keep saves the record of a range. Undo restores all that was saved, and Done drops it.
	Keep(address, bytes uint64)
	Undo()
	Done()
}

// Screen screens the launches of a device, one at a time.
type Screen struct {
	memory  Memory
	written Written
	regions []*region // by address, those that launches have accessed
	last    *region   // the region found last
	version uint64    // version of the allocations that regions describe

	program *isa.MachineProgram // the launch's program
	launch  uint32              // the launch's first epoch
	next    uint32              // the next epoch
	span    uint32              // epochs that a block reserves when it begins
	small   bool                // the program accesses parts of words of shared memory
	blocks  []*Block            // running blocks
	changed []*region           // regions with saved pages
	stage   Stage               // of the launch
	free    [][]byte            // pages for reuse
	again   bool                // screen the launch again, in other modes

	modes map[place]mode
	first map[*isa.MachineProgram]Stage

	copies, most uint64 // bytes of saved pages, and the most bytes of everything
}

// place is an allocation in a program.
type place struct {
	program *isa.MachineProgram
	address uint64
}

// New returns the screen of a device.
func New(memory Memory, written Written) *Screen {
	return &Screen{memory: memory, written: written, next: 1, modes: map[place]mode{}, first: map[*isa.MachineProgram]Stage{}}
}

// First returns the stage in which a program's launches begin.
func (s *Screen) First(m *isa.MachineProgram) Stage {
	stage, known := s.first[m]
	if !known {
		if undoable(m) {
			stage = Screened
		}
		s.first[m] = stage
	}
	return stage
}

// undoable reports whether a program changes only memory.
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

// Begin begins a launch in a stage other than Checked.
func (s *Screen) Begin(m *isa.MachineProgram, stage Stage) {
	s.sync()
	s.program, s.stage, s.span, s.small, s.again, s.blocks = m, stage, 1, false, false, s.blocks[:0]
	if stage == Surveyed {
		for _, r := range s.regions {
			r.mode, r.read, r.known = readOnly, false, false
		}
	}
	if stage != Screened {
		return
	}
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

// barrierEpochs is how many epochs a block with barriers reserves when it begins. It recognizes its writes in one of them as its own in all
// of them.
const barrierEpochs = 8

// End ends a launch that was clean.
func (s *Screen) End() { s.release(false) }

// Undo restores memory to its state before the launch, which has ended with some operations a warp or, with none, was suspected. It returns
// the stage in which the launch begins again.
func (s *Screen) Undo(operations uint64) Stage {
	s.release(true)
	switch {
	case s.again: // nothing was found, but the screen must keep more
		return Screened
	case s.stage == Screened:
		s.first[s.program] = Surveyed
		return Surveyed
	case operations >= worthSurvey && slices.ContainsFunc(s.regions, s.spared):
		return Spared
	}
	s.first[s.program] = Checked
	return Checked
}

// worthSurvey is how many operations of a warp are worth another run: with fewer, most of a run is to begin blocks.
const worthSurvey = 500

// Bytes returns the most memory that the screen has used at a time for device memory.
func (s *Screen) Bytes() uint64 { return s.most }

func (s *Screen) account() {
	held := s.copies
	for _, r := range s.regions {
		held += uint64(len(r.cells))*cellBytes + uint64(len(r.set))
	}
	s.most = max(s.most, held)
}

// renew renumbers epochs from 1 on. Epochs before the launch are dropped. The launch's epochs merge into one, except those of running
// blocks, and so do each running block's past epochs.
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
