package smx_test

import (
	"context"
	"encoding/binary"
	"flag"
	"math/bits"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/fuzz"
	"github.com/keplersim/keplersim/host"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/observe"
	"github.com/keplersim/keplersim/sim/scheduler"
	"github.com/keplersim/keplersim/sim/smx"
	"github.com/keplersim/keplersim/sim/stats"
)

var (
	plainKernels = flag.Int("plain", 100, "random kernels that TestPlainLoopOnRandomKernels runs; a short run takes a tenth")
	plainFrom    = flag.Uint64("plain-from", 0, "the number of the first of them")
	plainAll     = flag.Bool("plain-all", false, "TestPlainLoopOnWorkloads runs every workload, which takes minutes")
)

// plainWorkloads run even without -plain-all: concurrent streams, launches from kernels, barriers, atomics, scattered loads.
var plainWorkloads = []string{"bfs-nested", "histogram", "overlap", "spmv", "scan"}

// issues records when each warp of a launch issued which operation.
type issues struct {
	observe.Silent
	list []issue
}

type issue struct {
	Cycle                engine.Cycle
	SMX, Scheduler, Slot int
	Op                   int32
	Active, Mask         uint32
	SecondOfAPair        bool
}

func (i *issues) Issue(e observe.Issue) {
	i.list = append(i.list, issue{
		Cycle: e.Cycle, SMX: e.Warp.Block.SMX, Scheduler: e.Warp.Scheduler, Slot: e.Warp.Slot, Op: e.Op,
		Active: e.Active, Mask: e.Mask, SecondOfAPair: e.Second,
	})
}

// hold is a policy that picks a warp in one of three cycles with ready warps.
type hold struct{ calls int }

func init() {
	scheduler.Register("hold-of-this-test", "issues in one of three cycles", func(scheduler.Spec) scheduler.Policy { return &hold{} })
	scheduler.Register("never-of-this-test", "never issues", func(scheduler.Spec) scheduler.Policy { return wrong(scheduler.None) })
	scheduler.Register("wrong-of-this-test", "takes a slot that is empty", func(scheduler.Spec) scheduler.Policy { return wrong(63) })
}

func (h *hold) Pick(ready uint64, _ *[scheduler.Slots]uint64) int {
	if h.calls++; h.calls%3 != 0 {
		return scheduler.None
	}
	return bits.TrailingZeros64(ready)
}

// wrong always picks the same slot, ready or not, as no policy may.
type wrong int

func (w wrong) Pick(uint64, *[scheduler.Slots]uint64) int { return int(w) }

// A policy that picks no warp for long, or one that is not ready, ends the launch with an error that names the key.
func TestWrongPoliciesEndTheLaunch(t *testing.T) {
	for policy, want := range map[string]string{
		"never-of-this-test": "the policy of smx.scheduler has picked no warp in 1000000 cycles in which some were ready",
		"wrong-of-this-test": "the policy of smx.scheduler has picked slot 63, whose warp is not ready",
	} {
		job, err := host.Open(context.Background(), "../../workloads/vectoradd/vectoradd.yaml",
			host.Options{Overrides: []string{"smx.count=1", "smx.scheduler=" + policy}, Simulator: sim.Options{Threads: 1}})
		require.NoError(t, err)
		_, err = job.Run(context.Background())
		assert.ErrorContains(t, err, want)
	}
}

// settings vary the parameters that the two loops depend on.
var settings = [][]string{
	nil,
	{"smx.scheduler=lrr"},
	{"smx.scheduler=fifo"},
	{"smx.scheduler=two-level", "load_store.in_turn=false"},
	{"smx.scheduler=oldest", "load_store.queue=4", "load_store.outstanding=6"},
	{"smx.scheduler=hold-of-this-test", "l1.prefetcher=next-line", "read_only.prefetcher=stride"},
	{"pipelines.dual_issue.enabled=false"},
	{"ideal.no_divergence=true"},
	{"ideal.dual_issue=true", "load_store.queue=2"},
}

// outcome has the counters of a run's launches, in all and by operation.
type outcome struct {
	launches   []*stats.Launch
	operations map[int][][]stats.OperationCount
}

// run returns the outcome of launches.
func run(launch func() []*stats.Launch) (o outcome) {
	o.operations = smx.Operations(func() { o.launches = launch() })
	return o
}

