package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/sim/stats"
)

// measure is a quantity of source lines, in any unit. what names it, as in "the lines touched".
type measure struct {
	what string
	of   func(*stats.SourceCount) uint64
}

// minLineShare is the part of a measure from which a line is named: if the largest has less, no line is to blame. Lines with at least half
// as much as the largest are named with it.
const minLineShare = 0.2

// where returns a sentence that names the source lines with most of a measure, "" if none stands out. It quotes the first line, unless it
// is in shown, and adds it there.
func (m measure) where(l *stats.Launch, shown map[stats.Place]bool) string {
	if m.of == nil {
		return ""
	}
	sums, texts := map[stats.Place]uint64{}, map[stats.Place]string{}
	all, together := uint64(0), uint64(0)
	for i := range l.Source {
		s := &l.Source[i]
		n := m.of(s)
		all += n
		if s.File != "" && n > 0 {
			sums[s.Place] += n
			texts[s.Place] = cmp.Or(s.Text, texts[s.Place])
		}
	}
	places := slices.SortedFunc(maps.Keys(sums), func(a, b stats.Place) int {
		return cmp.Or(cmp.Compare(sums[b], sums[a]), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	var others []string
	for i, at := range places {
		if n := sums[at]; ratio(n, all) < minLineShare || 2*n < sums[places[0]] {
			break
		}
		if together += sums[at]; i > 0 {
			others = append(others, strings.TrimPrefix(placeName(at), places[0].File+":"))
		}
	}
	if together == 0 {
		return ""
	}
	text := fmt.Sprintf("%s of %s at %s", percent(ratio(together, all)), m.what, placeName(places[0]))
	if line := texts[places[0]]; line != "" && !shown[places[0]] {
		text += ": `" + line + "`"
	}
	shown[places[0]] = true
	if last := len(others) - 1; last > 0 {
		text += ", and at " + strings.Join(others[:last], ", ") + " and " + others[last]
	} else if last == 0 {
		text += ", and at " + others[0]
	}
	return text + "."
}

// ofKinds returns a measure of some kinds of accesses.
func ofKinds(what string, of func(*stats.AccessCount) uint64, kinds ...stats.AccessKind) measure {
	return measure{what, func(s *stats.SourceCount) uint64 {
		sum := s.Of(kinds...)
		return of(&sum)
	}}
}

func transactions(a *stats.AccessCount) uint64 { return a.Transactions }
func sectors(a *stats.AccessCount) uint64      { return a.Sectors }

// The kinds of access that go to device memory: those that read, and those that write.
var (
	reading = []stats.AccessKind{
		stats.AccessGlobalLoad, stats.AccessGenericLoad, stats.AccessReadOnlyLoad, stats.AccessTextureRead, stats.AccessSurfaceRead,
		stats.AccessLocalLoad,
		stats.AccessAtomic,
	}
	writing = []stats.AccessKind{
		stats.AccessGlobalStore, stats.AccessGenericStore, stats.AccessSurfaceWrite, stats.AccessLocalStore, stats.AccessReduction,
		stats.AccessAtomic,
	}
	moving = slices.Concat(reading, writing) // a kind counts once even if it is listed twice
)

// The measures of units.
var (
	sectorsMoved   = ofKinds("the sectors touched are", sectors, moving...)
	sectorsRead    = ofKinds("the sectors read are", sectors, reading...)
	sectorsWritten = ofKinds("the sectors written are", sectors, writing...)
	atomicLines    = ofKinds("the lines that atomics touch are", transactions, stats.AccessAtomic, stats.AccessReduction)
	textureLines   = ofKinds("the lines read are", transactions, stats.AccessTextureRead, stats.AccessReadOnlyLoad)
	cacheMisses    = ofKinds("the misses are", func(a *stats.AccessCount) uint64 { return a.Cache.Accesses - a.Cache.Hits }, moving...)
	slots          = measure{"the slots are", func(s *stats.SourceCount) uint64 { return s.Executed + s.Memory.Replays }}
	idleLanes      = measure{"the idle lanes are", func(s *stats.SourceCount) uint64 { return stats.WarpSize*s.Executed - s.Lanes }}
	furtherPasses  = ofKinds("the further passes are",
		func(a *stats.AccessCount) uint64 { return a.Transactions - min(a.Transactions, a.Requests) },
		stats.AccessSharedLoad, stats.AccessSharedStore)
)

// excessBytes measures the bytes that the accesses found by scattered move beyond those asked for.
func excessBytes(l *stats.Launch) measure {
	var kinds []stats.AccessKind
	for _, k := range scattered(l) {
		kinds = append(kinds, k.kinds...)
	}
	return ofKinds("the bytes too many are", func(a *stats.AccessCount) uint64 {
		return 32*a.Sectors - min(32*a.Sectors, a.Bytes)
	}, kinds...)
}

// waitedFor measures the stalls for one reason.
func waitedFor(reason stats.Stall) measure {
	return measure{"that waiting is", func(s *stats.SourceCount) uint64 { return s.Stalls[reason] }}
}

// accessLines measures the accesses that keep the load/store unit busy longest.
func accessLines(l *stats.Launch) measure {
	switch a := mostAccess(l); a.class {
	case isa.ClassGlobal:
		return ofKinds("those lines are", transactions, stats.AccessGlobalLoad, stats.AccessGlobalStore, stats.AccessGenericLoad,
			stats.AccessGenericStore, stats.AccessReadOnlyLoad)
	default:
		return ofKinds("their transactions are", transactions, stats.KindsOf(a.class)...)
	}
}

// limitWhere measures the subject of findLimit: the unit, or what warps wait for.
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

// by returns a measure that is the same for every launch.
func by(m measure) func(*stats.Launch) measure { return func(*stats.Launch) measure { return m } }
