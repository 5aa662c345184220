package isa

// Opcode is a PTX opcode: the word before the first dot.
type Opcode uint8

// The opcodes of PTX ISA 1.4 to 9.0, in alphabetical order.
const (
	OpNone Opcode = iota
	OpAbs
	OpActivemask
	OpAdd
	OpAddc
	OpAlloca
	OpAnd
	OpApplypriority
	OpAtom
	OpBar
	OpBarrier
	OpBfe
	OpBfi
	OpBfind
	OpBmsk
	OpBra
	OpBrev
	OpBrkpt
	OpBrx
	OpCall
	OpClusterlaunchcontrol
	OpClz
	OpCnot
	OpCopysign
	OpCos
	OpCp
	OpCreatepolicy
	OpCvt
	OpCvta
	OpDiscard
	OpDiv
	OpDp2a
	OpDp4a
	OpElect
	OpEx2
	OpExit
	OpFence
	OpFma
	OpFns
	OpGetctarank
	OpGriddepcontrol
	OpIsspacep
	OpIstypep
	OpLd
	OpLdmatrix
	OpLdu
	OpLg2
	OpLop3
	OpMad
	OpMad24
	OpMadc
	OpMapa
	OpMatch
	OpMax
	OpMbarrier
	OpMembar
	OpMin
	OpMma
	OpMov
	OpMovmatrix
	OpMul
	OpMul24
	OpMultimem
	OpNanosleep
	OpNeg
	OpNot
	OpOr
	OpPmevent
	OpPopc
	OpPrefetch
	OpPrefetchu
	OpPrmt
	OpRcp
	OpRed
	OpRedux
	OpRem
	OpRet
	OpRsqrt
	OpSad
	OpSelp
	OpSet
	OpSetmaxnreg
	OpSetp
	OpShf
	OpShfl
	OpShl
	OpShr
	OpSin
	OpSlct
	OpSqrt
	OpSt
	OpStackrestore
	OpStacksave
	OpStmatrix
	OpSub
	OpSubc
	OpSuld
	OpSuq
	OpSured
	OpSust
	OpSzext
	OpTanh
	OpTcgen05
	OpTensormap
	OpTestp
	OpTex
	OpTld4
	OpTrap
	OpTxq
	OpVabsdiff
	OpVabsdiff2
	OpVabsdiff4
	OpVadd
	OpVadd2
	OpVadd4
	OpVavrg2
	OpVavrg4
	OpVmad
	OpVmax
	OpVmax2
	OpVmax4
	OpVmin
	OpVmin2
	OpVmin4
	OpVote
	OpVset
	OpVset2
	OpVset4
	OpVshl
	OpVshr
	OpVsub
	OpVsub2
	OpVsub4
	OpWgmma
	OpWmma
	OpXor
	OpcodeCount
)

