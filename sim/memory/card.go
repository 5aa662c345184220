package memory

import "sync"

// cardPage is the size of the pages in which a card maps device memory, in bytes: 2 MiB (granularity that cuMemGetAllocationGranularity
// reports). An access next to an allocation faults on the card only where it leaves all of these.
const cardPage = 2 << 20

// card is the lenience of real hardware: an access outside the allocations, but on a page that one of them has, goes on.
type card struct {
	once  sync.Once
	stray func(address uint64)
}

// UseCard has kernels reach all bytes of the pages that allocations lie on, as on a card, and a page ahead of the first, where a card's
// driver has put its own: programs that read a row ahead of their first matrix run on every card. It comes before the first allocation.
// stray is called once, from any goroutine, with the first address outside.
func UseCard(g *Global, stray func(address uint64)) {
	g.card = &card{stray: stray}
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
		g.card.stray(address)
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
