package stats

import (
	"math"
	"slices"
	"strings"

	"github.com/keplersim/keplersim/configs"
)

// SectorBytes is the unit of transfer between SMX, L2 and DRAM in nvprof's counters.
const SectorBytes = configs.SectorBytes

// gigabytes returns a rate of bytes over the launch's time, in GB/s.
func gigabytes(l *Launch, bytes float64) float64 { return ratio(bytes, l.TimeUS*1e3) }

// rate defines a throughput.
func rate(name, meaning string, bytes func(*Launch) float64) Definition {
	return Definition{Name: name, Kind: Metric, Unit: GBps, Meaning: meaning, Timed: true, Value: func(l *Launch) float64 {
		return gigabytes(l, bytes(l))
	}}
}

// kindOfTraffic is one kind of memory instruction with nvprof's names of its counters.
type kindOfTraffic struct {
	what         string // for people
	request      string // event: instructions
	transactions string
	perRequest   string
	efficiency   string // bytes requested over bytes in the sectors moved
	throughput   string
	requested    string // throughput of the bytes requested
	of           func(*SMX) *Traffic
}

// kindsOfTraffic has the kinds that move sectors. A name is empty if nvprof has none.
var kindsOfTraffic = []kindOfTraffic{
	{"global loads", "gld_request", "gld_transactions", "gld_transactions_per_request", "gld_efficiency", "gld_throughput",
		"gld_requested_throughput",
		func(s *SMX) *Traffic { return &s.GlobalLoad }},
	{"global stores", "gst_request", "gst_transactions", "gst_transactions_per_request", "gst_efficiency", "gst_throughput",
		"gst_requested_throughput",
		func(s *SMX) *Traffic { return &s.GlobalStore }},
	{"local loads", "local_load", "local_load_transactions", "local_load_transactions_per_request", "", "local_load_throughput", "",
		func(s *SMX) *Traffic { return &s.LocalLoad }},
	{"local " +
		"stores", "local_store", "local_store_transactions", "local_store_transactions_per_request", "", "local_store_throughput", "",
		func(s *SMX) *Traffic { return &s.LocalStore }},
	{"loads through the read-only cache", "", "", "", "nc_gld_efficiency", "nc_gld_throughput", "nc_gld_requested_throughput",
		func(s *SMX) *Traffic { return &s.ReadOnlyLoad }},
}

func trafficMetrics() []Definition {
	var all []Definition
	for _, k := range kindsOfTraffic {
		transactions := of(func(s *SMX) uint64 { return k.of(s).Transactions })
		sectors := of(func(s *SMX) uint64 { return SectorBytes * k.of(s).Sectors })
		bytes := of(func(s *SMX) uint64 { return k.of(s).Bytes })
		requests := of(func(s *SMX) uint64 { return k.of(s).Requests })
		if k.request != "" {
			all = append(all, counter(k.request, Event, "Instructions executed by warps for "+k.what+".", func(s *SMX) uint64 {
				return k.of(s).Requests
			}))
		}
		if k.transactions != "" {
			all = append(all, Definition{Name: k.transactions, Kind: Metric, Unit: Count, Value: transactions,
				Meaning: "Transactions of " + k.what + ": 128-byte lines touched, once per part of a split instruction."})
		}
		if k.perRequest != "" {
			all = append(all, share(
				k.perRequest, Metric, Ratio, "Average transactions per instruction of "+k.what+".", transactions, requests,
			))
		}
		if k.efficiency != "" {
			all = append(all, share(k.efficiency, Metric, Percent, "Bytes requested by "+k.what+" over the bytes of the "+
				"32-byte sectors moved; above 100 where threads share bytes.", bytes, sectors))
		}
		if k.throughput != "" {
			all = append(all, rate(k.throughput, "Throughput of the sectors moved for "+k.what+".", sectors))
		}
		if k.requested != "" {
			all = append(all, rate(k.requested, "Throughput of the bytes requested by "+k.what+".", bytes))
		}
	}
	all = append(all, sharedMetrics()...)
	all = append(all,
		timed(counter("uncached_global_load_transaction", Event, "Transactions of global loads that bypass L1.",
			func(s *SMX) uint64 {
				return s.GlobalLoad.Transactions - min(s.L1Global.Accesses, s.GlobalLoad.Transactions)
			}))[0],
		counter("global_store_transaction", Event, "Transactions of global stores.", func(s *SMX) uint64 {
			return s.GlobalStore.Transactions
		}),
		counter("global_ld_mem_divergence_replays", Event, "Lines of 128 bytes that global loads touch beyond the first of "+
			"each instruction.", further(func(s *SMX) *Traffic {
			return &s.GlobalLoad
		})),
		counter("global_st_mem_divergence_replays", Event, "Lines of 128 bytes that global stores touch beyond the first of "+
			"each instruction.", further(func(s *SMX) *Traffic {
			return &s.GlobalStore
		})),
	)
	return append(all,
		counter("atom_count", Event, "Atomics on global memory that return a value, executed by warps.", func(s *SMX) uint64 {
			return s.Atomics.Requests
		}),
		counter("gred_count", Event, "Reductions on global memory executed by warps: atomics that return nothing.",
			func(s *SMX) uint64 {
				return s.Reductions.Requests
			}),
		rate("atomic_throughput", "Throughput of the sectors touched by atomics and reductions on global "+
			"memory.", of(func(s *SMX) uint64 {
			return SectorBytes * (s.Atomics.Sectors + s.Reductions.Sectors)
		})),
		counter("atomic_transactions", Metric, "Transactions of atomics and reductions on global memory.", func(s *SMX) uint64 {
			return s.Atomics.Transactions + s.Reductions.Transactions
		}),
		share("atomic_transactions_per_request", Metric, Ratio, "Average transactions per atomic or reduction on global memory.",
			of(func(s *SMX) uint64 {
				return s.Atomics.Transactions + s.Reductions.Transactions
			}), of(func(s *SMX) uint64 { return s.Atomics.Requests + s.Reductions.Requests })),
	)
}

