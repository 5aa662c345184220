package report

import (
	"cmp"
	"fmt"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/sim/stats"
)

// measure is what a source line has of something, in any unit; what names it, as in "the lines touched".
type measure struct {
	what string
	of   func(*stats.SourceCount) uint64
}

// worthNaming is the part of a measure from which a line is named: where the largest has less, no line is to blame.
const worthNaming = 0.2

// where names the source line that has most of a measure: a sentence, "" where none stands out. A line whose text has been told before, in
// told, is named alone.
func (m measure) where(l *stats.Launch, told map[stats.Place]bool) string {
	if m.of == nil {
		return ""
	}
	sums, texts := map[stats.Place]uint64{}, map[stats.Place]string{}
	all := uint64(0)
	var most stats.Place
	for i := range l.Source {
		s := &l.Source[i]
		n := m.of(s)
		all += n
		if s.File == "" {
			continue
		}
		if sums[s.Place] += n; s.Text != "" {
			texts[s.Place] = s.Text
		}
		// Of two equal lines the first one is named, whatever the order in which they were added up.
		if order := cmp.Compare(sums[s.Place], sums[most]); order > 0 || order == 0 && s.File == most.File && s.Line < most.Line {
			most = s.Place
		}
	}
	share := part(sums[most], all)
	if share < worthNaming {
		return ""
	}
	text := fmt.Sprintf("%s of %s at %s", percent(share), m.what, placeName(most))
	if line := texts[most]; line != "" && !told[most] {
		text += ": `" + line + "`"
	}
	told[most] = true
	return text + "."
}

// ofKinds measures something of the accesses of some kinds.
func ofKinds(what string, of func(*stats.AccessCount) uint64, kinds ...stats.AccessKind) measure {
	return measure{what, func(s *stats.SourceCount) uint64 {
		sum := s.Of(kinds...)
		return of(&sum)
	}}
}

func transactions(a *stats.AccessCount) uint64 { return a.Transactions }
func sectors(a *stats.AccessCount) uint64      { return a.Sectors }

// The kinds of access that go to device memory, by what they send there.
var (
	reading = []stats.AccessKind{stats.AccessGlobalLoad, stats.AccessGenericLoad, stats.AccessReadOnlyLoad, stats.AccessTextureRead, stats.AccessSurfaceRead, stats.AccessLocalLoad, stats.AccessAtomic}
	writing = []stats.AccessKind{stats.AccessGlobalStore, stats.AccessGenericStore, stats.AccessSurfaceWrite, stats.AccessLocalStore, stats.AccessReduction, stats.AccessAtomic}
	moving  = append(append([]stats.AccessKind{}, reading...), writing[:len(writing)-1]...)
)

// What the units' lines are measured by.
var (
	sectorsMoved   = ofKinds("the sectors touched are", sectors, moving...)
	sectorsRead    = ofKinds("the sectors read are", sectors, reading...)
	sectorsWritten = ofKinds("the sectors written are", sectors, writing...)
	atomicLines    = ofKinds("the lines that atomics touch are", transactions, stats.AccessAtomic, stats.AccessReduction)
	textureLines   = ofKinds("the lines read are", transactions, stats.AccessTextureRead, stats.AccessReadOnlyLoad)
	cacheMisses    = ofKinds("the misses are", func(a *stats.AccessCount) uint64 { return a.Cache.Accesses - a.Cache.Hits }, moving...)
	slots          = measure{"the slots are", func(s *stats.SourceCount) uint64 { return s.Executed + s.Memory.Replays }}
	idleLanes      = measure{"the idle lanes are", func(s *stats.SourceCount) uint64 { return stats.WarpSize*s.Executed - s.Lanes }}
	sparePasses    = ofKinds("the further passes are", func(a *stats.AccessCount) uint64 { return a.Transactions - min(a.Transactions, a.Requests) },
		stats.AccessSharedLoad, stats.AccessSharedStore)
)

// spareBytes measures what accesses that scattered finds move beyond what is asked for.
func spareBytes(l *stats.Launch) measure {
	var kinds []stats.AccessKind
	for _, k := range scattered(l) {
		kinds = append(kinds, k.kinds...)
	}
	return ofKinds("the bytes too many are", func(a *stats.AccessCount) uint64 { return 32*a.Sectors - min(32*a.Sectors, a.Bytes) }, kinds...)
}

// waitedFor measures the waiting for one reason.
func waitedFor(reason stats.Stall) measure {
	return measure{"that waiting is", func(s *stats.SourceCount) uint64 { return s.Stalls[reason] }}
}

// accessLines measures what takes the load/store unit the longest.
func accessLines(l *stats.Launch) measure {
	switch a := mostAccess(l); a.class {
	case isa.ClassGlobal:
		return ofKinds("those lines are", transactions, stats.AccessGlobalLoad, stats.AccessGlobalStore, stats.AccessGenericLoad, stats.AccessGenericStore, stats.AccessReadOnlyLoad)
	default:
		return ofKinds("their transactions are", transactions, stats.KindsOf(a.class)...)
	}
}

// limitWhere measures what findLimit speaks of: the unit, or what warps wait for.
func limitWhere(l *stats.Launch) measure {
	unit, busy := nearest(l)
	if busy >= half && unit.lines != nil {
		return unit.lines(l)
	} else if busy >= half {
		return measure{}
	}
	if reason, _ := topStall(l); reason != stats.StallCount {
		return waitedFor(reason)
	}
	return measure{}
}

// by is a measure that is the same for every launch.
func by(m measure) func(*stats.Launch) measure { return func(*stats.Launch) measure { return m } }
