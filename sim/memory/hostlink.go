package memory

import (
	"math/bits"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim/engine"
)

// remoteLink is the path from L2 over PCIe to memory of the host or another device. It moves bytes both ways at once. L2 does not cache
// them.
type remoteLink struct {
	reads, writes oneWay
	latency       engine.Cycle // of a read, round trip
	peer          bool         // to another device, not to the host
}

// oneWay is one direction of the link.
type oneWay struct {
	free    engine.SubCycle
	perByte float64 // sub-cycles
}

// newHostLink returns the link to mapped memory, at the rates of copies of page-locked memory.
func newHostLink(cfg *configs.Config) remoteLink {
	return newRemoteLink(cfg, cfg.Copies.ToDevice, cfg.Copies.ToHost)
}

// newPeerLink returns the link to other devices' memory, at the rate of copies between devices. A read crosses PCIe like one of mapped
// memory, through a switch instead of the host's root. No latency on a Kepler has been published.
func newPeerLink(cfg *configs.Config) remoteLink {
	l := newRemoteLink(cfg, cfg.Copies.Peer, cfg.Copies.Peer)
	l.peer = true
	return l
}

// newRemoteLink makes a link with two rates in MB/s.
func newRemoteLink(cfg *configs.Config, reads, writes int) remoteLink {
	core := float64(cfg.Clocks.Core)
	way := func(megabytes int) oneWay {
		return oneWay{perByte: core / float64(max(megabytes, 1)) * (1 << engine.SubCycleShift)}
	}
	return remoteLink{reads: way(reads), writes: way(writes), latency: engine.Cycle(cfg.Copies.MappedLatency * core)}
}

// linkOf returns the link to a line's memory, nil if that is the device's own.
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

// move books the direction for some bytes from now on, and returns when the last has passed.
func (o *oneWay) move(bytes int, now engine.SubCycle) engine.SubCycle {
	o.free = max(now, o.free) + engine.SubCycle(float64(bytes)*o.perByte)
	return o.free
}

// over carries out a flight over a link, in the order in which the slices' requests come.
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
		done = link.writes.free.Up() - link.latency // the slice waits until the link has taken the write, not until it arrives
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