// further counts the transactions of a kind beyond the first of each instruction.
func further(of func(*SMX) *Traffic) func(*SMX) uint64 {
	return func(s *SMX) uint64 {
		t := of(s)
		return t.Transactions - min(t.Requests, t.Transactions)
	}
}

// sharedMetrics returns the metrics of shared memory, whose transactions are passes over the banks.
func sharedMetrics() []Definition {
	passes := func(l *Launch) float64 {
		return float64(l.Total.SharedLoad.Transactions + l.Total.SharedStore.Transactions)
	}
	moved := func(l *Launch) float64 { return passes(l) * float64(l.Chip.SharedBytesPerPass) }
	var all []Definition
	for _, k := range []struct {
		name, what string
		of         func(*SMX) *Traffic
	}{
		{"shared_load", "loads", func(s *SMX) *Traffic { return &s.SharedLoad }},
		{"shared_store", "stores", func(s *SMX) *Traffic { return &s.SharedStore }},
	} {
		transactions := of(func(s *SMX) uint64 { return k.of(s).Transactions })
		requests := of(func(s *SMX) uint64 { return k.of(s).Requests })
		all = append(all,
			counter(k.name, Event, "Shared memory "+k.what+" executed by warps.", func(s *SMX) uint64 {
				return k.of(s).Requests
			}),
			counter(k.name+"_replay", Event, "Passes over the banks by shared memory "+k.what+" beyond the first of each "+
				"instruction: bank conflicts and wide accesses.", further(k.of)),
			Definition{Name: k.name + "_transactions", Kind: Metric, Unit: Count, Meaning: "Passes over the banks by shared " +
				"memory " + k.what + ".", Value: transactions},
			share(k.name+"_transactions_per_request", Metric, Ratio, "Average passes over the banks per instruction of shared "+
				"memory "+k.what+"; 1 without conflicts.", transactions, requests),
			rate(k.name+"_throughput", "Throughput of shared memory "+k.what+": a pass moves a word of every bank.",
				func(l *Launch) float64 {
					return transactions(l) * float64(l.Chip.SharedBytesPerPass)
				}))
	}
	return append(all,
		share("shared_efficiency", Metric, Percent, "Bytes requested from shared memory over what the passes could move; 8 "+
			"bytes a bank.",
			of(func(s *SMX) uint64 { return s.SharedLoad.Bytes + s.SharedStore.Bytes }), moved),
		counter("shared_atom", Own, "Atomics on shared memory executed by warps.", func(s *SMX) uint64 {
			return s.SharedAtomics.Requests
		}),
		counter("shared_atom_transactions", Own, "Rounds of the lock-change-unlock loop of atomics on shared memory.",
			func(s *SMX) uint64 {
				return s.SharedAtomics.Transactions
			}),
	)
}

