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

// Options are what a run asks for beyond the chip.
type Options struct {
	// Threads is the number of host threads that run SMXs; 0 is one for each processor. It changes no result.
	Threads int
	// MaxCycles ends a launch that runs longer, in core clock cycles; 0 is DefaultMaxCycles.
	MaxCycles int64
	// Functional runs kernels without timing: all results, no cycles.
	Functional bool
	// Estimate runs a part of a launch in detail, waves of blocks or launches that behave alike, the rest without timing, and
	// estimates its cycles; see stats.Estimate. Launches run one at a time.
	Estimate bool
	// TimeAlone has Estimate run no more of a launch than the estimate takes: results are incomplete. It asks for kernels whose way
	// does not depend on what others have computed.
	TimeAlone bool
	// Budget is the host time that the device shall take with Estimate, from when it is made: launches are timed whole while they fit, then
	// in part, then as little as an estimate takes. What is timed depends on the host's speed then; results do not. 0 is no bound: no
	// more is timed than estimates need.
	Budget time.Duration
	// Clock is the clock of Budget; nil is the host's. With another, what is timed does not depend on the host.
	Clock func() time.Time
	// Check is what to look for in kernels; see Host.Findings. Faulty accesses are left out then, and kernels go on. It changes no
	// cycle.
	Check finding.Set
	// Keep tells which findings are wanted; nil for all. Found is called with each when it is made; nil for nobody.
	Keep  func(*finding.Finding) bool
	Found func(*finding.Finding)
	// Order is the seed of another legal order of warps and blocks in a functional run; 0 is the usual one.
	Order uint64
	// Observer hears what happens on the device; nil for none. It changes no result.
	Observer observe.Observer
	// Scheduler makes the policies of warp schedulers, in place of the one that the configuration names; nil for that.
	Scheduler func(scheduler.Spec) scheduler.Policy
	// MaxRegisters caps the registers of a thread, as nvcc's -maxrregcount; 0 leaves it to the compiler.
	MaxRegisters int
	// Registers is the number of registers of a thread that occupancy is computed with; 0 is what the compiler used.
	Registers int
	// RegistersOf is the chip that kernels are compiled for, so that their registers and the order of their instructions are those that
	// they have there, whatever is changed on this one; nil is the device's own. Its compute capability is not above the device's.
	RegistersOf *configs.Config
	// StrictTarget refuses instructions that no Kepler has, even where they could be executed.
	StrictTarget bool
	// CacheConfig is the split of shared memory and L1: none (the chip's default), shared, l1 or equal, or the size of shared
	// memory, as in 32K.
	CacheConfig string
	// BankMode is the width of shared memory's banks; the zero value is the chip's default.
	BankMode memorymode.BankMode
	// GlobalLoads is where global loads without a cache operator go; the zero value is to L2.
	GlobalLoads memorymode.GlobalLoads
	// ReuseDistance records a histogram of reuse distances at L2 in each launch's memory counters.
	ReuseDistance bool
	// NoContraction keeps multiplications and additions apart that do not say how they round, as ptxas --fmad=false; else they
	// become fused multiply-adds where ptxas would make them so.
	NoContraction bool
	// Programs are shared with other GPUs; nil for none.
	Programs *Programs
	// Unoptimised has each PTX instruction do its work where it stands, and calls stay calls, for debuggers: slower, and with more
	// registers.
	Unoptimised bool
	// Modes override the floating-point modes that a kernel was compiled with.
	Modes modes.Override
	// Progress is called now and then while a kernel runs; nil for silence.
	Progress func(Progress)
	// Finished is called with each launch when it has ended; nil for silence. The launch is not to be changed.
	Finished func(*stats.Launch)
	// Power has each device follow its power, and its governor its clock; nil does neither.
	Power *boost.Options
	// MPS has the streams of all processes share the device; without, one process has it at a time.
	MPS bool
	// Timeline keeps what happened when: commands, calls and blocks; see Host.Timeline. Spill keeps what is behind the first
	// thousands in bounded memory; see Host.More.
	Timeline, Spill bool
	// Arena is memory shared with a host program, for the device to have its own in; nil for memory of its own.
	Arena *memory.Arena
	// Device is the device's number where its host program has Devices of them, each on a Host of its own; both 0 for the Host's own.
	Device, Devices int
	// MostMemory bounds what a device's memory takes of the host's, in bytes: allocations, variables of modules, the heap, and local
	// memory. 0 is the device's capacity, of what lies on it.
	MostMemory uint64
	// Card has kernels reach all of the 2 MiB pages that allocations lie on, as on a card, rather than the allocations alone, and hears of
	// the first access that needs it; nil for faults at the end of each allocation.
	Card func(message string)
	// Printf is where device-side printf writes; nil is standard output. What a kernel prints is written when it ends.
	Printf io.Writer
}

