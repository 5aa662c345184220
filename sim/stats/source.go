package stats

import "math"

// OperationCount has the counters of a machine operation, or their sum over a source line or function. A warp's cycles are charged to the
// operation that it waits to issue, or waits at (a barrier or a fence). Cycles after its exit are charged to the accesses that it waits
// for.
type OperationCount struct {
	Executed uint64      // warp operations issued, without replays
	Lanes    uint64      // active lanes whose guard held
	Stalls   StallCycles // warp cycles by reason; all zero in a functional run
	Memory   AccessCount
}

// AccessCount has the counters of a memory operation's accesses; zero for other operations, and in a functional run.
type AccessCount struct {
	Traffic
	InSectors uint64     // the part of Bytes in accesses that use sectors: a line may also access shared memory
	Cache     CacheCount // lines looked up in L1 or the read-only cache
	Replays   uint64     // issue slots taken by replays
	Answered  uint64     // accesses with a result
	Latency   uint64     // sum of core cycles from issue to result
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

// Efficiency returns the requested bytes over those of the accessed sectors: above 1 if lanes share words, 0 if no sectors are counted.
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

// FunctionCount has the counters of one function of a kernel's program: the kernel, a function that it calls, or an inlined one. They
// exclude functions that it calls.
type FunctionCount struct {
	Symbol  string // as PTX spells it
	Name    string // for people
	Kernel  bool
	Inlined int    // calls in the program's text that were inlined
	Calls   uint64 // calls by warps
	OperationCount
}

// SourceCount has the counters of one source line, at one place of inlining. Without .loc it is a PTX line. Operations without a line,
// which the compiler added, have an empty File.
type SourceCount struct {
	Place
	Function   int     // index into Launch.Functions
	InlinedAt  []Place // the inlined calls, innermost first
	Operations int     // operations of the machine program
	// Text is the line itself, "" if its file is not available.
	Text string
	// Accesses divides the line's Memory by kind of access.
	Accesses []KindCount
	OperationCount
}

// Place is a line of a file, from 1.
type Place struct {
	File string
	Line int
}

// Scale multiplies all counts, like the function Scale.
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