// textureMetrics returns the metrics of texture reads. A slice of the cache looks up one 32-byte line a cycle.
func textureMetrics() []Definition {
	lines := func(l *Launch) float64 { return float64(l.Total.TextureCache.Accesses) }
	return append([]Definition{
		counter("tex_request", Own, "Texture reads executed by warps.", func(s *SMX) uint64 { return s.Texture.Requests }),
		{Name: "tex_cache_transactions", Kind: Metric, Unit: Count,
			Meaning: "Lines of 32 bytes that texture reads looked up in the texture cache.", Value: lines},
	}, timed(
		rate("tex_cache_throughput", "Throughput of the lines that texture reads looked up in the texture cache.",
			func(l *Launch) float64 {
				return SectorBytes * lines(l)
			}),
		share("tex_cache_hit_rate", Metric, Percent, "Hit rate of texture reads in the texture cache.", of(func(s *SMX) uint64 {
			return s.TextureCache.Hits
		}), lines),
		Definition{Name: "tex_utilization", Kind: Metric, Unit: Level,
			Meaning: "Utilization of the texture cache: 0 idle, 10 at its peak rate.",
			Value:   func(l *Launch) float64 { return level(perSlice(l, lines(l))) }},
		Definition{Name: "tex_fu_utilization", Kind: Metric, Unit: Level,
			Meaning: "Utilization of the texture units: 0 idle, 10 at their peak rate.",
			Value:   func(l *Launch) float64 { return level(TextureShare(l)) }},
	)...)
}

// TextureShare returns the fraction of the texture units' peak rate, 0 to 1: all of them filtering in every cycle.
func TextureShare(l *Launch) float64 { return perSlice(l, float64(l.Total.TextureCycles)) }

// perSlice returns an amount per cycle and slice of the texture cache.
func perSlice(l *Launch, amount float64) float64 {
	return ratio(amount, float64(l.Chip.TextureSlices)*float64(l.Chip.SMXs)*l.TimeUS*float64(l.Chip.CoreMHz))
}

func cacheMetrics() []Definition {
	var all []Definition
	for _, c := range []struct {
		name, what string
		kind       Kind
		of         func(*SMX) *CacheCount
	}{
		{"l1_cache_global_hit_rate", "global loads in L1", Metric, func(s *SMX) *CacheCount { return &s.L1Global }},
		{"l1_cache_local_hit_rate", "local loads in L1", Metric, func(s *SMX) *CacheCount { return &s.L1Local }},
		{"nc_cache_global_hit_rate", "read-only loads in the read-only cache", Metric, func(s *SMX) *CacheCount { return &s.ReadOnly }},
		{"constant_cache_hit_rate", "constant operands and loads in the constant cache", Own, func(s *SMX) *CacheCount {
			return &s.Constant
		}},
		{"constant_l15_hit_rate", "misses of the constant cache in its second level", Own, func(s *SMX) *CacheCount {
			return &s.ConstantL15
		}},
		{"instruction_cache_hit_rate", "fetches in the instruction cache", Own, func(s *SMX) *CacheCount { return &s.Instruction }},
		{"instruction_l15_hit_rate", "misses of the instruction cache in its second level", Own, func(s *SMX) *CacheCount {
			return &s.InstructionL15
		}},
	} {
		d := share(c.name, c.kind, Percent, "Hit rate of "+c.what+".", of(func(s *SMX) uint64 {
			return c.of(s).Hits
		}), of(func(s *SMX) uint64 { return c.of(s).Accesses }))
		all = append(all, d)
	}
	for _, c := range []struct {
		name, what string
		of         func(*SMX) *CacheCount
	}{
		{"l1_global_load", "global loads", func(s *SMX) *CacheCount { return &s.L1Global }},
		{"l1_local_load", "local loads", func(s *SMX) *CacheCount { return &s.L1Local }},
	} {
		all = append(all,
			counter(c.name+"_hit", Event, "Lines of "+c.what+" found in L1.", func(s *SMX) uint64 { return c.of(s).Hits }),
			counter(c.name+"_miss", Event, "Lines of "+c.what+" not found in L1.", func(s *SMX) uint64 {
				return c.of(s).Accesses - c.of(s).Hits
			}))
	}
	return timed(all...)
}

