package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/sim/stats"
)

// Findings says in sentences what held a launch up, the most important first. It returns nil for a launch without timing.
func Findings(l *stats.Launch) []string {
	if l.Functional || l.Total.InstExecuted == 0 {
		return nil
	}
	var all []string
	shown := map[stats.Place]bool{}
	for _, f := range findings {
		text := f.rule(l)
		if text == "" {
			continue
		}
		if f.lines != nil {
			if where := f.lines(l).where(l, shown); where != "" {
				text += " " + where
			}
		}
		all = append(all, text)
	}
	return all
}

// findings are the rules, in the order of their sentences. A rule returns "" if it does not apply. lines, if not nil, returns the measure
// that finds the source lines to blame.
var findings = []struct {
	rule  func(*stats.Launch) string
	lines func(*stats.Launch) measure
}{
	{findPartialBarriers, nil}, {findLimit, limitWhere}, {findShortness, nil}, {findColdStart, nil}, {findOccupancyGap, nil},
	{findLimiter, nil},
	{findCoalescing, excessBytes}, {findBankConflicts, by(furtherPasses)}, {findDivergence, by(idleLanes)},
	{findBarriers, by(waitedFor(stats.StallSync))}, {findSpills, nil},
}

// Thresholds of the rules. They decide what is mentioned, and never change a figure.
const (
	// limiting is the part of the time from which a unit counts as the limit. Busy time is averaged over start, tail and barriers, so even
	// a unit at which warps queue is seldom busy all the time.
	limiting        = 0.7
	half            = 0.5  // part of the time from which a unit is worth naming besides the waiting
	lowBusy         = 0.2  // part of the time below which naming a unit would mislead
	highInFlight    = 0.8  // of the requests that an SMX can have in flight
	lowAverage      = 0.6  // of the busiest of several equal units: a lower average means uneven load
	severalLines    = 1.2  // for each access of global memory
	manyReplays     = 0.25 // of the issue slots
	mostOfRate      = 0.7  // of the operations that share a rate: enough classes are named to make up this part
	minCost         = 0.05 // of a unit's time: smaller costs are not worth a sentence
	minOccupancyGap = 0.05 // of the theoretical occupancy
	unequal         = 0.05 // of the busiest SMX's cycles
	lowEfficiency   = 0.6  // of the bytes moved
	lowLanes        = 0.8  // of a warp's lanes
	manyPasses      = 1.1  // passes over the banks for an access
	manyWaits       = 0.25 // of all stalls
	coldStart       = 0.15 // of all stalls
	constantLines   = 4    // lines of the first constant cache in a line of the second
	capacityMisses  = 2    // fetches of a code line by an SMX, on average, above which the code does not fit
	shortLaunch     = 0.25 // of a launch's time, before and after its blocks
	lowOccupancy    = 0.5
	roomForWarps    = 0.75 // of the warps that an SMX can hold: with fewer, more would help
)

// findLimit names the unit that is closest to its limit, or what warps wait for if no unit is.
func findLimit(l *stats.Launch) string {
	unit, part := nearest(l)
	facts := ""
	if unit.facts != nil {
		if facts = unit.facts(l); facts != "" {
			facts = " (" + facts + ")"
		}
	}
	if part >= limiting {
		return fmt.Sprintf("The limit is %s: busy %s of the time%s. %s.", unit.name, percent(part), facts, capital(unit.advice(l)))
	}
	waits := waiting(l)
	under := ratio(float64(l.Total.OutstandingCycles), float64(l.Total.ActiveCycles)*float64(l.Chip.Outstanding))
	switch {
	case waits == "":
		return ""
	case under >= highInFlight:
		return fmt.Sprintf("Each SMX has %s requests to memory in flight of the %d that it can have, on average: more warps would not "+
			"help, fewer lines touched would.",
			significant(under*float64(l.Chip.Outstanding)), l.Chip.Outstanding)
	case part >= half:
		return fmt.Sprintf("The nearest limit is %s: busy %s of the time%s. %s. Beside that, %s", unit.name, percent(part), facts,
			capital(unit.advice(l)), waits)
	}
	if part < lowBusy {
		return fmt.Sprintf("No unit is busy for more than %s of the time: %s", percent(part), waits)
	}
	return fmt.Sprintf("No unit is at its limit (the nearest is %s, busy %s of the time): %s", unit.name, percent(part), waits)
}

