// Package fermi declares NVIDIA's Fermi: compute capability 2.x, configs/fermi.yaml. It has the machine operations of Kepler's first chips,
// except those that Kepler brought; both share one encoding (c envytools). The package declares only the differences.
package fermi

import (
	"maps"
	"regexp"

	"github.com/keplersim/keplersim/arch"
	"github.com/keplersim/keplersim/arch/kepler"
	"github.com/keplersim/keplersim/isa"
)

func init() {
	arch.Register(&arch.Generation{
		Name: "Fermi",
		Abilities: []arch.Abilities{
			{Capability: 20, Registers: 63}, // GF100, GF110
			{Capability: 21, Registers: 63}, // GF104, GF114: two operations of a warp issue together
		},
		Operations: operations(), Expansions: expansions, Latency: latency, Pairing: &pairing, UsualRegisters: 20,
		Attributes: attributes(),
	})
}

// newer lists the operations that Kepler brought: shuffles, shifts of two registers, and SIMD video (d PTX ISA: sm_30 and sm_32).
var newer = []string{"SHFL", "SHF", "VSIMD", "VABSDIFF2", "VABSDIFF4"}

func operations() map[string]isa.Class {
	own := maps.Clone(kepler.Operations)
	for _, name := range newer {
		delete(own, name)
	}
	return own
}

// expansions returns Kepler's tables, with each shift of two registers replaced by two shifts and an OR (x: the shortest way).
func expansions() []string {
	shift := regexp.MustCompile(`SHF\.\S+ (\S+) : (\S+) (\S+)( [a-z]\S*)?`)
	var own []string
	for _, table := range kepler.Expansions() {
		own = append(own, shift.ReplaceAllString(table, "SHR t8 : $2$4 | SHL t9 : $3$4 | LOP.OR $1 : t8 t9"))
	}
	return own
}

// latency returns roughly the latency of each class, for tests and listings. The compiler uses a chip's own from configs/fermi.yaml.
func latency(c isa.Class) int {
	if c.Variable() {
		return 48
	}
	return 18
}

// pairing holds the classes that issue together on chips that issue two operations of a warp. Fermi's tuning guide names no rule (d), so
// the rule is Kepler's (x). Two f32 or integer operations together take 32 of the 48 lanes as the warp's own, and the shared lanes (x).
var pairing = arch.Pairing{
	NotFirst: [isa.ClassCount]bool{
		isa.ClassBranch: true, isa.ClassBarrier: true, isa.ClassFence: true, isa.ClassTexture: true, isa.ClassSurface: true,
		isa.ClassNop: true, isa.ClassFP64: true, isa.ClassFP64Compare: true, isa.ClassConvert64: true,
	},
	NotSecond: [isa.ClassCount]bool{
		isa.ClassFP64: true, isa.ClassFP64Compare: true, isa.ClassConvert64: true, isa.ClassBarrier: true, isa.ClassFence: true,
	},
	Twice: [isa.ClassCount]bool{
		isa.ClassFP32: true, isa.ClassFP32Compare: true, isa.ClassInteger: true, isa.ClassIntegerCarry: true, isa.ClassCompare: true,
	},
}

// attributes returns Kepler's attributes with the differences that deviceQuery prints for a Tesla C2075 and a GTX 470. They are the height
// of a texture, the sides of a volume, and no managed memory.
func attributes() map[int]int {
	own := maps.Clone(kepler.Attributes)
	maps.Copy(own, map[int]int{23: 65535, 24: 2048, 25: 2048, 26: 2048, 83: 0})
	return own
}
