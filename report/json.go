package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"reflect"
	"slices"

	"github.com/keplersim/keplersim/internal/jsonschema"
	"github.com/keplersim/keplersim/sim/check/finding"
	"github.com/keplersim/keplersim/sim/stats"
	"github.com/keplersim/keplersim/workload"
)

func init() {
	RegisterFormat("json", "for programs: everything that is known", JSON, jsonOfAll)
	jsonschema.Publish[jsonRun]("report", "The report of a run, as keplersim run --format json writes it.", SchemaVersion)
	jsonschema.Publish[jsonComparison]("comparison", "Runs side by side, as keplersim compare --format json writes them.", 1)
}

// SchemaVersion is the version of the JSON report. It grows when a member changes its name or meaning or is removed, but not for new
// members.
const SchemaVersion = 1

// jsonRun is the JSON report. Members keep their names and meanings; new ones may be added.
type jsonRun struct {
	Schema     int           `json:"schema"`
	Program    string        `json:"keplersim,omitempty"` // its version and commit
	Workload   string        `json:"workload"`
	Config     string        `json:"config"`
	ConfigHash string        `json:"config_hash,omitempty"` // of all values of the configuration
	Overrides  []string      `json:"overrides,omitempty"`   // of the configuration, each KEY=VALUE
	Notes      []string      `json:"notes"`
	Kernels    jsonLaunches  `json:"kernels"`
	Checks     []jsonCheck   `json:"checks"`
	Results    []jsonResult  `json:"results,omitempty"`
	Passed     bool          `json:"passed"`
	Incomplete bool          `json:"results_incomplete,omitempty"` // work was left out, so nothing was compared
	Looked     []string      `json:"looked_for,omitempty"`
	Hazards    []jsonHazard  `json:"hazards,omitempty"`
	Failure    string        `json:"failure,omitempty"`
	HostUS     float64       `json:"host_us,omitempty"`   // from the start to the return of the host's last call
	DeviceUS   float64       `json:"device_us,omitempty"` // to the end of the devices' last command
	Timeline   jsonIntervals `json:"timeline,omitempty"`
	Power      []*jsonPower  `json:"power,omitempty"` // of each device
	Host       jsonHost      `json:"wall_clock"`
}

// jsonLaunches is a list of launches; each one is converted when it is written.
type jsonLaunches struct{ of *Run }

// JSONSchema describes a list of launches.
func (jsonLaunches) JSONSchema(of func(reflect.Type) jsonschema.Object) jsonschema.Object {
	return jsonschema.Array(of(reflect.TypeFor[jsonLaunch]()))
}

func (l jsonLaunches) length() int { return l.of.Count() }
func (l jsonLaunches) depth() int  { return 0 }
func (l jsonLaunches) all() iter.Seq[any] {
	metrics := l.of.metrics()
	return each(l.of.All(), func(launch *stats.Launch) any { return launchJSON(launch, metrics) })
}

// jsonSeconds is a list of each launch's time on the host.
type jsonSeconds struct{ of *Run }

// JSONSchema describes a list of seconds.
func (jsonSeconds) JSONSchema(of func(reflect.Type) jsonschema.Object) jsonschema.Object {
	return jsonschema.Array(of(reflect.TypeFor[float64]()))
}

func (s jsonSeconds) length() int { return s.of.Count() }
func (s jsonSeconds) depth() int  { return 0 }
func (s jsonSeconds) all() iter.Seq[any] {
	return each(s.of.All(), func(launch *stats.Launch) any { return launch.Wall.Seconds() })
}

type jsonLaunch struct {
	Name          string          `json:"name"`
	Symbol        string          `json:"symbol"`
	Config        string          `json:"config"`
	Overrides     []string        `json:"overrides,omitempty"`
	Grid          [3]int          `json:"grid"`
	Block         [3]int          `json:"block"`
	Stream        int             `json:"stream"`
	Registers     int             `json:"registers"`
	Lowered       int             `json:"lowered_registers,omitempty"`
	StaticShared  int             `json:"static_shared_bytes"`
	DynamicShared int             `json:"dynamic_shared_bytes"`
	LocalBytes    int             `json:"local_bytes"`
	SpillBytes    int             `json:"spill_bytes"`
	CoreMHz       int             `json:"core_mhz"`
	Functional    bool            `json:"functional,omitempty"`
	Estimate      *jsonEstimate   `json:"estimate,omitempty"`
	Interrupted   bool            `json:"interrupted,omitempty"`
	BlocksDone    uint64          `json:"blocks_done"`
	KernelCycles  uint64          `json:"kernel_cycles"` // stats.CycleCounts says what each counts
	LaunchCycles  uint64          `json:"launch_cycles"`
	ElapsedCycles uint64          `json:"elapsed_cycles"`
	Cycles        uint64          `json:"cycles"` // the same under its older name
	TimeUS        float64         `json:"time_us"`
	Trust         *Trust          `json:"trust,omitempty"` // the expected error of its time
	Occupancy     jsonOccupancy   `json:"occupancy"`
	Power         *jsonPower      `json:"power,omitempty"`
	Work          *jsonWork       `json:"work"`
	Roofline      *jsonRoofline   `json:"roofline,omitempty"`
	Metrics       jsonMetrics     `json:"metrics"`
	HostMemory    *jsonLinkMemory `json:"host_memory,omitempty"`
	PeerMemory    *jsonLinkMemory `json:"peer_memory,omitempty"`
	Nested        *jsonNested     `json:"nested,omitempty"`
	Reuse         *jsonReuse      `json:"reuse,omitempty"`
	Findings      []string        `json:"findings"`
	Units         []jsonUnit      `json:"units"`
	Functions     []jsonFunction  `json:"functions"`
	Source        []jsonLine      `json:"source"`
	SMXs          []jsonSMX       `json:"smx"`
}