var opcodeNames = [OpcodeCount]string{
	OpAbs:                  "abs",
	OpActivemask:           "activemask",
	OpAdd:                  "add",
	OpAddc:                 "addc",
	OpAlloca:               "alloca",
	OpAnd:                  "and",
	OpApplypriority:        "applypriority",
	OpAtom:                 "atom",
	OpBar:                  "bar",
	OpBarrier:              "barrier",
	OpBfe:                  "bfe",
	OpBfi:                  "bfi",
	OpBfind:                "bfind",
	OpBmsk:                 "bmsk",
	OpBra:                  "bra",
	OpBrev:                 "brev",
	OpBrkpt:                "brkpt",
	OpBrx:                  "brx",
	OpCall:                 "call",
	OpClusterlaunchcontrol: "clusterlaunchcontrol",
	OpClz:                  "clz",
	OpCnot:                 "cnot",
	OpCopysign:             "copysign",
	OpCos:                  "cos",
	OpCp:                   "cp",
	OpCreatepolicy:         "createpolicy",
	OpCvt:                  "cvt",
	OpCvta:                 "cvta",
	OpDiscard:              "discard",
	OpDiv:                  "div",
	OpDp2a:                 "dp2a",
	OpDp4a:                 "dp4a",
	OpElect:                "elect",
	OpEx2:                  "ex2",
	OpExit:                 "exit",
	OpFence:                "fence",
	OpFma:                  "fma",
	OpFns:                  "fns",
	OpGetctarank:           "getctarank",
	OpGriddepcontrol:       "griddepcontrol",
	OpIsspacep:             "isspacep",
	OpIstypep:              "istypep",
	OpLd:                   "ld",
	OpLdmatrix:             "ldmatrix",
	OpLdu:                  "ldu",
	OpLg2:                  "lg2",
	OpLop3:                 "lop3",
	OpMad:                  "mad",
	OpMad24:                "mad24",
	OpMadc:                 "madc",
	OpMapa:                 "mapa",
	OpMatch:                "match",
	OpMax:                  "max",
	OpMbarrier:             "mbarrier",
	OpMembar:               "membar",
	OpMin:                  "min",
	OpMma:                  "mma",
	OpMov:                  "mov",
	OpMovmatrix:            "movmatrix",
	OpMul:                  "mul",
	OpMul24:                "mul24",
	OpMultimem:             "multimem",
	OpNanosleep:            "nanosleep",
	OpNeg:                  "neg",
	OpNot:                  "not",
	OpOr:                   "or",
	OpPmevent:              "pmevent",
	OpPopc:                 "popc",
	OpPrefetch:             "prefetch",
	OpPrefetchu:            "prefetchu",
	OpPrmt:                 "prmt",
	OpRcp:                  "rcp",
	OpRed:                  "red",
	OpRedux:                "redux",
	OpRem:                  "rem",
	OpRet:                  "ret",
	OpRsqrt:                "rsqrt",
	OpSad:                  "sad",
	OpSelp:                 "selp",
	OpSet:                  "set",
	OpSetmaxnreg:           "setmaxnreg",
	OpSetp:                 "setp",
	OpShf:                  "shf",
	OpShfl:                 "shfl",
	OpShl:                  "shl",
	OpShr:                  "shr",
	OpSin:                  "sin",
	OpSlct:                 "slct",
	OpSqrt:                 "sqrt",
	OpSt:                   "st",
	OpStackrestore:         "stackrestore",
	OpStacksave:            "stacksave",
	OpStmatrix:             "stmatrix",
	OpSub:                  "sub",
	OpSubc:                 "subc",
	OpSuld:                 "suld",
	OpSuq:                  "suq",
	OpSured:                "sured",
	OpSust:                 "sust",
	OpSzext:                "szext",
	OpTanh:                 "tanh",
	OpTcgen05:              "tcgen05",
	OpTensormap:            "tensormap",
	OpTestp:                "testp",
	OpTex:                  "tex",
	OpTld4:                 "tld4",
	OpTrap:                 "trap",
	OpTxq:                  "txq",
	OpVabsdiff:             "vabsdiff",
	OpVabsdiff2:            "vabsdiff2",
	OpVabsdiff4:            "vabsdiff4",
	OpVadd:                 "vadd",
	OpVadd2:                "vadd2",
	OpVadd4:                "vadd4",
	OpVavrg2:               "vavrg2",
	OpVavrg4:               "vavrg4",
	OpVmad:                 "vmad",
	OpVmax:                 "vmax",
	OpVmax2:                "vmax2",
	OpVmax4:                "vmax4",
	OpVmin:                 "vmin",
	OpVmin2:                "vmin2",
	OpVmin4:                "vmin4",
	OpVote:                 "vote",
	OpVset:                 "vset",
	OpVset2:                "vset2",
	OpVset4:                "vset4",
	OpVshl:                 "vshl",
	OpVshr:                 "vshr",
	OpVsub:                 "vsub",
	OpVsub2:                "vsub2",
	OpVsub4:                "vsub4",
	OpWgmma:                "wgmma",
	OpWmma:                 "wmma",
	OpXor:                  "xor",
}

// String is the opcode's PTX name.
func (o Opcode) String() string { return opcodeNames[o] }

var opcodesByName = func() map[string]Opcode {
	byName := make(map[string]Opcode, OpcodeCount)
	for o, name := range opcodeNames {
		if name != "" {
			byName[name] = Opcode(o)
		}
	}
	return byName
}()

// ParseOpcode finds an opcode by its PTX name.
func ParseOpcode(name string) (Opcode, bool) {
	o, ok := opcodesByName[name]
	return o, ok
}
