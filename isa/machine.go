package isa

// Class is the kind of a machine operation in the tables of throughput and latency. The chip's configuration gives each class its results
// per clock per SMX and its latency in core cycles.
type Class uint8

// Operation classes.
const (
	ClassNone          Class = iota
	ClassMove                // register move, select of a register, read of a constant or immediate
	ClassFP32                // f32 add, mul, fma
	ClassFP32Compare         // f32 compare, min, max
	ClassFP64                // f64 add, mul, fma
	ClassFP64Compare         //
	ClassInteger             // 32-bit add, sub, min, max, logic, select
	ClassIntegerCarry        // add that writes the carry flag
	ClassCompare             // integer compare that writes a predicate; predicate logic
	ClassMultiply            // 32-bit integer multiply and multiply-add
	ClassShift               // 32-bit shift, funnel shift
	ClassBits                // bfe, bfi, brev, clz, popc, sad, prmt
	ClassSFU                 // rcp, rsqrt, lg2, ex2, sin, cos
	ClassRangeReduce         // RRO before sin, cos, ex2
	ClassConvert             // conversions of 32-bit types
	ClassConvertNarrow       // 8- and 16-bit integer to 32-bit
	ClassConvert64           // from or to 64-bit types
	ClassVideo               // vabsdiff2 and other fast SIMD video
	ClassVideoSlow           // the other video instructions
	ClassShuffle             // warp shuffle
	ClassVote                // vote
	ClassSpecial             // read of a special register (S2R)
	ClassBranch              // bra, call, ret, exit, ssy, sync
	ClassBarrier             // bar
	ClassFence               // membar
	ClassGlobal              // global or generic load, store
	ClassLocal               // local load, store
	ClassShared              // shared load, store
	ClassConstant            // indexed constant load
	ClassAtomic              // global atomic or reduction
	ClassSharedAtomic        // shared atomic: lock, load, operate, store and unlock
	ClassReadOnly            // ld.global.nc through the texture path
	ClassTexture             // tex
	ClassSurface             // suld, sust
	ClassNop
	ClassCount
)

var classNames = [ClassCount]string{
	"none", "move", "fp32", "fp32_compare", "fp64", "fp64_compare", "integer", "integer_carry", "compare", "multiply", "shift", "bits",
	"sfu",
	"range_reduce", "convert", "convert_narrow", "convert_64", "video", "video_slow", "shuffle", "vote", "special", "branch", "barrier",
	"fence",
	"global", "local", "shared", "constant", "atomic", "shared_atomic", "read_only", "texture", "surface", "nop",
}

// String returns the class's name, which is also its key in the configuration's pipeline table.
func (c Class) String() string { return classNames[c] }

// Variable reports a class whose latency the compiler cannot know; a scoreboard guards its destination.
func (c Class) Variable() bool { return c >= ClassGlobal && c <= ClassSurface || c == ClassShuffle }

// Memory reports a class that the load/store unit or the texture path executes.
func (c Class) Memory() bool { return c >= ClassGlobal && c <= ClassSurface }

// Control is what a machine operation does to the warp's control state. The SMX executes it, not isa/exec.
type Control uint8

// Control actions.
const (
	ControlNone   Control = iota
	ControlBranch         // to Target where the guard holds
	ControlIndex          // to Targets[Effect.Src[0]] (brx.idx)
	ControlCall           // Effect.Call
	ControlReturn         // Effect.Src: the results in registers
	ControlExit
	ControlBarrier // Effect: bar.*
	ControlSync    // reconvergence point; costs its issue slot only
	ControlTrap
	ControlSystem // system call (vprintf, malloc …): Effect.Call names it
)

// RegisterRange is Count consecutive physical registers from First.
type RegisterRange struct {
	First Register
	Count uint8
}

