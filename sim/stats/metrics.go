package stats

import (
	"slices"
	"strings"
	"sync"
)

// Kind says where a metric's name and definition come from.
type Kind string

// The kinds of metric.
const (
	Event  Kind = "event"  // a counter of nvprof
	Metric Kind = "metric" // computed by nvprof from its counters
	Own    Kind = "own"    // not in nvprof
)

// Unit is the unit of a metric's value.
type Unit string

// The units.
const (
	Count   Unit = "count"
	Cycles  Unit = "cycles"
	Percent Unit = "%"
	Ratio   Unit = "ratio"
	GBps    Unit = "GB/s" // 10^9 bytes a second
	Level   Unit = "0 to 10"
	Bytes   Unit = "bytes"
)

// Definition is one metric: its name, meaning, and value from a launch's counters.
type Definition struct {
	Name    string
	Kind    Kind
	Unit    Unit
	Meaning string
	// Timed: a launch without timing has no value.
	Timed bool
	// Value computes the metric. A ratio of 0 to 0 is 0.
	Value func(*Launch) float64
}

// Metrics returns all metrics in the order of the glossary. Names and meanings are those of NVIDIA's profiler for compute capability 3.x
// (CUDA Profiler User's Guide 10.2, "Metrics for Capability 3.x", and nvprof --query-events). Counters are sums over all SMXs: the profiler
// samples some and scales them up, the simulator counts all.
func Metrics() []Definition {
	return slices.Concat(timeMetrics(), instanceMetrics(), issueMetrics(), occupancyMetrics(), stallMetrics(), branchMetrics(),
		instructionMetrics(), namedMetrics(), flopMetrics(), trafficMetrics(), textureMetrics(), cacheMetrics(), memoryMetrics(),
		hostMemoryMetrics(), unitMetrics())
}

// byName has the metrics by name, made once because reports look up many.
var byName = sync.OnceValue(func() map[string]*Definition {
	all := Metrics()
	named := make(map[string]*Definition, len(all))
	for i := range all {
		named[all[i].Name] = &all[i]
	}
	return named
})

// Find returns the metric with a name.
func Find(name string) (Definition, bool) {
	if d := byName()[name]; d != nil {
		return *d, true
	}
	return Definition{}, false
}

// counter defines a sum over all SMXs.
func counter(name string, kind Kind, meaning string, value func(*SMX) uint64) Definition {
	return Definition{Name: name, Kind: kind, Unit: Count, Meaning: meaning, Value: func(l *Launch) float64 {
		return float64(value(&l.Total))
	}}
}

// timed marks definitions as without a value in runs without timing.
func timed(definitions ...Definition) []Definition {
	for i := range definitions {
		definitions[i].Timed = true
	}
	return definitions
}

// share defines a quotient of two numbers, in percent if that is its unit.
func share(name string, kind Kind, unit Unit, meaning string, part, whole func(*Launch) float64) Definition {
	scale := 1.0
	if unit == Percent {
		scale = 100
	}
	return Definition{Name: name, Kind: kind, Unit: unit, Meaning: meaning, Value: func(l *Launch) float64 {
		return scale * ratio(part(l), whole(l))
	}}
}

// of converts a sum over all SMXs to a number.
func of(value func(*SMX) uint64) func(*Launch) float64 {
	return func(l *Launch) float64 { return float64(value(&l.Total)) }
}

// Common divisors of metrics.
var (
	activeCycles    = of(func(s *SMX) uint64 { return s.ActiveCycles })
	instExecuted    = of(func(s *SMX) uint64 { return s.InstExecuted })
	instIssued      = of(func(s *SMX) uint64 { return s.IssuedSingle + 2*s.IssuedDual })
	issuingCycles   = of(func(s *SMX) uint64 { return s.IssuedSingle + s.IssuedDual })
	schedulerCycles = of(func(s *SMX) uint64 { return s.SchedulerCycles })
)

