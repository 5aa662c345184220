package memory

import (
	"math/bits"
	"slices"

	"github.com/keplersim/keplersim/isa/exec"
)

// AddPeer lets accesses reach another device's memory over the link. Its addresses differ from this one's, because each has its own arena.
func (g *Global) AddPeer(peer *Global) {
	g.peers = append(g.peers, peer)
	g.version++
}

// RemovePeer undoes AddPeer.
func (g *Global) RemovePeer(peer *Global) {
	if i := slices.Index(g.peers, peer); i >= 0 {
		g.peers = slices.Delete(g.peers, i, i+1)
		g.version += peer.version + 1 // versions never repeat
	}
}

// HasPeer reports whether accesses reach another device's memory.
func (g *Global) HasPeer(peer *Global) bool { return slices.Contains(g.peers, peer) }

// HasPeers reports whether accesses reach memory of any other device.
func (g *Global) HasPeers() bool { return len(g.peers) > 0 }

// covers reports whether an address is on a page that the device's own allocations have used.
func (g *Global) covers(address uint64) bool {
	return (address-g.base)>>pageShift < uint64(len(g.first))
}

// peerOf returns the peer that an address belongs to, nil if it is the device's own or no device's.
func (g *Global) peerOf(address uint64) *Global {
	if len(g.peers) == 0 || g.covers(address) {
		return nil
	}
	for _, peer := range g.peers {
		if peer.covers(address) {
			return peer
		}
	}
	return nil
}

// applyToPeers carries out the lanes of an access to other devices' memory, and returns the remaining lanes.
func (g *Global) applyToPeers(a *exec.Access, lanes uint32) uint32 {
	for m := lanes; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m) & 31
		if peer := g.peerOf(a.Address[lane]); peer != nil {
			peer.Apply(a, 1<<lane)
			lanes &^= 1 << lane
		}
	}
	return lanes
}
