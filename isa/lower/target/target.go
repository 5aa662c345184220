package target

import (
	"github.com/keplersim/keplersim/arch"
	_ "github.com/keplersim/keplersim/arch/all" // whose generations options name
	"github.com/keplersim/keplersim/isa"
)

// Options are what lowering needs to know about the chip and the user's wishes.
type Options struct {
	// ComputeCapability is the chip's; 0 means 3.5.
	ComputeCapability arch.Capability
	// MaxRegisters is the user's limit on registers per thread (--maxrregcount); 0 is none.
	MaxRegisters int
	// NoSpills gives a thread the registers that it needs, up to MostRegisters, whatever the chip, the user and directives allow. No chip
	// can run the result: it shows what spills cost.
	NoSpills bool
	// PerThread is how many registers an instruction of the chip can name: 63 or 255; 0 takes the capability's.
	PerThread int
	// RegistersPerSMX and ThreadsPerSMX turn .maxntid and .minnctapersm into a limit; 0 is 65,536 and 2,048.
	RegistersPerSMX int
	ThreadsPerSMX   int
	// ReservedRegisters are counted as a thread's registers although no instruction can name them; 2 from sm_70 on.
	ReservedRegisters int
	// RegisterBanks is 4 as on Kepler (isa.RegisterBank), or 2 as from sm_70 on (even and odd registers); 0 is 4.
	RegisterBanks int
	// IssueCycles is how many core cycles one operation of a warp occupies its lanes: 2 with 16 lanes, as on Fermi and from sm_70 on; 0 is
	// 1.
	IssueCycles int
	// RegisterGranularity: a limit on registers is rounded down to a multiple of it; 0 is 8.
	RegisterGranularity int
	// Latency returns a class's latency in core cycles, for scheduling; nil takes the generation's.
	Latency func(isa.Class) int
	// CoreAlone is how many operations for the core lanes issue alone between two pairs.
	CoreAlone int
	// Encodable makes every operation do its own work, so that each can be encoded as machine code. It refuses instructions for which that
	// is not possible.
	Encodable bool
	// NoSchedule keeps operations in PTX order, for comparison.
	NoSchedule bool
	// Frugal makes the scheduler leave registers free in code that waits for device memory. Lowering tries it when values spill.
	Frugal bool
	// Unoptimised runs only the passes that are needed and schedules nothing, for debuggers: each instruction does its work at its place in
	// the PTX.
	Unoptimised bool
	// Shared keeps what lowerings of one program with different register limits have in common; nil shares nothing.
	Shared *Shared
}

// Shared keeps what several lowerings have in common. The zero value is empty. Not safe for concurrent use.
type Shared struct{ Kept map[any]any }

// Keep stores a value.
func (s *Shared) Keep(key, value any) {
	if s.Kept == nil {
		s.Kept = map[any]any{}
	}
	s.Kept[key] = value
}

// Generation returns the generation of the chip.
func (o *Options) Generation() *arch.Generation { return o.capability().Generation() }

// Abilities returns what chips of the capability can do.
func (o *Options) Abilities() arch.Abilities { return o.capability().Abilities() }

func (o *Options) capability() arch.Capability {
	if o.ComputeCapability == 0 {
		return 35
	}
	return o.ComputeCapability
}

// MostRegisters is the most registers that an instruction of any chip can name.
const MostRegisters = 255

// MinimumRegisters is the smallest limit that ptxas accepts; it raises smaller ones to this.
const MinimumRegisters = 16

// WithDefaults returns the options with a GK110's figures for those that are not given.
func (o Options) WithDefaults() Options {
	o.NoSchedule = o.NoSchedule || o.Unoptimised
	o.ComputeCapability = o.capability()
	if o.PerThread == 0 {
		o.PerThread = o.Abilities().Registers
	}
	if o.RegistersPerSMX == 0 {
		o.RegistersPerSMX = 65536
	}
	if o.ThreadsPerSMX == 0 {
		o.ThreadsPerSMX = 2048
	}
	if o.RegisterBanks == 0 {
		o.RegisterBanks = 4
	}
	if o.IssueCycles == 0 {
		o.IssueCycles = 1
	}
	if o.RegisterGranularity == 0 {
		o.RegisterGranularity = 8
	}
	if o.Latency == nil {
		o.Latency = o.Generation().Latency
	}
	return o
}

// Share returns a thread's share of the registers at full occupancy.
func (o Options) Share() int { return min(o.RegistersPerSMX/o.ThreadsPerSMX, o.PerThread) }

// Free returns how many registers full occupancy leaves a thread beyond those that the generation's compilers usually give it. Loads may
// use them in addition to arithmetic's limit.
func (o Options) Free() int { return max(o.Share()-o.Generation().UsualRegisters, 0) }

// Room returns how many registers may be used to avoid bank conflicts without losing resident warps; 0 if full occupancy leaves none free.
func (o Options) Room() int {
	if o.Free() == 0 {
		return 0
	}
	return o.Share() - o.ReservedRegisters
}

// farLatency is the least latency of a load from device memory, in core cycles: a hit in L2 (m Jia: 200 to 222).
const farLatency = 200

// ExpectedLatency returns after how many core cycles the scheduler expects an operation's result. For device memory it expects a hit in L2,
// so all loads issue before the first result is used, as far as registers suffice.
func (o Options) ExpectedLatency(c isa.Class) int {
	if FarClass[c] {
		return max(o.Latency(c), farLatency)
	}
	return o.Latency(c)
}

// FarClass marks the classes of operations that access device memory.
var FarClass = [isa.ClassCount]bool{isa.ClassGlobal: true, isa.ClassReadOnly: true, isa.ClassTexture: true, isa.ClassSurface: true,
	isa.ClassAtomic: true}

// RegisterLimit returns the most registers per thread that the chip, the user and the directives allow.
func (o Options) RegisterLimit(l isa.Limits) int {
	if o.NoSpills {
		return MostRegisters - o.ReservedRegisters
	}
	limit := o.PerThread
	if l.MaxRegisters > 0 {
		limit = min(limit, l.MaxRegisters)
	} else if o.MaxRegisters > 0 {
		limit = min(limit, o.MaxRegisters)
	}
	threads := 1
	dims := l.RequiredThreads
	if dims == [3]int{} {
		dims = l.MaxThreads
	}
	for _, n := range dims {
		threads *= max(n, 1)
	}
	if dims != [3]int{} {
		threads = (threads + 31) / 32 * 32 * max(l.MinBlocksPerSMX, 1)
		perThread := o.RegistersPerSMX / min(threads, max(o.ThreadsPerSMX, 32))
		limit = min(limit, perThread/o.RegisterGranularity*o.RegisterGranularity)
	}
	return max(limit, MinimumRegisters) - o.ReservedRegisters
}

// Bank returns the bank of a physical register.
func (o Options) Bank(r isa.Register) int {
	return isa.RegisterBank(r, o.RegisterBanks)
}
