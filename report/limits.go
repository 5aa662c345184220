package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/sim/stats"
)

// limit is a unit whose rate can bound a launch.
type limit struct {
	name string
	// kind is the kind of launches that the unit limits, for their error bars.
	kind Kind
	// busy is the part of the time, 0 to 1, in which the unit was busy. For an SMX's units, time is when the SMX has warps; for units
	// outside of the SMXs, when any SMX has.
	busy func(*stats.Launch) float64
	// facts, if not nil, follow the part of the time. advice says how the launch can need less of the unit.
	facts  func(*stats.Launch) string
	advice func(*stats.Launch) string
	// lines, if not nil, measures each source line's use of the unit.
	lines func(*stats.Launch) measure
}

const loadStoreUnit = "the load/store unit"

// unitLimits are the units of the chip except the pipelines. pipelineLimits derives those from the launch's configuration.
var unitLimits = []limit{
	{"device memory", MemoryBound, dramBusy, dramFacts, fixedText("move fewer bytes, or keep them in L2 or shared memory"),
		by(sectorsMoved)},
	{"the opening of rows in device memory", MemoryBound, rowsBusy, rowFacts, fixedText("put together what is used together"),
		by(sectorsMoved)},
	{"the address translation", MemoryBound, walksBusy, nil, fixedText("put addresses that are used together into fewer pages"),
		by(sectorsMoved)},
	{"the bandwidth of L2", MemoryBound, busiest(func(m *stats.Memory) stats.Busy {
		return m.L2Slices
	}), imbalance(func(m *stats.Memory) stats.Busy { return m.L2Slices }, l2Slices, "slices"),
		fixedText("reuse data in shared memory or registers"), by(sectorsMoved)},
	{"the atomics units of L2", AtomicBound, busiest(func(m *stats.Memory) stats.Busy { return m.AtomicUnits }), atomicFacts,
		fixedText("combine results in a warp or in shared memory first, and spread what is left over more addresses"), by(atomicLines)},
	{"the way from L2 to the SMXs", MemoryBound, onSMX(func(l *stats.Launch) float64 { return l.Memory.ResponseLinks.Sum }), nil,
		fixedText("reuse data in shared memory or registers, and read whole sectors of 32 bytes"), by(sectorsRead)},
	{"the way from the SMXs to L2", MemoryBound, onSMX(func(l *stats.Launch) float64 { return l.Memory.RequestLinks.Sum }), nil,
		fixedText("write less, and whole lines"), by(sectorsWritten)},
	{loadStoreUnit, MemoryBound, loadStoreBusy, loadStoreFacts, loadStoreAdvice, accessLines},
	{"the MSHRs of the SMX's caches", MemoryBound, onSMX(func(l *stats.Launch) float64 { return float64(l.Total.HeldCycles) }),
		missFacts, missAdvice, by(cacheMisses)},
	{"the texture units", MemoryBound, texturesBusy, nil,
		fixedText("read fewer texels and read-only values, or narrower ones, of neighbouring places"), by(textureLines)},
	{"the issue slots", ComputeBound, issueBusy, issueFacts, issueAdvice, by(slots)},
	{"the register file's banks", ComputeBound, collectionBusy, nil, fixedText("instructions wait for sources in one bank"), nil},
}

// fixedText returns a text that is the same for every launch.
func fixedText(text string) func(*stats.Launch) string {
	return func(*stats.Launch) string { return text }
}

// ratio returns a quotient, 0 if the divisor is 0.
func ratio[N uint64 | float64](a, b N) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

// span returns the core cycles of the SMX that was active the longest.
func span(l *stats.Launch) float64 {
	_, most := l.ActiveRange()
	return float64(most)
}

// onSMX returns cycles of units that each SMX has once, as a part of the SMXs' active cycles.
func onSMX(cycles func(*stats.Launch) float64) func(*stats.Launch) float64 {
	return func(l *stats.Launch) float64 { return ratio(cycles(l), float64(l.Total.ActiveCycles)) }
}

