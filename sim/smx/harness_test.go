package smx

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/decode"
	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/isa/lower"
	"github.com/keplersim/keplersim/isa/ptx"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/memory"
	"github.com/keplersim/keplersim/sim/observe"
	"github.com/keplersim/keplersim/sim/smx/occupancy"
	"github.com/keplersim/keplersim/sim/stats"
)

// setup configures a test's kernel; zero values are one block, one thread, 4 KiB of buffer.
type setup struct {
	chip      string
	overrides []string
	blocks    uint32
	threads   uint32
	bytes     uint64
	dynamic   int
	// parameters follow the pointer in the parameter space.
	parameters []uint32
	system     System
	objects    *exec.Objects
	observer   observe.Observer
}

// bench is one SMX with its memory system and a kernel whose only parameter is a pointer to a buffer.
type bench struct {
	*SMX
	*GridState
	t       *testing.T
	config  *configs.Config
	device  *memory.System
	memory  *memory.Global
	buffer  uint64
	grid    *Grid
	machine *isa.MachineProgram
}

// kernelText returns a module with one kernel: the statements, preceded by declarations. Register %out points to the buffer, %mine to the
// thread's word of it; %tid is the thread's number.
func kernelText(statements string) string {
	return `.version 6.4
.target sm_35
.address_size 64
.visible .entry kernel(.param .u64 out)
{
	.reg .pred %p<9>;
	.reg .b32 %r<32>, %tid;
	.reg .f32 %f<40>;
	.reg .b64 %d<16>, %out, %mine;
	ld.param.u64 %out, [out];
	mov.u32 %tid, %tid.x;
	mad.wide.u32 %mine, %tid, 4, %out;
` + statements + `
	ret;
}
`
}

// newBench prepares the kernel named kernel of a module on SMX 0 of a chip, and offers it the blocks.
func newBench(t *testing.T, source string, o setup) *bench {
	t.Helper()
	if o.chip == "" {
		o.chip = "k40"
	}
	config, err := configs.Load(o.chip, o.overrides)
	require.NoError(t, err)
	return prepareBench(t, config, source, "kernel", o)
}

func prepareBench(t *testing.T, config *configs.Config, source, kernel string, o setup) *bench {
	t.Helper()
	o.blocks, o.threads, o.bytes = max(o.blocks, 1), max(o.threads, 1), max(o.bytes, 4096)
	file, err := ptx.Parse(kernel+".ptx", source)
	require.NoError(t, err)
	code, err := decode.Program([]*ptx.File{file}, decode.Options{})
	require.NoError(t, err)
	machine, err := lower.Program(t.Context(), code, code.Function(kernel), lower.Options{
		ComputeCapability: 35, PerThread: config.Registers.PerThread, RegistersPerSMX: config.Registers.PerSMX,
		ThreadsPerSMX: config.SMX.Threads, RegisterGranularity: config.Registers.ThreadGranularity,
		Latency: func(c isa.Class) int { return config.Pipelines.Operations[c].Latency },
	})
	require.NoError(t, err)
	program, err := Prepare(machine, config)
	require.NoError(t, err)
	global := memory.NewGlobal(config)
	buffer, err := global.Allocate("buffer", o.bytes)
	require.NoError(t, err)
	device := memory.New(config, global)
	s, err := New(0, config, global, device.Port(0), config.SharedMemory.CarveOuts[0], 0, nil)
	require.NoError(t, err)
	parameters := append(binary.LittleEndian.AppendUint64(nil, buffer), bytesOf(o.parameters)...)
	grid := &Grid{
		Program: program, Launch: program.Code.Launch(parameters), Dim: [3]uint32{o.blocks, 1, 1}, Block: [3]uint32{o.threads, 1, 1},
		Shared: machine.SharedBytes + o.dynamic, Dynamic: o.dynamic, BankMode: 4, CacheGlobalLoads: true, System: o.system,
		Occupancy: occupancy.FromConfig(config).Calculate(
			occupancy.Launch{Threads: int(o.threads), Registers: machine.Registers, Shared: machine.SharedBytes + o.dynamic},
		),
	}
	if o.objects != nil {
		grid.Launch.Objects = o.objects
	}
	if o.observer != nil {
		grid.Observed = &observe.Grid{Machine: machine, Dim: grid.Dim, Threads: grid.Block}
		s.Observe(o.observer)
	}
	var numbers []uint64
	for n := range uint64(o.blocks) {
		numbers = append(numbers, n)
	}
	s.Offer(grid, numbers, 0, 1)
	return &bench{
		SMX: s, GridState: s.Join(grid), t: t, config: config, device: device, memory: global, buffer: buffer, grid: grid, machine: machine,
	}
}

