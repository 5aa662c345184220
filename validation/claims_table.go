package validation

import (
	"fmt"

	"github.com/keplersim/keplersim/sim/memorymode"
)

// Claims returns the tuning guide's statements that the simulated chips can show: first those about Kepler in the guide's order, then the
// comparisons with Fermi.
func Claims() []Claim { return append(keplerClaims(), fermiClaims()...) }

func keplerClaims() []Claim {
	return []Claim{
		{
			Name: "parallelism", Section: "1.4.1", Figure: "flop_sp_efficiency",
			Says: "some instruction-level parallelism, with the thread-level one, is required to approach peak single precision",
			Runs: []ClaimRun{
				multiplyAdd("one chain a thread", "gk110", "f32_chains_1"), multiplyAdd("four chains", "gk110", "f32_chains_4"),
			},
			// Single issue reaches 128 of the 192 lanes. clpeak's four compiled chains reach 78 % on a K40c and 82 % on a TITAN.
			Shows: "one chain stays at two thirds of the peak at most; four pass it",
			holds: func(f []float64) bool { return f[0] <= 67 && f[1] > 75 },
		},
		{
			Name: "bank-mode", Section: "1.4.3.1", Figure: "cycles",
			Says: "with 8-byte banks, 8-byte shared accesses achieve twice the bandwidth of 4-byte ones",
			Runs: []ClaimRun{sharedNumbers("f32, 8-byte banks", "shared_f32", 8), sharedNumbers("f64, 8-byte banks", "shared_f64", 8),
				sharedNumbers("f64, 4-byte banks", "shared_f64", 4)},
			Shows: "f64 moves twice the bytes in at most a fifth more time than f32; 4-byte banks take as long, as a K80's do: a bank " +
				"gives both words of a pair",
			holds: func(f []float64) bool { return f[1] < 1.2*f[0] && f[2] > 0.95*f[1] && f[2] < 1.05*f[1] },
		},
		{
			Name: "split", Section: "1.4.3.2", Figure: "l1_cache_local_hit_rate",
			Says: "32 KB of L1 beside 32 KB of shared memory may raise L1's hits where a kernel needs more than 16 but less than 48 " +
				"KB of shared memory",
			Runs:  []ClaimRun{localArray("48 KB shared, 16 KB L1", "shared"), localArray("32 KB shared, 32 KB L1", "equal")},
			Shows: "24 KB of arrays miss 16 KB of L1 and fit 32 KB",
			holds: func(f []float64) bool { return f[1] > 90 && f[0] < f[1]-15 },
		},
		{
			Name: "shuffle", Section: "1.4.3.3", Figure: "cycles",
			Says: "shuffle has lower latency than an exchange through shared memory",
			Runs: []ClaimRun{
				{Label: "through shared memory", Config: "gk110", File: "exchange.ptx", Kernel: "by_shared_memory", Blocks: 1, Threads: 32,
					Arguments: []ClaimArgument{{Words: 32}, {Number: 256}}},
				{Label: "by shuffle", Config: "gk110", File: "exchange.ptx", Kernel: "by_shuffle", Blocks: 1, Threads: 32,
					Arguments: []ClaimArgument{{Words: 32}, {Number: 256}}},
			},
			Shows: "fewer cycles",
			holds: func(f []float64) bool { return f[1] < f[0] },
		},
		{
			Name: "global-loads-and-l1", Section: "1.4.4.2", Figure: "l1_cache_global_hit_rate",
			Says: "L1 is for local memory; GK110B and GK210 cache global loads in it when asked to",
			Runs: []ClaimRun{
				reread("GK104, .ca", "gk104", "reread_ca", true), reread("GK110, .ca", "gk110", "reread_ca", true),
				reread("GK110B, plain", "gk110b", "reread", false), reread("GK110B, .ca", "gk110b", "reread_ca", false),
				reread("GK110B, plain, -dlcm=ca", "gk110b", "reread", true), reread("GK210, plain", "gk210", "reread", false),
				reread("GK210, .ca", "gk210", "reread_ca", false),
			},
			Shows: "never on GK104 and GK110; on GK110B and GK210 only where asked",
			holds: func(f []float64) bool {
				return f[0] == 0 && f[1] == 0 && f[2] == 0 && f[3] > 80 && f[4] > 80 && f[5] == 0 && f[6] > 80
			},
		},
		{
			Name: "read-only-cache", Section: "1.4.4.3", Figure: "cycles",
			Says: "the read-only cache can help loads that are bound by bandwidth and not uniform",
			Runs: []ClaimRun{
				{Label: "ld.global", Config: "gk110", File: "gather.ptx", Kernel: "gather", Blocks: 60, Threads: 256,
					Arguments: []ClaimArgument{{Words: 15360}, {Words: 2048}, {Number: 64}}},
				{Label: "ld.global.nc", Config: "gk110", File: "gather.ptx", Kernel: "gather_read_only", Blocks: 60, Threads: 256,
					Arguments: []ClaimArgument{{Words: 15360}, {Words: 2048}, {Number: 64}}},
			},
			Shows: "a gather takes less than two thirds of the cycles",
			holds: func(f []float64) bool { return f[1] < f[0]*2/3 },
		},
		{
			Name: "constants", Section: "1.4.4.3", Figure: "cycles",
			Says:  "constants must be accessed uniformly for good performance",
			Runs:  []ClaimRun{constantLoads(0), constantLoads(1), constantLoads(3), constantLoads(7), constantLoads(15), constantLoads(31)},
			Shows: "from 8 addresses on, twice as many take twice as long",
			holds: func(f []float64) bool {
				return f[1] > f[0] && f[4]/f[3] > 1.8 && f[4]/f[3] < 2.2 && f[5]/f[4] > 1.8 && f[5]/f[4] < 2.2
			},
		},
		{
			Name: "atomics", Section: "1.4.4.4", Figure: "cycles",
			Says: "many atomics can be performed nearly as quickly as memory loads",
			Runs: []ClaimRun{atomicAdds("loads", "loads"), atomicAdds("atom.add", "atomics"), atomicAdds("red.add", "reductions"),
				atomicAdds("atom.add, one word for all", "atomics_one_word")},
			Shows: "at most a quarter more than loads; one word for all is another matter",
			holds: func(f []float64) bool { return f[1] < 1.25*f[0] && f[2] < 1.25*f[0] && f[3] > 4*f[0] },
		},
		{
			Name: "boost", Section: "1.4.4.5", Figure: "gld_throughput",
			Says: "on K40, the highest boost clock typically raises the memory bandwidth that is reached, with the same memory clock",
			Runs: []ClaimRun{
				copyRun("745 MHz", "clocks.core=745"), copyRun("875 MHz", "clocks.core=875"),
			},
			Shows: "more GB/s at 875 MHz",
			holds: func(f []float64) bool { return f[1] > 1.01*f[0] },
		},
		{
			Name: "double-precision", Section: "1.4.5.1", Figure: "cycles",
			Says: "GK104 is made for single precision; GK110's double precision is far faster",
			Runs: []ClaimRun{
				multiplyAdd("GK104, f32", "gk104", "f32_chains_4"), multiplyAdd("GK104, f64", "gk104", "f64_chains_4"),
				multiplyAdd("GK110, f32", "gk110", "f32_chains_4"), multiplyAdd("GK110, f64", "gk110", "f64_chains_4"),
			},
			// 192 lanes to 8, and to 64 (CUDA C Programming Guide, table 2). Compiled f32 streams reach fewer than 171. clpeak's vectors of
			// four: a factor of 20.0 on a GTX 660, 20.3 on a GT 650M, 2.35 on a K40c, 2.46 on a TITAN.
			Shows: "f64 takes 18 to 24 times as long on GK104, 2.2 to 3 times on GK110",
			holds: func(f []float64) bool {
				return f[1]/f[0] > 18 && f[1]/f[0] < 24.1 && f[3]/f[2] > 2.2 && f[3]/f[2] < 3.01
			},
		},
	}
}

