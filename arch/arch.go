// Package arch describes a generation of GPUs: what its chips have in common beyond the numbers of a configuration. Lowering reads
// operations, expansions and pairing here, the host's calls read device attributes, and configs reads the capabilities that a chip may
// have. The numbers (schedulers, rates, sizes, latencies) are in the generation's family file in configs. A generation is one package that
// registers itself; arch/kepler was the first. This package has no clock.
package arch

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/keplersim/keplersim/isa"
)

// Generation is what the chips of one generation have in common.
type Generation struct {
	// Name is the generation's name, such as Kepler. In lower case it also names the family file in configs that its chips extend.
	Name string
	// Abilities lists what the chips of each compute capability can do, oldest first.
	Abilities []Abilities
	// Operations maps the mnemonic of each machine operation, up to the last dot that matters, to its class. The longest matching name
	// wins. Expansions may use no other operations.
	Operations map[string]isa.Class
	// Expansions returns tables of the machine operations that PTX instructions become. Package isa/lower/expand documents the format of
	// rows. Rows with operations that the generation lacks do not count.
	Expansions func() []string
	// Parts is a table of the same expansions for machine code, as instructions that are one operation each.
	Parts string
	// Latency returns the latency that the compiler expects of a class, in core cycles, where no configuration gives one.
	Latency func(isa.Class) int
	// Pairing tells which neighbouring operations a scheduler can issue in one cycle; nil if none.
	Pairing *Pairing
	// UsualRegisters is the number of registers that compilers of the generation give a thread. Loads may use what full occupancy leaves
	// beyond it.
	UsualRegisters int
	// Attributes holds the device attributes that all chips of the generation share, by CUDA's number (cudaDeviceAttr).
	Attributes map[int]int
}

// Pairing holds the classes of operations that can issue together.
type Pairing struct {
	// NotFirst and NotSecond hold the classes that never issue as the first or the second operation of a pair.
	NotFirst, NotSecond [isa.ClassCount]bool
	// Twice holds the classes whose operations can issue together with another of the same class.
	Twice [isa.ClassCount]bool
	// Core holds the classes that the lanes of the cores execute. Schedulers share some of these lanes.
	Core [isa.ClassCount]bool
}

// Abilities describes what the chips of one compute capability can do.
type Abilities struct {
	Capability Capability
	// Registers is the largest number of registers that an instruction can name.
	Registers int
	// ReadOnlyLoads reports whether loads of data that no thread writes take the texture path.
	ReadOnlyLoads bool
	// ShiftedProducts reports whether compilers add a product by a power of two as a shifted value.
	ShiftedProducts bool
	// FunnelShifts reports whether one operation shifts two words as one.
	FunnelShifts bool
	// MachineCode reports whether isa/sass knows the encoding of its operations.
	MachineCode bool
	// Integrated reports whether the GPU is a part of a system on a chip.
	Integrated bool
}

// generations holds the registered generations, oldest first.
var generations []*Generation

// Register adds a generation; the generation's package calls it in its init function. It panics if the name or a compute capability is
// taken.
func Register(g *Generation) {
	for _, a := range g.Abilities {
		if other := a.Capability.Generation(); other != nil {
			panic(fmt.Sprintf("arch: both %s and %s have compute capability %s", other.Name, g.Name, a.Capability))
		}
	}
	if len(g.Abilities) == 0 || slices.ContainsFunc(generations, func(other *Generation) bool { return other.Name == g.Name }) {
		panic("arch: generation " + g.Name + " is registered twice or has no compute capability")
	}
	generations = append(generations, g)
	slices.SortFunc(generations, func(a, b *Generation) int { return cmp.Compare(a.Newest(), b.Newest()) })
}

// Generations returns the generations of the program, oldest first.
func Generations() []*Generation { return generations }

// Latest returns the newest generation.
func Latest() *Generation { return generations[len(generations)-1] }

// Newest returns the generation's newest compute capability.
func (g *Generation) Newest() Capability { return g.Abilities[len(g.Abilities)-1].Capability }

// Family returns the base name of the generation's family file in configs.
func (g *Generation) Family() string { return strings.ToLower(g.Name) }

// String returns the generation's name and its PTX targets, such as Kepler (sm_30 to sm_37).
func (g *Generation) String() string {
	if first := g.Abilities[0].Capability; first != g.Newest() {
		return fmt.Sprintf("%s (%s to %s)", g.Name, first.Target(), g.Newest().Target())
	}
	return fmt.Sprintf("%s (%s)", g.Name, g.Newest().Target())
}

// Class returns the class of a machine operation by its mnemonic, and false if the generation has no such operation.
func (g *Generation) Class(mnemonic string) (isa.Class, bool) {
	for name := mnemonic; ; {
		if c, ok := g.Operations[name]; ok {
			return c, true
		}
		cut := strings.LastIndexByte(name, '.')
		if cut < 0 {
			return isa.ClassNone, false
		}
		name = name[:cut]
	}
}
