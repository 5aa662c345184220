package assemble

import (
	"fmt"

	"github.com/keplersim/keplersim/isa"
)

// size returns the size modifier of an access with some components.
func (w *writer) size(components int) string {
	t := w.Type
	switch bytes := t.Bytes() * max(components, 1); {
	case bytes == 1 && t.Signed():
		return ".S8"
	case bytes == 1:
		return ".U8"
	case bytes == 2 && t.Signed() && components <= 1:
		return ".S16"
	case bytes == 2:
		return ".U16"
	case bytes == 4:
		return ""
	case bytes == 8:
		return ".64"
	case bytes == 16:
		return ".128"
	}
	w.fail("an access of %d components", components)
	return ""
}

// in returns an address in brackets, with its base register.
func (w *writer) in() string {
	m := w.Memory
	base, offset := "RZ", m.Offset
	switch m.Base.Kind {
	case isa.OperandRegister:
		base = register(m.Base.Register)
	case isa.OperandImmediate:
		offset += int64(m.Base.Immediate)
	case isa.OperandNone:
	default:
		w.fail("an address that is no register")
	}
	if m.Space == isa.SpaceLocal && base == "RZ" {
		base = "R1"
	}
	switch {
	case offset == 0:
		return "[" + base + "]"
	case offset < 0:
		return fmt.Sprintf("[%s+-0x%x]", base, -offset)
	}
	return fmt.Sprintf("[%s+0x%x]", base, offset)
}

// loads and stores have the cache operators.
var (
	loads = map[isa.CacheOperator]string{isa.CacheGlobal: ".CG", isa.CacheStream: ".CS", isa.CacheVolatile: ".CV",
		isa.CacheLastUse: ".LU"}
	stores = map[isa.CacheOperator]string{isa.CacheGlobal: ".CG", isa.CacheStream: ".CS", isa.CacheThrough: ".WT"}
)

func (w *writer) scattered(list []isa.Operand) {
	for n := range list {
		if list[n].Kind != isa.OperandRegister || list[n].Register == isa.RZ {
			if len(list) > 1 {
				w.fail("a vector with something else than registers")
			}
			continue
		}
		if list[n].Register != list[0].Register+isa.Register(n*max(1, list[n].Type.Registers())) {
			w.fail("a vector whose registers do not follow each other")
		}
	}
}

func load(w *writer) string {
	m := w.Memory
	w.scattered(w.Dst)
	size := w.size(len(w.Dst))
	switch m.Space {
	case isa.SpaceShared:
		return "LDS" + size + " " + w.d() + ", " + w.in()
	case isa.SpaceLocal:
		return "LDL" + size + " " + w.d() + ", " + w.in()
	case isa.SpaceConst, isa.SpaceParam:
		bank, offset := isa.ConstantBankUser, m.Offset
		if m.Space == isa.SpaceParam {
			bank, offset = 0, offset+isa.ParameterBase
		}
		return "LDC" + size + " " + w.d() + ", " + w.indexed(bank, offset)
	case isa.SpaceGlobal, isa.SpaceGeneric:
		if m.Cache == isa.CacheReadOnly || m.Uniform {
			if m.Offset != 0 {
				w.fail("an offset on the read-only path")
			}
			return "LDG.E" + size + " " + w.d() + ", " + w.in()
		}
		return "LD.E" + loads[m.Cache] + size + " " + w.d() + ", " + w.in()
	}
	w.fail("a load from %s memory", m.Space)
	return ""
}

// indexed returns an address in a constant bank.
func (w *writer) indexed(bank int, offset int64) string {
	b := &w.Memory.Base
	switch b.Kind {
	case isa.OperandRegister:
		if offset == 0 {
			return fmt.Sprintf("c[0x%x][%s]", bank, register(b.Register))
		}
		if offset < 0 {
			return fmt.Sprintf("c[0x%x][%s+-0x%x]", bank, register(b.Register), -offset)
		}
		return fmt.Sprintf("c[0x%x][%s+0x%x]", bank, register(b.Register), offset)
	case isa.OperandImmediate:
		offset += int64(b.Immediate)
	case isa.OperandNone:
	default:
		w.fail("an address that is no register")
	}
	return fmt.Sprintf("c[0x%x][0x%x]", bank, offset)
}

func store(w *writer) string {
	m := w.Memory
	w.scattered(w.Src)
	size := w.size(len(w.Src))
	if size == ".S8" || size == ".S16" {
		size = ".U" + size[2:]
	}
	switch m.Space {
	case isa.SpaceShared:
		return "STS" + size + " " + w.in() + ", " + w.r(0)
	case isa.SpaceLocal:
		return "STL" + size + " " + w.in() + ", " + w.r(0)
	case isa.SpaceGlobal, isa.SpaceGeneric:
		return "ST.E" + stores[m.Cache] + size + " " + w.in() + ", " + w.r(0)
	}
	w.fail("a store to %s memory", m.Space)
	return ""
}

var (
	atomics = map[isa.Sub]string{isa.AtomicAdd: ".ADD", isa.AtomicMin: ".MIN", isa.AtomicMax: ".MAX", isa.AtomicInc: ".INC",
		isa.AtomicDec: ".DEC", isa.AtomicAnd: ".AND", isa.AtomicOr: ".OR", isa.AtomicXor: ".XOR", isa.AtomicExch: ".EXCH"}
	atomicTypes = map[isa.Type]string{isa.U32: "", isa.B32: "", isa.S32: ".S32", isa.U64: ".U64", isa.B64: ".U64", isa.S64: ".S64",
		isa.F32: ".F32.FTZ.RN"}
)

func atomic(w *writer) string {
	m := w.Memory
	if m.Space == isa.SpaceShared {
		w.fail("an atomic operation on shared memory, which is a loop")
	}
	if m.Offset < -1<<19 || m.Offset >= 1<<19 {
		w.fail("an offset of %d", m.Offset)
	}
	if w.Mod.Select == isa.AtomicCas {
		w.scattered(w.Src)
		next := isa.Register(max(1, w.Type.Registers()))
		return "ATOM.E.CAS" + when(".64", w.Type.Bytes() == 8) + " " + w.d() + ", " + w.in() + ", " + w.r(0) + ", " +
			register(w.Src[0].Register+next)
	}
	name, known := atomics[w.Mod.Select]
	t, also := atomicTypes[w.Type]
	if !known || !also {
		w.fail("an atomic operation on %s", w.Type)
	}
	if w.Op == isa.OpRed {
		return "RED.E" + name + t + " " + w.in() + ", " + w.r(0)
	}
	return "ATOM.E" + name + t + " " + w.d() + ", " + w.in() + ", " + w.r(0)
}
