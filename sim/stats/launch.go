package stats

import (
	"time"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/isa"
)

// WarpSize is the number of lanes of a warp.
const WarpSize = 32

// Launch is what one kernel launch was, did and took. Every report is made from it.
type Launch struct {
	Number uint64 // of the launch on its device, from 0
	Kernel string // the symbol, as PTX spells it
	Name   string // the same for people: demangled; "" where it is the symbol
	Chip   Chip
	Grid   [3]int // blocks
	Block  [3]int // threads
	Stream int
	Device int // of the host

	CodeBytes               int // of the machine program, as instruction caches see it
	Registers               int // 32-bit registers a thread
	LoweredRegisters        int // what lowering gave first, where a block had no room for so many; 0 where it had
	StaticShared            int // bytes a block
	DynamicShared           int // bytes a block
	LocalBytes              int // a thread: frame and spills
	SpillBytes              int // a thread
	SpillLoads, SpillStores int // operations that register allocation added to the program
	Occupancy               Occupancy

	Functional  bool   // run without timing: every counter of time is zero
	Interrupted bool   // stopped before its end, by the user, a limit or an error: the counters say how far it came
	BlocksDone  uint64 // of the grid, its children's not counted

	// KernelCycles, LaunchCycles and Cycles count core clock cycles, each with more around the kernel: see CycleCounts.
	KernelCycles, LaunchCycles uint64
	Cycles                     uint64  // elapsed, as nvprof counts them
	TimeUS                     float64 // of LaunchCycles, in microseconds

	Estimate *Estimate // how sure Cycles is where part of the timing was left out; nil where none was

	StartUS, EndUS  float64 // on the host's timeline, in microseconds
	FirstUS, LastUS float64 // the same of the first cycle in which its blocks could start, and of the end of its last block or request
	Concurrent      bool    // grids of other launches ran at the same time; the counters are the launch's own

	// Counters are those of the launch's grid, and of all grids that its kernels and theirs have launched.

	SMXs   []SMX // each multiprocessor's; nil after Slim
	shares []Share
	Total  SMX // their sum; see Launch.Sum
	Named  Named
	Memory Memory
	Power  *Power // that the board took meanwhile; nil where nobody asked

	Samples []Sample // counters over time, the last at the launch's end; none of a functional run

	Nested *Nested // what its kernels have launched, nil where they have launched nothing

	Functions []FunctionCount // in the order of the machine program, the kernel first
	Source    []SourceCount   // by file, line and place of inlining

	// Wall is what the simulation took on the host, shared with the launches that ran beside it: the one figure that differs from run to
	// run.
	Wall time.Duration
}

// Occupancy is how a kernel fills an SMX at most: the theoretical occupancy.
type Occupancy struct {
	Blocks, Warps int             // resident in one SMX
	Limiters      []string        // the resources that keep one more block out: warps, registers, shared_memory, blocks
	Limits        []ResourceLimit // by resource
}

// ResourceLimit is how many blocks one resource lets into an SMX.
type ResourceLimit struct {
	Resource string
	Blocks   int // -1 where the kernel takes none of it
}

// Chip is what a report says and computes of the simulated chip.
type Chip struct {
	Config             string
	Base               string   // the configuration that comes with the simulator which it is, apart from Overrides; "" for none
	Overrides          []string // of the configuration, each KEY=VALUE
	Name               string   // of the die
	Capability         string   // compute capability, as in 3.5
	SMXs               int
	Schedulers         int // of one SMX
	Dispatch           int // instructions of one issue of a scheduler
	IssueCycles        int // from one issue of a scheduler to the next
	WarpsPerSMX        int
	BlocksPerSMX       int
	CoreMHz, MemoryMHz int
	CounterCycles      int     // by which the profiler's count of cycles exceeds the launch
	LanesFP32          int     // f32 results of one SMX and cycle
	LanesFP64          int     // f64 results of one SMX and cycle
	DRAMBytesPerSecond float64 // at the memory clock, all channels, with nothing lost
	L2BytesPerCycle    int     // all slices
	SharedBytesPerPass int     // all banks of one SMX
	TextureSlices      int     // of the texture cache of one SMX, each with its texture units
	L2Slices           int
	DRAMChannels       int
	CommandCycles      float64                     // core cycles of a tick of DRAM's command clock
	ActivateTicks      float64                     // that opening a row takes of a channel at least, on average
	TurnaroundTicks    float64                     // that a channel's bus rests when it turns from reads to writes or back, on average
	RefreshPart        float64                     // part of the time in which a channel refreshes
	Outstanding        int                         // requests to the memory system that an SMX can have in flight
	WalkCycles         float64                     // core cycles of a walk of the page table, over the walks at once
	InstructionCache   int                         // bytes of an SMX's first instruction cache
	InstructionLine    int                         // bytes of a line of it
	InstructionBytes   int                         // of an operation
	Units              [configs.ExecutionUnits]int // lanes of an SMX's execution units
	Classes            [isa.ClassCount]ClassRate
}

// ClassRate is how fast an SMX carries out a class of operations.
type ClassRate struct {
	Unit            configs.ExecutionUnit
	ResultsPerClock int       // thread results of the whole SMX
	Shares          isa.Class // the first class with which it shares that rate, maybe itself
}

// turnaroundTicks returns the ticks of the command clock that a channel's bus rests when it turns, the mean of both directions.
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

// BlocksTotal is the number of blocks of the grid.
func (l *Launch) BlocksTotal() uint64 {
	return uint64(l.Grid[0]) * uint64(l.Grid[1]) * uint64(l.Grid[2])
}

// ThreadsPerBlock is the size of a block.
func (l *Launch) ThreadsPerBlock() int { return l.Block[0] * l.Block[1] * l.Block[2] }

// WarpsPerBlock is the size of a block in warps.
func (l *Launch) WarpsPerBlock() int { return (l.ThreadsPerBlock() + WarpSize - 1) / WarpSize }

// DisplayName is the kernel's name for people.
func (l *Launch) DisplayName() string {
	if l.Name != "" {
		return l.Name
	}
	return l.Kernel
}

// Theoretical is the theoretical occupancy, 0 to 1.
func (l *Launch) Theoretical() float64 {
	return ratio(float64(l.Occupancy.Warps), float64(l.Chip.WarpsPerSMX))
}

// Achieved is the achieved occupancy, 0 to 1: the resident warps of an average active cycle.
func (l *Launch) Achieved() float64 {
	return ratio(float64(l.Total.ActiveWarpCycles), float64(l.Total.ActiveCycles)*float64(l.Chip.WarpsPerSMX))
}

// ActiveRange is the least and the greatest number of active cycles of an SMX.
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

// Stalled is the sum of warp cycles over all stall reasons.
func (l *Launch) Stalled() uint64 {
	return l.Total.Stalls.Sum()
}

// ratio is a/b, and 0 where b is 0: nothing of nothing.
func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}
