package isa

// Class is the kind of machine operation as throughput and latency tables know it; the chip's configuration gives each
// class its results per clock per SMX and its latency in core cycles.
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

// Variable reports a class whose latency the compiler cannot know: a scoreboard guards its destination.
func (c Class) Variable() bool { return c >= ClassGlobal && c <= ClassSurface || c == ClassShuffle }

// Memory reports a class that the load/store unit or the texture path executes.
func (c Class) Memory() bool { return c >= ClassGlobal && c <= ClassSurface }

// Control is what a machine operation does to the warp's control state; the SMX executes it, not isa/exec.
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
	// Reads and Writes are what the scoreboard and the register banks see.
	Reads, Writes           []RegisterRange
	ReadsPred, WritesPred   uint8 // bit n: predicate Pn
	ReadsCarry, WritesCarry bool
	// ReadsConstant marks an operand in a constant bank (it goes through the constant cache); ConstantAddress is bank<<16 | offset.
	ReadsConstant   bool
	ConstantAddress uint32
	// Effect is what the operation computes; nil for those that carry timing only.
	Effect *Instruction
	// Slow marks an operation of a slow path, issued only when a lane's operands need it: see SlowPath.
	Slow *SlowPath
	// PairWithNext: the compiler marks this and the next operation as fit for dual issue.
	PairWithNext bool
	// Wait is how many cycles the warp waits after the operation at least, as the control word of machine code says: what has a latency
	// that the compiler knows is ready then. 0 for operations that lowering made: the scoreboard knows.
	Wait uint8
	// Target is the index of the operation that a taken branch goes to; Targets those of brx.idx.
	Target  int32
	Targets []int32
	// Reconverge is the index where lanes that diverge here meet again, -1 for never.
	Reconverge int32
	Line       LineIndex
	// PTXCount is how many PTX instructions this operation completes; 0 but for carriers.
	PTXCount uint8
	// Spill marks a load or store that register allocation added.
	Spill bool
	// Uncounted marks an operation that machine code does not have: the one beside it has its effect there, too.
	Uncounted bool
}

// SlowPath tells when the operations of a slow path issue: when Needed reports a lane whose operands take it. The skipped
// operations cost nothing; Length is how many follow as one path.
type SlowPath struct {
	Length int
	// Probe is the instruction whose physical sources decide; Kind names the rule that isa/exec evaluates.
	Probe *Instruction
	Kind  SlowKind
}

// SlowKind names a rule by which lanes take a slow path.
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

// MachineProgram is one kernel, lowered for one chip, with the device functions it calls placed behind it.
type MachineProgram struct {
	Kernel        *Function
	Program       *Program
	Ops           []MachineOp
	Registers     int // per thread, as the compiler would report: what occupancy uses
	Predicates    int
	SharedBytes   int // static shared memory a block
	LocalBytes    int // local memory a thread: frames and spills
	SpillLoads    int // static counts
	SpillStores   int
	SpillBytes    int
	ConstBytes    int             // user constant bank
	RegisterBanks int             // banks of the register file that it was compiled for
	LiteralBytes  int             // bytes of constant bank ConstantBankLiterals that the kernel and its functions read
	Entries       map[int32]int32 // Program.Functions index -> first op, for calls
	Stack         []FrameInfo     // the kernel, then every function that it may call
	// Definitions are, by operation, the PTX registers that it gives values; nil but for code that was lowered for a debugger.
	Definitions [][]Definition
}

// Definition is a PTX register to which an operation gives a value, or some words of it.
type Definition struct {
	Name     string   // in the PTX; "" for those that lowering made, and for names that several registers of the function have
	Word     int      // the first
	Words    int      // how many
	Register Register // where the first lies
	// Copy: the value was there before, and the register has it from in front of the operation on: of a copy that needs no operation.
	Copy bool
}

// FrameInfo is what a call to a function needs.
type FrameInfo struct {
	Function   int32
	FirstOp    int32
	Registers  int // physical registers that the function touches
	FrameBytes int // local memory of one call: variables, spills and registers saved for the caller
	// Parameters is where the function finds its parameters, Returns where its results lie that are not in registers at its
	// return; a result in a register is a source of the return's Effect.
	Parameters, Returns []Place
}

// Place is where a parameter or result lies: in physical registers from Register on, or in the frame.
type Place struct {
	Register  Register // of the first word; meaningless when Registers is 0
	Registers int      // 32-bit words in registers; 0: in the frame
	Offset    int      // bytes from the frame's start
	Bytes     int
}