// waiting says what warps wait for most and what would help, "" if they never wait.
func waiting(l *stats.Launch) string {
	reason, part := topStall(l)
	if reason == stats.StallCount {
		return ""
	}
	w := waits[reason]
	text := fmt.Sprintf("warps wait for %s, %s of all waiting.", awaited(l, reason), percent(part))
	if w.instead != "" && l.Achieved() < roomForWarps {
		return text + " More warps at a time, or " + w.instead + ", would hide it."
	} else if w.instead != "" {
		return text + " " + capital(w.instead) + " would hide it."
	}
	return text + w.then
}

// awaited returns what warps wait for. It names atomics instead of memory if they take longer than loads.
func awaited(l *stats.Launch, reason stats.Stall) string {
	t, m := &l.Total, &l.Memory
	switch a := t.SharedAtomics; {
	case reason == stats.StallShared && a.Transactions > t.SharedLoad.Transactions+t.SharedStore.Transactions:
		return fmt.Sprintf("atomics on shared memory (%s rounds each)", significant(ratio(a.Transactions, a.Requests)))
	case reason == stats.StallMemoryDependency && m.AtomicLatency > m.L2HitLatency+m.DRAMLatency:
		return "the results of atomics"
	}
	return waits[reason].what
}

// waits describes the stall reasons: what warps wait for, what hides it instead of more warps, and what else to say then.
var waits = [stats.StallCount]struct{ what, instead, then string }{
	stats.StallInstructionFetch:    {"instructions to be fetched", "", ""},
	stats.StallExecutionDependency: {"the results of arithmetic", "more independent arithmetic in a thread", ""},
	stats.StallShared:              {"data from shared memory", "more independent accesses in a thread", ""},
	stats.StallMemoryDependency:    {"data from memory", "more independent loads in a thread", ""},
	stats.StallTexture: {
		"data from the texture path, which serves read-only loads too", "more independent reads in a thread", "",
	},
	stats.StallSync: {"other warps at barriers", "", ""},
	stats.StallPipeBusy: {
		"units that take an operation every few cycles", "",
		" They need the same unit at the same time; other instructions in between would spread that.",
	},
	stats.StallMemoryThrottle: {
		"room in the load/store unit", "", " Accesses come in bursts: arithmetic in between, or fewer lines an access, would spread them.",
	},
	stats.StallConstant: {"constants and parameters", "", ""},
	stats.StallBranch:   {"branches (a warp issues nothing for some cycles behind each)", "unrolled loops and fewer branches", ""},
	stats.StallFence: {
		"fences, until all that they have written is there", "", " Fewer fences, or more work between them, would make it faster.",
	},
	stats.StallExit: {
		"their last stores to be written, after their ends", "", " Each thread does little: more elements a thread would make it less.",
	},
	stats.StallSleep:  {"the end of their sleep", "", ""},
	stats.StallSystem: {"system calls (printf, malloc)", "", ""},
	stats.StallOther:  {"their start", "", ""},
}

// topStall returns the most common stall reason except not_selected, and its part of all stalls; StallCount if there are no stalls.
func topStall(l *stats.Launch) (stats.Stall, float64) {
	top, most := stats.StallCount, uint64(0)
	for s := range stats.StallCount {
		if c := l.Total.Stalls[s]; c > most && s != stats.StallNotSelected {
			top, most = s, c
		}
	}
	if all := l.Stalled(); all > 0 {
		return top, float64(most) / float64(all)
	}
	return stats.StallCount, 0
}

// findShortness reports that a launch's fixed start and end are a large part of its time.
func findShortness(l *stats.Launch) string {
	cycles := l.TimeUS * float64(l.Chip.CoreMHz)
	own := cycles - span(l)
	if cycles == 0 || own < shortLaunch*cycles {
		return ""
	}
	return fmt.Sprintf("The launch is short: %s of its time passes before its first block begins and after its last has ended. More "+
		"work in one launch would make that less.", percent(own/cycles))
}

