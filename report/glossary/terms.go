package glossary

import "github.com/keplersim/keplersim/sim/stats"

// Term is one word with its meaning.
type Term struct {
	// Name is the word as reports and docs spell it; Also are other words for the same, of the field or of NVIDIA's documents.
	Name string
	Also []string
	// Meaning is one or two sentences.
	Meaning string
	// See are names of related terms.
	See []string
}

// terms are the words of the reports and of the field, by subject, in the order of docs/glossary.md.
var terms = []struct {
	subject string
	terms   []Term
}{
	{"Programs", []Term{
		{"kernel", nil, "A function that the host starts on the GPU, once for each thread of a grid.", []string{"grid", "launch"}},
		{"launch", []string{"kernel launch"}, "One start of a kernel with its grid, block, arguments and dynamic shared " +
			"memory. Reports give each a section or a row.", []string{"kernel"}},
		{"grid", nil, "All blocks of a launch, in one to three dimensions.", []string{"block"}},
		{"block", []string{"thread block", "CTA", "cooperative thread array", "work-group"}, "Up to 1,024 threads that run on " +
			"one SMX, share its shared memory and can wait for each other at barriers.", []string{"grid", "warp", "SMX"}},
		{"thread", nil, "One instance of a kernel's program, with its own registers and local memory.", []string{"lane", "warp"}},
		{"warp", []string{"wavefront"}, "32 threads of a block that execute one instruction together.",
			[]string{"lane", "warp scheduler", "divergence"}},
		{"lane", nil, "A thread's place in its warp, 0 to 31.", []string{"active lanes"}},
		{"active lanes", []string{"active mask"}, "The lanes on the path that the warp executes. A guard can switch off more " +
			"of them for one instruction.", []string{"divergence", "predicate"}},
		{"predicate", []string{"guard"}, "A register of one bit per lane. An instruction guarded by it (@p) acts only in lanes " +
			"where it is true.", []string{"predication"}},
		{"predication", []string{"if-conversion"}, "Executing both sides of a short branch under guards instead of jumping.",
			[]string{"divergence"}},
		{"PTX", nil, "NVIDIA's virtual instruction set, which compilers write. It has endless registers, and operations that " +
			"no chip has.", []string{"machine operation", "lowering"}},
		{"machine operation", []string{"SASS instruction", "operation"}, "What a Kepler chip issues, with physical registers. " +
			"A PTX instruction becomes none, one or several.", []string{"lowering"}},
		{"lowering", []string{"assembling", "ptxas"}, "Translating PTX to machine operations, as NVIDIA's ptxas does: " +
			"instruction selection, scheduling, register allocation.", []string{"machine operation", "spill"}},
		{"spill", []string{"register spilling"}, "Keeping a value in local memory because the thread has no free register.",
			[]string{"local memory", "register"}},
		{"rematerialisation", nil, "Computing a value again instead of keeping it in a register.", []string{"spill"}},
	}},
	{"The chip", []Term{
		{"SMX", []string{"SM", "streaming multiprocessor"}, "Kepler's multiprocessor: four warp schedulers, 192 " +
			"single-precision lanes, a register file, shared memory and caches. GK110 has up to 15.",
			[]string{"warp scheduler", "occupancy"}},
		{"warp scheduler", []string{"scheduler"}, "One of an SMX's four. Each cycle it chooses a ready warp and issues one or " +
			"two of its instructions.", []string{"dual issue", "scheduling policy", "issue slot"}},
		{"scheduling policy", []string{"scheduler policy", "gto", "lrr", "oldest", "two-level"},
			"Which ready warp a scheduler issues from: greedy then oldest (gto), loose round robin (lrr), oldest first, two-level, or " +
				"your own. Two-level takes turns within a small active set, and a warp that is not ready leaves it.",
			[]string{"warp scheduler"}},
		{"issue slot", nil, "A cycle of a scheduler. An instruction, a pair or a replay uses it.",
			[]string{"replay", "ipc"}},
		{"dual issue", []string{"pair"}, "Issuing two neighbouring, independent instructions of a warp in one cycle. The " +
			"compiler marks which may pair.", []string{"issue slot"}},
		{"ipc", []string{"instructions per cycle"}, "Warp instructions executed per cycle in which an SMX has warps; at most 8 " +
			"(four schedulers, two each). Replays do not count.", []string{"replay", "issue slot"}},
		{"replay", nil, "Issuing an instruction again, in a further issue slot, for lanes not served yet: other lines of a " +
			"global access, other passes of a shared one.", []string{"bank conflict", "coalescing", "issue slot"}},
		{"scoreboard", nil, "The record of registers whose values are pending. An instruction that reads or writes one " +
			"waits.", []string{"stall reason"}},
		{"stall reason", []string{"stall"}, "Why a resident warp issued nothing in a cycle, in nvprof's names. `keplersim " +
			"glossary memory_dependency`, for example, explains one.", []string{"eligible warp"}},
		{"eligible warp", []string{"ready warp"}, "A warp whose next instruction could issue in this cycle.",
			[]string{"warp scheduler"}},
		{"resident warp", []string{"active warp"}, "A warp that has registers and a place on an SMX, whether it issues or waits.",
			[]string{"occupancy"}},
		{"occupancy", nil, "Resident warps over the most that an SMX can have (64). Theoretical: what registers, shared " +
			"memory, warps and blocks allow. Achieved: the average while the SMX had warps.", []string{"limiter", "wave"}},
		{"limiter", nil, "The resource that keeps one more block off an SMX: warps, blocks, registers or shared memory.",
			[]string{"occupancy"}},
		{"wave", nil, "The blocks that all SMXs hold at once. A last wave that is not full leaves SMXs idle.",
			[]string{"occupancy", "imbalance"}},
		{"imbalance", nil, "SMXs that work for different times. The launch takes as long as the longest.", []string{"wave"}},
		{"register", []string{"registers a thread"}, "A 32-bit cell of the register file. A thread has at most 255 (63 on " +
			"GK104); an SMX has 65,536 (131,072 on GK210).", []string{"occupancy", "spill"}},
		{"register bank", nil, "One of four parts of the register file. Operands in one bank are read one after the other.",
			[]string{"bank conflict"}},
		{"execution unit", []string{"pipeline", "functional unit"}, "The lanes for a class of instructions: single precision " +
			"and integer, double precision, special functions, load/store, texture, branches.", nil},
		{"special function unit", []string{"SFU"}, "The unit for reciprocals, roots, exponentials, logarithms, sines and conversions.",
			[]string{"execution unit"}},
		{"divergence", []string{"branch divergence"}, "Lanes of a warp take different paths at a branch. The warp executes the " +
			"paths one after the other.", []string{"convergence", "active lanes"}},
		{"convergence", []string{"reconvergence"}, "Where diverged lanes continue together: the first instruction that all " +
			"paths reach, the branch's immediate post-dominator. Paths that leave the kernel before the next barrier do not count.",
			[]string{"divergence"}},
		{"barrier", []string{"bar.sync", "__syncthreads"}, "A point where the warps of a block wait for each " +
			"other.", []string{"block"}},
		{"instruction buffer", nil, "Fetched instructions of a warp that can issue.", []string{"instruction cache"}},
		{"instruction cache", nil, "8 KB and 32 KB of recent instructions on each SMX. Code that does not fit is fetched from " +
			"L2 again and again.", nil},
		{"clock", []string{"core clock"}, "The clock of the SMXs. Memory has its own; on boards with GPU Boost both can change.",
			[]string{"launch cycles"}},
		cycleTerm("kernel_cycles"), cycleTerm("launch_cycles"), cycleTerm("elapsed_cycles", "cycles"),
	}},
	{"Memory", []Term{
		{"global memory", []string{"device memory"}, "The board's memory, which all threads and the host reach.",
			[]string{"DRAM", "L2"}},
		{"shared memory", nil, "Up to 48 KB on the SMX that the threads of a block share. L1 has the rest of the 64 KB.",
			[]string{"bank", "carve-out"}},
		{"local memory", nil, "A thread's memory for arrays and spilled registers: device memory that L1 caches.",
			[]string{"spill"}},
		{"constant memory", []string{"constant bank"}, "Read-only banks of 64 KB for parameters and constants. Fast when all " +
			"lanes read one address.", nil},
		{"carve-out", []string{"cache configuration"}, "How an SMX's 64 KB (128 KB on GK210) are divided between shared memory and L1.",
			[]string{"shared memory", "L1"}},
		{"bank", []string{"shared memory bank"}, "One of the 32 parts of shared memory, each 8 bytes wide. A pass reads all of them.",
			[]string{"bank conflict"}},
		{"bank conflict", nil, "Lanes touch different words of one bank. Each further word takes another pass.",
			[]string{"replay", "bank"}},
		{"pass", nil, "One reading of all banks for a shared memory access, or one address of a constant access.",
			[]string{"bank conflict"}},
		{"access", []string{"request of a warp"}, "One memory instruction of one warp.", []string{"transaction"}},
		{"transaction", nil, "One line, or one pass over shared memory, that an access needs. One per access is best.",
			[]string{"coalescing", "sector"}},
		{"coalescing", nil, "Serving neighbouring addresses of a warp with few transactions.", []string{"transaction", "sector"}},
		{"sector", nil, "32 bytes, the least that L2 and DRAM move. A 128-byte line has four.", []string{"line"}},
		{"line", []string{"cache line"}, "The unit that a cache keeps: 128 bytes in L1 and L2.", []string{"sector"}},
		{"efficiency", nil, "Bytes requested by lanes over bytes of the sectors moved. Above 100 % where lanes share words.",
			[]string{"sector", "coalescing"}},
		{"L1", []string{"L1 cache"}, "The data cache of an SMX. It caches local memory, and global loads only where a board " +
			"opts in.", []string{"carve-out"}},
		{"read-only cache", []string{"texture cache"}, "48 KB on each SMX for textures and global data that a kernel only " +
			"reads (ld.global.nc, __ldg).", nil},
		{"L2", []string{"L2 cache"}, "The cache that all SMXs share, divided into slices by address. It carries out global atomics.",
			[]string{"slice", "atomic operation"}},
		{"slice", []string{"L2 slice", "partition"}, "A part of L2 that serves its share of the addresses from its own queue.",
			[]string{"L2"}},
		{"atomic operation", []string{"atomic"}, "Reading, changing and writing a word in one step. L2 slices do it for global " +
			"memory; a loop that locks the word does it for shared memory.", []string{"reduction"}},
		{"reduction", []string{"red"}, "An atomic operation that returns nothing.",
			[]string{"atomic operation"}},
		{"MSHR", []string{"miss status holding register", "miss register"}, "A cache's entry for a line in flight and the " +
			"accesses that wait for it. When all are taken, further misses wait.", []string{"in flight"}},
		{"in flight", []string{"under way", "outstanding"}, "Sent, without a response yet.", []string{"MSHR", "response"}},
		{"request", nil, "A message from an SMX to an L2 slice for sectors of one line.", []string{"response"}},
		{"response", nil, "The message that answers a request, with or without data.", []string{"request"}},
		{"credit", nil, "The right to send a message to a queue with room. It returns when the message leaves the queue.", nil},
		{"crossbar", []string{"interconnect"}, "The links between SMXs and slices of L2.", []string{"request"}},
		{"write-back", nil, "Writing a dirty line to the next level when it leaves the cache or its channel is free.", nil},
		{"prefetch", nil, "Fetching a line before it is requested. The model has prefetchers for L1, the read-only cache, L2 and instructions; only that of instructions is on.", nil},
		{"replacement policy", nil, "Which line of a full set is evicted: least recently used, first in first out, tree of " +
			"bits, random, or your own.", nil},
		{"TLB", []string{"translation lookaside buffer"}, "A cache of translations from virtual to physical pages. A miss in " +
			"all levels walks the page table.", nil},
		{"DRAM", []string{"GDDR5"}, "The board's memory chips, behind channels of 64 bits.", []string{"channel", "row"}},
		{"channel", nil, "A part of DRAM with its own bus, scheduler and banks.", []string{"row"}},
		{"row", []string{"page of DRAM"}, "2 KB of a DRAM bank that open together. An access to the open row is a row hit. In " +
			"a row conflict another row must close first.", []string{"channel"}},
		{"ECC", []string{"error correction"}, "Check bits for the data. Tesla boards keep them in the same memory, where they " +
			"take bandwidth.", nil},
	}},
	{"Clocks and power", []Term{
		{"application clocks", []string{"-ac"},
			"The memory and core clock that a user set on a Tesla board. It holds within the power limit.", []string{"governor"}},
		{"base clock", nil, "The core clock that a board promises for every kernel.", []string{"GPU Boost"}},
		{"GPU Boost", []string{"autoboost"},
			"Core clocks above the base clock while power and temperature allow. In steps of 13 MHz on a GTX 680 (1.0) and K80 " +
				"(autoboost), up to a target temperature on a TITAN (2.0).", []string{"governor", "base clock"}},
		{"governor", []string{"clock governor"}, "What sets the core clock by power and temperature, every 100 ms.",
			[]string{"throttle reason"}},
		{"throttle reason", []string{"clocks throttle reason"},
			"Why a board's clock is not higher, in nvidia-smi's words: Applications Clocks Setting, SW Power Cap, SW Thermal " +
				"Slowdown, HW Slowdown.", []string{"power limit"}},
		{"power limit", []string{"TDP", "power cap"}, "The power above which the governor lowers the clock.", []string{"governor"}},
		{"leakage", []string{"static power"}, "Power that transistors take without switching. It grows with voltage and " +
			"temperature.", nil},
		{"energy-delay product", []string{"EDP"}, "Energy times time: low for kernels both fast and frugal.", nil},
	}},
	{"Results", []Term{
		{"recording", nil, "A file with what each warp did in each cycle and how each request travelled, for all or some " +
			"cycles and SMXs (`keplersim run --record`).", []string{"stall reason", "sample"}},
		{"sample", nil, "A launch's counters at one cycle. Every timed launch has up to 512.", []string{"recording"}},
		{"lifted limit", []string{"ideal"}, "A limit, such as bank conflicts, that the configuration's section `ideal` " +
			"removes. `keplersim advise` runs a kernel without each and says what it costs.",
			[]string{"bank conflict", "coalescing", "divergence"}},
		{"ulp", []string{"unit in the last place"}, "The distance between neighbouring floating-point numbers.", nil},
		{"contraction", []string{"FMA contraction"}, "Fusing a product and a sum into one multiply-add, which rounds once.", nil},
		{"flush to zero", []string{"ftz"}, "Treating denormal numbers as zero.", nil},
		{"race", []string{"data race", "hazard"}, "Two threads touch one address, at least one writes, and nothing orders them.",
			[]string{"barrier"}},
		{"roofline", nil, "A plot of a kernel's arithmetic intensity against the chip's ceilings: the slope is bandwidth, the " +
			"roof arithmetic.", []string{"arithmetic intensity"}},
		{"arithmetic intensity", nil, "Floating-point operations over bytes moved.", []string{"roofline"}},
		{"functional run", []string{"--functional"}, "A run that computes results but no time.", nil},
	}},
}

// cycleTerm is the entry of one of the counts of cycles.
func cycleTerm(name string, also ...string) Term {
	c, _ := stats.FindCycleCount(name)
	return Term{c.Title, also, c.Meaning, []string{"clock"}}
}
