package sim

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/isa/modes"
	"github.com/keplersim/keplersim/sim/boost"
	"github.com/keplersim/keplersim/sim/check"
	"github.com/keplersim/keplersim/sim/check/finding"
	"github.com/keplersim/keplersim/sim/device"
	"github.com/keplersim/keplersim/sim/hyperq"
	"github.com/keplersim/keplersim/sim/memory"
	"github.com/keplersim/keplersim/sim/memorymode"
	"github.com/keplersim/keplersim/sim/observe"
	"github.com/keplersim/keplersim/sim/scheduler"
	"github.com/keplersim/keplersim/sim/screen"
	"github.com/keplersim/keplersim/sim/smx"
	"github.com/keplersim/keplersim/sim/smx/occupancy"
	"github.com/keplersim/keplersim/sim/stats"
)

// Options configure a run beyond the chip.
type Options struct {
	// Threads is the number of host threads that run SMXs; 0: one for each processor. It changes no result.
	Threads int
	// MaxCycles ends launches that run longer, in core clock cycles; 0: DefaultMaxCycles.
	MaxCycles int64
	// Functional runs kernels without timing: all results, but no cycles.
	Functional bool
	// Estimate times a part of a launch, in windows, or only some of similar launches. The rest runs without timing, and its cycles are
	// estimated; see stats.Estimate. Launches run one at a time.
	Estimate bool
	// TimeAlone makes Estimate run no more of a launch than the estimate needs: results are incomplete. The control flow of kernels must
	// not depend on results of other threads.
	TimeAlone bool
	// Budget is the host time for the device with Estimate, from its making. Launches are timed in full while they fit, then in part, then
	// as little as an estimate takes. What is timed then depends on the host's speed; results do not. 0: time no more than estimates need.
	Budget time.Duration
	// Clock is the clock for Budget; nil: the host's. With another clock, the host's speed does not matter.
	Clock func() time.Time
	// Check is what to find in kernels; see Host.Findings. Faulty accesses are then left out, and kernels go on. It changes no cycle.
	Check finding.Set
	// Keep reports which findings are wanted; nil for all. Found is called with each new finding; nil for none.
	Keep  func(*finding.Finding) bool
	Found func(*finding.Finding)
	// Order is the seed of the order of warps and blocks in a functional run; 0: the usual order.
	Order uint64
	// Observer receives the device's events; nil for none. It changes no result.
	Observer observe.Observer
	// Scheduler makes the policies of warp schedulers; nil: the configuration's.
	Scheduler func(scheduler.Spec) scheduler.Policy
	// MaxRegisters limits the registers of a thread, like nvcc's -maxrregcount; 0 for no limit.
	MaxRegisters int
	// Registers is the number of registers of a thread for occupancy; 0: the compiler's.
	Registers int
	// RegistersOf is the chip for which kernels are compiled; nil: the device's own. Registers and instruction order are then the same
	// however the configuration changes. Its compute capability must not be above the device's.
	RegistersOf *configs.Config
	// StrictTarget makes instructions that no Kepler has an error, even if they could be executed.
	StrictTarget bool
	// CacheConfig is the split of shared memory and L1: none (the chip's default), shared, l1 or equal, or the size of shared
	// memory, as in 32K.
	CacheConfig string
	// BankMode is the width of shared memory's banks; the zero value is the chip's default.
	BankMode memorymode.BankMode
	// GlobalLoads is where global loads without a cache operator go; the zero value: the chip's default.
	GlobalLoads memorymode.GlobalLoads
	// ReuseDistance records a histogram of reuse distances at L2 in each launch's memory counters.
	ReuseDistance bool
	// NoContraction keeps multiplications and additions without a rounding mode apart, like ptxas --fmad=false. Otherwise they become fused
	// multiply-adds as in ptxas.
	NoContraction bool
	// Programs caches programs for several GPUs; nil for none.
	Programs *Programs
	// Unoptimised executes each PTX instruction in its place, without inlining, for debuggers. It is slower, and uses more registers.
	Unoptimised bool
	// Modes override the floating-point modes that a kernel was compiled with.
	Modes modes.Override
	// Progress is called regularly while a kernel runs; nil for none.
	Progress func(Progress)
	// Finished is called with each launch that has ended; nil for none. The launch must not be changed.
	Finished func(*stats.Launch)
	// Power makes each device track its power, and its governor set the clock; nil for neither.
	Power *boost.Options
	// MPS lets the streams of all processes share the device. Without it, one process has the device at a time.
	MPS bool
	// Timeline records commands, calls and blocks; see Host.Timeline. Spill keeps all after the first thousands in bounded memory; see
	// Host.More.
	Timeline, Spill bool
	// Arena is memory shared with a host program, for the device's memory; nil for none.
	Arena *memory.Arena
	// Device is the device's number if the host program has Devices of them, each on its own Host; both 0 otherwise.
	Device, Devices int
	// MostMemory limits the host's memory for a device, in bytes: allocations, variables of modules, the heap, and local memory. 0: the
	// device's capacity, for device memory.
	MostMemory uint64
	// Card lets kernels reach all of the 2 MiB pages with allocations, as on a card. It is called with the first access outside an
	// allocation; nil: such accesses are faults.
	Card func(message string)
	// Printf receives the output of device-side printf; nil: standard output. The output of a kernel is written when it ends.
	Printf io.Writer
}

