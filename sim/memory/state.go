package memory

import (
	"bytes"
	"errors"
)

// State is the contents of device memory, wherever they are on the host.
type State struct {
	base, capacity, used uint64
	list                 []Allocation
	heap                 *Heap
	mapped               int
	version              uint64
	count                int         // number of pages
	pages                []statePage // pages that are not zero
}

// statePage is a page and its number.
type statePage struct {
	number int
	bytes  []byte
}

// State returns the contents of the memory. It shares the bytes with the memory: use it before the memory changes.
func (g *Global) State() *State {
	s := &State{base: g.base, capacity: g.capacity, used: g.used, list: g.pieces.list(), heap: g.heap, mapped: g.mapped, version: g.version,
		count: len(g.pages)}
	zero := make([]byte, pageBytes)
	for i, page := range g.pages {
		if page != nil && !bytes.Equal(page, zero[:len(page)]) {
			s.pages = append(s.pages, statePage{i, page[:len(page):len(page)]})
		}
	}
	return s
}

// Restore sets the memory to a State taken in this process or another.
func (g *Global) Restore(s *State) error {
	if g.shared {
		return errors.New("memory that a host program shares cannot be restored")
	}
	if g.arena != nil {
		used := min(uint64(len(g.pages))<<pageShift, uint64(len(g.arena.Bytes)))
		if err := g.arena.Zero(0, used); err != nil {
			return err
		}
	}
	g.begin(s.base)
	g.capacity, g.heap = s.capacity, s.heap
	if g.arena == nil && len(s.list) > 0 {
		g.arena = reserve(g, g.capacity+g.capacity/8)
	}
	g.pieces, g.used, g.mapped, g.managed = allocations{base: s.base}, 0, 0, 0
	g.pages, g.first, g.lazy = make([][]byte, s.count), make([]*piece, s.count), nil
	for _, a := range s.list {
		g.add(a)
		if g.inArena(a.Address, a.Bytes) {
			g.share(a.Address, a.Bytes)
		}
	}
	g.version = s.version
	for _, p := range s.pages {
		copy(g.page(g.base+uint64(p.number)<<pageShift), p.bytes)
	}
	return nil
}
