package kepler

import "github.com/keplersim/keplersim/isa"

// Operations maps the mnemonic of each machine operation to its class.
var Operations = map[string]isa.Class{
	"MOV": isa.ClassMove, "MOV32I": isa.ClassMove, "SEL": isa.ClassInteger, "S2R": isa.ClassSpecial, "P2R": isa.ClassInteger,
	"R2P":  isa.ClassCompare,
	"IADD": isa.ClassInteger, "IADD32I": isa.ClassInteger, "ISUB": isa.ClassInteger, "ISCADD": isa.ClassShift, "LOP": isa.ClassInteger,
	"LOP32I": isa.ClassInteger,
	"IMNMX":  isa.ClassInteger, "ICMP": isa.ClassInteger, "ISET": isa.ClassCompare, "ISETP": isa.ClassCompare, "PSETP": isa.ClassCompare,
	"CSETP": isa.ClassCompare,
	"IMUL":  isa.ClassMultiply, "IMAD": isa.ClassMultiply, "ISAD": isa.ClassBits, "BFE": isa.ClassBits, "BFI": isa.ClassBits,
	"FLO": isa.ClassBits, "POPC": isa.ClassBits,
	"PRMT": isa.ClassBits, "SHL": isa.ClassShift, "SHR": isa.ClassShift, "SHF": isa.ClassShift,
	"FADD": isa.ClassFP32, "FMUL": isa.ClassFP32, "FFMA": isa.ClassFP32, "FMNMX": isa.ClassFP32Compare, "FSETP": isa.ClassCompare,
	"FSET": isa.ClassCompare,
	"FCMP": isa.ClassFP32Compare, "FCHK": isa.ClassCompare, "MUFU": isa.ClassSFU, "RRO": isa.ClassRangeReduce,
	"DADD": isa.ClassFP64, "DMUL": isa.ClassFP64, "DFMA": isa.ClassFP64, "DSETP": isa.ClassFP64Compare, "DMNMX": isa.ClassFP64Compare,
	"DSET": isa.ClassFP64Compare,
	"F2F":  isa.ClassConvert, "F2I": isa.ClassConvert, "I2F": isa.ClassConvert, "I2I": isa.ClassConvert,
	"I2I.B32.B16": isa.ClassConvertNarrow,
	"F2F.F64":     isa.ClassConvert64, "F2F.F32.F64": isa.ClassConvert64, "F2I.F64": isa.ClassConvert64, "F2I.B64": isa.ClassConvert64,
	"I2F.F64": isa.ClassConvert64, "I2F.B64": isa.ClassConvert64,
	"VOTE": isa.ClassVote, "SHFL": isa.ClassShuffle, "VABSDIFF": isa.ClassVideoSlow, "VABSDIFF2": isa.ClassVideo,
	"VABSDIFF4": isa.ClassVideo, "VADD": isa.ClassVideoSlow, "VMAD": isa.ClassVideoSlow, "VSET": isa.ClassVideoSlow,
	"VSHL": isa.ClassVideoSlow, "VSHR": isa.ClassVideoSlow, "VMNMX": isa.ClassVideoSlow, "VSIMD": isa.ClassVideoSlow,
	"BAR": isa.ClassBarrier, "MEMBAR": isa.ClassFence, "NOP": isa.ClassNop, "CCTL": isa.ClassGlobal, "B2R": isa.ClassSpecial,
	"SSY": isa.ClassBranch, "BRA": isa.ClassBranch, "BRX": isa.ClassBranch, "EXIT": isa.ClassBranch, "CAL": isa.ClassBranch,
	"JCAL": isa.ClassBranch, "RET": isa.ClassBranch,
	"BPT": isa.ClassBranch, "PMTRIG": isa.ClassNop,
}