// busiest returns the part of the time in which the busiest of several units was busy.
func busiest(of func(*stats.Memory) stats.Busy) func(*stats.Launch) float64 {
	return func(l *stats.Launch) float64 { return ratio(of(&l.Memory).Most, span(l)) }
}

// imbalance returns a text if one of several units is much busier than the average, else "".
func imbalance(of func(*stats.Memory) stats.Busy, number func(*stats.Launch) int, name string) func(*stats.Launch) string {
	return func(l *stats.Launch) string {
		busy, n := of(&l.Memory), number(l)
		if average := ratio(busy.Sum, float64(n)); busy.Most > 0 && average < lowAverage*busy.Most {
			return fmt.Sprintf(
				"the busiest of its %d %s; the average is %s: addresses crowd in some of them", n, name, percent(ratio(average, span(l))),
			)
		}
		return ""
	}
}

func l2Slices(l *stats.Launch) int { return l.Chip.L2Slices }
func channels(l *stats.Launch) int { return l.Chip.DRAMChannels }

func dramPaths(m *stats.Memory) stats.Busy { return m.DRAMPaths }

// dramBusy returns the greater of two parts of the time: that of the busiest channel's path to L2, and that of all channels' buses with
// turnarounds, out of the time without refreshes.
func dramBusy(l *stats.Launch) float64 {
	m := &l.Memory
	ticks := ratio(span(l), l.Chip.CommandCycles) * float64(l.Chip.DRAMChannels) * (1 - l.Chip.RefreshPart)
	return max(busiest(dramPaths)(l), ratio(float64(m.DRAMBusyTicks)+l.Chip.TurnaroundTicks*float64(m.DRAMTurnarounds), ticks))
}

func dramFacts(l *stats.Launch) string {
	if text := imbalance(dramPaths, channels, "channels")(l); text != "" {
		return text
	}
	return percent(stats.DRAMShare(l)) + " of its peak rate over the whole launch"
}

func rowsBusy(l *stats.Launch) float64 {
	return ratio(float64(l.Memory.DRAMActivates)*l.Chip.ActivateTicks*l.Chip.CommandCycles, float64(l.Chip.DRAMChannels)*span(l))
}

func rowFacts(l *stats.Launch) string {
	m := &l.Memory
	return fmt.Sprintf("a row is opened for every %s bytes", count(32*(m.DRAMReadSectors+m.DRAMWriteSectors)/max(1, m.DRAMActivates)))
}

func walksBusy(l *stats.Launch) float64 {
	return ratio(float64(l.Memory.TLBWalks)*l.Chip.WalkCycles, span(l))
}

func atomicFacts(l *stats.Launch) string {
	m := &l.Memory
	text := fmt.Sprintf("%s lanes a request", significant(ratio(float64(m.L2AtomicLanes), float64(m.L2AtomicRequests))))
	if m.L2AtomicConflicts > 0 {
		text += fmt.Sprintf(", %s of the lanes wait for another on their word", percent(ratio(m.L2AtomicConflicts, m.L2AtomicLanes)))
	}
	if uneven := imbalance(func(m *stats.Memory) stats.Busy { return m.AtomicUnits }, l2Slices, "units")(l); uneven != "" {
		text += "; " + uneven
	}
	return text
}

func texturesBusy(l *stats.Launch) float64 {
	busyCycles := max(float64(l.Total.TextureCycles), float64(l.Total.TextureCache.Accesses+l.Total.ReadOnly.Accesses))
	return ratio(busyCycles, float64(l.Chip.TextureSlices)*float64(l.Total.ActiveCycles))
}

func issueBusy(l *stats.Launch) float64 {
	return ratio(float64(l.Total.IssuedSingle+l.Total.IssuedDual), float64(l.Total.SchedulerCycles))
}

// replays returns the part of the issue slots that replays of memory accesses take.
func replays(l *stats.Launch) float64 {
	t := &l.Total
	return ratio(t.GlobalReplays+t.SharedReplays+t.LocalReplays+t.ConstantReplays+t.AtomicReplays, t.IssuedSingle+t.IssuedDual)
}

