package stats

import (
	"time"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/isa"
)

// WarpSize is the number of lanes of a warp.
const WarpSize = 32

// Launch has the facts and counters of one kernel launch. Every report is made from it.
type Launch struct {
	Number uint64 // of the launch on its device, from 0
	Kernel string // the symbol, as PTX spells it
	Name   string // the demangled name; "" if equal to the symbol
	Chip   Chip
	Grid   [3]int // blocks
	Block  [3]int // threads
	Stream int
	Device int // of the host

	CodeBytes               int // of the machine program, as the instruction caches see it
	Registers               int // 32-bit registers a thread
	LoweredRegisters        int // registers before lowering again because a block did not fit; 0 if it fitted
	StaticShared            int // bytes a block
	DynamicShared           int // bytes a block
	LocalBytes              int // a thread: frame and spills
	SpillBytes              int // a thread
	SpillLoads, SpillStores int // operations that register allocation added to the program
	Occupancy               Occupancy

	Functional  bool   // run without timing: every counter of time is zero
	Interrupted bool   // stopped before its end, by the user, a limit or an error: the counters say how far it came
	BlocksDone  uint64 // of the grid, without its children's

	// KernelCycles, LaunchCycles and Cycles count core clock cycles, each with more around the kernel: see CycleCounts.
	KernelCycles, LaunchCycles uint64
	Cycles                     uint64  // elapsed cycles, as nvprof counts them
	TimeUS                     float64 // LaunchCycles in microseconds

	Estimate *Estimate // the uncertainty of Cycles if part of the timing was left out; else nil

	StartUS, EndUS  float64 // on the host's timeline, in microseconds
	FirstUS, LastUS float64 // the first cycle in which its blocks could start, and the end of its last block or request
	Concurrent      bool    // grids of other launches ran at the same time; the counters are the launch's own

	// The counters include the launch's grid and all its nested launches.

	SMXs   []SMX // of each multiprocessor; nil after Slim
	shares []Share
	Total  SMX // their sum; see Launch.Sum
	Named  Named
	Memory Memory
	Power  *Power // of the board during the launch; nil if not tracked

	Samples []Sample // counters over time, the last at the launch's end; none in a functional run

	Nested *Nested // its nested launches, nil for none

	Functions []FunctionCount // in the order of the machine program, the kernel first
	Source    []SourceCount   // by file, line and inlining

	// Wall is the host time of the simulation, shared with concurrent launches. It is the only figure that differs from run to run.
	Wall time.Duration
}

// Occupancy is the theoretical occupancy: how many blocks of a kernel an SMX can hold.
type Occupancy struct {
	Blocks, Warps int             // resident in one SMX
	Limiters      []string        // resources that allow no further block: warps, registers, shared_memory, blocks
	Limits        []ResourceLimit // by resource
}

// ResourceLimit is how many blocks one resource allows in an SMX.
type ResourceLimit struct {
	Resource string
	Blocks   int // -1 if the kernel uses none of it
}

// Chip has the facts about the simulated chip that reports show or compute with.
type Chip struct {
	Config             string
	Base               string   // the shipped configuration that it is, apart from Overrides; "" for none
	Overrides          []string // of the configuration, each KEY=VALUE
	Name               string   // of the die
	Capability         string   // compute capability, as in 3.5
	SMXs               int
	Schedulers         int // of one SMX
	Dispatch           int // most instructions in one issue of a scheduler
	IssueCycles        int // from one issue of a scheduler to the next
	WarpsPerSMX        int
	BlocksPerSMX       int
	CoreMHz, MemoryMHz int
	CounterCycles      int     // cycles that the profiler counts beyond the launch
	LanesFP32          int     // f32 results of one SMX and cycle
	LanesFP64          int     // f64 results of one SMX and cycle
	DRAMBytesPerSecond float64 // at the memory clock, all channels, with nothing lost
	L2BytesPerCycle    int     // all slices
	SharedBytesPerPass int     // all banks of one SMX
	TextureSlices      int     // of an SMX's texture cache, each with its texture units
	L2Slices           int
	DRAMChannels       int
	CommandCycles      float64                     // core cycles of a tick of DRAM's command clock
	ActivateTicks      float64                     // least average ticks to open a row, for a channel
	TurnaroundTicks    float64                     // average ticks that a channel's bus is idle when it turns between reads and writes
	RefreshPart        float64                     // fraction of the time in which a channel refreshes
	Outstanding        int                         // requests to the memory system that an SMX can have in flight
	WalkCycles         float64                     // core cycles of a page table walk, divided by the concurrent walks
	InstructionCache   int                         // bytes of an SMX's first instruction cache
	InstructionLine    int                         // bytes of a line of it
	InstructionBytes   int                         // of an operation
	Units              [configs.ExecutionUnits]int // lanes of an SMX's execution units
	Classes            [isa.ClassCount]ClassRate
}

// ClassRate is the throughput of a class of operations on an SMX.
type ClassRate struct {
	Unit            configs.ExecutionUnit
	ResultsPerClock int       // thread results of the whole SMX
	Shares          isa.Class // the first class with which it shares the rate, perhaps itself
}