func memoryMetrics() []Definition {
	return slices.Concat(
		sectors("l2_read", "Reads that reach L2", func(m *Memory) uint64 { return m.L2ReadSectors }),
		sectors("l2_write", "Writes that reach L2", func(m *Memory) uint64 { return m.L2WriteSectors }),
		sectors("l2_l1_read", "Reads of global and local memory that reach L2", func(m *Memory) uint64 {
			return m.L2ReadSectorsBy[SourceGlobal] + m.L2ReadSectorsBy[SourceLocal]
		}),
		sectors("l2_l1_write", "Writes of global and local memory that reach L2", func(m *Memory) uint64 {
			return m.L2WriteSectorsBy[SourceGlobal] + m.L2WriteSectorsBy[SourceLocal]
		}),
		sectors("nc_l2_read", "Reads of the read-only cache with textures that reach L2", func(m *Memory) uint64 {
			return m.L2ReadSectorsBy[SourceReadOnly]
		}),
		sectors("l2_texture_read", "Reads of the texture cache with read-only loads that reach L2",
			func(m *Memory) uint64 {
				return m.L2ReadSectorsBy[SourceReadOnly]
			}),
		sectors("l2_atomic", "Atomics and reductions that reach L2", func(m *Memory) uint64 { return m.L2AtomicSectors }),
		timed(
			hitRate("l2_l1_read_hit_rate", Metric, "sectors of global and local memory read from L2",
				func(m *Memory) (hits, all uint64) {
					return m.L2ReadSectorHitsBy[SourceGlobal] + m.L2ReadSectorHitsBy[SourceLocal],
						m.L2ReadSectorsBy[SourceGlobal] + m.L2ReadSectorsBy[SourceLocal]
				}),
			hitRate("l2_texture_read_hit_rate", Metric, "sectors that the read-only or texture cache reads from L2",
				func(m *Memory) (hits, all uint64) {
					return m.L2ReadSectorHitsBy[SourceReadOnly], m.L2ReadSectorsBy[SourceReadOnly]
				}),
			hitRate("l2_read_hit_rate", Own, "all sectors read from L2", func(m *Memory) (hits, all uint64) {
				return m.L2ReadSectorHits, m.L2ReadSectors
			}),
			Definition{Name: "l2_utilization", Kind: Metric, Unit: Level,
				Meaning: "Utilization of L2: 0 idle, 10 at its peak rate.",
				Value:   func(l *Launch) float64 { return level(L2Share(l)) }},
			share("local_memory_overhead", Metric, Percent, "Local memory's share of the global and local traffic between SMXs and L2.",
				func(l *Launch) float64 { return float64(fromSMX(&l.Memory, SourceLocal)) },
				func(l *Launch) float64 {
					return float64(fromSMX(&l.Memory, SourceLocal) + fromSMX(&l.Memory, SourceGlobal))
				}),
			average("l2_hit_latency", Cycles, "Average cycles from issue to data of global loads that hit L2.",
				func(m *Memory) (sum, n uint64) {
					return m.L2HitLatency, m.L2HitResponses
				}),
		),
		sectors("dram_read", "Reads of device memory with check bits of ECC", func(m *Memory) uint64 {
			return m.DRAMReadSectors + m.ECCReadSectors
		}),
		sectors("dram_write", "Writes of device memory with check bits of ECC",
			func(m *Memory) uint64 {
				return m.DRAMWriteSectors + m.ECCWriteSectors
			}),
		sectors("ecc", "Check bits of ECC read from and written to device memory", func(m *Memory) uint64 {
			return m.ECCReadSectors + m.ECCWriteSectors
		}),
		timed(
			Definition{Name: "dram_utilization", Kind: Metric, Unit: Level,
				Meaning: "Utilization of device memory: 0 idle, 10 at its peak rate.",
				Value:   func(l *Launch) float64 { return level(DRAMShare(l)) }},
			Definition{Name: "dram_peak_percent", Kind: Own, Unit: Percent,
				Meaning: "Device memory's throughput over its peak rate; reads, writes and check bits.",
				Value:   func(l *Launch) float64 { return 100 * DRAMShare(l) }},
			average("dram_latency", Cycles, "Average cycles from issue to data of global loads that wait for device memory.",
				func(m *Memory) (sum, n uint64) {
					return m.DRAMLatency, m.DRAMResponses
				}),
			average("l2_queue_depth", Ratio, "Average requests that wait at an L2 slice when another arrives.",
				func(m *Memory) (sum, n uint64) {
					return m.L2QueueDepthSum, m.L2QueueSamples
				}),
			average("dram_queue_depth", Ratio, "Average requests that wait in a memory channel when one is scheduled.",
				func(m *Memory) (sum, n uint64) {
					return m.DRAMQueueDepthSum, m.DRAMQueueSamples
				}),
			hitRate("dram_row_hit_rate", Own, "requests to device memory in open rows", func(m *Memory) (hits, all uint64) {
				return m.RowHits, m.RowHits + m.RowMisses + m.RowConflicts
			}),
			hitRate("tlb_hit_rate", Own, "address translations in the nearest TLB", func(m *Memory) (hits, all uint64) {
				all = m.TLBWalks
				for _, n := range m.TLBHits {
					all += n
				}
				return m.TLBHits[0], all
			}),
		),
	)
}

