package sim_test

import (
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"math/bits"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/internal/registry"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/sim/observe"
	"github.com/keplersim/keplersim/sim/scheduler"
	"github.com/keplersim/keplersim/sim/stats"
)

var updatePolicies = flag.Bool("update-policies", false, "write the table of policies into docs/configs.md")

const (
	policiesBegin = "<!-- policies: written by go test ./sim -run Policies -update-policies -->\n"
	policiesEnd   = "<!-- end of policies -->\n"
)

// docs/configs.md lists every registered policy, with the keys that choose it.
func TestPoliciesAreListed(t *testing.T) {
	const path = "../docs/configs.md"
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(text), policiesBegin)
	require.True(t, found)
	_, after, found := strings.Cut(rest, policiesEnd)
	require.True(t, found)
	keys, kinds := map[string][]string{}, []string{}
	for _, k := range configs.Keys() {
		kind, ok := strings.CutPrefix(k.Check, "policy=")
		if !ok {
			continue
		}
		if keys[kind] == nil {
			kinds = append(kinds, kind)
		}
		keys[kind] = append(keys[kind], "`"+k.Path+"`")
	}
	var b strings.Builder
	b.WriteString("\n| policy | name | what it does |\n|---|---|---|\n")
	for _, kind := range kinds {
		names := registry.Names(kind)
		assert.NotEmpty(t, names, "no package registers a %s", kind)
		for i, name := range slices.DeleteFunc(names, func(name string) bool { return strings.HasSuffix(name, "-of-this-test") }) {
			first := kind + ": " + strings.Join(keys[kind], ", ")
			if i > 0 {
				first = ""
			}
			does := registry.Does(kind, name)
			for _, p := range registry.Parameters(kind, name) {
				does += fmt.Sprintf("; `%s` (%g–%g, else %g): %s", p.Name, p.Min, p.Max, p.Default, p.Does)
			}
			fmt.Fprintf(&b, "| %s | `%s` | %s |\n", first, name, does)
		}
	}
	b.WriteString("\n")
	want := before + policiesBegin + b.String() + policiesEnd + after
	if *updatePolicies {
		require.NoError(t, os.WriteFile(path, []byte(want), 0o644))
		return
	}
	assert.Equal(t, want, string(text), "run: go test ./sim -run Policies -update-policies")
}

// Every policy gives the same results, and at least some give other cycles.
func TestEveryPolicyComputesTheSame(t *testing.T) {
	for _, k := range configs.Keys() {
		kind, ok := strings.CutPrefix(k.Check, "policy=")
		if !ok {
			continue
		}
		for _, name := range registry.Names(kind) {
			settings := []string{k.Path + "=" + name}
			chip := "gk110"
			if name == "digits" { // of addresses; the number of slices must be a power of two
				chip = "gk104"
			}
			config, err := configs.Load(chip, settings)
			require.NoError(t, err)
			assertVectorAdd(t, config, strings.Join(settings, " "))
		}
	}
}

// assertVectorAdd adds two vectors on a chip and compares the sums.
func assertVectorAdd(t *testing.T, config *configs.Config, what string) *stats.Launch {
	t.Helper()
	const n = 20_000
	gpu, err := sim.New(config, sim.Options{Threads: 1})
	require.NoError(t, err, what)
	text, err := os.ReadFile("../workloads/vectoradd/vectoradd.ptx")
	require.NoError(t, err)
	module, err := gpu.Load("vectoradd.ptx", text)
	require.NoError(t, err)
	d := device{gpu, t, module}
	a, b, c := d.allocate("a", 4*n), d.allocate("b", 4*n), d.allocate("c", 4*n)
	in := make([]byte, 4*n)
	for i := range n {
		binary.LittleEndian.PutUint32(in[4*i:], math.Float32bits(float32(i)))
	}
	require.NoError(t, gpu.Write(a, in))
	require.NoError(t, gpu.Write(b, in))
	var parameters []byte
	for _, pointer := range []uint64{a, b, c} {
		parameters = binary.LittleEndian.AppendUint64(parameters, pointer)
	}
	parameters = binary.LittleEndian.AppendUint32(parameters, n)
	launched, err := gpu.Launch(context.Background(), sim.Launch{
		Module: module, Kernel: "vectoradd", Grid: [3]int{(n + 255) / 256}, Block: [3]int{256}, Parameters: parameters,
	})
	require.NoError(t, err, what)
	out := make([]byte, 4*n)
	require.NoError(t, gpu.Read(c, out))
	for i := range n {
		require.Equal(t, float32(2*i), math.Float32frombits(binary.LittleEndian.Uint32(out[4*i:])), "%s: element %d", what, i)
	}
	return launched
}

