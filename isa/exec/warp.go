package exec

import "github.com/keplersim/keplersim/isa"

// Warp is the functional state of one warp.
type Warp struct {
	// Registers is the warp's physical register file, by lane within a register. A 64-bit value has its low words in R[n] and its high
	// words in R[n+1]. A call moves Base, the index of the running function's R0.
	Registers []isa.Lanes32
	Base      int32
	// Frame is the beginning of the running function's frame in each thread's local memory, in bytes.
	Frame uint32
	// Block is shared by the block's warps.
	Block *Block
	// Scratch is working space for Run. Nothing in it outlives a call, so warps that never run at the same time may share it. Run allocates
	// it if it is nil.
	Scratch *Scratch
	// Clock is the SMX's cycle and Nanoseconds the global timer. The caller sets both before Run.
	Clock uint64
	// Carry is the condition code, one bit per lane.
	Carry uint32
	// Zero says, one bit per lane, whether the last result that wrote the condition code was zero, including the results that it continued.
	Zero uint32
	// Predicates are P0 to P6, one bit per lane; element 7 is PT, always all ones.
	Predicates [8]uint32
	// WarpID, SMID are %warpid and %smid.
	WarpID, SMID, NumSMX, NumWarps uint32
	Nanoseconds                    uint64
	// Local is the warp's local memory: 4-byte word w of lane l at (w*32+l)*4.
	Local []byte
	// Tid are the threads' positions in the block, by lane. The field is last, as most operations do not need it.
	Tid [3]isa.Lanes32
}

// Scratch is working space for operations with inactive lanes, and for joining 64-bit values.
type Scratch struct {
	out     [4]isa.Lanes32 // a result before it is merged; four words for packed moves
	in      [4]isa.Lanes32 // sources after extension
	special [2]isa.Lanes32 // a special register's value
	sink    [2]isa.Lanes32 // destination of writes to RZ and `_`
	negated [3]isa.Lanes32 // negated sources
	wide    [4]isa.Lanes64
}

// Block is the state that a block's warps share.
type Block struct {
	Ntid, Ctaid, Nctaid [3]uint32
	GridID              uint64
	Shared              []byte // static and dynamic shared memory
	DynamicShared       uint32 // bytes
	Launch              *Launch
}

// slot is how a Bound names a word of 32 lanes. From zero on it is a register, counted from Warp.Base. Below zero are scratch words,
// followed by the launch's constants.
const (
	slotSpecial     slot = -1 // and slotSpecialHigh: the special register that the operation reads
	slotSpecialHigh slot = -2
	slotSink        slot = -3
	slotNegated     slot = -4 // of the first source; of source n it is slotNegated - n
	slotConstants   slot = -7 // Constants[0]; Constants[n] is slotConstants - n
	slotZero             = slotConstants
)

type slot int32

// lanes returns a slot's 32 lanes.
func (w *Warp) lanes(s slot) *isa.Lanes32 {
	if s >= 0 {
		return &w.Registers[w.Base+int32(s)]
	}
	if s <= slotConstants {
		return &w.Block.Launch.Constants[slotConstants-s]
	}
	return w.scratchLanes(s)
}

func (w *Warp) scratchLanes(s slot) *isa.Lanes32 {
	switch s {
	case slotSpecial:
		return &w.Scratch.special[0]
	case slotSpecialHigh:
		return &w.Scratch.special[1]
	case slotSink:
		return &w.Scratch.sink[0]
	default:
		return &w.Scratch.negated[slotNegated-s]
	}
}