// DefaultMaxCycles is the default limit of a launch in core clock cycles: more than a second of a Kepler.
const DefaultMaxCycles = 1_000_000_000

// Progress is a launch's progress.
type Progress struct {
	Kernel           string // its symbol
	Title            string // its name for people
	Cycles           int64
	WarpInstructions uint64
	BlocksDone       uint64
	BlocksRunning    uint64 // resident now
	BlocksTotal      uint64
}

// Part returns the fraction of the launch that is done, from 0 to 1. Resident blocks count as half done: those of one wave have begun
// together, those of a long grid one after another. 0: nothing is known yet, because no block has ended.
func (p Progress) Part() float64 {
	if p.BlocksDone == 0 || p.BlocksTotal == 0 {
		return 0
	}
	return (float64(p.BlocksDone) + float64(p.BlocksRunning)/2) / float64(p.BlocksTotal)
}

// GPU is one simulated device.
type GPU struct {
	config  *configs.Config
	chip    stats.Chip // the configuration in a launch's result
	options Options
	cache   occupancy.CacheConfig
	global  *memory.Global
	device  *device.Device
	grids   uint64
	modules []*Module // loaded, in order
	system  *system
	checker *check.Checker // nil for none
	screen  *screen.Screen // which checks launches before the checker does; nil for none
	// observer joins all observers of the device, the checker included; nil for none.
	observer observe.Observer
	host     *Host
	index    int // its number on the host
	streams  map[streamKey]*Stream
	pending  map[*hyperq.Command]*Pending
	managed  managed
	sources  map[*smx.Program]*sourceMap
	free     [][]stats.SMX   // unused counters, by SMX
	unused   []*stats.Launch // unused results
	lists    []lists         // unused lists of results

	objects  exec.Objects // textures, samplers and surfaces
	bindings map[string]*binding
}

// New makes a device with empty memory. It does not change config.
func New(config *configs.Config, options Options) (*GPU, error) {
	h, err := NewHost(config, options, 1)
	if err != nil {
		return nil, err
	}
	return h.gpus[0], nil
}

// useDefaultsOf sets open options of shared memory and L1 to the chip's values.
func (o *Options) useDefaultsOf(config *configs.Config) {
	o.BankMode = o.BankMode.Or(memorymode.BankMode(config.SharedMemory.BankMode))
	if config.L1.GlobalLoads == configs.LoadsAlways {
		o.GlobalLoads = o.GlobalLoads.Or(memorymode.LoadsThroughL1)
	}
	if o.CacheConfig == "" {
		o.CacheConfig = occupancy.PreferNone.String()
	}
}

// useCard makes memory as tolerant as a card's, if asked for.
func (o *Options) useCard(global *memory.Global) {
	if o.Card == nil {
		return
	}
	memory.UseCard(global, o.Card)
}

