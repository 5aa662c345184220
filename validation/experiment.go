package validation

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/keplersim/keplersim/sim/memorymode"
)

// experiment says how to obtain a figure: the kernel to make and the arithmetic on its cycles. The function of each kind lists its keys.
type experiment struct {
	Kind     string              `yaml:"kind"`
	Register string              `yaml:"register"` // type of the accumulators: u32, f32, f64 or pred
	Body     string              `yaml:"body"`     // PTX of one step; {a} is the accumulator, {b} and {c} are constant
	Declare  string              `yaml:"declare"`  // PTX before the first instruction
	Setup    string              `yaml:"setup"`    // PTX after the accumulators are initialised
	Results  int                 `yaml:"results"`  // of one step and lane; 0 means 1
	Bytes    int                 `yaml:"bytes"`    // that a step moves, a lane
	Threads  int                 `yaml:"threads"`  // of the block
	Blocks   int                 `yaml:"blocks"`   // on each SMX
	BankMode memorymode.BankMode `yaml:"bank_mode"`

	Space     string `yaml:"space"`     // of a chase: global or const
	Footprint string `yaml:"footprint"` // of a chase or a stream of loads, as 64K
	Stride    string `yaml:"stride"`    // between two steps of a chase
	Cache     string `yaml:"cache"`     // cache operator of loads: ca or cg
	Words     []int  `yaml:"words"`     // shared words of the lanes: [stride between lanes], or one a lane
	Width     int    `yaml:"width"`     // bytes accessed by a lane

	Kernel string `yaml:"kernel"` // in kernels/transpose.cu, or in Program
	Side   int    `yaml:"side"`   // of the matrix, in elements
	Shape  []int  `yaml:"shape"`  // of a product's matrices, or threads and bodies
	Chains int    `yaml:"chains"` // of dependent multiply-adds

	Program    string   `yaml:"program"`    // a file of the folder kernels, without .cu
	Grid       []int    `yaml:"grid"`       // blocks along x, y and z
	Block      []int    `yaml:"block"`      // threads along x, y and z
	Arrays     []string `yaml:"arrays"`     // sizes of the kernel's arrays, filled with zeros, as 64M
	Parameters []uint32 `yaml:"parameters"` // after the arrays
	Dynamic    int      `yaml:"dynamic"`    // shared memory of the launch, in bytes
	Launches   int      `yaml:"launches"`   // only the last is timed; 0 means 1
	Work       float64  `yaml:"work"`       // of a thread, by the row's unit: operations for GFLOP/s, bytes for GB/s

	Direction string `yaml:"direction"` // of a copy: to-device, to-host, within, or set
	Pinned    bool   `yaml:"pinned"`    // the host's memory is page-locked
	Wait      bool   `yaml:"wait"`      // wait for the launch; for a program, the host times from the launch to the end of the wait

	Temperature float64 `yaml:"temperature"` // of the chip, in degrees Celsius
	Seconds     float64 `yaml:"seconds"`     // time for which a kernel is repeated
	Clocks      []int   `yaml:"clocks"`      // core clocks to compare, in MHz
	Figure      string  `yaml:"figure"`      // of a repeated kernel: clock, power, temperature or rate

	Use utilisation `yaml:"use"` // use of a chip's units

	Conflict int    `yaml:"conflict"` // number of an FFMA's sources in one register bank
	Pattern  []int  `yaml:"pattern"`  // instructions in consecutive issue slots
	Subtract string `yaml:"subtract"` // a body whose time is subtracted from a step's
}

// method runs an experiment and returns its figure.
type method func(ctx context.Context, b *bench, row *Row) (float64, error)

// methods are the kinds of experiments.
var methods = map[string]method{
	"chain":        chain,
	"stream":       stream,
	"registers":    registers,
	"chase":        chase,
	"bank-pattern": bankPattern,
	"transpose":    transpose,
	"product":      product,
	"bodies":       bodies,
	"program":      program,
	"program-time": programTime,
	"fma-chains":   fmaChains,
	"triad":        triad,
	"l2-bandwidth": l2Bandwidth,
	"copy":         copyRate,
	"copy-time":    copyTime,
	"launch":       launchTime,
	"idle-power":   idlePower,
	"sustained":    sustained,
	"clock-gain":   clockGain,
	"power-of-use": powerOfUse,
}

// shapes are the number of values in a kind's shape, and what they are multiples of.
var shapes = map[string]struct{ numbers, multiple int }{"product": {3, productTile}, "bodies": {2, attractBodies}}

// kinds returns the sorted names of methods.
func kinds() []string {
	var names []string
	for name := range methods {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// check returns an error for an experiment that cannot run.
func (e *experiment) check() error {
	if methods[e.Kind] == nil {
		return fmt.Errorf("experiment kind %q: choose one of %s", e.Kind, strings.Join(kinds(), ", "))
	}
	if e.Register != "" && accumulators[e.Register].kind == "" {
		return fmt.Errorf("register type %q: choose one of u32, f32, f64, u64, pred", e.Register)
	}
	if (e.Kind == "chain" || e.Kind == "stream") && (e.Body == "" || e.Register == "") {
		return fmt.Errorf("a %s has a body and a register type", e.Kind)
	}
	if e.Kind == "transpose" && (e.Kernel == "" || e.Side <= 0 || e.Side%transposeTile != 0) {
		return fmt.Errorf("a transpose has a kernel and a side that is a multiple of %d", transposeTile)
	}
	if e.Kind == "fma-chains" && (e.Chains <= 0 || chainFMAs%e.Chains != 0) {
		return fmt.Errorf("chains divide %d multiply-adds, not %d", chainFMAs, e.Chains)
	}
	if e.Kind == "program" {
		if err := e.checkProgram(); err != nil {
			return err
		}
	}
	if _, known := powerKernels[e.Kernel]; e.Kind == "sustained" && (!known || e.Seconds <= 0 || !slices.Contains(figures, e.Figure)) {
		return fmt.Errorf("a sustained kernel is sgemm, dgemm, light or triad for seconds, with a figure of %s", strings.Join(figures,
			", "))
	}
	if _, known := powerKernels[e.Kernel]; e.Kind == "clock-gain" && (!known || len(e.Clocks) != 2) {
		return errors.New("a gain by the clock is of a kernel of power.cu or triad, and of two clocks")
	}
	want := shapes[e.Kind]
	if len(e.Shape) != want.numbers || slices.ContainsFunc(e.Shape, func(n int) bool { return n <= 0 || n%want.multiple != 0 }) {
		return fmt.Errorf("the shape of a %s is %d multiples of %d, not %v", e.Kind, want.numbers, want.multiple, e.Shape)
	}
	for _, size := range []string{e.Footprint, e.Stride} {
		if _, err := parseBytes(size); size != "" && err != nil {
			return err
		}
	}
	return nil
}

// results is the number of results of one step and lane.
func (e *experiment) results() float64 { return float64(max(e.Results, 1)) }

// parseBytes reads 64, 128K, 2M or 1G.
func parseBytes(text string) (int64, error) {
	var n int64
	var suffix string
	if count, _ := fmt.Sscanf(text, "%d%s", &n, &suffix); count == 0 || n <= 0 {
		return 0, fmt.Errorf("%q is not a size: give a number of bytes, or one with K, M or G", text)
	}
	shift, ok := map[string]int{"": 0, "K": 10, "M": 20, "G": 30}[suffix]
	if !ok {
		return 0, fmt.Errorf("%q is not a size: give a number of bytes, or one with K, M or G", text)
	}
	return n << shift, nil
}
