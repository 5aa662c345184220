package finding

// Rule is one kind of mistake.
type Rule struct {
	// ID names the rule in suppressions, SARIF and JSON, and never changes.
	ID       string
	Check    Set
	Severity Severity
	// Title names the mistake in a few words; Cure says what helps.
	Title string
	Cure  string
	// Sanitizer is the beginning of compute-sanitizer's text for it, "" if it has none.
	Sanitizer string
}

// The rules, by check.
var (
	OutOfBounds = &Rule{ID: "out-of-bounds", Check: Memory, Title: "access outside every allocation",
		Sanitizer: "Invalid %s %s of size %d bytes"}
	Misaligned = &Rule{ID: "misaligned", Check: Memory, Title: "misaligned access",
		Cure: "an address is a multiple of the access's size", Sanitizer: "Invalid %s %s of size %d bytes"}
	UseAfter   = &Rule{ID: "use-after-free", Check: Memory, Title: "access to freed memory", Sanitizer: "Invalid %s %s of size %d bytes"}
	DoubleFree = &Rule{ID: "double-free", Check: Memory, Title: "memory is freed twice",
		Sanitizer: "Malloc/Free error encountered : Double free"}
	BadFree = &Rule{ID: "invalid-free", Check: Memory, Title: "free of an address that no allocation begins at",
		Sanitizer: "Malloc/Free error encountered : Invalid pointer to free"}
	Leak = &Rule{ID: "leak", Check: Memory, Title: "memory is never freed", Sanitizer: "Leaked %d bytes"}

	RaceBlock = &Rule{ID: "race-block", Check: Races, Title: "race between warps of a block",
		Cure: "no barrier orders the accesses: __syncthreads() between them, or atomics", Sanitizer: "Race reported"}
	RaceGrid = &Rule{ID: "race-grid", Check: Races, Title: "race between blocks of a launch",
		Cure: "nothing orders blocks of one launch: atomics, a flag with __threadfence(), another buffer for results, or another " +
			"launch",
		Sanitizer: "Race reported"}
	RaceStreams = &Rule{ID: "race-streams", Check: Races, Title: "race between launches of different streams",
		Cure:      "no event and no synchronisation orders the launches: cudaEventRecord and cudaStreamWaitEvent, or one stream",
		Sanitizer: "Race reported"}
	RaceNested = &Rule{ID: "race-nested", Check: Races, Title: "race between kernels that come from one launch",
		Cure: "a kernel is ordered with what it launches before the launch and after cudaDeviceSynchronize(), and for its whole block by " +
			"__syncthreads(); two that it launches by one stream or an event",
		Sanitizer: "Race reported"}
	RaceWarp = &Rule{ID: "race-warp", Check: Races, Title: "race between diverged threads of a warp",
		Cure: "nothing says which path of the branch runs first", Sanitizer: "Race reported"}
	RaceLanes = &Rule{ID: "race-lanes", Check: Races, Title: "threads of a warp write different values to one address in one instruction",
		Cure: "which value stays is not defined", Sanitizer: "Race reported"}

	OrderDependent = &Rule{ID: "order-dependent", Check: Races, Title: "a result depends on the order of warps and blocks",
		Severity: Warning,
		Cure:     "sums of floating-point numbers by atomics do so by rounding; else look for a race", Sanitizer: "Order-dependent result"}

	UnsetMemory = &Rule{ID: "unset-memory", Check: Init, Title: "read of unwritten memory",
		Sanitizer: "Uninitialized %s memory read of size %d bytes"}
	UnsetRegister = &Rule{ID: "unset-register", Check: Init, Title: "use of a register that was never set",
		Cure: "a variable has no value on a path that comes here", Sanitizer: "Uninitialized register read"}
	ShortWait = &Rule{ID: "short-wait", Check: Init, Title: "a control word waits shorter than a result takes", Severity: Warning,
		Cure: "in machine code the compiler waits for results of a known latency: raise the stall count of an operation between " +
			"the two",
		Sanitizer: "Uninitialized register read"}

	DivergentBarrier = &Rule{ID: "divergent-barrier", Check: Sync, Title: "barrier in diverged code",
		Cure:      "place the barrier where all threads of the warp arrive, or none",
		Sanitizer: "Barrier error detected. Divergent thread(s) in warp"}
	BarrierMixed = &Rule{ID: "mixed-barriers", Check: Sync, Title: "warps meet at one barrier from different statements", Severity: Warning,
		Cure:      "__syncthreads() is to be reached by all threads of a block at the same statement",
		Sanitizer: "Barrier error detected. Divergent thread(s) in block"}
	BarrierCount = &Rule{ID: "barrier-count", Check: Sync, Title: "warps reach one barrier with different counts of threads",
		Sanitizer: "Barrier error detected. Invalid arguments"}
	BarrierStuck = &Rule{ID: "barrier-stuck", Check: Sync, Title: "barrier that can never be completed",
		Sanitizer: "Barrier error detected. Divergent thread(s) in block"}
	BarrierExited = &Rule{ID: "barrier-exited", Check: Sync, Title: "barrier that exited threads never reach", Severity: Warning,
		Cure:      "Kepler does not wait for threads that have exited; the programming model does not promise it",
		Sanitizer: "Barrier error detected. Divergent thread(s) in block"}
	WarpMask = &Rule{ID: "warp-mask", Check: Sync, Title: "warp-wide operation whose mask names threads that do not execute it",
		Cure: "all threads that the mask names execute the operation together", Sanitizer: "Barrier error detected. Invalid arguments"}
	WarpSynchronous = &Rule{ID: "warp-synchronous", Check: Sync, Title: "threads of a warp exchange data without __syncwarp()",
		Severity:  Warning,
		Cure:      "right on Kepler, whose warps run in lockstep; from Volta on the threads need __syncwarp() between the accesses",
		Sanitizer: "Race reported"}
)

// Rules lists all rules in the order of reports: causes first.
var Rules = []*Rule{
	DivergentBarrier, BarrierStuck, BarrierCount, WarpMask, OutOfBounds, Misaligned, UseAfter, DoubleFree, BadFree,
	RaceLanes, RaceWarp, RaceBlock, RaceGrid, RaceStreams, RaceNested, UnsetRegister, UnsetMemory, Leak, OrderDependent, BarrierMixed,
	BarrierExited, WarpSynchronous, ShortWait,
}

// Find returns a rule by its name, nil for none.
func Find(id string) *Rule {
	for _, r := range Rules {
		if r.ID == id {
			return r
		}
	}
	return nil
}