func timeMetrics() []Definition {
	return timed(
		Definition{Name: "elapsed_cycles_sm", Kind: Event, Unit: Cycles,
			Meaning: "Core clock cycles on each SMX while the launch is counted, summed over the SMXs.",
			Value:   of(func(s *SMX) uint64 { return s.ElapsedCycles })},
		Definition{Name: "active_cycles", Kind: Event, Unit: Cycles,
			Meaning: "Cycles with at least one resident warp, summed over the SMXs.",
			Value:   activeCycles},
		Definition{Name: "active_warps", Kind: Event, Unit: Count,
			Meaning: "Resident warps summed over the active cycles; divide by active_cycles for the average.",
			Value:   of(func(s *SMX) uint64 { return s.ActiveWarpCycles })},
		share("sm_efficiency", Metric, Percent, "Share of the elapsed time with at least one resident warp, averaged over the SMXs.",
			activeCycles, of(func(s *SMX) uint64 { return s.ElapsedCycles })),
	)
}

func issueMetrics() []Definition {
	return slices.Concat(
		[]Definition{
			counter("inst_executed", Event, "Instructions executed by warps, without replays.", func(s *SMX) uint64 {
				return s.InstExecuted
			}),
			counter("thread_inst_executed", Event, "Instructions executed by active threads, whatever their predicates.",
				func(s *SMX) uint64 { return s.ThreadInstExecuted }),
			counter("not_predicated_off_thread_inst_executed", Event,
				"Instructions executed by predicated-on threads.",
				func(s *SMX) uint64 { return s.NotPredicatedOff }),
			share("inst_per_warp", Metric, Ratio, "Average instructions executed by a warp.", instExecuted,
				of(func(s *SMX) uint64 {
					return s.WarpsLaunched
				})),
			counter("ptx_instructions", Own, "PTX instructions completed by warps: the program before lowering to machine operations.",
				func(s *SMX) uint64 { return s.PTXInstructions }),
		},
		timed(
			counter("inst_issued1", Event, "Cycles in which a scheduler issues one instruction; replays count.", func(s *SMX) uint64 {
				return s.IssuedSingle
			}),
			counter("inst_issued2", Event, "Cycles in which a scheduler issues two instructions of a warp; replays count.",
				func(s *SMX) uint64 {
					return s.IssuedDual
				}),
			Definition{Name: "inst_issued", Kind: Metric, Unit: Count,
				Meaning: "Instructions issued with replays: inst_issued1 + 2 × inst_issued2.", Value: instIssued},
			Definition{Name: "issue_slots", Kind: Metric, Unit: Count, Meaning: "Issue slots used: inst_issued1 + inst_issued2.",
				Value: issuingCycles},
			share("ipc", Metric, Ratio, "Instructions executed per active cycle of an SMX.", instExecuted, activeCycles),
			share("issued_ipc", Metric, Ratio, "Instructions issued with replays per active cycle of an SMX.", instIssued,
				activeCycles),
			share("issue_slot_utilization", Metric, Percent, "Share of issue slots that issue at least one instruction; each "+
				"scheduler has one a cycle (Fermi: every second cycle).", issuingCycles, func(l *Launch) float64 {
				return schedulerCycles(l) / float64(max(l.Chip.IssueCycles, 1))
			}),
			share("eligible_warps_per_cycle", Metric, Ratio, "Average warps of an SMX that could issue in an active cycle.",
				of(func(s *SMX) uint64 { return s.EligibleWarpCycles }), activeCycles),
			Definition{Name: "inst_replay_overhead", Kind: Metric, Unit: Ratio,
				Meaning: "Replays per instruction executed.", Value: func(l *Launch) float64 {
					return ratio(max(0, instIssued(l)-instExecuted(l)), instExecuted(l))
				}},
			replay("shared_replay_overhead", "bank conflicts and wide accesses of shared memory", func(s *SMX) uint64 {
				return s.SharedReplays
			}),
			replay("global_replay_overhead", "global accesses to several lines", func(s *SMX) uint64 { return s.GlobalReplays }),
			Definition{Name: "global_cache_replay_overhead", Kind: Metric, Unit: Ratio, Value: none,
				Meaning: "Replays per instruction executed due to cache misses of global loads: always 0, because a miss waits " +
					"here and does not replay."},
			replay("local_replay_overhead", "local memory accesses", func(s *SMX) uint64 { return s.LocalReplays }),
			replay("atomic_replay_overhead", "atomics and reductions on global memory", func(s *SMX) uint64 { return s.AtomicReplays }),
			own(replay("constant_replay_overhead", "constant operands with several addresses", func(s *SMX) uint64 {
				return s.ConstantReplays
			})),
		),
	)
}

