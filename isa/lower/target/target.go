package target

import (
	"github.com/keplersim/keplersim/arch"
	_ "github.com/keplersim/keplersim/arch/all" // whose generations options name
	"github.com/keplersim/keplersim/isa"
)

// Options are what the lowering needs to know of the chip and the user.
type Options struct {
	// ComputeCapability is the chip's; 0 is 3.5.
	ComputeCapability arch.Capability
	// MaxRegisters is the user's cap on registers per thread (--maxrregcount); 0 is none.
	MaxRegisters int
	// NoSpills gives a thread the registers that it needs, up to MostRegisters, whatever the chip, the user and directives allow: to
	// see what spills cost. No chip runs such a program.
	NoSpills bool
	// PerThread is the most registers that an instruction of the chip can name: 63 or 255; 0 follows from the capability.
	PerThread int
	// RegistersPerSMX and ThreadsPerSMX turn .maxntid and .minnctapersm into a cap; 0 is 65,536 and 2,048.
	RegistersPerSMX int
	ThreadsPerSMX   int
	// ReservedRegisters are registers of a thread that no instruction names, and that its count has all the same; 2 from sm_70 on.
	ReservedRegisters int
	// RegisterBanks is 4, as Kepler's register file has (isa.RegisterBank), or 2: even and odd registers, as from sm_70 on; 0 is 4.
	RegisterBanks int
	// IssueCycles is how many core cycles one operation takes of a warp's turn: 2 where 16 lanes execute it, as on Fermi and from sm_70 on;
	// 0 is 1.
	IssueCycles int
	// RegisterGranularity is what a cap on registers is rounded down to; 0 is 8.
	RegisterGranularity int
	// Latency gives a class's latency in core cycles, for scheduling; nil takes the generation's.
	Latency func(isa.Class) int
	// CoreAlone is how many operations for the core lanes issue alone between two pairs of them.
	CoreAlone int
	// Encodable makes operations of which each does its own work, so that words can be made of them, and refuses instructions of which that
	// is not known.
	Encodable bool
	// NoSchedule keeps operations in PTX order, for comparison.
	NoSchedule bool
	// Frugal has the scheduler leave registers over where code waits for device memory. Lowering tries that where it spills else.
	Frugal bool
	// Unoptimised leaves out what only makes code better, and schedules nothing: each instruction does its work where the PTX has it, for
	// debuggers.
	Unoptimised bool
	// Shared has what lowerings of one program under several caps on registers have in common; nil for one that shares nothing.
	Shared *Shared
}

// Shared keeps what several lowerings have in common. The zero value has nothing yet; it is for one goroutine.
type Shared struct{ Kept map[any]any }

// Keep keeps a value.
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

// MostRegisters is how many registers an instruction can name on the chips that name most.
const MostRegisters = 255

// MinimumRegisters is the smallest cap that ptxas accepts; it takes this for a smaller one.
const MinimumRegisters = 16

// WithDefaults returns the options with a GK110's figures where none are given.
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

// Share returns a thread's part of the registers at full occupancy.
func (o Options) Share() int { return min(o.RegistersPerSMX/o.ThreadsPerSMX, o.PerThread) }

// Free returns how many registers loads may use beyond those that arithmetic may: those that full occupancy leaves beyond what compilers of
// the generation let a thread have.
func (o Options) Free() int { return max(o.Share()-o.Generation().UsualRegisters, 0) }

// Room returns how many registers may be used for the sake of banks: those that cost no resident warps, where that is more than code needs.
func (o Options) Room() int {
	if o.Free() == 0 {
		return 0
	}
	return o.Share() - o.ReservedRegisters
}

// farLatency is what a load from device memory takes at least, in core cycles: a hit in L2 (m Jia: 200 to 222).
const farLatency = 200

// ExpectedLatency returns the number of core cycles after which the scheduler expects an operation's result: of a load from device memory
// a hit in L2, so that all loads are on their way before the first result is used, as far as registers last.
func (o Options) ExpectedLatency(c isa.Class) int {
	if FarClass[c] {
		return max(o.Latency(c), farLatency)
	}
	return o.Latency(c)
}

// FarClass are the classes of operations that go to device memory.
var FarClass = [isa.ClassCount]bool{isa.ClassGlobal: true, isa.ClassReadOnly: true, isa.ClassTexture: true, isa.ClassSurface: true,
	isa.ClassAtomic: true}

// RegisterLimit returns the most registers a thread of the kernel may have: the chip's, the user's and the directives' least.
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
