package memory

import (
	"fmt"
	"sync"
)

// cardPage is the size of the pages in which a card maps device memory, in bytes: 2 MiB (granularity that cuMemGetAllocationGranularity
// reports). An access next to an allocation faults on the card only where it leaves all of these.
const cardPage = 2 << 20

// card is the lenience of real hardware: an access outside the allocations, but on a page that one of them has, goes on.
type card struct {
	once sync.Once
	tell func(what string)
}

// UseCard has kernels reach all bytes of the pages that allocations lie on, as on a card, and a page ahead of the first, where a card's
// driver has put its own: programs that read a row ahead of their first matrix run on every card. It comes before the first allocation.
// tell is called once, from any goroutine, with what the first access outside is.
func UseCard(g *Global, tell func(what string)) {
	g.card = &card{tell: tell}
	g.begin(g.base)
}

// Reaches reports whether a kernel may access bytes: those that Find finds, and what UseCard adds.
func Reaches(g *Global, address uint64, bytes int) bool {
	if g.Find(address, bytes) {
		return true
	}
	if g.card == nil || !OnCard(g, address) || !OnCard(g, address+uint64(bytes)-1) {
		return false
	}
	g.card.once.Do(func() {
		if a := g.within(address); a != nil { // it begins inside
			address = a.Address + a.Bytes
		}
		g.card.tell(fmt.Sprintf("a kernel's access at %#x goes on as on a card, outside every allocation; ", address) +
			Nearby(g, address))
	})
	return true
}

// PastConstants reports whether a load outside the constant bank reads 0 and goes on, as on a card: with UseCard. An H200 read 0,
// without an error, at each of 15 places from 64 bytes ahead of an array of 16 bytes to 1 GiB behind it.
func PastConstants(g *Global, address uint64) bool {
	if g.card == nil {
		return false
	}
	g.card.once.Do(func() {
		g.card.tell(fmt.Sprintf("a kernel's load at %#x of constant memory, outside every variable, reads 0 as on a card", address))
	})
	return true
}

// OnCard reports that an address lies on a page of a card's with an allocation, or on the driver's ahead of all.
func OnCard(g *Global, address uint64) bool {
	if address >= g.base && address < g.pieces.base {
		return true
	}
	page := address / cardPage
	below, above := g.pieces.last(address), g.pieces.next(address)
	return below != nil && (below.Address+below.Bytes-1)/cardPage >= page || above != nil && above.Address/cardPage == page
}

// backed is what an allocation has pages for: its bytes, and on a card the rest of the first and the last page. base is where memory
// begins.
func (c *card) backed(base, address, bytes uint64) (from, to uint64) {
	from, to = address, address+bytes
	if c != nil {
		from, to = max(base, roundDown(from, cardPage)), roundUp(to, cardPage)
	}
	return from, to
}
