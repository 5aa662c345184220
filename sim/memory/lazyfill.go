package memory

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/keplersim/keplersim/isa/exec"
)

// lazyFill is an allocation whose pages are filled when they are first accessed.
type lazyFill struct {
	address, bytes uint64
	fill           func(offset uint64, into []byte)
}

// lazyReach is how many pages Reach looks at in each direction in a lazily filled allocation.
const lazyReach = 64

// FillLazily fills an allocation page by page, when pages are first accessed, read or written. The bytes that fill returns must not depend
// on when it is called.
func (g *Global) FillLazily(address, bytes uint64, fill func(offset uint64, into []byte)) error {
	if !g.Find(address, int(bytes)) {
		return fmt.Errorf("fill %d bytes at 0x%x: %w", bytes, address, errNotAllocated)
	}
	first, last := roundUp(address-g.base, pageBytes), roundDown(address-g.base+bytes, pageBytes)
	if g.shared || first >= last { // a host program would miss them; partial pages have neighbours
		return g.fillNow(address, address, address+bytes, fill)
	}
	if err := g.fillNow(address, address, g.base+first, fill); err != nil {
		return err
	}
	if err := g.fillNow(address, g.base+last, address+bytes, fill); err != nil {
		return err
	}
	for i := first >> pageShift; i < last>>pageShift; i++ {
		g.pages[i] = nil
	}
	g.lazy = append(g.lazy, lazyFill{address, bytes, fill})
	g.version++
	return nil
}

// fillNow fills addresses from from to to of an allocation.
func (g *Global) fillNow(allocation, from, to uint64, fill func(offset uint64, into []byte)) error {
	piece := make([]byte, min(to-from, pageBytes))
	for ; from < to; from += uint64(len(piece)) {
		piece = piece[:min(uint64(len(piece)), to-from)]
		fill(from-allocation, piece)
		if err := g.Write(from, piece); err != nil {
			return err
		}
	}
	return nil
}

// HasLazyFills reports whether an access may fill pages. If so, no two accesses may be carried out at the same time.
func (g *Global) HasLazyFills() bool {
	return len(g.lazy) > 0 || slices.ContainsFunc(g.peers, func(p *Global) bool { return len(p.lazy) > 0 })
}

// absent fills and returns a page that does not exist yet, nil if it is not filled lazily.
func (g *Global) absent(i uint64) []byte {
	for k := range g.lazy {
		l := &g.lazy[k]
		from := g.base + i<<pageShift
		if from < l.address || from+pageBytes > l.address+l.bytes {
			continue
		}
		var page []byte
		if g.inArena(from, pageBytes) {
			page = g.arena.Bytes[i<<pageShift : (i+1)<<pageShift]
		} else {
			page = make([]byte, pageBytes)
		}
		l.fill(from-l.address, page)
		g.pages[i] = page
		return page
	}
	return nil
}

// lazyReachOf returns the filled part of an allocation around an address, and whether the allocation is filled lazily.
func (g *Global) lazyReachOf(a *Allocation, address uint64) (r exec.Reach, isLazy bool) {
	if !slices.ContainsFunc(g.lazy, func(l lazyFill) bool { return l.address == a.Address }) {
		return r, false
	}
	at := (address - g.base) >> pageShift
	if g.pages[at] == nil || !g.inArena(a.Address, a.Bytes) {
		return r, true
	}
	first, end := at, at+1
	for ; first > 0 && at-first < lazyReach && g.base+(first-1)<<pageShift >= roundDown(a.Address, pageBytes); first-- {
		if g.pages[first-1] == nil {
			break
		}
	}
	for ; end < uint64(len(g.pages)) && end-at < lazyReach && g.base+end<<pageShift < a.Address+a.Bytes && g.pages[end] != nil; end++ {
	}
	from, to := max(a.Address, g.base+first<<pageShift), min(a.Address+a.Bytes, g.base+end<<pageShift)
	return exec.Reach{From: from, Bytes: to - from, Host: unsafe.Pointer(&g.arena.Bytes[from-g.base])}, true
}