// DefaultMaxCycles is how long a launch may run, in core clock cycles: more than a second of a Kepler.
const DefaultMaxCycles = 1_000_000_000

// Progress is how far a launch has come.
type Progress struct {
	Kernel           string // its symbol
	Title            string // its name for people
	Cycles           int64
	WarpInstructions uint64
	BlocksDone       uint64
	BlocksRunning    uint64 // resident now
	BlocksTotal      uint64
}

// Part returns the part of the launch that is done, from 0 to 1. Blocks that run are taken to be half done in the mean: those of one wave
// have begun together, those of a long grid one after another. 0 says that nothing is known yet, as no block has ended.
func (p Progress) Part() float64 {
	if p.BlocksDone == 0 || p.BlocksTotal == 0 {
		return 0
	}
	return (float64(p.BlocksDone) + float64(p.BlocksRunning)/2) / float64(p.BlocksTotal)
}

// GPU is one simulated device.
type GPU struct {
	config  *configs.Config
	chip    stats.Chip // what a launch's result says of the configuration
	options Options
	cache   occupancy.CacheConfig
	global  *memory.Global
	device  *device.Device
	grids   uint64
	modules []*Module // loaded, in order
	system  *system
	checker *check.Checker // nil for none
	screen  *screen.Screen // which looks at launches before the checker does; nil for none
	// observer is all that hear the device, the checker among them; nil for nobody.
	observer observe.Observer
	host     *Host
	index    int // of the device on its host
	streams  map[streamKey]*Stream
	pending  map[*hyperq.Command]*Pending
	managed  managed
	sources  map[*smx.Program]*sourceMap
	free     [][]stats.SMX   // counters, by SMX, that are no longer needed
	unused   []*stats.Launch // results that nobody has any more
	lists    []lists         // and lists of results

	objects  exec.Objects // textures, samplers and surfaces
	bindings map[string]*binding
}

// New makes a device with empty memory. config is not changed.
func New(config *configs.Config, options Options) (*GPU, error) {
	h, err := NewHost(config, options, 1)
	if err != nil {
		return nil, err
	}
	return h.gpus[0], nil
}

// useDefaultsOf gives what is left open about shared memory and L1 the chip's values.
func (o *Options) useDefaultsOf(config *configs.Config) {
	o.BankMode = o.BankMode.Or(memorymode.BankMode(config.SharedMemory.BankMode))
	if config.L1.GlobalLoads == configs.LoadsAlways {
		o.GlobalLoads = o.GlobalLoads.Or(memorymode.LoadsThroughL1)
	}
	if o.CacheConfig == "" {
		o.CacheConfig = occupancy.PreferNone.String()
	}
}

// useCard makes memory as lenient as a card's, if that is asked for.
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
		options.Threads = 1 // so that events come one at a time
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

// Power returns what the board has taken so far; nil without Options.Power.
func (g *GPU) Power() *stats.Power { return g.device.Power() }

// Config returns the device's configuration.
func (g *GPU) Config() *configs.Config { return g.config }

// Allocate takes device memory, aligned to 256 bytes and zero. The name is used in messages.
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

// WritePart is Write for a part of a copy: Written is told of the whole when all its parts are there.
func (g *GPU) WritePart(address uint64, data []byte) error { return g.global.Write(address, data) }

// FillLazily is Write of bytes that fill makes when they are first touched, piece by piece, from an offset on.
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

// settled is the device's memory as it is now.
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
