// Package kepler declares NVIDIA's Kepler: compute capability 3.x, configs/kepler.yaml. It holds the machine operations that PTX becomes,
// their classes, and the pairs that issue together. Packages isa/lower, configs and sim read these declarations through package arch.
package kepler

import (
	_ "embed"

	"github.com/keplersim/keplersim/arch"
	"github.com/keplersim/keplersim/isa"
)

func init() {
	arch.Register(&arch.Generation{
		Name: "Kepler",
		Abilities: []arch.Abilities{
			// GK104, GK106, GK107; GK20A; GK110, GK110B, GK208; GK210
			{Capability: 30, Registers: 63, MachineCode: true},
			{Capability: 32, Registers: 255, FunnelShifts: true, Integrated: true},
			{Capability: 35, Registers: 255, FunnelShifts: true, ReadOnlyLoads: true, ShiftedProducts: true, MachineCode: true},
			{Capability: 37, Registers: 255, FunnelShifts: true, ReadOnlyLoads: true, ShiftedProducts: true, MachineCode: true},
		},
		Operations: Operations, Expansions: Expansions, Parts: parts, Latency: latency, Pairing: &pairing, UsualRegisters: 32,
		Attributes: Attributes,
	})
}

// Expansions returns the tables of operations that PTX instructions become. Their sequences match those of nvcc for sm_30 and sm_35
// (cuobjdump) and of nouveau's lowering for Kepler, in length and kind.
func Expansions() []string {
	return []string{expansions, tableWide}
}

var (
	//go:embed expansions.txt
	expansions string
	//go:embed parts.txt
	parts string
)

// latency returns the latency of each class, as in configs/kepler.yaml.
func latency(c isa.Class) int {
	switch c {
	case isa.ClassIntegerCarry, isa.ClassCompare:
		return 13
	case isa.ClassFP64:
		return 10
	case isa.ClassFP64Compare:
		return 14
	case isa.ClassSpecial:
		return 20
	case isa.ClassReadOnly, isa.ClassTexture:
		return 17
	}
	if c.Variable() {
		return 24
	}
	return 9
}

// pairing holds the classes that issue together (c nouveau). No branch or texture operation comes first. Operations of the f64 lanes never
// pair, because a warp takes more than a cycle there. Two operations of one class issue together if an SMX executes more than one warp per
// cycle and scheduler (d CUDA C Programming Guide: 160 or 192 results per clock). Schedulers share a third of the cores' lanes.
var pairing = arch.Pairing{
	NotFirst: [isa.ClassCount]bool{
		isa.ClassBranch: true, isa.ClassBarrier: true, isa.ClassFence: true, isa.ClassTexture: true, isa.ClassReadOnly: true,
		isa.ClassSurface: true, isa.ClassNop: true, isa.ClassFP64: true, isa.ClassFP64Compare: true, isa.ClassConvert64: true,
	},
	NotSecond: [isa.ClassCount]bool{
		isa.ClassFP64: true, isa.ClassFP64Compare: true, isa.ClassConvert64: true, isa.ClassBarrier: true, isa.ClassFence: true,
	},
	Twice: [isa.ClassCount]bool{
		isa.ClassFP32: true, isa.ClassFP32Compare: true, isa.ClassInteger: true, isa.ClassIntegerCarry: true, isa.ClassCompare: true,
		isa.ClassVideo: true,
	},
	Core: [isa.ClassCount]bool{
		isa.ClassMove: true, isa.ClassFP32: true, isa.ClassFP32Compare: true, isa.ClassInteger: true, isa.ClassIntegerCarry: true,
		isa.ClassCompare: true, isa.ClassMultiply: true, isa.ClassShift: true, isa.ClassBits: true, isa.ClassVideo: true,
		isa.ClassVideoSlow: true, isa.ClassVote: true,
	},
}