// none is the value of events that this model does not have.
func none(*Launch) float64 { return 0 }

// own marks a definition as not nvprof's.
func own(d Definition) Definition {
	d.Kind = Own
	return d
}

// replay defines a cause of replays.
func replay(name, cause string, value func(*SMX) uint64) Definition {
	return share(name, Metric, Ratio, "Replays per instruction executed due to "+cause+".", of(value), instExecuted)
}

func occupancyMetrics() []Definition {
	return slices.Concat(
		[]Definition{
			counter("sm_cta_launched", Event, "Blocks launched.", func(s *SMX) uint64 { return s.BlocksLaunched }),
			counter("warps_launched", Event, "Warps launched.", func(s *SMX) uint64 { return s.WarpsLaunched }),
			counter("threads_launched", Event, "Threads launched.", func(s *SMX) uint64 { return s.ThreadsLaunched }),
			{Name: "theoretical_occupancy", Kind: Own, Unit: Ratio, Value: (*Launch).Theoretical,
				Meaning: "Resident warps that registers, shared memory, warps and blocks allow, over the most that an SMX can hold."},
		},
		timed(Definition{Name: "achieved_occupancy", Kind: Metric, Unit: Ratio, Value: (*Launch).Achieved,
			Meaning: "Average resident warps in an active cycle over the most that an SMX can hold."}),
	)
}

// stallMetrics returns nvprof's reasons, which sum to 100 %, then the parts of some.
func stallMetrics() []Definition {
	all := func(l *Launch) float64 { return float64(l.Stalled()) }
	var list []Definition
	for s := range ProfilerStalls {
		meaning := "Share of stalls where " + s.Meaning() + "."
		if parts := partsOf(s); len(parts) > 0 {
			meaning = "Share of stalls where " + s.Meaning() + "; includes " + strings.Join(parts, ", ") + "."
		}
		list = append(list, share("stall_"+s.String(), Metric, Percent, meaning, of(func(x *SMX) uint64 {
			return x.Stalls.Profiler(s)
		}), all))
	}
	for s := ProfilerStalls; s < StallCount; s++ {
		list = append(list, share("stall_"+s.String(), Own, Percent, "Share of stalls where "+s.Meaning()+"; part of stall_"+
			s.Of().String()+".",
			of(func(x *SMX) uint64 { return x.Stalls[s] }), all))
	}
	return timed(list...)
}

// partsOf returns the metrics of a reason's parts.
func partsOf(whole Stall) []string {
	var parts []string
	for s := ProfilerStalls; s < StallCount; s++ {
		if s.Of() == whole {
			parts = append(parts, "stall_"+s.String())
		}
	}
	return parts
}

func branchMetrics() []Definition {
	return []Definition{
		counter("branch", Event, "Branches executed by warps.", func(s *SMX) uint64 { return s.Branches }),
		counter("divergent_branch", Event, "Branches at which the threads of a warp diverged.", func(s *SMX) uint64 {
			return s.DivergentBranches
		}),
		{Name: "branch_efficiency", Kind: Metric, Unit: Percent,
			Meaning: "Share of branches without divergence; 100 without branches.",
			Value: func(l *Launch) float64 {
				return 100 - 100*ratio(float64(l.Total.DivergentBranches), float64(l.Total.Branches))
			}},
		share("warp_execution_efficiency", Metric, Percent, "Average active threads of a warp over its 32 lanes.",
			of(func(s *SMX) uint64 { return s.ThreadInstExecuted }), of(func(s *SMX) uint64 { return WarpSize * s.InstExecuted })),
		share("warp_nonpred_execution_efficiency", Metric, Percent,
			"Average predicated-on threads of a warp over its 32 lanes.",
			of(func(s *SMX) uint64 { return s.NotPredicatedOff }), of(func(s *SMX) uint64 { return WarpSize * s.InstExecuted })),
		counter("barriers", Own, "Arrivals of warps at barriers.", func(s *SMX) uint64 { return s.Barriers }),
	}
}
