package memory

import (
	"math/bits"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim/engine"
)

// hostLink is the way from L2 to the host's memory over PCIe, by which accesses to mapped memory go. It moves bytes both ways at once, each
// at the rate of copies of page-locked memory; L2 keeps none of them.
type hostLink struct {
	reads, writes oneWay
	latency       engine.Cycle // of a read, there and back
}

// oneWay is one direction of the link.
type oneWay struct {
	free    engine.SubCycle
	perByte float64 // sub-cycles
}

func newHostLink(cfg *configs.Config) hostLink {
	core := float64(cfg.Clocks.Core)
	way := func(megabytes int) oneWay {
		return oneWay{perByte: core / float64(megabytes) * (1 << engine.SubCycleShift)}
	}
	return hostLink{way(cfg.Copies.ToDevice), way(cfg.Copies.ToHost), engine.Cycle(cfg.Copies.MappedLatency * core)}
}

// move takes the way for so many bytes from now on, and returns when the last has passed.
func (o *oneWay) move(bytes int, now engine.SubCycle) engine.SubCycle {
	o.free = max(now, o.free) + engine.SubCycle(float64(bytes)*o.perByte)
	return o.free
}

// toHost carries out a flight to the host's memory, in the order in which slices come to them.
func (s *slice) toHost(number int32, f *flight, now engine.Cycle) {
	counts, sectors := s.of(f.Account), bits.OnesCount8(f.Sectors)
	link, from := &s.hostLink, engine.SubCycles(now)
	var done engine.Cycle
	if f.Kind == RequestStore || f.Kind == RequestWriteBack {
		s.countWrite(f)
		counts.HostWriteSectors += uint64(sectors)
		link.writes.move(sectors*SectorBytes, from)
		done = link.writes.free.Up() - link.latency // nobody waits for it to arrive, but for the link to take it
	} else {
		if f.isAtomic() {
			counts.L2AtomicRequests++
			counts.L2AtomicSectors += uint64(sectors)
			counts.HostWriteSectors += uint64(sectors)
			link.writes.move(sectors*SectorBytes, from)
		} else {
			counts.L2ReadSectors += uint64(sectors)
			counts.L2ReadRequestsBy[f.Source]++
			counts.L2ReadSectorsBy[f.Source] += uint64(sectors)
		}
		counts.HostReadSectors += uint64(sectors)
		done = link.reads.move(sectors*SectorBytes, from).Up() + link.latency
	}
	if f.Access != nil {
		s.global.Apply(f.Access, f.Lanes)
	}
	s.occupy(f, now)
	s.finish(number, now, max(done-now, engine.Cycle(s.cfg.L2.Latency)), false)
}
