package exec

import "github.com/keplersim/keplersim/isa"

// Warp is the functional state of one warp.
type Warp struct {
	// Registers is the warp's physical register file, lane-contiguous; a 64-bit value has its low words in R[n] and its high
	// words in R[n+1]. A call moves Base, the index of the running function's R0.
	Registers []isa.Lanes32
	// Predicates are P0 to P6, one bit a lane; element 7 is PT, always all ones.
	Predicates [8]uint32
	// Carry is the condition code, one bit a lane.
	Carry uint32
	// Thread positions in the block, lane by lane.
	Tid [3]isa.Lanes32
	// Block is shared by the block's warps.
	Block *Block
	// WarpID, SMID are %warpid and %smid; Clock is the SMX's cycle and Nanoseconds the global timer, both set before Run.
	WarpID, SMID, NumSMX, NumWarps uint32
	Clock                          uint64
	Nanoseconds                    uint64
	// Local is the warp's local memory: 4-byte word w of lane l at (w*32+l)*4.
	Local []byte
}

// Block is what the warps of one block share.
type Block struct {
	Ntid, Ctaid, Nctaid [3]uint32
	GridID              uint64
	Shared              []byte // static and dynamic shared memory
	DynamicShared       uint32 // bytes
	Launch              *Launch
}
