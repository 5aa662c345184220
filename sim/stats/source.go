package stats

import "math"

// OperationCount is what a machine operation did, or all those of a source line or function. A warp's cycles are booked at the
// operation that it waits to issue, or, at a barrier and a fence, at the one where it waits; those behind its end at the accesses that it
// waits for.
type OperationCount struct {
	Executed uint64      // warp operations issued, replays left out
	Lanes    uint64      // lanes active whose guard held
	Stalls   StallCycles // warp cycles by reason; all zero in a functional run
	Memory   AccessCount
}

// AccessCount is what the accesses of a memory operation took. All zero for other operations, and in a functional run.
type AccessCount struct {
	Traffic
	InSectors uint64     // of Bytes, those of accesses that touch sectors: a line may access shared memory, too
	Cache     CacheCount // lines looked up in L1 or the read-only cache
	Replays   uint64     // issue slots taken again
	Answered  uint64     // accesses that brought a result
	Latency   uint64     // core cycles from their issue to their results, added up
}

// Book adds one access.
func (a *AccessCount) Book(bytes uint64, transactions, sectors int) {
	a.Traffic.Book(bytes, transactions, sectors)
	if sectors > 0 {
		a.InSectors += bytes
	}
}

// Add adds another's counters.
func (a *AccessCount) Add(other *AccessCount) {
	a.Traffic.Add(&other.Traffic)
	a.InSectors += other.InSectors
	a.Cache.Add(&other.Cache)
	a.Replays += other.Replays
	a.Answered += other.Answered
	a.Latency += other.Latency
}

// Efficiency returns what lanes asked for as a part of the sectors that were touched; more than 1 where lanes share words, 0 where no
// sectors are counted.
func (a *AccessCount) Efficiency() float64 {
	return ratio(float64(a.InSectors), SectorBytes*float64(a.Sectors))
}

// AverageLatency returns the core cycles from an access's issue to its result.
func (a *AccessCount) AverageLatency() float64 { return ratio(float64(a.Latency), float64(a.Answered)) }

// Add adds another's counters.
func (o *OperationCount) Add(other *OperationCount) {
	o.Executed += other.Executed
	o.Lanes += other.Lanes
	for i := range o.Stalls {
		o.Stalls[i] += other.Stalls[i]
	}
	o.Memory.Add(&other.Memory)
}

// Stalled returns the sum of warp cycles over all reasons.
func (o *OperationCount) Stalled() uint64 { return o.Stalls.Sum() }

// MostStalled returns the reason with the most warp cycles.
func (o *OperationCount) MostStalled() Stall {
	most := Stall(0)
	for i, cycles := range o.Stalls {
		if cycles > o.Stalls[most] {
			most = Stall(i)
		}
	}
	return most
}

// FunctionCount is one function of a kernel's program: the kernel, a function that it calls, or one whose calls were replaced by its
// body. Counters are its own, without those of functions it calls.
type FunctionCount struct {
	Symbol  string // as PTX spells it
	Name    string // for people
	Kernel  bool
	Inlined int    // calls in the program's text that its body replaced
	Calls   uint64 // times that a warp entered it by a call
	OperationCount
}

// SourceCount is one line of source, at one place where it was inlined if it was. Without .loc it is a PTX line. Operations that the
// compiler added for no line have an empty File.
type SourceCount struct {
	Place
	Function   int     // index into Launch.Functions
	InlinedAt  []Place // the calls that inlining replaced, innermost first
	Operations int     // of the machine program
	// Text is the line itself, "" where its file is not at hand.
	Text string
	// Accesses are the line's Memory by what its operations do, each kind that there is once.
	Accesses []KindCount
	OperationCount
}

// Place is a line of a file, from 1.
type Place struct {
	File string
	Line int
}

// Scale multiplies all counts, as the function of that name does of any struct.
func (o *OperationCount) Scale(factor float64) {
	if factor == 1 || *o == (OperationCount{}) {
		return
	}
	m := &o.Memory
	for _, n := range []*uint64{&o.Executed, &o.Lanes, &m.Requests, &m.Transactions, &m.Sectors, &m.Bytes, &m.InSectors, &m.Cache.Accesses,
		&m.Cache.Hits, &m.Replays, &m.Answered, &m.Latency} {
		*n = uint64(math.Round(float64(*n) * factor))
	}
	for i, n := range o.Stalls {
		o.Stalls[i] = uint64(math.Round(float64(n) * factor))
	}
}