func issueFacts(l *stats.Launch) string {
	if replays(l) >= manyReplays {
		return "replays of memory accesses take " + percent(replays(l)) + " of them"
	}
	return ""
}

func issueAdvice(l *stats.Launch) string {
	if replays(l) >= manyReplays {
		return "accesses of fewer lines, or without bank conflicts, make it faster"
	}
	return "only fewer instructions make it faster"
}

func collectionBusy(l *stats.Launch) float64 {
	t := &l.Total
	if t.CollectionCycles < minCost*float64(t.SchedulerCycles) {
		return 0
	}
	operations := float64(t.IssuedSingle+t.IssuedDual) * (1 - replays(l))
	return ratio(operations+t.CollectionCycles, float64(t.SchedulerCycles))
}

// access is a class of operations that the load/store unit serves, with its traffic.
type access struct {
	what            string
	class           isa.Class
	of              func(*stats.SMX) stats.Traffic
	piece           string // the name of a transaction
	plain           float64
	scatteredAdvice string // advice if an operation takes more than plain transactions
	plainAdvice     string // advice otherwise
}

func both(a, b stats.Traffic) stats.Traffic {
	a.Add(&b)
	return a
}

const neighbours = "neighbouring threads should touch neighbouring addresses"

// accesses are the classes that the load/store unit serves.
var accesses = []access{
	{"global loads and stores", isa.ClassGlobal, func(s *stats.SMX) stats.Traffic {
		return both(s.GlobalLoad, s.GlobalStore)
	}, "lines of 128 bytes", 2, neighbours,
		"wider accesses (float4), or data kept in shared memory or registers, need fewer of them"},
	{"atomics", isa.ClassAtomic, func(s *stats.SMX) stats.Traffic {
		return both(s.Atomics, s.Reductions)
	}, "lines of 128 bytes", 1.5, neighbours + ", or combine results in shared memory first",
		"combine results in a warp or in shared memory first"},
	{"read-only loads", isa.ClassReadOnly, func(s *stats.SMX) stats.Traffic { return s.ReadOnlyLoad }, "lines of 32 bytes", 6, neighbours,
		"keep what is read again in registers or shared memory"},
	{"accesses of shared memory", isa.ClassShared, func(s *stats.SMX) stats.Traffic {
		return both(s.SharedLoad, s.SharedStore)
	}, "passes over the banks", manyPasses,
		"fewer bank conflicts make it faster", "keep more in registers, so that each value read is used more often"},
	{"atomics on shared memory", isa.ClassSharedAtomic, func(s *stats.SMX) stats.Traffic {
		return s.SharedAtomics
	}, "rounds", manyPasses, "spread them over more words, for example a copy for each warp",
		"combine results in a warp first"},
	{"accesses of local memory", isa.ClassLocal, func(s *stats.SMX) stats.Traffic {
		return both(s.LocalLoad, s.LocalStore)
	}, "lines of 128 bytes", 1.5, "arrays that are indexed by variables are kept there",
		"fewer spilled registers, and arrays indexed by constants, make it faster"},
	{"loads of constants", isa.ClassConstant, func(*stats.SMX) stats.Traffic {
		return stats.Traffic{}
	}, "", 0, "", "the threads of a warp should read the same constant"},
	{"surface accesses", isa.ClassSurface, func(*stats.SMX) stats.Traffic { return stats.Traffic{} }, "", 0, "", neighbours},
}

// unitCycles returns how long a class kept the load/store units busy, in cycles summed over SMXs. On a chip without a read-only cache,
// read-only loads are global loads.
func unitCycles(l *stats.Launch, class isa.Class) float64 {
	t := &l.Total
	if plain := t.ReadOnlyLoad.Requests == 0; plain && class == isa.ClassGlobal {
		return t.LoadStoreCycles[class] + t.LoadStoreCycles[isa.ClassReadOnly]
	} else if plain && class == isa.ClassReadOnly {
		return 0
	}
	return t.LoadStoreCycles[class]
}

