package kepler

// Attributes holds the device attributes that all Kepler chips share (d CUDA C Programming Guide, "Features and Technical Specifications",
// column 3.x; m the rest as deviceQuery prints it of a Tesla K40m).
var Attributes = map[int]int{
	9:  1 << 16,   // bytes of constant memory
	10: 32,        // lanes of a warp
	11: 1<<31 - 1, // largest pitch of a copy
	14: 512,       // alignment of textures
	15: 1,         // copies beside kernels
	17: 0,         // no display watches the time of kernels
	19: 1, 20: 0,  // mapped memory; compute mode
	21: 65536, 22: 65536, 23: 65536, 24: 4096, 25: 4096, 26: 4096, 27: 16384, 28: 16384, 29: 2048, // textures
	30: 512,             // alignment of surfaces
	34: 0, 35: 0, 41: 1, // PCI device; TCC driver, of Windows; unified addressing
	42: 16384, 43: 2048, 44: 1, 45: 16384, 46: 16384, 47: 2048, 48: 2048, 49: 16384, 50: 0, 51: 32, // textures, gathers; PCI domain
	52: 16384, 53: 16384, 54: 2046, 55: 65536, 56: 65536, 57: 32768, 58: 65536, 59: 32768, 60: 2048, 61: 65536, 62: 2048, 63: 65536,
	64: 32768, 65: 2048, 66: 32768, 67: 32768, 68: 2046, 69: 1 << 27, 70: 65000, 71: 65000, 72: 1048544, 73: 16384, 74: 16384, 77: 16384,
	80: 1, 83: 1, 86: 0, // local memory in L1; managed memory; atomics of the host over the link
	88: 0, 89: 0, 90: 0, 91: 0, 92: 0, 93: 0, 94: 0, 95: 0, 96: 0,
	98: 0, 99: 1, 100: 0, 101: 0, // flushes of remote writes; registered memory; pageable memory
	102: 0, 103: 0, 104: 0, 105: 0, // memory mapped apart from its addresses; handles of other processes
	107: 0, 108: 0, 109: 0, 110: 0, 111: 0, 112: 0, 113: 0, 114: 0, 115: 0, 116: 0, 117: 0, 118: 0, // of later generations, as are these:
	119: 0, 120: 0, 121: 0, 122: 0,
}
