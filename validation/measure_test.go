package validation

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/sim"
)

// measured runs an experiment on a board with a changed configuration: it must measure the changed value.
func measured(t *testing.T, kind string, e experiment, unit, config string, overrides ...string) float64 {
	t.Helper()
	c, err := configs.Load(config, overrides)
	require.NoError(t, err)
	b, err := newBench(c, sim.Options{BankMode: e.BankMode})
	require.NoError(t, err)
	ours, err := methods[kind](context.Background(), b, &Row{Unit: unit, experiment: &e})
	require.NoError(t, err)
	return ours
}

func TestChainMeasuresTheConfiguredLatency(t *testing.T) {
	e := experiment{Register: "f32", Body: "fma.rn.f32 {a}, {a}, {b}, {c};"}
	for _, latency := range []string{"7", "9", "23"} {
		ours := measured(t, "chain", e, "cycles", "k20", "pipelines.operations.fp32.latency="+latency)
		assert.InDelta(t, map[string]float64{"7": 7, "9": 9, "23": 23}[latency], ours, 0.1)
	}
}

func TestStreamMeasuresTheConfiguredRate(t *testing.T) {
	e := experiment{Register: "u32", Body: "brev.b32 {a}, {a};"}
	assert.InDelta(t, 32, measured(t, "stream", e, "results/clock", "k20", "smx.count=1"), 1)
	assert.InDelta(t, 8, measured(t, "stream", e, "results/clock", "k20", "smx.count=1", "pipelines.operations.bits.results_per_clock=8"),
		0.25)
}

func TestClassesOfOneRateShareIt(t *testing.T) {
	e := experiment{Register: "u32", Body: "add.cc.s32 {a}, {a}, {b};\naddc.s32 {a}, {a}, {c};", Results: 2, Blocks: 16}
	const integer, carry = "pipelines.operations.integer.results_per_clock=", "pipelines.operations.integer_carry.results_per_clock="
	assert.InDelta(t, 32, measured(t, "stream", e, "results/clock", "k20", "smx.count=1", integer+"32", carry+"32"), 3)
	assert.InDelta(t, 2*16, measured(t, "stream", e, "results/clock", "k20", "smx.count=1", integer+"64", carry+"16"), 3)
}

func TestAPairCostsWhatIsConfigured(t *testing.T) {
	e := experiment{Conflict: 1, Pattern: []int{1, 2, 2, 1}}
	ours := measured(t, "registers", e, "results/clock", "k20", "smx.count=1", "pipelines.dual_issue.pair_cycles=0.5")
	assert.InDelta(t, 128*6/5.0, ours, 2) // six operations in four slots and two halves
}

func TestLinesTakeTheLoadStoreUnit(t *testing.T) {
	e := experiment{Register: "u32", Body: "ld.global.cg.u32 %t0, [%l0];\nxor.b32 {a}, {a}, %t0;", Blocks: 4}
	for stride, lines := range map[string]float64{"4": 1, "16": 4, "32": 8} {
		e.Setup = "mul.wide.u32 %l0, %thread, " + stride + ";\nadd.u64 %l0, %l0, %data;"
		ours := measured(t, "stream", e, "results/clock", "k20", "smx.count=1", "load_store.line_cycles=6")
		assert.InEpsilon(t, 32/(1+6*lines), ours, 0.03, "%v lines", lines)
	}
}

func TestChaseSeesATLBLevel(t *testing.T) {
	e := experiment{Space: "global", Footprint: "1M", Stride: "128K", Cache: "cg"}
	near := measured(t, "chase", e, "cycles", "k80")
	e.Footprint = "8M"
	assert.Greater(t, measured(t, "chase", e, "cycles", "k80"), near+20)
}

func TestReplaceMovesTargets(t *testing.T) {
	mp := &isa.MachineProgram{
		Ops: []isa.MachineOp{{Target: 2, Reconverge: 3}, {Class: isa.ClassFP32}, {Target: 0, Reconverge: -1}, {Target: 1}},
	}
	replace(mp, 1, make([]isa.MachineOp, 4))
	require.Len(t, mp.Ops, 7)
	assert.Equal(t, int32(5), mp.Ops[0].Target)
	assert.Equal(t, int32(6), mp.Ops[0].Reconverge)
	assert.Equal(t, int32(0), mp.Ops[5].Target)
	assert.Equal(t, int32(-1), mp.Ops[5].Reconverge)
	assert.Equal(t, int32(1), mp.Ops[6].Target)
}
