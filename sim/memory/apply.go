package memory

import (
	"encoding/binary"
	"math/bits"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/exec"
)

// Apply carries out an access on some of its lanes, in lane order. A load fills Data, from texels if it reads a texture. A store writes
// Data. An atomic reads, changes and writes memory, and leaves the old value in Data. Every address is in an allocation and a multiple of
// the access's size: the SMX has checked that.
func (g *Global) Apply(a *exec.Access, lanes uint32) {
	if lanes == 0 { // all lanes were faulty and left out
		return
	}
	if len(g.peers) > 0 && a.Space != isa.SpaceTexture {
		if lanes = g.applyToPeers(a, lanes); lanes == 0 {
			return
		}
	}
	switch a.Kind {
	case exec.AccessLoad:
		switch {
		case a.Space == isa.SpaceTexture:
			g.sample(a, lanes)
		case a.Bytes == 4 && oneLane(lanes): // one request of a scattered access
			g.loadWord(a, bits.TrailingZeros32(lanes)&31)
		case g.inOnePage(a, lanes):
		default:
			for m := lanes; m != 0; m &= m - 1 {
				if lane := bits.TrailingZeros32(m) & 31; a.Bytes == 4 {
					g.loadWord(a, lane)
				} else {
					g.load(a, lane)
				}
			}
		}
	case exec.AccessStore:
		if a.Bytes == 4 && oneLane(lanes) {
			g.storeWord(a, bits.TrailingZeros32(lanes)&31)
			return
		}
		if g.inOnePage(a, lanes) {
			return
		}
		for m := lanes; m != 0; m &= m - 1 {
			g.modify(a, bits.TrailingZeros32(m)&31)
		}
	case exec.AccessAtomic, exec.AccessReduction:
		for m := lanes; m != 0; m &= m - 1 {
			g.modify(a, bits.TrailingZeros32(m)&31)
		}
	}
}

// oneLane reports whether there is exactly one lane.
func oneLane(lanes uint32) bool { return lanes != 0 && lanes&(lanes-1) == 0 }

// ApplyLane carries out an access on one lane.
func (g *Global) ApplyLane(a *exec.Access, lane int) { g.Apply(a, 1<<lane) }

// inOnePage carries out a load or store whose addresses are all in one page. For others it does nothing and returns false.
func (g *Global) inOnePage(a *exec.Access, lanes uint32) bool {
	if !a.Shape.Within(pageShift) {
		return false
	}
	page := g.content(a.Shape.Low)
	if page == nil {
		if a.Kind == exec.AccessLoad {
			page = zeroes[:]
		} else {
			page = g.page(a.Shape.Low)
		}
	}
	a.ApplyWithin(page, a.Shape.Low&^(pageBytes-1), lanes)
	return true
}

// zeroes is a page that nothing has written.
var zeroes [pageBytes]byte

// loadWord is load for 4 bytes.
func (g *Global) loadWord(a *exec.Access, lane int) {
	address, word := a.Address[lane&31], uint32(0)
	if page := g.content(address); page != nil {
		word = binary.LittleEndian.Uint32(page[address&(pageBytes-1):])
	}
	a.Data[0][lane&31] = word
}

// storeWord is modify for a 4-byte store.
func (g *Global) storeWord(a *exec.Access, lane int) {
	address := a.Address[lane&31]
	binary.LittleEndian.PutUint32(g.page(address)[address&(pageBytes-1):], a.Data[0][lane&31])
}

// load carries out a lane's load.
func (g *Global) load(a *exec.Access, lane int) {
	address := a.Address[lane]
	page := g.content(address)
	if page == nil {
		for word := 0; word < (int(a.Bytes)+3)/4; word++ {
			a.Data[word][lane] = 0
		}
		return
	}
	a.ApplyBytes(lane, page[address&(pageBytes-1):][:a.Bytes])
}

// modify carries out a lane's store or atomic.
func (g *Global) modify(a *exec.Access, lane int) {
	address := a.Address[lane]
	at := g.page(address)[address&(pageBytes-1):]
	a.ApplyBytes(lane, at[:a.Bytes])
}