// jsonEstimate is the uncertainty of a launch's cycles if only a part of it was timed.
type jsonEstimate struct {
	Windows    int     `json:"windows"`
	Detailed   float64 `json:"detailed"`
	Launches   int     `json:"launches,omitempty"`
	OtherGrids bool    `json:"other_grids,omitempty"`
	Low        float64 `json:"cycles_low"`
	High       float64 `json:"cycles_high"`
	Confidence float64 `json:"confidence"`
	Incomplete bool    `json:"results_incomplete,omitempty"`
}

// estimateJSON returns nil for a launch that was timed completely.
func estimateJSON(l *stats.Launch) *jsonEstimate {
	e := l.Estimate
	if e == nil {
		return nil
	}
	cycles := float64(l.Cycles)
	return &jsonEstimate{
		e.Windows, rounded(e.Detailed, stats.Ratio), e.Launches, e.OtherGrids, rounded(max(0, cycles-e.Half), stats.Ratio),
		rounded(cycles+e.Half, stats.Ratio), e.Confidence, e.Partial,
	}
}

// jsonLinkMemory is a kernel's traffic with mapped memory, or with another device's, in sectors of 32 bytes.
type jsonLinkMemory struct {
	Read    uint64 `json:"read_sectors"`
	Written uint64 `json:"write_sectors"`
}

