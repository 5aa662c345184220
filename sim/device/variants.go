package device

import (
	"math"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/sim/estimate"
	"github.com/keplersim/keplersim/sim/smx"
)

// Launches of one kernel that differ in their grids, in their parameters or in what memory holds are its variants. What one does is told
// before it is timed: its blocks run without timing, or for time alone some of them. From that comes its signature, and its time from
// those variants that were timed and have signatures near it. Where these say too little it is taken back, and timed.

// relation is what variants have in common.
type relation struct {
	program *smx.Program
	block   [3]uint32
	shared  int
}

// variants are launches of one kernel of which some have been timed.
type variants struct {
	surface   estimate.Surface // of their cycles, by signature
	last      *detail
	skipped   int     // since the last in detail
	missed    float64 // squares of how far off the surface was, in its standard deviations
	checked   float64 // their number
	again     int     // how many are before the next
	failed    int     // how many launches in turn were tried and then timed
	wait      int     // how many are timed before one is tried again
	gaps      uint64  // of the device when one was last timed
	cold      *cold   // the last one that was, nil where a measurement has come since
	apart     float64 // how far off, as a share, those are
	takesBack bool    // a run without timing can be taken back
	fences    bool    // its blocks may wait for each other, so that not some of them can run
}

const (
	// leastVariants is how many variants are timed before one is tried, behind the first, which finds the caches cold.
	leastVariants = 3
	// launchesClose is how wide an interval a variant may have, as a share, that is estimated.
	launchesClose = 0.05
	// The surface is taken to have been off beforehand, doubted times as far as it says, for as many measurements as trusted. What they say
	// is forgotten but for a part when the next comes.
	trusted, doubted, forgetting = 2, 1.5, 0.95
	// windowsSurer is by how much the interval of a launch of which windows were timed is wider than the standard deviation that it is
	// taken to have: that of neighbours shows as how far they stray.
	windowsSurer = 4
	// Signatures do not show all. unseenFirst is how wide the interval of an estimate by signature is at least, as a share, before a
	// measurement has told, unseenLeast in any case.
	unseenFirst, unseenLeast = 0.06, 0.015
	// mostVariants is how many are estimated at most before one is timed all the same.
	mostVariants = 64
	// mostWait is how many launches are timed at most before one is tried again.
	mostWait = 7
	// mostWritten is what a launch writes at most that is to be taken back, in sectors, by what the last one wrote.
	mostWritten = 1 << 19
	// asBefore is how far, as a share, a launch may differ from what another of its shape executed to be taken for another of the same.
	asBefore = 0.002
	// sectorsAsBefore is the same for the sectors of a request, which are known of some blocks.
	sectorsAsBefore = 0.05
)

// variantsOf returns those of a grid.
func (d *Device) variantsOf(g *Grid) *variants {
	key := relation{program: g.Program, block: g.Block, shared: g.Shared}
	f := d.variants[key]
	if f == nil {
		if d.variants == nil {
			d.variants = map[relation]*variants{}
		}
		f = &variants{surface: estimate.Surface{Sizes: signatureSizes}, again: detailedAgain, apart: coldApart,
			takesBack: g.Program.TakesBack(), fences: g.Program.Fences()}
		d.variants[key] = f
	}
	return f
}

// ready reports that it may be known how long the next launch takes when it is known what it does.
func (f *variants) ready(d *Device, h haste) bool {
	switch {
	case f.last == nil || h == timesAll:
		return false
	case h == timesLeast:
		return f.surface.Count() > 0 && (f.triable(d) || !d.options.TimeAlone)
	case !f.triable(d):
		return false
	case f.wait > 0:
		f.wait--
		return false
	}
	return f.surface.Count() >= leastVariants && f.skipped < f.again
}

// triable reports that one can be tried, and taken back.
func (f *variants) triable(d *Device) bool {
	if d.options.TimeAlone { // some blocks, which write little
		return f.takesBack && !f.fences
	}
	return f.takesBack && f.last.memory.L2WriteSectors <= mostWritten
}

// checkable reports that it can be told how long one is expected to take that is to be timed.
func (f *variants) checkable(d *Device) bool {
	return f.surface.Count() >= leastVariants && f.triable(d)
}

