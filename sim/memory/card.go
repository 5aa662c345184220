package memory

import (
	"fmt"
	"sync"
)

// cardPage is the page size of a card's device memory, in bytes: 2 MiB (the granularity that cuMemGetAllocationGranularity reports). An
// access next to an allocation faults on a card only if it leaves all of these pages.
const cardPage = 2 << 20

// card is the tolerance of real hardware: an access outside the allocations goes on if it is on a page with an allocation.
type card struct {
	once sync.Once
	tell func(what string)
}

// UseCard lets kernels reach all bytes of the pages with allocations, as on a card. They also reach the page before the first, which a
// driver uses itself, because programs that read a row ahead of their first matrix run on every card. Call UseCard before the first
// allocation. It calls tell once, from any goroutine, with a description of the first access outside.
func UseCard(g *Global, tell func(what string)) {
	g.card = &card{tell: tell}
	g.begin(g.base)
}

// Reaches reports whether a kernel may access some bytes: those that Find finds, and those that UseCard adds.
func Reaches(g *Global, address uint64, bytes int) bool {
	if g.Find(address, bytes) {
		return true
	}
	if g.card == nil || !OnCard(g, address) || !OnCard(g, address+uint64(bytes)-1) {
		return false
	}
	g.card.once.Do(func() {
		if a := g.within(address); a != nil { // it begins in an allocation
			address = a.Address + a.Bytes
		}
		g.card.tell(fmt.Sprintf("a kernel's access at %#x goes on as on a card, outside every allocation; ", address) +
			Nearby(g, address))
	})
	return true
}

// PastConstants reports whether a load outside the constant bank reads 0 and goes on, as it does after UseCard and on cards. An H200 read 0
// without an error at each of 15 places, from 64 bytes before an array of 16 bytes to 1 GiB behind it.
func PastConstants(g *Global, address uint64) bool {
	if g.card == nil {
		return false
	}
	g.card.once.Do(func() {
		g.card.tell(fmt.Sprintf("a kernel's load at %#x of constant memory, outside every variable, reads 0 as on a card", address))
	})
	return true
}

// OnCard reports that an address is on a card's page with an allocation, or on the driver's page before all.
func OnCard(g *Global, address uint64) bool {
	if address >= g.base && address < g.pieces.base {
		return true
	}
	page := address / cardPage
	below, above := g.pieces.last(address), g.pieces.next(address)
	return below != nil && (below.Address+below.Bytes-1)/cardPage >= page || above != nil && above.Address/cardPage == page
}

// backed returns which addresses of an allocation have pages: its bytes, and on a card the rest of the first and the last page. Memory
// begins at base.
func (c *card) backed(base, address, bytes uint64) (from, to uint64) {
	from, to = address, address+bytes
	if c != nil {
		from, to = max(base, roundDown(from, cardPage)), roundUp(to, cardPage)
	}
	return from, to
}