// attentive is a policy that counts the events of the warps it chose, and of its SMX's caches.
type attentive struct {
	scheduler.Spec
	heard *noticed
}

// noticed is what a policy receives and sees.
type noticed struct {
	issued, waited, looked, hit, evicted, owned, loads uint64
	registers                                          int
	blocks                                             map[[3]uint32]bool
}

// heard collects the events of all attentive policies during a test, on one host thread; otherwise each has its own.
var heard *noticed

func init() {
	scheduler.Register("attentive-of-this-test", "counts what it hears", func(s scheduler.Spec) scheduler.Policy {
		if heard != nil {
			return attentive{s, heard}
		}
		return attentive{s, &noticed{blocks: map[[3]uint32]bool{}}}
	})
}

func (a attentive) Pick(ready uint64, _ *[scheduler.Slots]uint64) int {
	slot := bits.TrailingZeros64(ready)
	w := a.Warps.Warp(slot)
	if w.Load {
		a.heard.loads++
	}
	a.heard.registers = w.Registers
	a.heard.blocks[w.Block] = true
	return slot
}
func (a attentive) Issued(scheduler.Issue)    { a.heard.issued++ }
func (a attentive) Stalled(s scheduler.Stall) { a.heard.waited += uint64(s.To - s.From) }

// Looked counts a lookup once, though each of an SMX's four policies receives it.
func (a attentive) Looked(l scheduler.Lookup) {
	if a.Scheduler != l.Warp.Scheduler {
		return
	}
	a.heard.looked++
	if l.Found == observe.Hit {
		a.heard.hit++
	}
}

func (a attentive) Evicted(e scheduler.Eviction) {
	if a.Scheduler == 0 {
		a.heard.evicted++
	}
	if a.Scheduler == e.Owner.Scheduler && e.By.Scheduler >= 0 {
		a.heard.owned++
	}
}

// A policy that listens is notified of every issue and of every cycle in which warps wait.
func TestPoliciesHearIssuesAndStalls(t *testing.T) {
	config, err := configs.Load("gk110b", []string{
		"smx.scheduler=attentive-of-this-test", "smx.count=1", "l1.global_loads=always", "l1.policy=lru"})
	require.NoError(t, err)
	heard = &noticed{blocks: map[[3]uint32]bool{}}
	t.Cleanup(func() { heard = nil })
	l := assertVectorAdd(t, config, "attentive")
	assert.Equal(t, l.Total.InstExecuted, heard.issued)
	assert.Equal(t, l.Total.Stalls.Sum(), heard.waited)
	cached := l.Total.L1Global
	assert.Equal(t, cached.Accesses, heard.looked)
	assert.Equal(t, cached.Hits, heard.hit)
	const lines = 16 * 1024 / 128 // lines of L1, which no store uses
	assert.Equal(t, cached.Accesses-cached.Hits-lines, heard.evicted, "each miss brings a line, for which one goes")
	assert.Equal(t, heard.evicted, heard.owned, "each was brought by a warp")
	assert.Equal(t, cached.Accesses, heard.loads, "each load of a warp is one line")
	assert.Len(t, heard.blocks, 79)
	assert.Equal(t, l.Registers, heard.registers)
}
