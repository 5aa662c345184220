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
		{"launch", []string{"kernel launch"}, "One start of a kernel with its grid, block, arguments and dynamic shared memory. " +
			"Reports have one section, or one row, for each.", []string{"kernel"}},
		{"grid", nil, "All blocks of a launch, in one to three dimensions.", []string{"block"}},
		{"block", []string{"thread block", "CTA", "cooperative thread array", "work-group"}, "Threads that run on one SMX, share its " +
			"shared memory and can wait for each other at barriers; at most 1,024 on Kepler.", []string{"grid", "warp", "SMX"}},
		{"thread", nil, "One instance of a kernel's program, with registers and local memory of its own.", []string{"lane", "warp"}},
		{"warp", []string{"wavefront"}, "32 threads of a block that execute one instruction together. The unit that schedulers issue from.",
			[]string{"lane", "warp scheduler", "divergence"}},
		{"lane", nil, "A thread's place in its warp, 0 to 31.", []string{"active lanes"}},
		{"active lanes", []string{"active mask"}, "The lanes of a warp that execute an instruction: those on the path that the warp is " +
			"on. An instruction's guard can switch off further ones.", []string{"divergence", "predicate"}},
		{"predicate", []string{"guard"}, "A register of one bit a lane. An instruction with a guard (@p) has an effect in the lanes " +
			"where it is true.", []string{"predication"}},
		{"predication", []string{"if-conversion"}, "Executing both sides of a short branch under guards instead of jumping.",
			[]string{"divergence"}},
		{"PTX", nil, "NVIDIA's virtual instruction set, in which compilers hand over kernels. It has endless registers, and operations " +
			"that no chip has.", []string{"machine operation", "lowering"}},
		{"machine operation", []string{"SASS instruction", "operation"}, "What a Kepler chip issues: an operation with physical " +
			"registers. A PTX instruction becomes none, one or several.", []string{"lowering"}},
		{"lowering", []string{"assembling", "ptxas"}, "Making machine operations of PTX, as NVIDIA's ptxas does: instruction " +
			"selection, scheduling, register allocation.", []string{"machine operation", "spill"}},
		{"spill", []string{"register spilling"}, "Keeping a value in local memory because a thread has no register left for it.",
			[]string{"local memory", "register"}},
		{"rematerialisation", nil, "Computing a value again where it is needed instead of keeping it in a register.", []string{"spill"}},
	}},
	{"The chip", []Term{
		{"SMX", []string{"SM", "streaming multiprocessor"}, "Kepler's multiprocessor: four warp schedulers, 192 single-precision " +
			"lanes, a register file, shared memory and caches. GK110 has up to 15.", []string{"warp scheduler", "occupancy"}},
		{"warp scheduler", []string{"scheduler"}, "One of the four parts of an SMX that choose a ready warp in each cycle and issue " +
			"one or two of its instructions.", []string{"dual issue", "scheduling policy", "issue slot"}},
		{"scheduling policy", nil, "Which of the ready warps a scheduler issues from: greedy then oldest, loose round robin, oldest " +
			"first, two-level, or one of your own.", []string{"warp scheduler"}},
		{"issue slot", nil, "A cycle of a scheduler. It is used when an instruction, a pair or a replay issues.",
			[]string{"replay", "ipc"}},
		{"dual issue", []string{"pair"}, "Issuing two neighbouring, independent instructions of one warp in one cycle. The compiler " +
			"marks which may pair.", []string{"issue slot"}},
		{"ipc", []string{"instructions per cycle"}, "Warp instructions executed in a cycle of an SMX in which it has warps; at most 8 " +
			"(four schedulers, two each). Replays take issue slots and do not count.", []string{"replay", "issue slot"}},
		{"replay", nil, "Issuing an instruction again because its lanes could not be served at once: further lines of a global access, " +
			"further passes of a shared one. It takes an issue slot.", []string{"bank conflict", "coalescing", "issue slot"}},
		{"scoreboard", nil, "The record of registers whose values are not there yet. An instruction that reads or writes such a " +
			"register does not issue.", []string{"stall reason"}},
		{"stall reason", []string{"stall"}, "Why a resident warp issued nothing in a cycle. The names are nvprof's; `keplersim " +
			"glossary memory_dependency` and its like say what each means.", []string{"eligible warp"}},
		{"eligible warp", []string{"ready warp"}, "A warp whose next instruction could issue in this cycle.", []string{"warp scheduler"}},
		{"resident warp", []string{"active warp"}, "A warp that has its registers and its place on an SMX, whether it can issue or waits.",
			[]string{"occupancy"}},
		{"occupancy", nil, "Resident warps over the most that an SMX can have (64). Theoretical: what registers, shared memory, warps " +
			"and blocks allow. Achieved: the average over the time in which the SMX had warps.", []string{"limiter", "wave"}},
		{"limiter", nil, "The resource that keeps one more block from an SMX: warps, blocks, registers or shared memory.",
			[]string{"occupancy"}},
		{"wave", nil, "As many blocks as all SMXs hold at once. A last wave that is not full leaves SMXs idle.",
			[]string{"occupancy", "imbalance"}},
		{"imbalance", nil, "SMXs that have work for different times; the launch takes as long as the longest.", []string{"wave"}},
		{"register", []string{"registers a thread"}, "A 32-bit cell of the register file. A thread has at most 255 (63 on GK104); all " +
			"threads of an SMX share 65,536 (131,072 on GK210).", []string{"occupancy", "spill"}},
		{"register bank", nil, "One of the four parts of the register file. Operands in one bank are read one after the other.",
			[]string{"bank conflict"}},
		{"execution unit", []string{"pipeline", "functional unit"}, "Lanes that execute a class of instructions: single precision and " +
			"integer, double precision, special functions, load/store, texture, branches.", nil},
		{"special function unit", []string{"SFU"}, "The unit for reciprocals, roots, exponentials, logarithms, sines and conversions.",
			[]string{"execution unit"}},
		{"divergence", []string{"branch divergence"}, "Lanes of a warp that take different ways at a branch. The warp executes the " +
			"ways one after the other.", []string{"convergence", "active lanes"}},
		{"convergence", []string{"reconvergence"}, "Where diverged lanes go on together: the first instruction that all ways lead to, " +
			"the branch's immediate post-dominator. Ways that leave the kernel before the next barrier do not count.",
			[]string{"divergence"}},
		{"barrier", []string{"bar.sync", "__syncthreads"}, "A point where the warps of a block wait for each other.", []string{"block"}},
		{"instruction buffer", nil, "The instructions of a warp that have been fetched and can issue.", []string{"instruction cache"}},
		{"instruction cache", nil, "8 KB and 32 KB of recent instructions of an SMX; code that does not fit is fetched from L2 again " +
			"and again.", nil},
		{"clock", []string{"core clock"}, "The cycles of the SMXs. Memory has its own clock; on boards with GPU Boost both can change.",
			[]string{"launch cycles"}},
		cycleTerm("kernel_cycles"), cycleTerm("launch_cycles"), cycleTerm("elapsed_cycles", "cycles"),
	}},
	{"Memory", []Term{
		{"global memory", []string{"device memory"}, "The memory of the board, which all threads and the host reach.",
			[]string{"DRAM", "L2"}},
		{"shared memory", nil, "Up to 48 KB on the SMX that the threads of a block share (of 64 KB, which L1 has the rest of).",
			[]string{"bank", "carve-out"}},
		{"local memory", nil, "Memory of one thread for arrays and spilled registers. It lies in device memory, and L1 caches it.",
			[]string{"spill"}},
		{"constant memory", []string{"constant bank"}, "64 KB banks that a launch reads only: parameters and constants. Served at once " +
			"when all lanes read one address.", nil},
		{"carve-out", []string{"cache configuration"}, "How an SMX's 64 KB (128 KB on GK210) are divided into shared memory and L1.",
			[]string{"shared memory", "L1"}},
		{"bank", []string{"shared memory bank"}, "One of the 32 parts of shared memory, each 8 bytes wide, that are read in one pass.",
			[]string{"bank conflict"}},
		{"bank conflict", nil, "Lanes that touch different words of one bank: each further word takes a pass of its own.",
			[]string{"replay", "bank"}},
		{"pass", nil, "One reading of all banks for an access to shared memory, or one address of an access to constants.",
			[]string{"bank conflict"}},
		{"access", []string{"request of a warp"}, "One memory instruction of one warp.", []string{"transaction"}},
		{"transaction", nil, "One line, or one pass over shared memory, that an access needs. One for each access is the best.",
			[]string{"coalescing", "sector"}},
		{"coalescing", nil, "Serving neighbouring addresses of a warp's lanes with few transactions.", []string{"transaction", "sector"}},
		{"sector", nil, "32 bytes, the smallest piece that L2 and DRAM move. A line of 128 bytes has four.", []string{"line"}},
		{"line", []string{"cache line"}, "What one tag of a cache stands for: 128 bytes in L1 and L2.", []string{"sector"}},
		{"efficiency", nil, "Bytes that lanes asked for over bytes of the sectors that were moved. Over 100 % where lanes share words.",
			[]string{"sector", "coalescing"}},
		{"L1", []string{"L1 cache"}, "The data cache of an SMX. On Kepler it caches local memory, and global loads only where a board " +
			"opts in.", []string{"carve-out"}},
		{"read-only cache", []string{"texture cache"}, "48 KB on each SMX for textures and for global data that a kernel only reads " +
			"(ld.global.nc, __ldg).", nil},
		{"L2", []string{"L2 cache"}, "The cache that all SMXs share, cut in slices by address. Global atomics are carried out there.",
			[]string{"slice", "atomic operation"}},
		{"slice", []string{"L2 slice", "partition"}, "A part of L2 that serves its share of the addresses, with a queue of its own.",
			[]string{"L2"}},
		{"atomic operation", []string{"atomic"}, "Reading, changing and writing a word as one step. On global memory slices of L2 do " +
			"it; on shared memory it is a loop that locks the word.", []string{"reduction"}},
		{"reduction", []string{"red"}, "An atomic operation whose old value nobody needs, so that no response carries it.",
			[]string{"atomic operation"}},
		{"MSHR", []string{"miss status holding register", "miss register"}, "A register of a cache for a line in flight, with the " +
			"accesses that wait for it. When all are taken, further misses wait.", []string{"in flight"}},
		{"in flight", []string{"under way", "outstanding"}, "Sent and without a response yet.", []string{"MSHR", "response"}},
		{"request", nil, "A message from an SMX to a slice of L2: some sectors of one line.", []string{"response"}},
		{"response", nil, "The message that comes back for a request, with data or without.", []string{"request"}},
		{"credit", nil, "The right to send a message to a queue that has room for it; it comes back when the message has been taken " +
			"from the queue.", nil},
		{"crossbar", []string{"interconnect"}, "The links between SMXs and slices of L2.", []string{"request"}},
		{"write-back", nil, "Writing a dirty line to the next level when it leaves the cache, or when its channel has time.", nil},
		{"prefetch", nil, "Fetching a line before anybody asks for it.", nil},
		{"replacement policy", nil, "Which line of a full set goes: least recently used, first in first out, a tree of bits, random, " +
			"or one of your own.", nil},
		{"TLB", []string{"translation lookaside buffer"}, "A buffer of recent translations from virtual to physical pages. A miss in " +
			"all levels walks the page table.", nil},
		{"DRAM", []string{"GDDR5"}, "The memory chips of the board, behind channels of 64 bits.", []string{"channel", "row"}},
		{"channel", nil, "A part of DRAM with its own bus, scheduler and banks.", []string{"row"}},
		{"row", []string{"page of DRAM"}, "2 KB of a bank that are opened together. An access to an open row is a row hit; another row " +
			"has to be closed first (row conflict).", []string{"channel"}},
		{"ECC", []string{"error correction"}, "Check bits beside data. On Tesla boards they lie in the same memory and take part of " +
			"its bandwidth.", nil},
	}},
	{"Clocks and power", []Term{
		{"application clocks", []string{"-ac"},
			"The pair of memory and core clock that a user has set on a Tesla board; it holds within the " +
				"power limit.", []string{"governor"}},
		{"base clock", nil, "The core clock that a board promises for every kernel.", []string{"GPU Boost"}},
		{"GPU Boost", []string{"autoboost"},
			"Core clocks above the base clock while power and temperature allow: by steps of 13 MHz on a " +
				"GTX 680 (1.0) and a K80 (autoboost), until a target temperature on a TITAN (2.0).", []string{"governor", "base clock"}},
		{"governor", []string{"clock governor"}, "What chooses the core clock by power and temperature, every 100 ms.",
			[]string{"throttle reason"}},
		{"throttle reason", []string{"clocks throttle reason"},
			"Why a board's clock is not higher, in nvidia-smi's words: Applications Clocks " +
				"Setting, SW Power Cap, SW Thermal Slowdown, HW Slowdown.", []string{"power limit"}},
		{"power limit", []string{"TDP", "power cap"}, "The power above which the governor lowers the clock.", []string{"governor"}},
		{"leakage", []string{"static power"}, "Power that transistors take without switching; it grows with voltage and temperature.", nil},
		{"energy-delay product", []string{"EDP"}, "Energy times time: low where a kernel is both fast and frugal.", nil},
	}},
	{"Results", []Term{
		{"recording", nil, "A file with what each warp did in each cycle, and the way of each request, for a window of cycles and some " +
			"SMXs or " +
			"for all (`keplersim run --record`).", []string{"stall reason", "sample"}},
		{"sample", nil, "A launch's counters at a cycle of its run. Every timed launch has up to 512.", []string{"recording"}},
		{"lifted limit", []string{"ideal"}, "A limit that the configuration's section `ideal` takes away, such as bank conflicts. " +
			"`keplersim " +
			"advise` runs a kernel without each and says what it costs.", []string{"bank conflict", "coalescing", "divergence"}},
		{"ulp", []string{"unit in the last place"}, "The distance between neighbouring floating-point numbers.", nil},
		{"contraction", []string{"FMA contraction"}, "Making one fused multiply-add, which rounds once, of a product and a sum.", nil},
		{"flush to zero", []string{"ftz"}, "Taking denormal numbers for zero.", nil},
		{"race", []string{"data race", "hazard"}, "Two threads that touch one place, one of them writing, with nothing that orders them.",
			[]string{"barrier"}},
		{"roofline", nil, "A kernel's arithmetic intensity (operations a byte) against the ceilings of the chip: the slope is " +
			"bandwidth, the roof is arithmetic.", []string{"arithmetic intensity"}},
		{"arithmetic intensity", nil, "Floating-point operations over bytes moved.", []string{"roofline"}},
		{"functional run", []string{"--functional"}, "A run that computes results and no time.", nil},
	}},
}

// cycleTerm is the entry of one of the counts of cycles.
func cycleTerm(name string, also ...string) Term {
	c, _ := stats.FindCycleCount(name)
	return Term{c.Title, also, c.Meaning, []string{"clock"}}
}
