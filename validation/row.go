package validation

import (
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/keplersim/keplersim/configs"
)

// Row is a published measurement on one board.
type Row struct {
	Name      string   // GROUP/NAME@CONFIG, unique
	Title     string   // what was measured
	Config    string   // the board
	Overrides []string // of the configuration, as in dram.ecc=false
	Unit      string
	Measured  Value
	Tolerance float64 // the largest error in percent that counts as met
	Source    string  // the citation
	Quick     bool    // part of the fast subset
	Missing   string  // why it cannot be simulated; "" if it can

	experiment *experiment
	kernel     *kernelRow
}

// Group is the part of the name before the first slash, a filter of keplersim validate.
func (r *Row) Group() string { return strings.SplitN(r.Name, "/", 2)[0] }

// Kernel tells whether the row is from kernels.csv, which compares several counters of one launch.
func (r *Row) Kernel() bool { return r.kernel != nil }

// Matches tells whether a pattern, with * and ? as in file names, fits the name with or without its board or group.
func (r *Row) Matches(pattern string) bool {
	whole, _, _ := strings.Cut(r.Name, "@")
	_, name, _ := strings.Cut(r.Name, "/")
	short, _, _ := strings.Cut(name, "@")
	for _, name := range []string{r.Name, whole, name, short, r.Group()} {
		if matchPath(pattern, name) {
			return true
		}
	}
	return false
}

// matchPath is path.Match, but * also matches slashes.
func matchPath(pattern, name string) bool {
	flat := strings.NewReplacer("/", "\x00")
	ok, err := path.Match(flat.Replace(pattern), flat.Replace(name))
	return err == nil && ok
}

// onOneSMX are kinds of experiments whose SMXs are independent. One SMX is simulated.
var onOneSMX = []string{"stream", "registers", "fma-chains"}

// load resolves the row's board.
func (r *Row) load() (*configs.Config, error) {
	overrides := r.Overrides
	if r.experiment != nil && slices.Contains(onOneSMX, r.experiment.Kind) {
		overrides = append([]string{"smx.count=1"}, overrides...) // it gets all blocks
	}
	config, err := configs.Load(r.Config, overrides)
	if err != nil {
		return nil, fmt.Errorf("board of row %s: %w", r.Name, err)
	}
	return config, nil
}

// Value is a measured figure, or a range if the source gives one.
type Value struct{ Low, High float64 }

// Exactly makes the value of one figure.
func Exactly(v float64) Value { return Value{v, v} }

// UnmarshalYAML reads a number or a list of two.
func (v *Value) UnmarshalYAML(decode func(any) error) error {
	var single float64
	if err := decode(&single); err == nil {
		*v = Exactly(single)
		return nil
	}
	var both []float64
	if err := decode(&both); err != nil || len(both) != 2 || both[0] > both[1] {
		return fmt.Errorf("a measured value is a number or [low, high]")
	}
	*v = Value{both[0], both[1]}
	return nil
}

// Middle is the figure, or the middle of a range.
func (v Value) Middle() float64 { return (v.Low + v.High) / 2 }

// Error is the distance of ours from the measured range, in percent of its nearest end; 0 inside.
func (v Value) Error(ours float64) float64 {
	end := v.Low
	switch {
	case ours >= v.Low && ours <= v.High:
		return 0
	case ours > v.High:
		end = v.High
	}
	if end == 0 {
		return math.Inf(1)
	}
	return 100 * (ours - end) / math.Abs(end)
}