// turnaroundTicks returns the command clock ticks that a channel's bus is idle when it turns, averaged over both directions.
func turnaroundTicks(d configs.DRAM) float64 {
	t := d.Timing
	return float64(t.RTW+t.CWL+d.Burst/(d.TransfersPerClock*d.ClockDivider)+t.WTR-2*t.CCDShort) / 2
}

// NewChip takes what reports need out of a configuration. FP32 and FP64 are the operations of those names.
func NewChip(c *configs.Config) Chip {
	c = c.Memory()
	d := c.DRAM
	chip := Chip{
		Config: c.Name, Base: c.Base(), Overrides: c.Overrides(), Name: c.Chip, Capability: c.ComputeCapability.String(),
		SMXs: c.SMX.Count, Schedulers: c.SMX.Schedulers, Dispatch: c.SMX.Dispatch, IssueCycles: c.SMX.IssueCycles,
		WarpsPerSMX: min(c.SMX.Warps, c.SMX.Threads/WarpSize), BlocksPerSMX: c.SMX.Blocks,
		CoreMHz: c.Clocks.Core, MemoryMHz: c.Clocks.Memory, CounterCycles: c.Launch.CounterCycles,
		LanesFP32: c.Pipelines.Operations[isa.ClassFP32].ResultsPerClock, LanesFP64: c.Pipelines.Operations[isa.ClassFP64].ResultsPerClock,
		DRAMBytesPerSecond: c.DRAMPeak() * 1e6,
		L2BytesPerCycle:    c.L2.Slices * c.L2.BytesPerCycle,
		SharedBytesPerPass: c.SharedMemory.Banks * c.SharedMemory.BankBytes,
		TextureSlices:      c.ReadOnly.Slices,
		L2Slices:           c.L2.Slices,
		DRAMChannels:       d.Channels,
		CommandCycles:      float64(c.Clocks.Core*d.ClockDivider) / float64(c.Clocks.Memory),
		ActivateTicks:      max(float64(d.Timing.RRD), float64(d.Timing.FAW)/4),
		TurnaroundTicks:    turnaroundTicks(d),
		RefreshPart:        float64(d.Timing.RFC) / float64(d.Timing.REFI),
		Outstanding:        c.LoadStore.Outstanding,
		InstructionCache:   c.InstructionCache.L1.Bytes,
		InstructionLine:    c.InstructionCache.L1.Line,
		InstructionBytes:   c.InstructionCache.InstructionBytes,
		WalkCycles:         float64(c.TLB.WalkLatency) / float64(c.TLB.Walks),
	}
	for i := range chip.Units {
		unit := &c.Pipelines.Units[i]
		chip.Units[i] = unit.Private * c.SMX.Schedulers
		if unit.Shared > 0 {
			chip.Units[i] += unit.Shared * c.SMX.Schedulers / unit.SharedBy
		}
	}
	for i := range chip.Classes {
		o := &c.Pipelines.Operations[i]
		chip.Classes[i] = ClassRate{o.Unit, o.ResultsPerClock, isa.Class(c.Pipelines.SharesRateWith(i))}
	}
	return chip
}

// IssuesPerCycle returns the most instructions that an SMX issues in a cycle.
func (c *Chip) IssuesPerCycle() int { return c.Schedulers * c.Dispatch / max(c.IssueCycles, 1) }

// Title returns the configuration's name with its overrides.
func (c *Chip) Title() string { return configs.TitleOf(c.Config, c.Overrides) }

// Sum fills Total from SMXs.
func (l *Launch) Sum() {
	l.Total = SMX{}
	for i := range l.SMXs {
		l.Total.Add(&l.SMXs[i])
	}
}

// BlocksTotal returns the number of blocks of the grid.
func (l *Launch) BlocksTotal() uint64 {
	return uint64(l.Grid[0]) * uint64(l.Grid[1]) * uint64(l.Grid[2])
}

// ThreadsPerBlock returns the size of a block.
func (l *Launch) ThreadsPerBlock() int { return l.Block[0] * l.Block[1] * l.Block[2] }

// WarpsPerBlock returns the size of a block in warps.
func (l *Launch) WarpsPerBlock() int { return (l.ThreadsPerBlock() + WarpSize - 1) / WarpSize }

// DisplayName returns the kernel's name for people.
func (l *Launch) DisplayName() string {
	if l.Name != "" {
		return l.Name
	}
	return l.Kernel
}

// Theoretical returns the theoretical occupancy, 0 to 1.
func (l *Launch) Theoretical() float64 {
	return ratio(float64(l.Occupancy.Warps), float64(l.Chip.WarpsPerSMX))
}

// Achieved returns the achieved occupancy, 0 to 1: the resident warps of an average active cycle.
func (l *Launch) Achieved() float64 {
	return ratio(float64(l.Total.ActiveWarpCycles), float64(l.Total.ActiveCycles)*float64(l.Chip.WarpsPerSMX))
}

// ActiveRange returns the smallest and the greatest number of active cycles of an SMX.
func (l *Launch) ActiveRange() (least, most uint64) {
	for i, s := range l.Shares() {
		c := s.ActiveCycles
		if i == 0 || c < least {
			least = c
		}
		most = max(most, c)
	}
	return least, most
}

// Stalled returns the sum of warp cycles over all stall reasons.
func (l *Launch) Stalled() uint64 {
	return l.Total.Stalls.Sum()
}

// ratio returns a/b, or 0 if b is 0.
func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}
