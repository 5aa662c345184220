package stats

import "github.com/keplersim/keplersim/isa"

// SMX has the counters of one multiprocessor, or their sum. Cycles are core clock cycles.
type SMX struct {
	ElapsedCycles uint64 // from the launch's first to its last cycle
	ActiveCycles  uint64 // with at least one warp resident

	InstExecuted       uint64 // warp machine operations issued, without replays
	InstIssued         uint64 // the same with replays
	IssuedSingle       uint64 // scheduler cycles in which one operation issued (nvprof: inst_issued1)
	IssuedDual         uint64 // scheduler cycles in which two issued (nvprof: inst_issued2)
	IssueSlots         uint64 // scheduler cycles in which anything issued
	SchedulerCycles    uint64 // scheduler cycles of active cycles
	ThreadInstExecuted uint64 // lanes active in executed operations, predicated-off lanes counted
	NotPredicatedOff   uint64 // lanes active whose guard held
	PTXInstructions    uint64 // warp PTX instructions completed

	ActiveWarpCycles   uint64 // sum over active cycles of resident warps
	EligibleWarpCycles uint64 // sum over active cycles of warps that could issue

	ByClass [isa.ClassCount]uint64 // warp operations by class

	Branches          uint64 // conditional and unconditional branch operations
	DivergentBranches uint64 // branches that split a warp
	Barriers          uint64 // warps arriving at barriers
	PartialBarriers   uint64 // arrivals of only some of a warp's live lanes
	BlocksLaunched    uint64
	WarpsLaunched     uint64
	ThreadsLaunched   uint64

	FlopAdd32, FlopMul32, FlopFMA32, FlopSpecial32 uint64 // lane operations; an FMA counts once here, twice in flop_count
	FlopAdd64, FlopMul64, FlopFMA64                uint64
	IntegerLanes, BitLanes, ConvertLanes           uint64
	ControlLanes, MemoryLanes, MiscLanes           uint64
	ExchangeLanes                                  uint64 // shuffles and votes
	RegisterAccesses                               uint64 // 32-bit registers read and written, by lane

	Stalls StallCycles // warp cycles by reason

	LoadStoreCycles   [isa.ClassCount]float64 // cycles that the load/store unit's queue was booked for, by class of operation
	CollectionCycles  float64                 // scheduler cycles that register bank conflicts added
	HeldCycles        uint64                  // active cycles in which the load/store unit waited for an MSHR of a data cache
	OutstandingCycles uint64                  // sum over active cycles of requests to the memory system in flight

	GlobalLoad, GlobalStore, LocalLoad, LocalStore Traffic
	SharedLoad, SharedStore                        Traffic
	SharedNeeded                                   uint64 // least passes for accesses of that width
	SharedNarrow                                   uint64 // passes only needed because banks are 4 bytes wide, by 64-bit accesses
	ReadOnlyLoad                                   Traffic
	Atomics, Reductions, SharedAtomics             Traffic
	Texture                                        Traffic // transactions are lines of the texture cache, bytes those of the results
	TextureQuads                                   uint64  // groups of four lanes, at least one active, that texture units served
	TextureCycles                                  uint64  // cycles in which a slice's texture units filtered, summed over slices

	GlobalReplays, SharedReplays, LocalReplays, ConstantReplays, AtomicReplays uint64 // issue slots taken by replays

	L1Local, L1Global, ReadOnly, Constant, ConstantL15, Instruction, InstructionL15 CacheCount
	TextureCache                                                                    CacheCount // lines looked up by texture reads
}

// Traffic has the counters of one kind of memory operation.
type Traffic struct {
	Requests     uint64 // warp operations
	Transactions uint64 // lines, sector groups, or shared-memory passes
	Sectors      uint64 // 32-byte sectors accessed
	Bytes        uint64 // bytes that the lanes requested
}

// Book adds one access.
func (t *Traffic) Book(bytes uint64, transactions, sectors int) {
	t.Requests++
	t.Transactions += uint64(transactions)
	t.Sectors += uint64(sectors)
	t.Bytes += bytes
}

// Add adds another's counters.
func (t *Traffic) Add(o *Traffic) {
	t.Requests += o.Requests
	t.Transactions += o.Transactions
	t.Sectors += o.Sectors
	t.Bytes += o.Bytes
}

