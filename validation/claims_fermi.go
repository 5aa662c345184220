package validation

// fermiClaims are the guide's comparisons of Kepler with Fermi. Here a Fermi's cycles are those of its cores' clock, two of them one
// scheduler cycle. The guide counts the latter.
func fermiClaims() []Claim {
	return []Claim{
		{
			Name: "throughput-a-clock", Section: "1.4.1", Figure: "cycles",
			Says: "an SMX has two to three times the throughput of a Fermi's multiprocessor per clock",
			Runs: []ClaimRun{multiplyAdd("GF110", "gf110", "f32_chains_4"), multiplyAdd("GK110", "gk110", "f32_chains_4")},
			// 192 lanes to 32 at twice the clock are a factor of 3. Compiled f32 streams reach fewer than 171 of the 192.
			Shows: "GF110 takes four to six times as many cycles of its cores, two to three times as many of its schedulers",
			holds: func(f []float64) bool { return f[0]/f[1] >= 4 && f[0]/f[1] <= 6 },
		},
		{
			Name: "twice-the-parallelism", Section: "1.4.1", Figure: "cycles",
			Says: "Kepler needs about twice as much parallelism per multiprocessor as Fermi",
			Runs: []ClaimRun{
				oneChain("GF110, 18 warps", "gf110", 3), oneChain("GF110, 36 warps", "gf110", 6),
				oneChain("GK110, 18 warps", "gk110", 3), oneChain("GK110, 36 warps", "gk110", 6),
			},
			// 18 cycles at 32 lanes need 18 warps; 9 cycles at the 128 lanes of single issue need 36.
			Shows: "18 warps of one chain fill a GF110, so that 36 take twice as long; on a GK110 36 take as long as 18",
			holds: func(f []float64) bool { return f[1] > 1.8*f[0] && f[3] < 1.15*f[2] },
		},
		{
			Name: "shared-bandwidth", Section: "1.4.3.1", Figure: "cycles",
			Says: "the bandwidth of shared memory is twice that of a Fermi's multiprocessor",
			Runs: []ClaimRun{
				sharedOn("C2075, f64", "c2075", "shared_f64", 4), sharedOn("GK110, f64, 8-byte banks", "gk110", "shared_f64", 8),
			},
			// The peaks are 64 bytes a core cycle and 256. A K20m reaches three quarters of its own (Zhang). A GeForce would not do: its
			// few f64 lanes would limit the kernel.
			Shows: "C2075 takes 2.8 to 4.2 times as many cycles of its cores, 1.4 to 2.1 times as many of its schedulers",
			holds: func(f []float64) bool { return f[0]/f[1] >= 2.8 && f[0]/f[1] <= 4.2 },
		},
		{
			Name: "global-loads-in-l1-of-fermi", Section: "1.4.4.2", Figure: "l1_cache_global_hit_rate",
			Says:  "unlike Fermi, Kepler does not cache global loads in L1 by default",
			Runs:  []ClaimRun{reread("GF110, plain", "gf110", "reread", false), reread("GK110, plain", "gk110", "reread", false)},
			Shows: "the same loads hit L1 on GF110 and not on GK110",
			holds: func(f []float64) bool { return f[0] > 80 && f[1] == 0 },
		},
		{
			Name: "atomics-of-fermi", Section: "1.4.4.4", Figure: "cycles",
			Says: "atomics on global memory are far faster than on Fermi, nearly as quick as loads",
			Runs: []ClaimRun{atomicsOn("GF110, loads", "gf110", "loads"), atomicsOn("GF110, atom.add", "gf110", "atomics"),
				atomicsOn("GK110, loads", "gk110", "loads"), atomicsOn("GK110, atom.add", "gk110", "atomics")},
			Shows: "atomics take more than twice as long as loads on GF110, at most a quarter longer on GK110",
			holds: func(f []float64) bool { return f[1] > 2*f[0] && f[3] < 1.25*f[2] },
		},
	}
}

// oneChain runs blocks of six warps on one multiprocessor, with one chain of multiply-adds a thread.
func oneChain(label, config string, blocks int) ClaimRun {
	r := multiplyAdd(label, config, "f32_chains_1")
	r.Blocks, r.Threads = blocks, 192
	return r
}
