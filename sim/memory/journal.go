package memory

import (
	"math/bits"
	"unsafe"

	"github.com/keplersim/keplersim/isa/exec"
)

// A run without timing may be taken back: while a journal is open, pages are kept as they were before accesses write to them.

// journal is what pages held.
type journal struct {
	pages  []uint64 // by number, in the order in which they were written to
	kept   [][]byte // what they held, nil for nothing yet
	isKept []bool   // by page
	spare  [][]byte // of journals before
	beyond bool     // more was written than is kept
}

const (
	// keptShift is the size of the pages of a journal: 4 KiB, so that not much is kept where writes are scattered.
	keptShift = 12
	keptBytes = 1 << keptShift
	// keptMost is how many a journal keeps at most: 32 MiB.
	keptMost = 8192
	// keptReach is how many of them KeptReach looks at in each direction.
	keptReach = 256
)

// OpenJournal begins to keep what accesses are about to replace.
func (g *Global) OpenJournal() {
	j := g.journal
	if j == nil {
		j = &journal{}
	}
	if len(j.isKept) < len(g.pages)<<(pageShift-keptShift) {
		j.isKept = make([]bool, len(g.pages)<<(pageShift-keptShift))
	}
	g.journal, g.journaling = j, true
}

// CloseJournal ends that. With undo memory becomes what it was; false where that cannot be, as too much was written, or another device's
// memory, and it is as it is.
func (g *Global) CloseJournal(undo bool) (undone bool) {
	j := g.journal
	undo = undo && !j.beyond
	for i, number := range j.pages {
		j.isKept[number] = false
		if undo {
			page := g.keptPage(g.page(g.base+number<<keptShift), number)
			if j.kept[i] == nil {
				clear(page)
			} else {
				copy(page, j.kept[i])
			}
		}
		if j.kept[i] != nil {
			j.spare = append(j.spare, j.kept[i])
		}
	}
	j.pages, j.kept, j.beyond = j.pages[:0], j.kept[:0], false
	g.journaling = false
	return undo
}

// Journaling reports that a journal is open: whoever writes calls Keep before.
func (g *Global) Journaling() bool { return g.journaling }

// Keep keeps what lanes of an access are about to write to.
func (g *Global) Keep(a *exec.Access, lanes uint32) {
	for m := lanes; m != 0; m &= m - 1 {
		address := a.Address[bits.TrailingZeros32(m)&31]
		g.keepPage(address)
		if last := address + uint64(a.Bytes) - 1; last>>keptShift != address>>keptShift {
			g.keepPage(last)
		}
	}
}

// keptPage is the part of a page of memory that is a page of the journal, by its number.
func (g *Global) keptPage(page []byte, number uint64) []byte {
	at := number << keptShift & (pageBytes - 1)
	return page[at : at+keptBytes]
}

// keepPage keeps the page of an address, unless it is kept already.
func (g *Global) keepPage(address uint64) {
	j, number := g.journal, (address-g.base)>>keptShift
	switch {
	case number >= uint64(len(j.isKept)) || g.first[number>>(pageShift-keptShift)] == nil:
		j.beyond = true
		return
	case j.isKept[number] || j.beyond:
		return
	case len(j.pages) == keptMost:
		j.beyond = true
		return
	}
	var kept []byte
	if page := g.content(address); page != nil {
		if last := len(j.spare) - 1; last >= 0 {
			kept, j.spare = j.spare[last], j.spare[:last]
		} else {
			kept = make([]byte, keptBytes)
		}
		copy(kept, g.keptPage(page, number))
	}
	j.isKept[number] = true
	j.pages, j.kept = append(j.pages, number), append(j.kept, kept)
}

// KeptReach is Reach as far as pages are kept, for accesses that write.
func (g *Global) KeptReach(address uint64) exec.Reach {
	r, j := g.Reach(address), g.journal
	at := (address - g.base) >> keptShift
	switch {
	case r.Bytes == 0 || j.beyond:
		return r
	case at >= uint64(len(j.isKept)) || !j.isKept[at]:
		return exec.Reach{}
	}
	first, end := at, at+1
	for first > 0 && at-first < keptReach && j.isKept[first-1] {
		first--
	}
	for end < uint64(len(j.isKept)) && end-at < keptReach && j.isKept[end] {
		end++
	}
	from, to := max(r.From, g.base+first<<keptShift), min(r.From+r.Bytes, g.base+end<<keptShift)
	return exec.Reach{From: from, Bytes: to - from, Host: unsafe.Add(r.Host, from-r.From)}
}