// findColdStart reports code that does not fit the instruction cache, or else code and constants that are read for the first time.
func findColdStart(l *stats.Launch) string {
	all, t := l.Stalled(), &l.Total
	if all == 0 {
		return ""
	}
	fetches := float64(t.Stalls[stats.StallInstructionFetch]) / float64(all)
	constants := 0.0
	// Indexed loads also wait for their turns. A line of the second level holds constantLines lines of the first. More hits for each miss
	// mean that the first level evicts lines, so these are not first reads.
	if t.LoadStoreCycles[isa.ClassConstant] == 0 && t.ConstantL15.Accesses <= constantLines*(t.ConstantL15.Accesses-t.ConstantL15.Hits) {
		constants = float64(t.Stalls[stats.StallConstant]) / float64(all)
	}
	used := 0
	for _, s := range l.Shares() {
		if s.ActiveCycles > 0 {
			used++
		}
	}
	// Both levels have lines of the same size, so a hit in the second level means that the first one has evicted the line.
	first := t.InstructionL15.Accesses - t.InstructionL15.Hits
	first = min(first, uint64(used)*uint64(l.CodeBytes/max(1, l.Chip.InstructionLine)+1))
	if l.CodeBytes > l.Chip.InstructionCache && t.InstructionL15.Accesses > capacityMisses*first {
		if fetches < minCost {
			return ""
		}
		return fmt.Sprintf("The code, %s, does not stay in the instruction cache of %s: %s of all waiting is for instructions. Loops "+
			"that fit would run faster.",
			inBytes(float64(l.CodeBytes)), inBytes(float64(l.Chip.InstructionCache)), percent(fetches))
	}
	if fetches+constants < coldStart {
		return ""
	}
	times := ratio(float64(t.InstExecuted), float64(used)*float64(codeOperations(l)))
	return fmt.Sprintf("%s of all waiting is for instructions and constants that an SMX reads for the first time; this weighs where "+
		"each instruction runs seldom, here %s times an SMX on average.",
		percent(fetches+constants), significant(times))
}

// codeOperations returns the number of a program's operations, from the size of its code.
func codeOperations(l *stats.Launch) int { return l.CodeBytes / max(1, l.Chip.InstructionBytes) }

// findOccupancyGap explains why fewer warps were resident than possible.
func findOccupancyGap(l *stats.Launch) string {
	theoretical, achieved := l.Theoretical(), l.Achieved()
	if theoretical == 0 || theoretical-achieved < minOccupancyGap*theoretical {
		return ""
	}
	text := fmt.Sprintf("Occupancy stays at %s of the %s possible: ", percent(achieved), percent(theoretical))
	atOnce := uint64(l.Occupancy.Blocks) * uint64(l.Chip.SMXs)
	total := l.BlocksTotal()
	if atOnce == 0 {
		return ""
	}
	var causes []string
	idle := total < uint64(l.Chip.SMXs)
	if idle {
		causes = append(causes, fmt.Sprintf("the grid has %s for %d SMXs", plural(total, "block"), l.Chip.SMXs))
	} else if total < atOnce {
		causes = append(causes, fmt.Sprintf("the grid has %s where %s fit at once", plural(total, "block"), count(atOnce)))
	} else if rest := total % atOnce; rest > 0 && total < 10*atOnce {
		waves := (total + atOnce - 1) / atOnce
		causes = append(causes, fmt.Sprintf(
			"the last of %d waves of blocks is %s full (the tail)", waves, percent(float64(rest)/float64(atOnce)),
		))
	}
	if least, most := l.ActiveRange(); !idle && most > 0 && float64(most-least) > unequal*float64(most) {
		causes = append(causes, fmt.Sprintf("the SMXs are not equally busy, %s to %s cycles (imbalance)", count(least), count(most)))
	}
	if _, busy := nearest(l); len(causes) == 0 && busy >= limiting { // more warps would find the same unit busy
		return ""
	} else if len(causes) == 0 {
		causes = append(causes, "a block holds its place until its last warp ends, and the next block starts only then")
	}
	return text + strings.Join(causes, "; ") + "."
}

