package memory

import (
	"math/bits"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim/engine"
)

// remoteLink is the way from L2 over PCIe to memory that is not the device's own. It moves bytes both ways at once; L2 keeps none of them.
type remoteLink struct {
	reads, writes oneWay
	latency       engine.Cycle // of a read, there and back
	peer          bool         // to another device, else to the host
}

// oneWay is one direction of the link.
type oneWay struct {
	free    engine.SubCycle
	perByte float64 // sub-cycles
}

// newHostLink is the way to mapped memory, at the rates of copies of page-locked memory.
func newHostLink(cfg *configs.Config) remoteLink {
	return newRemoteLink(cfg, cfg.Copies.ToDevice, cfg.Copies.ToHost)
}

// newPeerLink is the way to other devices' memory, at the rate of copies between devices. A read crosses PCIe as one of mapped memory does,
// by a switch instead of the host's root; nobody has published what it takes on a Kepler.
func newPeerLink(cfg *configs.Config) remoteLink {
	l := newRemoteLink(cfg, cfg.Copies.Peer, cfg.Copies.Peer)
	l.peer = true
	return l
}

// newRemoteLink makes a link of two rates, MB/s.
func newRemoteLink(cfg *configs.Config, reads, writes int) remoteLink {
	core := float64(cfg.Clocks.Core)
	way := func(megabytes int) oneWay {
		return oneWay{perByte: core / float64(max(megabytes, 1)) * (1 << engine.SubCycleShift)}
	}
	return remoteLink{reads: way(reads), writes: way(writes), latency: engine.Cycle(cfg.Copies.MappedLatency * core)}
}

// linkOf returns the link that a line's accesses cross, nil for one of the device's own memory.
func (s *slice) linkOf(line uint64) *remoteLink {
	switch {
	case s.global.mapped == 0 && len(s.global.peers) == 0:
	case s.global.onHost(line):
		return &s.hostLink
	case s.global.peerOf(line) != nil:
		return &s.peerLink
	}
	return nil
}

// move takes the way for so many bytes from now on, and returns when the last has passed.
func (o *oneWay) move(bytes int, now engine.SubCycle) engine.SubCycle {
	o.free = max(now, o.free) + engine.SubCycle(float64(bytes)*o.perByte)
	return o.free
}

// over carries out a flight over a link, in the order in which slices come to them.
func (s *slice) over(link *remoteLink, number int32, f *flight, counts *account, now engine.Cycle) {
	sectors := bits.OnesCount8(f.Sectors)
	from := engine.SubCycles(now)
	reads, writes := &counts.HostReadSectors, &counts.HostWriteSectors
	if link.peer {
		reads, writes = &counts.PeerReadSectors, &counts.PeerWriteSectors
	}
	var done engine.Cycle
	if f.Kind == RequestStore || f.Kind == RequestWriteBack {
		f.countWrite(counts)
		*writes += uint64(sectors)
		link.writes.move(sectors*SectorBytes, from)
		done = link.writes.free.Up() - link.latency // nobody waits for it to arrive, but for the link to take it
	} else {
		if f.isAtomic() {
			counts.L2AtomicRequests++
			counts.L2AtomicSectors += uint64(sectors)
			*writes += uint64(sectors)
			link.writes.move(sectors*SectorBytes, from)
		} else {
			counts.L2ReadSectors += uint64(sectors)
			counts.L2ReadRequestsBy[f.Source]++
			counts.L2ReadSectorsBy[f.Source] += uint64(sectors)
		}
		*reads += uint64(sectors)
		done = link.reads.move(sectors*SectorBytes, from).Up() + link.latency
	}
	s.apply(f)
	s.occupy(f, counts, now)
	s.finish(number, f, counts, now, max(done-now, s.latency), false)
}
