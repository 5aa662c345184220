package memory

import (
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/stats"
)

// nobody is the account of what is done in no one's name: what a closed account's lines cost later, and what the host's copies push out.
const nobody = 0

// account are the counters of one of those that they are kept for. A request names its account, and with it goes whatever it
// causes: translation, the fill from DRAM, the line that it evicts. A dirty line that is written back in the end goes to the
// account that made it dirty.
type account struct {
	stats.Memory
	// busy is for how long each unit was taken: the ports' links to the crossbar, those back, the slices, their atomics units, and the
	// paths of the DRAM channels.
	busy []engine.SubCycle
}

// accounts are all there are.
type accounts struct {
	list   []*account
	ledger stats.Ledger
	holds  []int   // by account: DRAM requests, fills and dirty lines that name it
	closed []bool  // by account
	unused []int32 // closed, and nothing names them any more
	free   []*account
}

func (a *accounts) of(number int32) *account { return a.list[number] }

// hold notes that something names an account, let that it does no more.
func (a *accounts) hold(number int32) { a.holds[number]++ }

func (a *accounts) let(number int32) {
	if a.holds[number]--; a.closed[number] && a.holds[number] == 0 {
		a.unused = append(a.unused, number)
	}
}

// Peek is an account's counters as they are now, without the units' times, which Counters adds up. They are to be read at once.
func (s *System) Peek(number int32) *stats.Memory { return &s.list[number].Memory }

// Open opens an account, whose counters begin at zero.
func (s *System) Open() (number int32) {
	if n := len(s.unused); n > 0 {
		number = s.unused[n-1]
		s.unused, s.closed[number] = s.unused[:n-1], false
	} else {
		number = int32(len(s.list))
		s.list, s.holds, s.closed = append(s.list, nil), append(s.holds, 0), append(s.closed, false)
	}
	a := &account{}
	if n := len(s.free); n > 0 {
		a, s.free = s.free[n-1], s.free[:n-1]
		*a = account{busy: a.busy}
		clear(a.busy)
	} else {
		a.busy = make([]engine.SubCycle, 2*(len(s.ports)+len(s.slices))+len(s.channels))
	}
	s.list[number] = a
	s.ledger.Set(number, &a.Memory)
	return number
}

// Counters returns those of an account so far.
func (s *System) Counters(number int32) stats.Memory {
	a := s.of(number)
	m, busy := a.Memory, a.busy
	sum := func(into *stats.Busy, units int) {
		for _, b := range busy[:units] {
			into.Add(b.Cycles())
		}
		busy = busy[units:]
	}
	sum(&m.RequestLinks, len(s.ports))
	sum(&m.ResponseLinks, len(s.ports))
	sum(&m.L2Slices, len(s.slices))
	sum(&m.AtomicUnits, len(s.slices))
	sum(&m.DRAMPaths, len(s.channels))
	if s.reuse != nil {
		m.Reuse = s.reuse.count
	}
	return m
}

// Close closes an account and returns its counters. No request of it is in flight; what lines that it made dirty cost from now on is
// nobody's.
func (s *System) Close(number int32) stats.Memory {
	m := s.Counters(number)
	s.free = append(s.free, s.list[number])
	s.list[number] = s.list[nobody]
	s.ledger.Set(number, &s.list[nobody].Memory)
	if s.closed[number] = true; s.holds[number] == 0 {
		s.unused = append(s.unused, number)
	}
	return m
}

// CopyAccount returns the account of a copy engine, from 0, and behind those of what moves within the memory. It is always open.
func (s *System) CopyAccount(engine int) int32 { return nobody + 1 + int32(engine) }

// OpenAccounts returns the counters of all accounts that are open, beginning with what was done in no one's name and by the copy engines.
func (s *System) OpenAccounts() (list []stats.Memory) {
	for number := range s.list {
		if !s.closed[number] {
			list = append(list, s.Counters(int32(number)))
		}
	}
	return list
}
