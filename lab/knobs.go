package lab

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/keplersim/keplersim/configs"
)

// knob is a key of the configuration that is worth turning: a slider or a choice next to a cell.
type knob struct {
	Key   string `json:"key"`
	Title string `json:"title"`
	Group string `json:"group"`
	Unit  string `json:"unit,omitempty"`
	// Values are its positions, in order. A knob with Times instead multiplies the chip's own value, so that caches keep whole sets.
	Values []string  `json:"values,omitempty"`
	Times  []float64 `json:"times,omitempty"`
	// With are keys that follow the knob: each is set to the value times its factor.
	With map[string]int `json:"with,omitempty"`
}

var (
	halves = []float64{0.25, 0.5, 1, 2, 4}
	delays = []float64{0.25, 0.5, 1, 2, 4, 8}
	onOff  = []string{"false", "true"}
)

// knobs are in the order of the page. A knob with neither Values nor Times takes the words that the schema lists, such as policies.
var knobs = []knob{
	{Group: "The chip", Key: "smx.count", Title: "SMXs", Values: counted(1, 15)},
	{Group: "The chip", Key: "smx.warps", Title: "warps of an SMX", Values: []string{"32", "48", "64", "96", "128"},
		With: map[string]int{"smx.threads": 32}},
	{Group: "The chip", Key: "smx.blocks", Title: "blocks of an SMX", Values: []string{"1", "2", "4", "8", "16", "32"}},
	{Group: "The chip", Key: "registers.per_smx", Title: "registers of an SMX", Times: []float64{0.25, 0.5, 1, 2},
		With: map[string]int{"registers.per_block": 1}},
	{Group: "The chip", Key: "shared_memory.cache_config", Title: "shared memory or L1"},
	{Group: "Issue", Key: "smx.scheduler", Title: "scheduling policy"},
	{Group: "Issue", Key: "pipelines.dual_issue.enabled", Title: "dual issue", Values: onOff},
	{Group: "Issue", Key: "pipelines.operations.fp32.latency", Title: "latency of FP32", Values: []string{"1", "4", "9", "18", "36"}},
	{Group: "Issue", Key: "pipelines.branch_cycles", Title: "cycles behind a branch", Values: []string{"1", "4", "8", "16", "32"}},
	{Group: "Memory of the SMX", Key: "shared_memory.bank_mode", Title: "width of shared memory's banks", Values: []string{"4", "8"}},
	{Group: "Memory of the SMX", Key: "shared_memory.latency", Title: "latency of shared memory", Times: delays},
	{Group: "Memory of the SMX", Key: "l1.global_loads", Title: "global loads in L1"},
	{Group: "Memory of the SMX", Key: "read_only.bytes", Title: "read-only cache", Times: halves},
	{Group: "Memory of the SMX", Key: "load_store.outstanding", Title: "requests in flight",
		Times: []float64{0.0625, 0.125, 0.25, 0.5, 1, 2}},
	{Group: "L2 and DRAM", Key: "interconnect.request_latency", Title: "latency of the crossbar", Times: delays},
	{Group: "L2 and DRAM", Key: "l2.bytes", Title: "L2", Times: halves},
	{Group: "L2 and DRAM", Key: "l2.policy", Title: "replacement in L2"},
	{Group: "L2 and DRAM", Key: "l2.prefetcher", Title: "prefetcher of L2"},
	{Group: "L2 and DRAM", Key: "clocks.memory", Title: "memory clock", Times: []float64{0.25, 0.5, 1, 2}},
	{Group: "L2 and DRAM", Key: "dram.controller_latency", Title: "latency of the memory controller", Times: delays},
	{Group: "L2 and DRAM", Key: "dram.scheduling", Title: "scheduling of DRAM"},
	{Group: "L2 and DRAM", Key: "dram.row_policy", Title: "rows of DRAM"},
	{Group: "L2 and DRAM", Key: "dram.ecc", Title: "error correction (ECC)", Values: onOff},
	{Group: "A limit lifted", Key: "ideal.coalescing", Title: "perfect coalescing", Values: onOff},
	{Group: "A limit lifted", Key: "ideal.load_store", Title: "one slot for a global access", Values: onOff},
	{Group: "A limit lifted", Key: "ideal.no_bank_conflicts", Title: "no bank conflicts", Values: onOff},
	{Group: "A limit lifted", Key: "ideal.no_atomic_conflicts", Title: "no conflicts of atomics", Values: onOff},
	{Group: "A limit lifted", Key: "ideal.infinite_registers", Title: "infinite registers", Values: onOff},
	{Group: "A limit lifted", Key: "ideal.no_spills", Title: "no spills", Values: onOff},
	{Group: "A limit lifted", Key: "ideal.no_divergence", Title: "divergence costs nothing", Values: onOff},
	{Group: "A limit lifted", Key: "ideal.l2_hits", Title: "L2 always hits", Values: onOff},
	{Group: "A limit lifted", Key: "ideal.free_barriers", Title: "barriers cost nothing", Values: onOff},
	{Group: "A limit lifted", Key: "ideal.dual_issue", Title: "perfect dual issue", Values: onOff},
}

func counted(from, to int) (all []string) {
	for n := from; n <= to; n++ {
		all = append(all, strconv.Itoa(n))
	}
	return all
}

// knobsWithSchema returns the knobs with their units and words, and each chip's own values.
func knobsWithSchema(chips []string) (all []knob, own map[string]map[string]string, err error) {
	schema := map[string]configs.Key{}
	for _, k := range configs.Keys() {
		schema[k.Path] = k
	}
	all, own = slices.Clone(knobs), map[string]map[string]string{}
	for i := range all {
		k := &all[i]
		key := schema[k.Key]
		if k.Unit, _, _ = strings.Cut(key.Unit, " per "); k.Values == nil && k.Times == nil {
			k.Values = key.Words()
		}
	}
	for _, name := range chips {
		config, err := configs.Load(name, nil)
		if err != nil {
			return nil, nil, fmt.Errorf("the chips of the lab: %w", err)
		}
		values := config.Leaves()
		own[name] = map[string]string{}
		for _, k := range all {
			own[name][k.Key] = plainSize(values[k.Key])
		}
	}
	return all, own, nil
}

// plainSize returns a size as a number of bytes, and other values unchanged.
func plainSize(value string) string {
	for unit, times := range map[string]int{"K": 1 << 10, "M": 1 << 20, "G": 1 << 30} {
		if n, err := strconv.Atoi(strings.TrimSuffix(value, unit)); err == nil && strings.HasSuffix(value, unit) {
			return strconv.Itoa(n * times)
		}
	}
	return value
}