// hostMemoryMetrics returns the metrics of mapped host memory.
func hostMemoryMetrics() []Definition {
	return slices.Concat(
		sectors("sysmem_read", "Reads of mapped host memory", func(m *Memory) uint64 { return m.HostReadSectors }),
		sectors("sysmem_write", "Writes of mapped host memory", func(m *Memory) uint64 { return m.HostWriteSectors }),
		timed(Definition{Name: "sysmem_utilization", Kind: Metric, Unit: Level, Meaning: "Utilization of host memory; always 0 here.",
			Value: none}),
	)
}

// sectors defines a count of 32-byte sectors behind the SMXs, and its rate.
func sectors(name, meaning string, value func(*Memory) uint64) []Definition {
	return timed(
		Definition{Name: name + "_transactions", Kind: Metric, Unit: Count, Meaning: meaning + ", in 32-byte sectors.",
			Value: func(l *Launch) float64 {
				return float64(value(&l.Memory))
			}},
		rate(name+"_throughput", "Throughput of "+strings.ToLower(meaning[:1])+meaning[1:]+".",
			func(l *Launch) float64 { return SectorBytes * float64(value(&l.Memory)) }),
	)
}

// hitRate defines a fraction of the memory system's events.
func hitRate(name string, kind Kind, what string, value func(*Memory) (hits, all uint64)) Definition {
	return Definition{Name: name, Kind: kind, Unit: Percent, Meaning: "Hit rate of " + what + ".", Value: func(l *Launch) float64 {
		hits, all := value(&l.Memory)
		return 100 * ratio(float64(hits), float64(all))
	}}
}

// average defines a mean over the memory system's events.
func average(name string, unit Unit, meaning string, value func(*Memory) (sum, n uint64)) Definition {
	return Definition{Name: name, Kind: Own, Unit: unit, Meaning: meaning, Value: func(l *Launch) float64 {
		sum, n := value(&l.Memory)
		return ratio(float64(sum), float64(n))
	}}
}

// fromSMX returns the sectors that a source reads from and writes to L2.
func fromSMX(m *Memory, source MemorySource) uint64 {
	return m.L2ReadSectorsBy[source] + m.L2WriteSectorsBy[source]
}

// L2Share returns the fraction of L2's peak rate, 0 to 1: all slices busy in every cycle.
func L2Share(l *Launch) float64 {
	moved := SectorBytes * float64(l.Memory.L2ReadSectors+l.Memory.L2WriteSectors+l.Memory.L2AtomicSectors)
	return ratio(moved, float64(l.Chip.L2BytesPerCycle)*l.TimeUS*float64(l.Chip.CoreMHz))
}

// DRAMShare returns the fraction of device memory's peak rate, 0 to 1.
func DRAMShare(l *Launch) float64 {
	m := &l.Memory
	moved := SectorBytes * float64(m.DRAMReadSectors+m.DRAMWriteSectors+m.ECCReadSectors+m.ECCWriteSectors)
	return ratio(gigabytes(l, moved)*1e9, l.Chip.DRAMBytesPerSecond)
}

// level returns a fraction on nvprof's scale from 0 to 10; above 0 it is 1 at least.
func level(part float64) float64 {
	if part <= 0 {
		return 0
	}
	return min(10, max(1, math.Round(10*part)))
}
