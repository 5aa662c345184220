// Package arch says what a generation of GPUs is: what its chips have in common that the numbers of a configuration cannot say. Lowering
// takes operations, expansions and pairing from here, the host's calls the attributes of devices, and configs the capabilities that a chip
// may have. The numbers (schedulers, rates, sizes, latencies) are in the generation's family file in configs. A generation is one package
// that registers itself; arch/kepler is the first. Nothing here has a clock.
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
	// Name is the generation's, as in Kepler. In small letters it is also the family file in configs that its chips extend.
	Name string
	// Abilities are what the chips of each compute capability can do, oldest first.
	Abilities []Abilities
	// Operations gives the class of each machine operation by its mnemonic up to the first dots that matter; the longest name that fits
	// wins. Expansions may use no others.
	Operations map[string]isa.Class
	// Expansions are tables of the machine operations that PTX instructions become; isa/lower/expand says how rows are written. Rows
	// with operations that the generation lacks do not count.
	Expansions func() []string
	// Parts are the expansions again as instructions that are one operation each, for machine code.
	Parts string
	// Latency is what the compiler expects of each class, in core cycles, where no configuration says otherwise.
	Latency func(isa.Class) int
	// Pairing says which neighbours a scheduler can issue in one cycle; nil if none.
	Pairing *Pairing
	// UsualRegisters are what compilers of the generation let a thread have: loads may use what full occupancy leaves beyond that.
	UsualRegisters int
	// Attributes are the device attributes that are the same on all chips of the generation, by CUDA's number (cudaDeviceAttr).
	Attributes map[int]int
}

// Pairing are the classes of operations that can issue together.
type Pairing struct {
	// NotFirst and NotSecond never issue as the first or the second of a pair.
	NotFirst, NotSecond [isa.ClassCount]bool
	// Twice are the classes of which two can issue together.
	Twice [isa.ClassCount]bool
	// Core are the classes that the lanes of the cores execute, some of which schedulers share.
	Core [isa.ClassCount]bool
}

// Abilities are what the chips of one compute capability can do.
type Abilities struct {
	Capability Capability
	// Registers is the most registers that an instruction can name.
	Registers int
	// ReadOnlyLoads says that loads of data that no thread writes take the texture path.
	ReadOnlyLoads bool
	// ShiftedProducts says that compilers add a product by a power of two as a shifted value.
	ShiftedProducts bool
	// FunnelShifts says that one operation shifts two words as one.
	FunnelShifts bool
	// MachineCode says that isa/sass knows the bits of its operations.
	MachineCode bool
	// Integrated says that the GPU is a part of a system on a chip.
	Integrated bool
}

// generations are those that are registered, oldest first.
var generations []*Generation

// Register adds a generation. Its package calls it while it is initialised. A name or capability that is taken is a mistake in the program,
// and panics.
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

// Family returns the name of the generation's family file in configs.
func (g *Generation) Family() string { return strings.ToLower(g.Name) }

// String returns the generation's name and its PTX targets, as in Kepler (sm_30 to sm_37).
func (g *Generation) String() string {
	if first := g.Abilities[0].Capability; first != g.Newest() {
		return fmt.Sprintf("%s (%s to %s)", g.Name, first.Target(), g.Newest().Target())
	}
	return fmt.Sprintf("%s (%s)", g.Name, g.Newest().Target())
}

// Class returns the class of a machine operation by its mnemonic; false if the generation has no such operation.
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