// jsonResult is the final content of a buffer.
type jsonResult struct {
	Buffer string `json:"buffer"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

type jsonOccupancy struct {
	Theoretical float64  `json:"theoretical"`
	Achieved    float64  `json:"achieved"`
	Blocks      int      `json:"blocks_per_smx"`
	Warps       int      `json:"warps_per_smx"`
	Limiters    []string `json:"limiters"`
}

// jsonUnit is the part of the time in which a unit was busy.
type jsonUnit struct {
	Name string  `json:"name"`
	Busy float64 `json:"busy"`
}

// unitsJSON returns the units that were busy at all, the busiest first; none without timing.
func unitsJSON(l *stats.Launch) []jsonUnit {
	all := []jsonUnit{}
	if l.Functional {
		return all
	}
	for _, unit := range limits(l) {
		if busy := rounded(min(1, unit.busy(l)), stats.Ratio); busy > 0 {
			all = append(all, jsonUnit{unit.name, busy})
		}
	}
	slices.SortStableFunc(all, func(a, b jsonUnit) int { return cmp.Compare(b.Busy, a.Busy) })
	return all
}

// jsonHazard is a finding of the checks: a broken rule, with the accesses that break it.
type jsonHazard struct {
	Rule     string     `json:"rule"`
	Check    string     `json:"check"`
	Severity string     `json:"severity"`
	Kernel   string     `json:"kernel,omitempty"`
	Space    string     `json:"space,omitempty"`
	Address  uint64     `json:"address,omitempty"`
	Bytes    int        `json:"bytes,omitempty"`
	Name     string     `json:"name,omitempty"`
	Count    uint64     `json:"count"`
	Places   []jsonSide `json:"places"`
	Message  string     `json:"message"`
}

// jsonSide is one side of a hazard.
type jsonSide struct {
	Does    string    `json:"does"`
	Kernel  string    `json:"kernel,omitempty"`
	Launch  uint64    `json:"launch"`
	Stream  int       `json:"stream"`
	Block   [3]uint32 `json:"block"`
	Thread  [3]uint32 `json:"thread"`
	Warp    int       `json:"warp"`
	Several bool      `json:"several_threads,omitempty"`
	File    string    `json:"file,omitempty"`
	Line    int       `json:"line,omitempty"`
	PTXFile string    `json:"ptx_file,omitempty"`
	PTXLine int       `json:"ptx_line,omitempty"`
	Calls   []string  `json:"calls,omitempty"`
	Who     string    `json:"who,omitempty"`
}

func hazardsJSON(list []*finding.Finding) (all []jsonHazard) {
	for _, f := range CausesFirst(list) {
		h := jsonHazard{Rule: f.Rule.ID, Check: f.Rule.Check.String(), Severity: f.Rule.Severity.String(), Address: f.Address,
			Bytes: f.Bytes, Name: f.Name,
			Count: f.Count, Places: []jsonSide{}, Message: f.String()}
		if f.Bytes > 0 {
			h.Space = f.Space.String()
		}
		for i := range f.Places {
			p := &f.Places[i]
			if i == 0 {
				h.Kernel = p.Kernel
			}
			h.Places = append(h.Places, jsonSide{Does: p.Does, Kernel: p.Kernel, Launch: p.Launch, Stream: p.Stream, Block: p.Block,
				Thread: p.Thread,
				Warp:   p.Warp, Several: p.Lanes, File: p.File, Line: p.Line, PTXFile: p.PTXFile, PTXLine: p.PTXLine, Calls: p.Calls,
				Who: p.Who})
		}
		all = append(all, h)
	}
	return all
}

// jsonReuse is a histogram of reuse distances at L2. A bucket counts the requests whose line was last requested fewer than a number of
// other lines ago.
type jsonReuse struct {
	Buckets []jsonReuseBucket `json:"buckets"`
	First   uint64            `json:"first_uses"`
}

type jsonReuseBucket struct {
	Below    uint64 `json:"below_lines"`
	Requests uint64 `json:"requests"`
}

// jsonSMX is the work of one SMX.
type jsonSMX struct {
	ActiveCycles uint64 `json:"active_cycles"`
	InstExecuted uint64 `json:"inst_executed"`
	Blocks       uint64 `json:"blocks"`
}

type jsonCheck struct {
	Buffer    string           `json:"buffer"`
	Passed    bool             `json:"passed"`
	Differing int64            `json:"differing,omitempty"`
	Compared  int64            `json:"compared,omitempty"`
	First     []jsonDifference `json:"first,omitempty"`
	Expected  string           `json:"expected_sha256,omitempty"`
	Found     string           `json:"found_sha256,omitempty"`
}

type jsonDifference struct {
	Index    int64   `json:"index"`
	Expected string  `json:"expected"`
	Got      string  `json:"got"`
	ULP      *uint64 `json:"ulp,omitempty"`
}

// jsonHost has everything that depends on the run, the host or --threads.
type jsonHost struct {
	Seconds    float64     `json:"seconds"`
	Kernels    jsonSeconds `json:"kernel_seconds"`
	Threads    int         `json:"threads"`
	Speed      float64     `json:"warp_instructions_per_second"`
	PeakMemory uint64      `json:"peak_memory_bytes"`
}

// jsonMetrics are metrics in the order of the glossary.
type jsonMetrics []value

// JSONSchema describes an object with some of the metrics, each with its unit.
func (jsonMetrics) JSONSchema(func(reflect.Type) jsonschema.Object) jsonschema.Object {
	properties := jsonschema.Object{}
	for _, d := range stats.Metrics() {
		properties[d.Name] = jsonschema.Object{"type": "number", "unit": d.Unit, "description": d.Meaning}
	}
	return jsonschema.Object{"type": "object", "properties": properties, "additionalProperties": jsonschema.Object{"type": "number"}}
}

// MarshalJSON writes an object of numbers.
func (m jsonMetrics) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	out.WriteByte('{')
	for i, v := range m {
		if i > 0 {
			out.WriteByte(',')
		}
		number, err := json.Marshal(v.value)
		if err != nil {
			return nil, fmt.Errorf("metric %s: %w", v.Name, err)
		}
		fmt.Fprintf(&out, "%q:%s", v.Name, number)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// JSON writes the report for programs.
func JSON(w io.Writer, r *Run) error {
	if err := writeJSON(w, runJSON(r)); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// runJSON converts a run to a JSON report.
func runJSON(r *Run) jsonRun {
	var took work
	for _, l := range r.All() {
		took.add(l)
	}
	out := jsonRun{Schema: SchemaVersion, Program: r.Program, Workload: r.Workload, Config: r.Config, ConfigHash: r.ConfigHash,
		Overrides: r.Overrides, Notes: list(r.Notes),
		Kernels: jsonLaunches{r}, Checks: []jsonCheck{}, Passed: r.Failure == "", Failure: r.Failure,
		Host: jsonHost{Seconds: r.Host.Wall.Seconds(), Kernels: jsonSeconds{r}, Threads: r.Host.Threads, Speed: took.speed(),
			PeakMemory: r.Host.PeakMemory}}
	if t := r.Timeline; t != nil {
		out.HostUS, out.DeviceUS, out.Timeline = t.HostUS, t.DeviceUS, jsonIntervals{t}
	}
	out.Incomplete = r.Incomplete
	out.Looked, out.Hazards = r.Checked.LookedFor(), hazardsJSON(r.Mistakes)
	out.Passed = out.Passed && finding.Errors(r.Mistakes) == 0
	out.Power = powersJSON(r.Power)
	for _, b := range r.Results {
		out.Results = append(out.Results, jsonResult(b))
	}
	for _, c := range r.Checks {
		out.Checks = append(out.Checks, checkJSON(c))
		out.Passed = out.Passed && c.Mismatch == nil
	}
	return out
}

// writeJSON writes a value as indented JSON.
func writeJSON(w io.Writer, v any) error {
	return streamJSON(w, v)
}

// list returns an empty slice for nil, so that JSON has no null.
func list(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

func launchJSON(l *stats.Launch, metrics []stats.Definition) jsonLaunch {
	out := figuresJSON(l)
	out.Trust, out.Power, out.Metrics, out.Reuse = trustJSON(l), powerJSON(l.Power, l), values(l, metrics), reuseJSON(l.Memory.Reuse)
	out.Findings, out.Functions, out.Source, out.SMXs = list(Findings(l)), functionsJSON(l), sourceJSON(l), []jsonSMX{}
	if m := &l.Memory; m.HostReadSectors+m.HostWriteSectors > 0 {
		out.HostMemory = &jsonLinkMemory{m.HostReadSectors, m.HostWriteSectors}
	}
	if m := &l.Memory; m.PeerReadSectors+m.PeerWriteSectors > 0 {
		out.PeerMemory = &jsonLinkMemory{m.PeerReadSectors, m.PeerWriteSectors}
	}
	out.Nested = nestedJSON(l)
	for _, s := range l.Shares() {
		out.SMXs = append(out.SMXs, jsonSMX{s.ActiveCycles, s.InstExecuted, s.BlocksLaunched})
	}
	return out
}

// figuresJSON returns the part of a launch that comparisons need too.
func figuresJSON(l *stats.Launch) jsonLaunch {
	work := workJSON(l)
	return jsonLaunch{
		Name: l.DisplayName(), Symbol: l.Kernel, Config: l.Chip.Config, Overrides: l.Chip.Overrides, Grid: l.Grid, Block: l.Block,
		Stream: l.Stream, Registers: l.Registers, Lowered: l.LoweredRegisters, StaticShared: l.StaticShared, DynamicShared: l.DynamicShared,
		LocalBytes: l.LocalBytes,
		SpillBytes: l.SpillBytes, CoreMHz: l.Chip.CoreMHz, Functional: l.Functional, Estimate: estimateJSON(l), Interrupted: l.Interrupted,
		BlocksDone: l.BlocksDone, KernelCycles: l.KernelCycles, LaunchCycles: l.LaunchCycles, ElapsedCycles: l.Cycles, Cycles: l.Cycles,
		TimeUS: rounded(l.TimeUS, stats.Ratio),
		Occupancy: jsonOccupancy{
			Theoretical: rounded(l.Theoretical(), stats.Ratio), Achieved: rounded(l.Achieved(), stats.Ratio),
			Blocks: l.Occupancy.Blocks, Warps: l.Occupancy.Warps, Limiters: list(l.Occupancy.Limiters),
		},
		Work: &work, Roofline: rooflineJSON(l), Units: unitsJSON(l),
	}
}

func checkJSON(c Check) jsonCheck {
	out := jsonCheck{Buffer: c.Buffer, Passed: c.Mismatch == nil}
	if m := c.Mismatch; m != nil {
		out.Differing, out.Compared, out.Expected, out.Found = m.Differing, m.Compared, m.WantSHA256, m.FoundSHA256
		for _, d := range m.First {
			out.First = append(out.First, differenceJSON(d))
		}
	}
	return out
}

func differenceJSON(d workload.Difference) jsonDifference {
	out := jsonDifference{Index: d.Index, Expected: d.Expected, Got: d.Got}
	if d.Comparable {
		out.ULP = &d.ULP
	}
	return out
}

// trustJSON returns the expected error of a launch's time, nil without timing.
func trustJSON(l *stats.Launch) *Trust {
	t, ok := TrustOf(l)
	if !ok {
		return nil
	}
	for _, p := range []*float64{&t.Typical, &t.NineInTen, &t.Mean} {
		*p = rounded(*p, stats.Percent)
	}
	return &t
}
