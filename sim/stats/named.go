package stats

import (
	"fmt"
	"math/bits"

	"github.com/keplersim/keplersim/isa"
)

// triggers is the number of pmevent bits that nvprof counts.
const triggers = 8

// Widths counts lanes that accessed memory, by the bytes of a lane's access: 1, 2, 4, 8, 16.
type Widths [5]uint64

// Named has counts of single instructions that are nvprof events. They are derived from the operations' counters, so nothing is counted
// while a kernel runs.
type Named struct {
	Triggers                               [triggers]uint64 // warps that executed pmevent, by bit
	GlobalLoads, GlobalStores, ReadOnlyLds Widths
	Swaps                                  uint64 // warps that executed a compare-and-swap on global memory
}

// Book adds the counts of one machine operation.
func (n *Named) Book(op *isa.MachineOp, kind AccessKind, accesses bool, count *OperationCount) {
	e := op.Effect
	if e == nil || count.Executed == 0 {
		return
	}
	if e.Op == isa.OpPmevent {
		for i := range n.Triggers {
			n.Triggers[i] += count.Executed * (e.Src[0].Immediate >> i & 1)
		}
	}
	if !accesses || e.Memory == nil {
		return
	}
	var by *Widths
	switch kind {
	case AccessGlobalLoad, AccessGenericLoad:
		by = &n.GlobalLoads
	case AccessGlobalStore, AccessGenericStore:
		by = &n.GlobalStores
	case AccessReadOnlyLoad:
		by = &n.ReadOnlyLds
	case AccessAtomic:
		if e.Mod.Select == isa.AtomicCas {
			n.Swaps += count.Executed
		}
		return
	default:
		return
	}
	width := e.Type.Bytes() * max(1, int(e.Memory.Vector))
	by[min(len(by)-1, max(0, bits.Len(uint(width))-1))] += count.Lanes
}

// Add adds the counts of another program.
func (n *Named) Add(o *Named) {
	for i := range n.Triggers {
		n.Triggers[i] += o.Triggers[i]
	}
	for i := range n.GlobalLoads {
		n.GlobalLoads[i] += o.GlobalLoads[i]
		n.GlobalStores[i] += o.GlobalStores[i]
		n.ReadOnlyLds[i] += o.ReadOnlyLds[i]
	}
	n.Swaps += o.Swaps
}

// namedMetrics returns nvprof's events of single instructions.
func namedMetrics() []Definition {
	var all []Definition
	add := func(name, meaning string, value func(*Named) uint64) {
		all = append(all, Definition{Name: name, Kind: Event, Unit: Count, Meaning: meaning,
			Value: func(l *Launch) float64 { return float64(value(&l.Named)) }})
	}
	for _, k := range []struct {
		name, what string
		of         func(*Named) *Widths
	}{
		{"gld_inst", "loads of global memory or generic addresses", func(n *Named) *Widths { return &n.GlobalLoads }},
		{"gst_inst", "stores to global memory or generic addresses", func(n *Named) *Widths { return &n.GlobalStores }},
		{"rocache_gld_inst", "loads through the read-only cache", func(n *Named) *Widths { return &n.ReadOnlyLds }},
	} {
		for i := range (Widths{}) {
			width := 8 << i
			add(fmt.Sprintf("%s_%dbit", k.name, width), fmt.Sprintf("Threads in %d-bit %s.", width, k.what),
				func(n *Named) uint64 { return k.of(n)[i] })
		}
	}
	add("atom_cas_count", "Compare-and-swaps on global memory executed by warps, predicated-off ones too.",
		func(n *Named) uint64 { return n.Swaps })
	for i := range triggers {
		add(fmt.Sprintf("prof_trigger_%02d", i), fmt.Sprintf("Instructions pmevent of bit %d executed by warps.", i),
			func(n *Named) uint64 { return n.Triggers[i] })
	}
	return all
}

// instanceMetrics returns nvprof's metrics of one multiprocessor. The value of a launch is the mean of all, like nvprof's averages over
// instances. Shares has each.
func instanceMetrics() []Definition {
	return timed(
		Definition{Name: "ipc_instance", Kind: Metric, Unit: Ratio,
			Meaning: "The ipc of one SMX: here the mean over all SMXs, idle ones too; JSON has each under smx.",
			Value: func(l *Launch) float64 {
				sum, shares := 0.0, l.Shares()
				for _, s := range shares {
					sum += ratio(float64(s.InstExecuted), float64(s.ActiveCycles))
				}
				return ratio(sum, float64(len(shares)))
			}},
		share("sm_efficiency_instance", Metric, Percent,
			"The sm_efficiency of one SMX: here the mean over all SMXs; JSON has each under smx.",
			activeCycles, of(func(s *SMX) uint64 { return s.ElapsedCycles })),
	)
}

// Absent lists profiler counters that a launch does not have, by prefix, with the reason and a replacement.
var Absent = []struct{ Prefix, Why string }{
	{"fb_subp", "it counts one part of each memory partition, and all parts are counted together: dram_read_transactions, " +
		"dram_write_transactions"},
	{"l2_subp", "it counts one slice of each L2 partition, and all slices are counted together: l2_read_transactions, " +
		"l2_write_transactions, l2_read_hit_rate"},
	{"tex0_", absentTexture}, {"tex1_", absentTexture}, {"tex2_", absentTexture}, {"tex3_", absentTexture},
	{"rocache_subp", "it counts one slice of the read-only cache, and all slices are counted together: rocache_gld_inst_32bit and " +
		"relatives, nc_cache_global_hit_rate"},
	{"prof_trigger_", "prof_trigger_00 to prof_trigger_07 exist"},
	{"l1_shared_bank_conflict", "see shared_load_replay and shared_store_replay"},
	{"single_precision_fu_utilization", absentUnit}, {"double_precision_fu_utilization", absentUnit},
	{"special_fu_utilization", absentUnit},
	{"inst_executed_", "later chips have it; see gld_request, gst_request, shared_load, local_load, atom_count and relatives"},
	{"l1_local_store_", "L1 is not looked up by stores; see local_store_transactions"},
	{"__l1_global_", "see gld_transactions and gst_transactions"},
}

const (
	absentTexture = "it counts one texture unit of each SMX, and all units are counted together: tex_cache_transactions, " +
		"tex_cache_hit_rate"
	absentUnit = "later chips have it; here alu_fu_utilization is that of the busiest arithmetic unit, and --format json has all units"
)