// random runs one random kernel on a few blocks.
func random(t *testing.T, seed uint64, observer observe.Observer) outcome {
	t.Helper()
	chip := []string{"gk110", "k80", "titan"}[seed%3]
	config, err := configs.Load(chip, append([]string{"smx.count=2"}, settings[seed/3%uint64(len(settings))]...))
	require.NoError(t, err)
	gpu, err := sim.New(config, sim.Options{Threads: 1, Observer: observer})
	require.NoError(t, err)
	module, err := gpu.Load("random.ptx", []byte(fuzz.Generate(seed)))
	require.NoError(t, err)
	in, err := gpu.Allocate("in", 4*fuzz.Threads*fuzz.InputWords)
	require.NoError(t, err)
	out, err := gpu.Allocate("out", 4*fuzz.Threads*fuzz.OutputWords)
	require.NoError(t, err)
	return run(func() []*stats.Launch {
		launch, err := gpu.Launch(context.Background(), sim.Launch{
			Module: module, Kernel: "random", Grid: [3]int{1 + int(seed%23)}, Block: [3]int{fuzz.Threads},
			Parameters: binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, in), out),
		})
		require.NoError(t, err)
		return []*stats.Launch{launch}
	})
}

// same compares the counters of two runs: of each SMX, of each operation there, and of each line of the programs.
func same(t *testing.T, plain, fast outcome) bool {
	t.Helper()
	for i, p := range plain.launches {
		f := fast.launches[i]
		if !assert.Equal(t, f.Cycles, p.Cycles, "launch %d: cycles", i) || !assert.Equal(t, f.SMXs, p.SMXs, "launch %d", i) ||
			!assert.Equal(t, f.Memory, p.Memory, "launch %d", i) || !assert.Equal(t, f.Source, p.Source, "launch %d", i) {
			return false
		}
	}
	return assert.Equal(t, fast.operations, plain.operations)
}

// Random kernels issue the same operations in the same cycles with the plain loop, with the same counters.
func TestPlainLoopOnRandomKernels(t *testing.T) {
	kernels := *plainKernels
	if testing.Short() {
		kernels /= 10
	}
	for seed := *plainFrom; seed < *plainFrom+uint64(kernels); seed++ {
		fast := random(t, seed, nil)
		var byFast, byPlain issues
		observed := random(t, seed, &byFast)
		var plain outcome
		smx.Plainly(func() { plain = random(t, seed, &byPlain) })
		for i := range min(len(byFast.list), len(byPlain.list)) {
			require.Equal(t, byFast.list[i], byPlain.list[i], "seed %d, issue %d", seed, i)
		}
		require.Len(t, byPlain.list, len(byFast.list), "seed %d", seed)
		require.True(t, same(t, plain, fast) && same(t, plain, observed), "seed %d", seed)
	}
}

// Workloads have the same counters with the plain loop, launch by launch.
func TestPlainLoopOnWorkloads(t *testing.T) {
	files, err := filepath.Glob("../../workloads/*/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		name := filepath.Base(filepath.Dir(file))
		if !*plainAll && (testing.Short() && name != "histogram" || !slices.Contains(plainWorkloads, name)) {
			continue
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			fast := runWorkload(t, file, sim.Options{Threads: 1})
			smx.Plainly(func() { require.True(t, same(t, runWorkload(t, file, sim.Options{Threads: 1}), fast)) })
		})
	}
}

// Runs timed in part have the same counters with the plain loop: they go forward without timing at the same places.
func TestPlainLoopOnSampledRuns(t *testing.T) {
	for _, name := range []string{"nbody", "sgemm-tiled"} {
		if testing.Short() && name != "nbody" {
			continue
		}
		file := filepath.Join("../../workloads", name, name+".yaml")
		fast := runWorkload(t, file, sim.Options{Threads: 1, Estimate: true})
		require.NotNil(t, fast.launches[0].Estimate, "%s: nothing was left out", name)
		smx.Plainly(func() {
			require.True(t, same(t, runWorkload(t, file, sim.Options{Threads: 1, Estimate: true}), fast), name)
		})
	}
}

func runWorkload(t *testing.T, file string, options sim.Options) outcome {
	t.Helper()
	job, err := host.Open(context.Background(), file, host.Options{Simulator: options})
	require.NoError(t, err)
	return run(func() []*stats.Launch {
		result, err := job.Run(context.Background())
		require.NoError(t, err)
		return result.Launches
	})
}