// findLimiter says what would let more warps in, if few fit and blocks wait for room.
func findLimiter(l *stats.Launch) string {
	fit := uint64(l.Occupancy.Blocks) * uint64(l.Chip.SMXs)
	if l.Theoretical() >= lowOccupancy || len(l.Occupancy.Limiters) == 0 || l.BlocksTotal() <= fit {
		return ""
	}
	help := map[string]string{
		"registers":     fmt.Sprintf("%d registers a thread; --maxrregcount tries fewer", l.Registers),
		"shared_memory": fmt.Sprintf("%d bytes of shared memory a block", l.StaticShared+l.DynamicShared),
		"blocks":        fmt.Sprintf("blocks of %d threads are small for %d blocks an SMX", l.ThreadsPerBlock(), l.Chip.BlocksPerSMX),
		"warps":         fmt.Sprintf("blocks of %d threads do not divide the SMX's warps well", l.ThreadsPerBlock()),
	}
	var reasons []string
	for _, name := range l.Occupancy.Limiters {
		reasons = append(reasons, help[name])
	}
	return fmt.Sprintf("Only %d of %d warps fit into an SMX: %s.", l.Occupancy.Warps, l.Chip.WarpsPerSMX, strings.Join(reasons, "; "))
}

// globalTraffic is the traffic of global accesses in one direction.
type globalTraffic struct {
	name    string
	traffic *stats.Traffic
	kinds   []stats.AccessKind
}

// scattered returns the global accesses that move more bytes than they ask for, if that costs time.
func scattered(l *stats.Launch) (all []globalTraffic) {
	for _, k := range []globalTraffic{
		{"loads", &l.Total.GlobalLoad, []stats.AccessKind{stats.AccessGlobalLoad, stats.AccessGenericLoad}},
		{"stores", &l.Total.GlobalStore, []stats.AccessKind{stats.AccessGlobalStore, stats.AccessGenericStore}},
	} {
		moved := float64(k.traffic.Sectors) * 32
		if moved > 0 && float64(k.traffic.Bytes) < lowEfficiency*moved && wasted(l, k.traffic) >= minCost {
			all = append(all, k)
		}
	}
	return all
}

// findCoalescing reports accesses that move more bytes than they ask for, if that costs time.
func findCoalescing(l *stats.Launch) string {
	var parts []string
	help := ""
	for _, k := range scattered(l) {
		parts = append(parts, fmt.Sprintf("global %s use %s of the bytes that they move (%s sectors of 32 bytes an instruction)",
			k.name, percent(float64(k.traffic.Bytes)/(32*float64(k.traffic.Sectors))),
			significant(ratio(k.traffic.Sectors, k.traffic.Requests))))
		if help != neighbours {
			help = spreading(k.traffic)
		}
		if l.Total.LoadStoreCycles[isa.ClassSurface] > unitCycles(l, isa.ClassGlobal) {
			help = "a surface keeps texels in squares: let the threads of a warp form squares too"
		}
	}
	if len(parts) == 0 {
		return ""
	}
	if unit, busy := nearest(l); busy >= half && unit.advice(l) == help { // findLimit has said it
		return capital(strings.Join(parts, ", ")) + "."
	}
	return capital(strings.Join(parts, ", ")) + ": " + help + "."
}

// spreading says why accesses move more than they ask for: they ask for little, they begin within a sector, or their lanes are far apart.
func spreading(t *stats.Traffic) string {
	asked := float64(t.Bytes) / configs.SectorBytes / float64(t.Requests)
	switch each := float64(t.Sectors) / float64(t.Requests); {
	case each <= math.Ceil(asked):
		return "each asks for less than a sector, the least that moves; more lanes at work, or wider accesses, use more of it"
	case each <= asked+1:
		return "each is short and begins or ends within a sector; wider accesses, or rows that begin at multiples of 32 bytes, use " +
			"more of it"
	}
	return neighbours
}

// wasted returns the part of the time in which bytes beyond those asked for keep a unit busy: the load/store unit with lines, or the path
// to L2 with sectors.
func wasted(l *stats.Launch, t *stats.Traffic) float64 {
	lines := float64(t.Transactions) - max(float64(t.Requests), float64(t.Bytes)/configs.LineBytes)
	all := l.Total.GlobalLoad.Transactions + l.Total.GlobalStore.Transactions
	unit := ratio(unitCycles(l, isa.ClassGlobal), float64(l.Total.ActiveCycles)) * ratio(lines, float64(all))
	sectors := float64(t.Sectors) - float64(t.Bytes)/configs.SectorBytes
	m := &l.Memory
	path := max(onSMX(func(l *stats.Launch) float64 {
		return max(m.ResponseLinks.Sum, m.RequestLinks.Sum)
	})(l), ratio(m.L2Slices.Most, span(l)))
	return max(unit, path*min(1, ratio(sectors, float64(m.L2ReadSectors+m.L2WriteSectors+m.L2AtomicSectors))))
}

