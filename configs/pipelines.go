package configs

import "github.com/keplersim/keplersim/isa"

// operationClassNames are the classes' keys under pipelines.operations; isa.ClassNone has none.
var operationClassNames = func() (names [isa.ClassCount]string) {
	for c := isa.ClassNone + 1; c < isa.ClassCount; c++ {
		names[c] = c.String()
	}
	return names
}()

// withoutResult are the classes whose operations give no result, so that nothing waits for their latency. Their latency is fixed: it is the
// figure that compilers print. says is the key that sets how long such an operation takes.
var withoutResult = []struct {
	class   string
	latency int
	says    string
}{
	{"branch", 9, "pipelines.branch_cycles"}, {"barrier", 9, "pipelines.barrier_cycles"}, {"fence", 16, "pipelines.fence_cycles"},
	{"nop", 1, "pipelines.reissue_cycles"},
}

// ExecutionUnit is a kind of lanes that classes of operations share. It indexes Pipelines.Units.
type ExecutionUnit uint8

// The execution units; their keys in the YAML file are in executionUnitNames.
const (
	UnitCore       ExecutionUnit = iota // f32 and integer lanes
	UnitFP64                            // f64 lanes
	UnitSFU                             // special functions, conversions, and the slow integer operations
	UnitLoadStore                       // address lanes
	UnitTexture                         // texture units, which also serve read-only loads
	UnitBranch                          // control flow, barriers and fences
	ExecutionUnits                      // the number of units
)

// executionUnitNames are the units' keys under pipelines.units.
var executionUnitNames = [ExecutionUnits]string{
	UnitCore: "core", UnitFP64: "fp64", UnitSFU: "sfu", UnitLoadStore: "load_store", UnitTexture: "texture", UnitBranch: "branch",
}

// String returns the unit's key under pipelines.units.
func (u ExecutionUnit) String() string {
	if u < ExecutionUnits {
		return executionUnitNames[u]
	}
	return "unknown"
}

// Pipelines are the execution units of an SMX and the operations that they run.
type Pipelines struct {
	// Units are the groups of lanes, by ExecutionUnit.
	Units [ExecutionUnits]Unit `yaml:"units"`
	// Operations are the throughput and latency of each class, indexed by isa.Class.
	Operations [isa.ClassCount]Operation `yaml:"operations"`
	// DualIssue are the rules for two instructions issued together.
	DualIssue DualIssue `yaml:"dual_issue"`
	// ReissueCycles is the least time between two independent issues of one warp.
	ReissueCycles int `yaml:"reissue_cycles" unit:"cycles" check:"min=1,max=64"`
	// BranchCycles is the time from a branch to the warp's next issue, taken or not.
	BranchCycles int `yaml:"branch_cycles" unit:"cycles" check:"min=1,max=256"`
	// TakenCycles is what a taken branch adds: the instruction buffer is filled anew.
	TakenCycles int `yaml:"taken_cycles" unit:"cycles" check:"min=0,max=256"`
	// BarrierCycles is the time from the last arrival at a barrier to the next issue.
	BarrierCycles int `yaml:"barrier_cycles" unit:"cycles" check:"min=1,max=1000"`
	// FenceCycles is the least time of a membar.
	FenceCycles int `yaml:"fence_cycles" unit:"cycles" check:"min=1,max=10000"`
}

// Unit is one kind of lanes. An SMX has Private lanes for each scheduler, and Shared lanes for each group of SharedBy
// schedulers.
type Unit struct {
	// Private is the lanes that one scheduler owns.
	Private int `yaml:"private" unit:"lanes per scheduler" check:"min=0,max=32"`
	// Shared is the lanes of one group that several schedulers share.
	Shared int `yaml:"shared" unit:"lanes per group" check:"min=0,max=64"`
	// SharedBy is how many schedulers share a group.
	SharedBy int `yaml:"shared_by" unit:"schedulers per group" check:"min=1,max=8,pow2"`
}

// Lanes returns the unit's lanes in an SMX with a number of schedulers.
func (u Unit) Lanes(schedulers int) int {
	return u.Private*schedulers + u.Shared*((schedulers+u.SharedBy-1)/u.SharedBy)
}

// Operation is how fast a class of operations goes.
type Operation struct {
	// Unit is the lanes that the class runs on.
	Unit ExecutionUnit `yaml:"unit"`
	// ResultsPerClock is the most thread results of the class in a cycle; a warp takes 32. Classes with the same unit and rate share that
	// rate.
	ResultsPerClock int `yaml:"results_per_clock" unit:"results per cycle per SMX" check:"min=1,max=256"`
	// Latency is the dependent latency. For a memory class only the compiler uses it; see the memories' sections.
	Latency int `yaml:"latency" unit:"cycles" check:"min=1,max=1000"`
}

// SharesRateWith returns the first class with the same unit and rate. Classes with the same first class share the rate.
func (p *Pipelines) SharesRateWith(class int) int {
	own := &p.Operations[class]
	for first := range p.Operations {
		if o := &p.Operations[first]; o.Unit == own.Unit && o.ResultsPerClock == own.ResultsPerClock {
			return first
		}
	}
	return class
}

// DualIssue are the rules by which a scheduler issues a warp's next two instructions in one cycle.
type DualIssue struct {
	// Enabled switches pairing on.
	Enabled bool `yaml:"enabled"`
	// PairCycles is the extra time of an issue slot with two instructions.
	PairCycles float64 `yaml:"pair_cycles" unit:"cycles per pair" check:"min=0,max=1"`
	// CompiledAlone is how many core operations compiled code issues alone between two pairs.
	CompiledAlone int `yaml:"compiled_alone" unit:"operations" check:"min=0,max=64"`
}