// note takes in a launch of which a part at least was timed, and whether it found the caches as it would have if all were.
func (f *variants) note(e *estimation, last *detail, warm bool) {
	unsure := 0.0
	if e := e.grid.Estimate; e != nil {
		unsure = e.Half / last.cycles / windowsSurer
	}
	switch {
	case !warm:
		f.cold = &cold{last.signature, last.cycles}
		return
	case f.last == nil: // the first finds the caches cold
		f.last = last
		return
	}
	if f.surface.Count() >= leastVariants && (f.skipped > 0 || e.expected != nil) {
		expected, half := f.surface.Predict(last.signature)
		if e := e.expected; e != nil && e.signature {
			expected, half = e.cycles, e.said
		}
		if half <= 2*launchesClose*expected {
			f.missed = forgetting*f.missed + math.Pow((last.cycles-expected)/half*estimate.Deviations, 2)
			f.checked = forgetting*f.checked + 1
		}
		f.again = min(nextAgain(f.again, math.Abs(last.cycles-expected) <= max(half, systematic*expected)), mostVariants)
	}
	f.surface.Add(last.signature, last.cycles, unsure)
	f.compare()
	f.last, f.skipped = last, 0
}

// off is how much wider an interval is than the surface says, by how far off it was.
func (f *variants) off() float64 {
	return max(1, math.Sqrt((trusted*doubted*doubted+f.missed)/(trusted+f.checked)))
}

// unseen is how wide an interval is at least, as a share, by how many measurements have told whether signatures show what matters.
func (f *variants) unseen() float64 { return max(unseenLeast, unseenFirst/math.Sqrt(1+f.checked)) }

// tried notes whether a launch that was tried could be estimated.
func (f *variants) tried(estimated bool) {
	if estimated {
		f.failed = 0
		return
	}
	f.failed++
	f.wait = min(1<<f.failed-2, mostWait)
}

// Coordinates of a signature. The first signatureSizes are logarithms of sizes.
const (
	signatureBlocks = iota // of the SMX that has most
	signatureWaves         // of blocks: the last may have few
	signatureWork          // warp instructions a block
	signatureSizes
	signatureLanes    = iota - 1 // that are active, the logarithm of their mean
	signatureSectors             // a request, the logarithm
	signatureLines               // the same
	signatureDiverges            // branches that do, as a share of the warp instructions
	signatureStray               // how far blocks do from each other, as a share
	signatureClasses             // operations by class, as shares
	signatureLength   = signatureClasses + int(isa.ClassCount)
)

// weightOfShares is how many coordinates' units the whole of the warp instructions is: a tenth of them more or less of some class makes as
// much of a difference as a quarter more of everything.
const weightOfShares = 2.5

// strayOf is how far blocks stray from each other in how much they execute, as a share.
func strayOf(shares []*smx.Share) float64 {
	sum := smx.Lengths{}
	for _, h := range shares {
		if h != nil {
			sum.Add(h.Lengths())
		}
	}
	return sum.Stray()
}

// signature is what a launch does, by what so many blocks of it have executed and how far these stray.
func (e *estimation) signature(d *Device, shares []*smx.Share, blocks, stray float64) []float64 {
	at := make([]float64, signatureLength)
	operations := make([]float64, len(e.grid.Program.Machine.Ops))
	executed, lanes, diverging := 0.0, 0.0, 0.0
	accesses := smx.Shape{}
	for _, h := range shares {
		if h != nil {
			h.Executed(operations)
			lanes += float64(h.Counters.ThreadInstExecuted)
			diverging += float64(h.Counters.DivergentBranches)
			accesses.Add(h.Shape())
		}
	}
	for i, n := range operations {
		executed += n
		at[signatureClasses+int(e.grid.Program.Machine.Ops[i].Class)] += n
	}
	executed = max(executed, 1)
	for i := signatureClasses; i < signatureLength; i++ {
		at[i] *= weightOfShares / executed
	}
	at[signatureBlocks] = math.Log(math.Ceil(float64(e.grid.Blocks()) / float64(len(d.smxs))))
	at[signatureWaves] = math.Log(math.Ceil(float64(e.grid.Blocks()) / float64(e.wave)))
	at[signatureWork] = math.Log(executed / blocks)
	at[signatureLanes] = math.Log(max(lanes, 1) / executed)
	at[signatureStray] = stray
	at[signatureDiverges] = weightOfShares * diverging / executed
	if accesses.Requests > 0 {
		at[signatureSectors] = math.Log(1 + float64(accesses.Sectors)/float64(accesses.Requests))
		at[signatureLines] = math.Log(1 + float64(accesses.Lines)/float64(accesses.Requests))
	}
	return at
}