// CacheCount counts one cache's accesses in its own unit (lines or sectors).
type CacheCount struct {
	Accesses uint64
	Hits     uint64
}

// Add adds another's counters.
func (c *CacheCount) Add(o *CacheCount) {
	c.Accesses += o.Accesses
	c.Hits += o.Hits
}

// Add adds another SMX's counters.
func (s *SMX) Add(o *SMX) {
	s.ElapsedCycles += o.ElapsedCycles
	s.ActiveCycles += o.ActiveCycles
	s.InstExecuted += o.InstExecuted
	s.InstIssued += o.InstIssued
	s.IssuedSingle += o.IssuedSingle
	s.IssuedDual += o.IssuedDual
	s.IssueSlots += o.IssueSlots
	s.SchedulerCycles += o.SchedulerCycles
	s.ThreadInstExecuted += o.ThreadInstExecuted
	s.NotPredicatedOff += o.NotPredicatedOff
	s.PTXInstructions += o.PTXInstructions
	s.ActiveWarpCycles += o.ActiveWarpCycles
	s.EligibleWarpCycles += o.EligibleWarpCycles
	for i := range s.ByClass {
		s.ByClass[i] += o.ByClass[i]
	}
	s.Branches += o.Branches
	s.DivergentBranches += o.DivergentBranches
	s.Barriers += o.Barriers
	s.PartialBarriers += o.PartialBarriers
	s.BlocksLaunched += o.BlocksLaunched
	s.WarpsLaunched += o.WarpsLaunched
	s.ThreadsLaunched += o.ThreadsLaunched
	s.FlopAdd32 += o.FlopAdd32
	s.FlopMul32 += o.FlopMul32
	s.FlopFMA32 += o.FlopFMA32
	s.FlopSpecial32 += o.FlopSpecial32
	s.FlopAdd64 += o.FlopAdd64
	s.FlopMul64 += o.FlopMul64
	s.FlopFMA64 += o.FlopFMA64
	s.IntegerLanes += o.IntegerLanes
	s.BitLanes += o.BitLanes
	s.ConvertLanes += o.ConvertLanes
	s.ControlLanes += o.ControlLanes
	s.MemoryLanes += o.MemoryLanes
	s.MiscLanes += o.MiscLanes
	s.ExchangeLanes += o.ExchangeLanes
	s.RegisterAccesses += o.RegisterAccesses
	for i := range s.Stalls {
		s.Stalls[i] += o.Stalls[i]
	}
	for i := range s.LoadStoreCycles {
		s.LoadStoreCycles[i] += o.LoadStoreCycles[i]
	}
	s.CollectionCycles += o.CollectionCycles
	s.OutstandingCycles += o.OutstandingCycles
	s.HeldCycles += o.HeldCycles
	for _, t := range []struct{ to, from *Traffic }{
		{&s.GlobalLoad, &o.GlobalLoad}, {&s.GlobalStore, &o.GlobalStore}, {&s.LocalLoad, &o.LocalLoad}, {&s.LocalStore, &o.LocalStore},
		{&s.SharedLoad, &o.SharedLoad}, {&s.SharedStore, &o.SharedStore}, {&s.ReadOnlyLoad, &o.ReadOnlyLoad},
		{&s.Atomics, &o.Atomics}, {&s.Reductions, &o.Reductions}, {&s.SharedAtomics, &o.SharedAtomics}, {&s.Texture, &o.Texture},
	} {
		t.to.Add(t.from)
	}
	s.SharedNeeded += o.SharedNeeded
	s.SharedNarrow += o.SharedNarrow
	s.TextureQuads += o.TextureQuads
	s.TextureCycles += o.TextureCycles
	s.GlobalReplays += o.GlobalReplays
	s.SharedReplays += o.SharedReplays
	s.LocalReplays += o.LocalReplays
	s.ConstantReplays += o.ConstantReplays
	s.AtomicReplays += o.AtomicReplays
	for _, c := range []struct{ to, from *CacheCount }{
		{&s.L1Local, &o.L1Local}, {&s.L1Global, &o.L1Global}, {&s.ReadOnly, &o.ReadOnly}, {&s.Constant, &o.Constant},
		{&s.ConstantL15, &o.ConstantL15}, {&s.Instruction, &o.Instruction}, {&s.InstructionL15, &o.InstructionL15},
		{&s.TextureCache, &o.TextureCache},
	} {
		c.to.Add(c.from)
	}
}