// oneSMX is for claims about a single SMX. It runs long enough to make the launch's own time small.
var oneSMX = []string{"smx.count=1"}

// multiplyAdd fills one SMX with 64 warps of multiply-adds.
func multiplyAdd(label, config, kernel string) ClaimRun {
	return ClaimRun{Label: label, Config: config, Set: oneSMX, File: "multiply-add.ptx", Kernel: kernel, Blocks: 8, Threads: 256,
		Arguments: []ClaimArgument{{Words: 512}, {Number: 160}}}
}

// sharedNumbers fills one SMX with 64 warps of shared loads.
func sharedNumbers(label, kernel string, bankMode memorymode.BankMode) ClaimRun {
	return sharedOn(label, "gk110", kernel, bankMode)
}

func sharedOn(label, config, kernel string, bankMode memorymode.BankMode) ClaimRun {
	return ClaimRun{
		Label: label, Config: config, Set: oneSMX, File: "shared-numbers.ptx", Kernel: kernel, Blocks: 8, Threads: 256, BankMode: bankMode,
		Arguments: []ClaimArgument{{Words: 512}, {Number: 256}},
	}
}

func localArray(label, split string) ClaimRun {
	return ClaimRun{Label: label, Config: "gk110", File: "local-array.ptx", Kernel: "local_array", Blocks: 15, Threads: 192,
		CacheConfig: split, Arguments: []ClaimArgument{{Words: 192}, {Number: 512}}}
}

func reread(label, config, kernel string, cacheLoads bool) ClaimRun {
	return ClaimRun{Label: label, Config: config, File: "reread.ptx", Kernel: kernel, Blocks: 8, Threads: 256, CacheLoads: cacheLoads,
		Arguments: []ClaimArgument{{Words: 256}, {Words: 2048}, {Number: 128}}}
}

func constantLoads(mask uint32) ClaimRun {
	return ClaimRun{
		Label: fmt.Sprintf("%d addresses a warp", mask+1), Config: "gk110", Set: oneSMX, File: "constants.ptx", Kernel: "constants",
		Blocks: 4, Threads: 256,
		Arguments: []ClaimArgument{{Words: 256}, {Number: 256}, {Number: mask}},
	}
}

func atomicAdds(label, kernel string) ClaimRun { return atomicsOn(label, "gk110", kernel) }

func atomicsOn(label, config, kernel string) ClaimRun {
	return ClaimRun{Label: label, Config: config, File: "atomics.ptx", Kernel: kernel, Blocks: 60, Threads: 256,
		Arguments: []ClaimArgument{{Words: 15360}, {Words: 15360}, {Number: 64}}}
}

func copyRun(label, clock string) ClaimRun {
	return ClaimRun{Label: label, Config: "k40", Set: []string{clock}, File: "copy.ptx", Kernel: "copy", Blocks: 2048, Threads: 256,
		Arguments: []ClaimArgument{{Words: 2 << 20}, {Words: 2 << 20}}}
}
