package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/keplersim/keplersim/sim/stats"
)

// Findings says in sentences what held a launch up, the most telling first. It is empty for a launch without timing.
func Findings(l *stats.Launch) []string {
	if l.Functional || l.Total.InstExecuted == 0 {
		return nil
	}
	var all []string
	for _, f := range findings {
		if text := f(l); text != "" {
			all = append(all, text)
		}
	}
	return all
}

// findings are the rules, in the order in which their sentences stand. Each gives "" where it has nothing to say.
var findings = []func(*stats.Launch) string{
	findBusiest, findOccupancyGap, findLimiter, findCoalescing, findBankConflicts, findDivergence, findBarriers, findSpills,
}

// The limits from which a rule speaks. They decide what is mentioned, never a number.
const (
	busy           = 0.6  // part of a peak rate from which a unit counts as the bottleneck
	gapWorthSaying = 0.05 // of the theoretical occupancy
	unequal        = 0.05 // of the busiest SMX's cycles
	lowEfficiency  = 0.6  // of the bytes moved
	lowLanes       = 0.8  // of a warp's lanes
	manyPasses     = 1.1  // passes over the banks for an access
	manyWaits      = 0.25 // part of all stalls
	lowOccupancy   = 0.5
)

// resource is a rate that a launch reached, as a part of what the chip can do.
type resource struct {
	name string
	part float64
	help string
}

// resources are the throughputs that may bound a launch.
func resources(l *stats.Launch) []resource {
	t := &l.Total
	cycles := l.TimeUS * float64(l.Chip.CoreMHz) * float64(l.Chip.SMXs)
	per := func(amount, capacity float64) float64 {
		if capacity == 0 || cycles == 0 {
			return 0
		}
		return amount / (capacity * cycles)
	}
	return []resource{
		{"device memory", stats.DRAMShare(l), "move fewer bytes, or keep them in L2 or shared memory"},
		{"the bandwidth of L2", stats.L2Share(l), "reuse data in shared memory or registers"},
		{"the texture units", stats.TextureShare(l), "read fewer texels, or narrower ones"},
		{"the issue slots", per(float64(t.IssuedSingle+t.IssuedDual), float64(l.Chip.Schedulers)), "only fewer instructions make it faster"},
		{"the single-precision lanes", per(float64(t.FlopAdd32+t.FlopMul32+t.FlopFMA32), float64(l.Chip.LanesFP32)), "the arithmetic itself is the work"},
		{"the double-precision lanes", per(float64(t.FlopAdd64+t.FlopMul64+t.FlopFMA64), float64(l.Chip.LanesFP64)), "the arithmetic itself is the work"},
		{"shared memory", per(float64(t.SharedLoad.Transactions+t.SharedStore.Transactions), 1), "keep more in registers, or use wider accesses"},
	}
}

// findBusiest says which throughput the launch comes closest to, or that it waits for latencies instead.
func findBusiest(l *stats.Launch) string {
	var most resource
	for _, r := range resources(l) {
		if r.part > most.part {
			most = r
		}
	}
	if most.part >= busy {
		return fmt.Sprintf("It is bound by %s: %s of the peak is used; %s.", most.name, percent(most.part), most.help)
	}
	stall, part := topStall(l)
	if stall == stats.StallCount {
		return ""
	}
	text := fmt.Sprintf("It waits for latencies: nothing is near its peak (the nearest is %s, %s).", most.name, percent(most.part))
	switch stall {
	case stats.StallMemoryDependency, stats.StallTexture:
		text += " More warps, or more independent loads in a thread, would hide memory's latency."
	case stats.StallExecutionDependency:
		text += " More warps, or more independent arithmetic in a thread, would hide the pipelines' latency."
	case stats.StallInstructionFetch:
		text += " The code does not stay in the instruction cache, or branches often."
	default:
		text += fmt.Sprintf(" The commonest stall, %s of them: %s.", percent(part), stall.Meaning())
	}
	return text
}

// topStall is the commonest stall reason, being passed over left out, and its part of all stalls. It is StallCount where
// there are none.
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