// findBankConflicts reports shared memory accesses that take more passes than they need, if those cost time.
func findBankConflicts(l *stats.Launch) string {
	t := both(l.Total.SharedLoad, l.Total.SharedStore)
	if t.Requests == 0 || float64(excessPasses(l)) < minCost*float64(l.Total.ActiveCycles) ||
		float64(t.Transactions) < manyPasses*float64(l.Total.SharedNeeded) {
		return ""
	}
	text := fmt.Sprintf("Accesses of shared memory take %s passes on average where %s would do",
		significant(ratio(t.Transactions, t.Requests)), significant(ratio(l.Total.SharedNeeded, t.Requests)))
	unit, busy := nearest(l)
	switch {
	case !narrowBanks(l):
		return text + ": lanes meet in banks."
	case busy >= half && unit.advice(l) == eightBytes: // findLimit has said it
		return text + "."
	}
	return text + ": " + eightBytes + "."
}

// excessPasses returns the passes over shared memory's banks beyond those that the accesses' widths need.
func excessPasses(l *stats.Launch) uint64 {
	passes := l.Total.SharedLoad.Transactions + l.Total.SharedStore.Transactions
	return passes - min(passes, l.Total.SharedNeeded)
}

// narrowBanks reports whether most of the spare passes are due to banks of 4 bytes.
func narrowBanks(l *stats.Launch) bool { return 2*l.Total.SharedNarrow > excessPasses(l) }

const eightBytes = "banks of 8 bytes (--bank-mode 8, cudaSharedMemBankSizeEightByte) serve 64-bit accesses in one pass"

// findDivergence reports idle lanes.
func findDivergence(l *stats.Launch) string {
	t := &l.Total
	lanes := float64(t.ThreadInstExecuted) / float64(t.InstExecuted)
	if lanes >= lowLanes*stats.WarpSize {
		return ""
	}
	text := fmt.Sprintf("A warp has %s of its %d lanes active on average", significant(lanes), stats.WarpSize)
	if t.DivergentBranches > 0 {
		return text + fmt.Sprintf("; %s of %s branches split a warp.", count(t.DivergentBranches), count(t.Branches))
	}
	if l.ThreadsPerBlock()%stats.WarpSize != 0 {
		return text + fmt.Sprintf("; blocks of %d threads leave lanes of their last warp empty.", l.ThreadsPerBlock())
	}
	return text + "."
}

// findPartialBarriers reports barriers that only part of a warp's threads reach.
func findPartialBarriers(l *stats.Launch) string {
	if l.Total.PartialBarriers == 0 {
		return ""
	}
	return fmt.Sprintf("%s of %s at barriers came with a part of the warp's threads: a barrier counts whole warps, so the others are not "+
		"waited for, and CUDA leaves open what happens. 'keplersim run --check' names the barrier and the threads.",
		count(l.Total.PartialBarriers), plural(l.Total.Barriers, "arrival"))
}

// findBarriers reports waiting at barriers.
func findBarriers(l *stats.Launch) string {
	if l.Total.PartialBarriers > 0 {
		return ""
	}
	if all := l.Stalled(); all > 0 && float64(l.Total.Stalls[stats.StallSync]) > manyWaits*float64(all) {
		return "Warps wait for each other at barriers: smaller blocks fill the time, because several are resident."
	}
	return ""
}

// findSpills reports spilled registers.
func findSpills(l *stats.Launch) string {
	if l.SpillBytes == 0 {
		return ""
	}
	return fmt.Sprintf("%s of registers a thread are spilled to local memory (%d stores, %d loads in the program).",
		plural(uint64(l.SpillBytes), "byte"), l.SpillStores, l.SpillLoads)
}

// capital returns a sentence with a capital first letter.
func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
