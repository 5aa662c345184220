package stats

import "slices"

// sectorBytes is the unit of transfer between SMX, L2 and DRAM in nvprof's counters.
const sectorBytes = 32

// gigabytes is a rate of bytes over the launch's time, in GB/s.
func gigabytes(l *Launch, bytes float64) float64 { return ratio(bytes, l.TimeUS*1e3) }

// rate makes the definition of a throughput.
func rate(name, meaning string, bytes func(*Launch) float64) Definition {
	return Definition{Name: name, Kind: Metric, Unit: GBps, Meaning: meaning, Timed: true, Value: func(l *Launch) float64 { return gigabytes(l, bytes(l)) }}
}

// kindOfTraffic is one kind of memory instruction and what nvprof calls its counters.
type kindOfTraffic struct {
	what         string // for people
	request      string // event: instructions
	transactions string
	perRequest   string
	efficiency   string // bytes asked for, of bytes in the sectors moved
	throughput   string
	requested    string // throughput of the bytes asked for
	of           func(*SMX) *Traffic
}

// kindsOfTraffic are the kinds that go through sectors; a name is empty where nvprof has none.
var kindsOfTraffic = []kindOfTraffic{
	{"global loads", "gld_request", "gld_transactions", "gld_transactions_per_request", "gld_efficiency", "gld_throughput", "gld_requested_throughput",
		func(s *SMX) *Traffic { return &s.GlobalLoad }},
	{"global stores", "gst_request", "gst_transactions", "gst_transactions_per_request", "gst_efficiency", "gst_throughput", "gst_requested_throughput",
		func(s *SMX) *Traffic { return &s.GlobalStore }},
	{"local loads", "local_load", "local_load_transactions", "local_load_transactions_per_request", "", "local_load_throughput", "",
		func(s *SMX) *Traffic { return &s.LocalLoad }},
	{"local stores", "local_store", "local_store_transactions", "local_store_transactions_per_request", "", "local_store_throughput", "",
		func(s *SMX) *Traffic { return &s.LocalStore }},
	{"loads through the read-only cache", "", "nc_gld_transactions", "", "nc_gld_efficiency", "", "nc_gld_requested_throughput",
		func(s *SMX) *Traffic { return &s.ReadOnlyLoad }},
}

func trafficMetrics() []Definition {
	var all []Definition
	for _, k := range kindsOfTraffic {
		transactions := of(func(s *SMX) uint64 { return k.of(s).Transactions })
		sectors := of(func(s *SMX) uint64 { return sectorBytes * k.of(s).Sectors })
		bytes := of(func(s *SMX) uint64 { return k.of(s).Bytes })
		requests := of(func(s *SMX) uint64 { return k.of(s).Requests })
		if k.request != "" {
			all = append(all, counter(k.request, Event, "Instructions executed for "+k.what+", counted once a warp.", func(s *SMX) uint64 { return k.of(s).Requests }))
		}
		all = append(all, Definition{Name: k.transactions, Kind: Metric, Unit: Count, Value: transactions,
			Meaning: "Transactions of " + k.what + ": 128-byte lines touched, once for each part into which an instruction is split."})
		if k.perRequest != "" {
			all = append(all, share(k.perRequest, Metric, Ratio, "Average transactions for each instruction of "+k.what+".", transactions, requests))
		}
		if k.efficiency != "" {
			all = append(all, share(k.efficiency, Metric, Percent, "Bytes that the threads asked for in "+k.what+", as a part of the bytes in the 32-byte sectors moved; above 100 where threads share bytes.", bytes, sectors))
		}
		if k.throughput != "" {
			all = append(all, rate(k.throughput, "Rate of the sectors moved for "+k.what+".", sectors))
		}
		if k.requested != "" {
			all = append(all, rate(k.requested, "Rate of the bytes that threads asked for in "+k.what+".", bytes))
		}
	}
	all = append(all, sharedMetrics()...)
	return append(all,
		counter("atom_count", Event, "Atomic instructions on global memory that return a value, counted once a warp.", func(s *SMX) uint64 { return s.Atomics.Requests }),
		counter("gred_count", Event, "Reductions on global memory (atomics that return nothing), counted once a warp.", func(s *SMX) uint64 { return s.Reductions.Requests }),
		counter("atomic_transactions", Metric, "Transactions of atomics and reductions on global memory.", func(s *SMX) uint64 { return s.Atomics.Transactions + s.Reductions.Transactions }),
		share("atomic_transactions_per_request", Metric, Ratio, "Average transactions for each atomic or reduction on global memory.",
			of(func(s *SMX) uint64 { return s.Atomics.Transactions + s.Reductions.Transactions }), of(func(s *SMX) uint64 { return s.Atomics.Requests + s.Reductions.Requests })),
	)
}