func loadStoreCycles(l *stats.Launch) float64 {
	sum := 0.0
	for _, cycles := range l.Total.LoadStoreCycles {
		sum += cycles
	}
	return sum
}

func loadStoreBusy(l *stats.Launch) float64 { return onSMX(loadStoreCycles)(l) }

// mostAccess returns the class that keeps the load/store unit busy longest.
func mostAccess(l *stats.Launch) *access {
	most := &accesses[0]
	for i := range accesses {
		if unitCycles(l, accesses[i].class) > unitCycles(l, most.class) {
			most = &accesses[i]
		}
	}
	return most
}

// perOperation returns the transactions of one operation, on average.
func (a *access) perOperation(l *stats.Launch) float64 {
	t := a.of(&l.Total)
	return ratio(t.Transactions, t.Requests)
}

func loadStoreFacts(l *stats.Launch) string {
	a := mostAccess(l)
	text := fmt.Sprintf("%s of that for %s", percent(ratio(unitCycles(l, a.class), loadStoreCycles(l))), a.what)
	if each := a.perOperation(l); each > 0 {
		text += fmt.Sprintf(", of %s %s each", significant(each), a.piece)
	}
	return text
}

func loadStoreAdvice(l *stats.Launch) string {
	a := mostAccess(l)
	t := a.of(&l.Total)
	switch row := l.Block[0]; {
	case a.class == isa.ClassShared && float64(t.Transactions) < manyPasses*float64(l.Total.SharedNeeded):
		return a.plainAdvice
	case a.class == isa.ClassShared && narrowBanks(l):
		return eightBytes
	case a.class == isa.ClassGlobal && a.perOperation(l) > severalLines && row < stats.WarpSize && l.ThreadsPerBlock() > row &&
		float64(t.Bytes) >= lowEfficiency*32*float64(t.Sectors):
		return fmt.Sprintf("blocks of 32 threads or more in x, not %d, let a warp touch fewer lines", row)
	case a.perOperation(l) <= a.plain || a.scatteredAdvice == "":
		return a.plainAdvice
	}
	return a.scatteredAdvice
}

// missCount is a cache of the SMX with its misses.
type missCount struct {
	what, help string
	misses     uint64
}

// mostMissed returns the cache with the most misses.
func mostMissed(l *stats.Launch) missCount {
	t := &l.Total
	return slices.MaxFunc([]missCount{
		{"local memory in L1", "smaller arrays, fewer spilled registers, fewer warps or a larger L1 (--cache-config l1) keep it there",
			t.L1Local.Accesses - t.L1Local.Hits},
		{"global loads in L1", "fewer lines at a time keep them there", t.L1Global.Accesses - t.L1Global.Hits},
		{"read-only loads in their cache", "fewer lines at a time keep them there", t.ReadOnly.Accesses - t.ReadOnly.Hits},
	}, func(a, b missCount) int { return cmp.Compare(a.misses, b.misses) })
}

func missFacts(l *stats.Launch) string {
	m := mostMissed(l)
	return fmt.Sprintf("accesses wait for one, most for %s, which misses %s times", m.what, count(m.misses))
}

func missAdvice(l *stats.Launch) string { return mostMissed(l).help }