// timed runs the blocks to their end or a fault, and completes the counters.
func (b *bench) timed() *bench {
	b.t.Helper()
	epoch := b.device.EpochCycles()
	for now := epoch; b.Finished < b.grid.Blocks() || !b.SMX.Idle() || !b.device.Idle(); now += epoch {
		require.Less(b.t, now, engine.Cycle(1_000_000), "the kernel does not end")
		b.Run(now)
		b.device.Step(now)
		for _, c := range b.Calls() {
			c.Finish(now)
		}
		if b.Fault != nil || b.Wake() == never && b.device.Idle() {
			break
		}
	}
	b.Leave(b.GridState)
	return b
}

// functional runs the blocks without timing, to their end, a fault, or a deadlock.
func (b *bench) functional() *bench {
	b.t.Helper()
	for turn := 0; b.Finished < b.grid.Blocks() && b.Fault == nil && (b.RunFunctional() || b.RunNext()); turn++ {
		require.Less(b.t, turn, 100_000, "the kernel does not end")
	}
	return b
}

// words reads the buffer's first words.
func (b *bench) words(count int) []uint32 {
	b.t.Helper()
	data := make([]byte, 4*count)
	require.NoError(b.t, b.memory.Read(b.buffer, data))
	words := make([]uint32, count)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	return words
}

// bothWays runs a kernel timed and functionally.
func bothWays(t *testing.T, source string, o setup, check func(t *testing.T, b *bench)) {
	t.Helper()
	t.Run("timed", func(t *testing.T) { check(t, newBench(t, source, o).timed()) })
	t.Run("functional", func(t *testing.T) { check(t, newBench(t, source, o).functional()) })
}

// journal is an observer that keeps the events.
type journal struct {
	observe.Silent
	issues   []observe.Issue
	stalls   []observe.Stall
	barriers []observe.Barrier
	requests []observe.Request
	answers  []observe.Answer
	accesses int
	starts   []engine.Cycle
	ends     []engine.Cycle
}

func (j *journal) Issue(e observe.Issue)     { j.issues = append(j.issues, e) }
func (j *journal) Stall(e observe.Stall)     { j.stalls = append(j.stalls, e) }
func (j *journal) Barrier(e observe.Barrier) { j.barriers = append(j.barriers, e) }
func (j *journal) Request(e observe.Request) { j.requests = append(j.requests, e) }
func (j *journal) Answer(e observe.Answer)   { j.answers = append(j.answers, e) }
func (j *journal) Access(observe.Access)     { j.accesses++ }
func (j *journal) Block(at engine.Cycle, _ *observe.Block, stage observe.Stage) {
	if stage == observe.Started {
		j.starts = append(j.starts, at)
	} else {
		j.ends = append(j.ends, at)
	}
}

// of lists the issues of operations with a prefix of the mnemonic.
func (j *journal) of(mnemonic string) (list []observe.Issue) {
	for _, e := range j.issues {
		if strings.HasPrefix(e.Warp.Operation(e.Op).Mnemonic, mnemonic) {
			list = append(list, e)
		}
	}
	return list
}

// stalled sums a warp's stalls for a reason, in cycles.
func (j *journal) stalled(reason stats.Stall) (cycles engine.Cycle) {
	for _, e := range j.stalls {
		if e.Reason == reason {
			cycles += e.To - e.From
		}
	}
	return cycles
}

// alone makes an SMX with one block of a kernel, and its memory system.
func alone(t *testing.T, config *configs.Config, source, kernel string, threads uint32, bytes uint64) (*bench, *memory.System) {
	t.Helper()
	b := prepareBench(t, config, source, kernel, setup{threads: threads, bytes: bytes})
	return b, b.device
}