// sharedMetrics are those of shared memory, whose transactions are passes over the banks.
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
			counter(k.name, Event, "Shared memory "+k.what+" executed, counted once a warp.", func(s *SMX) uint64 { return k.of(s).Requests }),
			Definition{Name: k.name + "_transactions", Kind: Metric, Unit: Count, Meaning: "Passes over the banks that shared memory " + k.what + " took.", Value: transactions},
			share(k.name+"_transactions_per_request", Metric, Ratio, "Average passes over the banks for each of the shared memory "+k.what+"; 1 without conflicts.", transactions, requests),
			rate(k.name+"_throughput", "Rate of shared memory "+k.what+": every pass moves a word of every bank.", func(l *Launch) float64 {
				return transactions(l) * float64(l.Chip.SharedBytesPerPass)
			}))
	}
	return append(all,
		share("shared_efficiency", Metric, Percent, "Bytes that the threads asked for in shared memory, as a part of what the passes over the banks could move (8 bytes a bank).",
			of(func(s *SMX) uint64 { return s.SharedLoad.Bytes + s.SharedStore.Bytes }), moved),
		counter("shared_atom", Own, "Atomics on shared memory executed, counted once a warp.", func(s *SMX) uint64 { return s.SharedAtomics.Requests }),
		counter("shared_atom_transactions", Own, "Rounds of the lock, change and unlock loop that atomics on shared memory took.", func(s *SMX) uint64 { return s.SharedAtomics.Transactions }),
	)
}

func cacheMetrics() []Definition {
	var all []Definition
	for _, c := range []struct {
		name, what string
		kind       Kind
		of         func(*SMX) *CacheCount
	}{
		{"l1_cache_global_hit_rate", "global loads in L1", Metric, func(s *SMX) *CacheCount { return &s.L1Global }},
		{"l1_cache_local_hit_rate", "local loads and stores in L1", Metric, func(s *SMX) *CacheCount { return &s.L1Local }},
		{"nc_cache_global_hit_rate", "read-only loads in the read-only cache", Metric, func(s *SMX) *CacheCount { return &s.ReadOnly }},
		{"constant_cache_hit_rate", "constant operands and loads in the constant cache", Own, func(s *SMX) *CacheCount { return &s.Constant }},
		{"constant_l15_hit_rate", "misses of the constant cache in its second level", Own, func(s *SMX) *CacheCount { return &s.ConstantL15 }},
		{"instruction_cache_hit_rate", "fetches in the instruction cache", Own, func(s *SMX) *CacheCount { return &s.Instruction }},
		{"instruction_l15_hit_rate", "misses of the instruction cache in its second level", Own, func(s *SMX) *CacheCount { return &s.InstructionL15 }},
	} {
		d := share(c.name, c.kind, Percent, "Hit rate of "+c.what+".", of(func(s *SMX) uint64 { return c.of(s).Hits }), of(func(s *SMX) uint64 { return c.of(s).Accesses }))
		all = append(all, d)
	}
	return timed(all...)
}

func memoryMetrics() []Definition {
	count := func(name, meaning string, value func(*Memory) uint64) []Definition {
		bytes := func(l *Launch) float64 { return sectorBytes * float64(value(&l.Memory)) }
		d := Definition{Name: name + "_transactions", Kind: Metric, Unit: Count, Meaning: meaning + ", in sectors of 32 bytes.", Timed: true,
			Value: func(l *Launch) float64 { return float64(value(&l.Memory)) }}
		return []Definition{d, rate(name+"_throughput", "Rate of the same.", bytes)}
	}
	return slices.Concat(
		count("l2_read", "Reads that reach L2, of all SMXs", l2Reads),
		count("l2_write", "Writes that reach L2, of all SMXs", l2Writes),
	)
}

// What the profiler's names mean in the memory system's counters.
func l2Reads(m *Memory) uint64  { return m.L2ReadSectors }
func l2Writes(m *Memory) uint64 { return m.L2WriteSectors }