// operationNames are classes of operations in the report's words.
var operationNames = map[isa.Class]string{
	isa.ClassMove: "moves", isa.ClassFP32: "single-precision additions and multiplications",
	isa.ClassFP32Compare: "single-precision comparisons", isa.ClassFP64: "double-precision additions and multiplications",
	isa.ClassFP64Compare: "double-precision comparisons", isa.ClassInteger: "whole-number additions and logic",
	isa.ClassIntegerCarry: "additions with carry", isa.ClassCompare: "comparisons", isa.ClassMultiply: "whole-number multiplications",
	isa.ClassShift: "shifts", isa.ClassBits: "bit fields and bit counts", isa.ClassSFU: "special functions",
	isa.ClassRangeReduce: "range reductions (before sin, cos and exp)", isa.ClassConvert: "conversions",
	isa.ClassConvertNarrow: "conversions", isa.ClassConvert64: "conversions to and from 64 bits", isa.ClassVideo: "video instructions",
	isa.ClassVideoSlow: "slow video instructions", isa.ClassShuffle: "shuffles", isa.ClassVote: "votes",
	isa.ClassSpecial: "reads of special registers", isa.ClassBranch: "branches", isa.ClassBarrier: "barriers", isa.ClassFence: "fences",
	isa.ClassGlobal: "global accesses", isa.ClassLocal: "local accesses", isa.ClassShared: "shared accesses",
	isa.ClassConstant: "loads of constants", isa.ClassAtomic: "atomics", isa.ClassSharedAtomic: "shared atomics",
	isa.ClassReadOnly: "read-only loads", isa.ClassTexture: "texture reads", isa.ClassSurface: "surface accesses",
	isa.ClassNop: "empty instructions",
}

// unitNames are execution units in the report's words.
var unitNames = [configs.ExecutionUnits]string{
	configs.UnitCore: "the arithmetic lanes", configs.UnitFP64: "the double-precision lanes", configs.UnitSFU: "the special function units",
	configs.UnitLoadStore: "the address lanes of the load/store unit", configs.UnitTexture: "the texture lanes",
	configs.UnitBranch: "the branch units",
}

// pipelineLimits returns the rates of classes of operations and the lanes of execution units, for the launch's chip.
func pipelineLimits(l *stats.Launch) []limit {
	var all []limit
	taken, lanes := l.PipelineCycles()
	constant := func(v float64) func(*stats.Launch) float64 { return onSMX(func(*stats.Launch) float64 { return v }) }
	for class, cycles := range taken {
		if cycles > 0 {
			rate := l.Chip.Classes[class].ResultsPerClock
			all = append(all, limit{
				kind: ComputeBound,
				name: "the rate of " + strings.Join(commonest(l, isa.Class(class)), ", "), busy: constant(cycles),
				facts:  fixedText(fmt.Sprintf("an SMX carries out %d a cycle, and %d single-precision additions", rate, l.Chip.LanesFP32)),
				advice: fixedText("only fewer of them make it faster"),
			})
		}
	}
	for unit, cycles := range lanes {
		if cycles > 0 {
			all = append(all, limit{
				kind: ComputeBound,
				name: unitNames[unit], busy: constant(cycles), facts: fixedText(fmt.Sprintf("an SMX has %d", l.Chip.Units[unit])),
				advice: fixedText("the instructions themselves are the work"),
			})
		}
	}
	return all
}

// commonest names the classes, the most common first, that make up most of the operations that share a rate.
func commonest(l *stats.Launch, first isa.Class) []string {
	var names []string
	all, named := uint64(0), uint64(0)
	for class, n := range l.Total.ByClass {
		if l.Chip.Classes[class].Shares == first {
			all += n
		}
	}
	for used := map[isa.Class]bool{}; float64(named) < mostOfRate*float64(all); {
		next := isa.ClassNone
		for class, n := range l.Total.ByClass {
			c := isa.Class(class)
			if l.Chip.Classes[c].Shares == first && !used[c] && (next == isa.ClassNone || n > l.Total.ByClass[next]) {
				next = c
			}
		}
		used[next] = true
		named += l.Total.ByClass[next]
		names = append(names, operationNames[next])
	}
	return names
}

// nearest returns the busiest unit, and the part of the time in which it was busy.
func nearest(l *stats.Launch) (most limit, part float64) {
	for _, unit := range limits(l) {
		if b := unit.busy(l); b > part {
			most, part = unit, b
		}
	}
	return most, min(1, part)
}

// limits returns all units; of the pipelines, only those that were used.
func limits(l *stats.Launch) []limit { return slices.Concat(unitLimits, pipelineLimits(l)) }