// newGPU makes one device of a host.
func newGPU(config *configs.Config, options Options) (*GPU, error) {
	if options.Threads <= 0 {
		options.Threads = runtime.GOMAXPROCS(0)
	}
	if options.MaxCycles <= 0 {
		options.MaxCycles = DefaultMaxCycles
	}
	options.useDefaultsOf(config)
	if options.Check != finding.None {
		options.Threads = 1 // events must come one at a time
	}
	followed := options.Check != finding.None || options.Observer != nil || options.Power != nil || options.ReuseDistance
	if options.Estimate && (options.Functional || followed) {
		return nil,
			errors.New("an estimate (--sample) needs a timed run: not a functional or checked one, and none with a recording, " +
				"power or reuse distances")
	}
	if of := options.RegistersOf; of != nil && of.ComputeCapability > config.ComputeCapability {
		own := config.ComputeCapability
		return nil, fmt.Errorf("registers of %s: it has compute capability %s, and what is compiled for it does not run on %s, which "+
			"has %s; "+
			"take a chip of %s or below", of.Name, of.ComputeCapability, config.Name, own, own)
	}
	cache, err := occupancy.FromConfig(config).CacheConfig(options.CacheConfig)
	if err != nil {
		return nil, err
	}
	global := memory.NewGlobal(config)
	global.Limit(options.MostMemory)
	options.useCard(global)
	if options.Arena != nil {
		global.UseArena(options.Arena)
	}
	g := &GPU{config: config, chip: stats.NewChip(config), options: options, cache: cache, global: global, bindings: map[string]*binding{},
		streams: map[streamKey]*Stream{}, pending: map[*hyperq.Command]*Pending{}, sources: map[*smx.Program]*sourceMap{}}
	g.system = newSystem(g)
	g.device, err = device.New(config, global, device.Options{Threads: options.Threads, Functional: options.Functional,
		ReuseDistance: options.ReuseDistance, MPS: options.MPS, Power: options.Power, Scheduler: options.Scheduler,
		Estimate: options.Estimate, TimeAlone: options.TimeAlone, Budget: options.Budget, Clock: options.Clock,
		Serial: options.Check != finding.None && options.Functional || options.Estimate, Order: options.Order})
	return g, err
}

// Power returns the board's power so far; nil without Options.Power.
func (g *GPU) Power() *stats.Power { return g.device.Power() }

// Config returns the device's configuration.
func (g *GPU) Config() *configs.Config { return g.config }

// Allocate allocates zeroed device memory, aligned to 256 bytes. The name appears in messages.
func (g *GPU) Allocate(name string, bytes uint64) (address uint64, err error) {
	address, err = g.settled().Allocate(name, bytes)
	return address, g.allocated(address, bytes, err)
}

// Write copies bytes to device memory.
func (g *GPU) Write(address uint64, data []byte) error {
	if err := g.settled().Write(address, data); err != nil {
		return err
	}
	g.Written(address, uint64(len(data)))
	return nil
}

// WritePart is Write for a part of a copy. Call Written for the whole after all parts.
func (g *GPU) WritePart(address uint64, data []byte) error { return g.global.Write(address, data) }

// FillLazily is Write of bytes that fill makes, piece by piece from an offset on, when they are first accessed.
func (g *GPU) FillLazily(address, bytes uint64, fill func(offset uint64, into []byte)) error {
	if bytes == 0 {
		return nil
	}
	if err := g.settled().FillLazily(address, bytes, fill); err != nil {
		return err
	}
	g.Written(address, bytes)
	return nil
}

// Read copies bytes from device memory.
func (g *GPU) Read(address uint64, data []byte) error { return g.settled().Read(address, data) }

// settled returns the device's memory after all its effects.
func (g *GPU) settled() *memory.Global {
	g.device.Settle()
	return g.global
}

// ErrMaxCycles is wrapped by the error of a launch that ran longer than Options.MaxCycles.
var ErrMaxCycles = errors.New("the launch ran longer than the limit of cycles")

// ErrInterrupted is wrapped by the error of a launch whose context ended.
var ErrInterrupted = errors.New("interrupted")

// compiledFor returns the chip that kernels are compiled for.
func (g *GPU) compiledFor() *configs.Config {
	if g.options.RegistersOf != nil {
		return g.options.RegistersOf
	}
	return g.config
}
