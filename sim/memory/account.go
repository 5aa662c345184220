package memory

import (
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/stats"
)

// Account 0 pays for costs that belong to no open account: lines of closed accounts, and evictions by host copies.
const houseAccount = 0

// account is one set of counters. A request names its account, which pays for everything that the request causes: translation, the fill
// from DRAM, the line that it evicts. The final write-back of a dirty line is paid by the account that made it dirty.
type account struct {
	stats.Memory
	// busy is how long each unit was busy, in this order: the ports' links to the crossbar, those back, the slices, their atomics units,
	// and the paths of the DRAM channels.
	busy []engine.SubCycle
}

// accounts has all accounts.
type accounts struct {
	list   []*account
	ledger stats.Ledger
	holds  []int   // for each account: DRAM requests, fills and dirty lines that name it
	closed []bool  // by account
	unused []int32 // closed accounts without holds
	free   []*account
}

func (a *accounts) of(number int32) *account { return a.list[number] }

// hold counts one more use of an account; let ends one.
func (a *accounts) hold(number int32) { a.holds[number]++ }

func (a *accounts) let(number int32) {
	if a.holds[number]--; a.closed[number] && a.holds[number] == 0 {
		a.unused = append(a.unused, number)
	}
}

// Peek returns an account's counters without the units' busy times, which only Counters adds up. Read the result at once.
func (s *System) Peek(number int32) *stats.Memory { return &s.list[number].Memory }

// Open opens an account with counters of zero.
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

// Counters returns an account's counters so far.
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

// Close closes an account and returns its counters. None of its requests may be in flight. Account 0 pays for later costs of lines that it
// made dirty.
func (s *System) Close(number int32) stats.Memory {
	m := s.Counters(number)
	s.free = append(s.free, s.list[number])
	s.list[number] = s.list[houseAccount]
	s.ledger.Set(number, &s.list[houseAccount].Memory)
	if s.closed[number] = true; s.holds[number] == 0 {
		s.unused = append(s.unused, number)
	}
	return m
}

// CopyAccount returns the account of a copy engine, numbered from 0, or with the next number that of copies within the memory. It is always
// open.
func (s *System) CopyAccount(engine int) int32 { return houseAccount + 1 + int32(engine) }

// OpenAccounts returns the counters of all open accounts, beginning with account 0 and those of the copy engines.
func (s *System) OpenAccounts() (list []stats.Memory) {
	for number := range s.list {
		if !s.closed[number] {
			list = append(list, s.Counters(int32(number)))
		}
	}
	return list
}