// findOccupancyGap explains why fewer warps were resident than could be.
func findOccupancyGap(l *stats.Launch) string {
	theoretical, achieved := l.Theoretical(), l.Achieved()
	if theoretical == 0 || theoretical-achieved < gapWorthSaying*theoretical {
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
		causes = append(causes, fmt.Sprintf("the last of %d waves of blocks is %s full (the tail)", waves, percent(float64(rest)/float64(atOnce))))
	}
	if least, most := l.ActiveRange(); !idle && most > 0 && float64(most-least) > unequal*float64(most) {
		causes = append(causes, fmt.Sprintf("the SMXs are not equally busy, %s to %s cycles (imbalance)", count(least), count(most)))
	}
	if len(causes) == 0 {
		causes = append(causes, "a block holds its place until its last warp ends, and the next block starts only then")
	}
	return text + strings.Join(causes, "; ") + "."
}

// findLimiter says what would let more warps in, where few fit.
func findLimiter(l *stats.Launch) string {
	if l.Theoretical() >= lowOccupancy || len(l.Occupancy.Limiters) == 0 {
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

// findCoalescing points at accesses that move more than is asked for.
func findCoalescing(l *stats.Launch) string {
	var parts []string
	for _, k := range []struct {
		name    string
		traffic *stats.Traffic
	}{{"loads", &l.Total.GlobalLoad}, {"stores", &l.Total.GlobalStore}} {
		moved := float64(k.traffic.Sectors) * 32
		if moved > 0 && float64(k.traffic.Bytes) < lowEfficiency*moved {
			parts = append(parts, fmt.Sprintf("global %s use %s of the bytes that they move (%s sectors of 32 bytes an instruction)",
				k.name, percent(float64(k.traffic.Bytes)/moved), significant(float64(k.traffic.Sectors)/float64(k.traffic.Requests))))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return capital(strings.Join(parts, ", ")) + ": neighbouring threads should touch neighbouring addresses."
}

// findBankConflicts points at accesses of shared memory that take several passes.
func findBankConflicts(l *stats.Launch) string {
	t := &l.Total
	requests := t.SharedLoad.Requests + t.SharedStore.Requests
	passes := t.SharedLoad.Transactions + t.SharedStore.Transactions
	if requests == 0 || float64(passes) < manyPasses*float64(requests) {
		return ""
	}
	return fmt.Sprintf("Accesses of shared memory take %s passes on average (bank conflicts or wide accesses).", significant(float64(passes)/float64(requests)))
}

// findDivergence points at idle lanes.
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

// findBarriers points at waiting for other warps of the block.
func findBarriers(l *stats.Launch) string {
	if all := l.Stalled(); all > 0 && float64(l.Total.Stalls[stats.StallSync]) > manyWaits*float64(all) {
		return "Warps wait for each other at barriers: smaller blocks, of which several are resident, fill the time."
	}
	return ""
}

// findSpills points at registers in local memory.
func findSpills(l *stats.Launch) string {
	if l.SpillBytes == 0 {
		return ""
	}
	return fmt.Sprintf("%s of registers a thread are spilled to local memory (%d stores, %d loads in the program).",
		plural(uint64(l.SpillBytes), "byte"), l.SpillStores, l.SpillLoads)
}

// capital makes a sentence's first letter large.
func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// stallShare is one stall reason's part of all stalls.
type stallShare struct {
	reason stats.Stall
	part   float64
}

// stallShares are the stall reasons by their part, the largest first. The parts, rounded to a tenth of a percent, sum to
// 100 %: what rounding loses goes to those that lost most by it.
func stallShares(l *stats.Launch) []stallShare {
	all := l.Stalled()
	if all == 0 {
		return nil
	}
	shares := make([]stallShare, 0, stats.StallCount)
	tenths := make([]int, stats.StallCount)
	lost := make([]float64, stats.StallCount)
	left := 1000
	for s := range stats.StallCount {
		exact := 1000 * float64(l.Total.Stalls[s]) / float64(all)
		tenths[s] = int(math.Floor(exact))
		lost[s] = exact - float64(tenths[s])
		left -= tenths[s]
	}
	for ; left > 0; left-- {
		worst := 0
		for s := range lost {
			if lost[s] > lost[worst] {
				worst = s
			}
		}
		tenths[worst]++
		lost[worst] = -1
	}
	for s := range stats.StallCount {
		if tenths[s] > 0 {
			shares = append(shares, stallShare{s, float64(tenths[s]) / 1000})
		}
	}
	sortShares(shares)
	return shares
}