// MachineOp is one Kepler machine operation.
type MachineOp struct {
	Mnemonic string // as a Kepler disassembler would print it: IADD, FFMA, LD.E.64
	Class    Class
	Control  Control
	Guard    Guard // physical predicate
	// Reads and Writes are the registers that the scoreboard and the register banks see.
	Reads, Writes           []RegisterRange
	ReadsPred, WritesPred   uint8 // bit n: predicate Pn
	ReadsCarry, WritesCarry bool
	// ReadsConstant marks an operand in a constant bank (it goes through the constant cache); ConstantAddress is bank<<16 | offset.
	ReadsConstant   bool
	ConstantAddress uint32
	// Effect is what the operation computes; nil for an operation that carries only timing.
	Effect *Instruction
	// Slow marks an operation of a slow path, issued only when a lane's operands need it: see SlowPath.
	Slow *SlowPath
	// PairWithNext: the compiler marks this operation and the next for dual issue.
	PairWithNext bool
	// Wait is the minimum number of cycles that the warp waits after the operation, from the control word of machine code. It covers every
	// latency that the compiler knows. 0 in lowered code: there the scoreboard waits.
	Wait uint8
	// Target is the index of the operation that a taken branch jumps to; Targets are those of brx.idx.
	Target  int32
	Targets []int32
	// Reconverge is the index where lanes that diverge here meet again, -1 for never.
	Reconverge int32
	Line       LineIndex
	// PTXCount is how many PTX instructions this operation completes; most operations complete none.
	PTXCount uint8
	// Spill marks a load or store that register allocation added.
	Spill bool
	// Uncounted marks an operation that machine code does not have: there its neighbour has this effect too. Counters leave it out.
	Uncounted bool
}

// SlowPath describes a slow path of Length operations. They issue when a lane's operands need them; otherwise the warp skips them at no
// cost.
type SlowPath struct {
	Length int
	// Probe is the instruction whose physical sources decide; Kind is the rule that isa/exec evaluates on them.
	Probe *Instruction
	Kind  SlowKind
}

// SlowKind names a rule that says which lanes take a slow path.
type SlowKind uint8

// Slow-path rules.
const (
	SlowNever SlowKind = iota
	SlowDivF32
	SlowDivF64
	SlowSqrtF32
	SlowSqrtF64
	SlowRcpF32
	SlowRcpF64
	SlowTrig // sin, cos of large arguments
)

// MachineProgram is one kernel lowered for one chip, followed by the device functions that it calls.
type MachineProgram struct {
	Kernel        *Function
	Program       *Program
	Ops           []MachineOp
	Registers     int // per thread, as the compiler reports them; occupancy depends on them
	Predicates    int
	SharedBytes   int // static shared memory a block
	LocalBytes    int // local memory a thread: frames and spills
	SpillLoads    int // static counts
	SpillStores   int
	SpillBytes    int
	ConstBytes    int             // user constant bank
	RegisterBanks int             // banks of the register file that the program was compiled for
	LiteralBytes  int             // bytes of constant bank ConstantBankLiterals that the kernel and its functions read
	Entries       map[int32]int32 // first operation of a function, by its index in Program.Functions, for calls
	Stack         []FrameInfo     // the kernel, then every function that it may call
	// Definitions are, by operation, the PTX registers that it sets; nil unless the code was lowered for a debugger.
	Definitions [][]Definition
}

// Definition is a PTX register, or some words of one, that an operation sets.
type Definition struct {
	Name     string   // in the PTX; "" for a register that lowering added, or a name that several registers of the function share
	Word     int      // the first word
	Words    int      // how many
	Register Register // the physical register of the first word
	// Copy marks a copy that needs no operation: the register already holds the value before the operation.
	Copy bool
}

// FrameInfo is what a call to a function needs to know.
type FrameInfo struct {
	Function   int32
	FirstOp    int32
	Registers  int // physical registers that the function touches
	FrameBytes int // local memory of one call: variables, spills and registers saved for the caller
	// Parameters says where the function finds its parameters. Returns says where its results are, except results in registers: those are
	// the sources of the return's Effect.
	Parameters, Returns []Place
}

// Place is the location of a parameter or result: physical registers from Register on, or the frame.
type Place struct {
	Register  Register // of the first word; meaningless when Registers is 0
	Registers int      // 32-bit words in registers; 0: it is in the frame
	Offset    int      // bytes from the frame's start
	Bytes     int
}
