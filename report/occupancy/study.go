package occupancy

import (
	"errors"
	"fmt"

	smx "github.com/keplersim/keplersim/sim/smx/occupancy"
)

// Point is one launch on one chip.
type Point struct {
	Limits smx.Limits
	Launch smx.Launch
	Result smx.Result
	// Measured is what the simulator found, nil where the point was not simulated.
	Measured *Measured
	// Refused says why the point was not simulated though it was to be.
	Refused string
}

// Measured is what a simulation of a point found.
type Measured struct {
	// Cycles is the kernel's time, in cycles of the SM clock; TimeMicroseconds the same by the clock.
	Cycles           int64   `json:"cycles"`
	TimeMicroseconds float64 `json:"time_us"`
	// IPC is warp instructions executed per cycle and SMX.
	IPC float64 `json:"ipc"`
	// AchievedOccupancy is the mean of resident warps in active cycles, as a part of those that fit, 0 to 1.
	AchievedOccupancy float64 `json:"achieved_occupancy"`
	// Outcome says whether the point computed what it has to; Wrong, of one that did not, what differs.
	Outcome Outcome `json:"result"`
	Wrong   string  `json:"wrong,omitempty"`
}

// Outcome is what came of checking a point's results.
type Outcome string

// Outcomes. A launch of another shape may compute something else, however fast it is.
const (
	AsExpected  Outcome = "as expected"             // what the workload file expects
	AsUnchanged Outcome = "as the unchanged launch" // what the launch computes as it is written, where nothing is expected
	WrongResult Outcome = "wrong"
	NotChecked  Outcome = "not checked"
)

// wrong reports that the point was run and computed something else than it has to.
func (p *Point) wrong() bool { return p.Measured != nil && p.Measured.Outcome == WrongResult }

// Study is the points of one question, for each chip in turn, in the order of the axes.
type Study struct {
	// Kernel is the kernel's name, empty where the user gave bare numbers.
	Kernel string
	// Overrides are those of the chips' configurations, each KEY=VALUE.
	Overrides []string
	// Chips are the chips, in the order asked.
	Chips []smx.Limits
	// Launch is the launch from which the axes depart.
	Launch map[string]smx.Launch // by chip: registers may differ
	// Axes are what is swept: none, one or two.
	Axes []Axis
	// Points are ordered by chip, then by the first axis, then by the second.
	Points []Point
}

// maxPoints bounds a sweep: each point takes 352 bytes.
const maxPoints = 1_000_000

// New computes every point of a study. Launch gives the launch for a chip, since lowering may find another register count
// for another chip. The error names the limit that an impossible launch breaks.
func New(kernel string, chips []smx.Limits, launch func(smx.Limits) smx.Launch, axes []Axis) (*Study, error) {
	if len(chips) == 0 {
		return nil, errors.New("no chip to study")
	}
	if len(axes) > 2 {
		return nil, fmt.Errorf("%d sweeps; a study has two axes at most", len(axes))
	}
	if len(axes) == 2 && axes[0].Name == axes[1].Name {
		return nil, fmt.Errorf("two sweeps over %s", axes[0].Name)
	}
	count := len(chips)
	for _, a := range axes {
		if count *= len(a.Values); count > maxPoints {
			return nil, fmt.Errorf("the sweep has more than %d points; take larger steps", maxPoints)
		}
	}
	s := &Study{Kernel: kernel, Chips: chips, Axes: axes, Launch: map[string]smx.Launch{}, Points: make([]Point, 0, count)}
	for _, chip := range chips {
		base := launch(chip)
		s.Launch[chip.Name] = base
		if err := s.expand(chip, base, axes); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// expand adds the points of one chip for the axes that remain.
func (s *Study) expand(chip smx.Limits, launch smx.Launch, axes []Axis) error {
	if len(axes) == 0 {
		if err := chip.Check(launch); err != nil {
			return err
		}
		s.Points = append(s.Points, Point{Limits: chip, Launch: launch, Result: chip.Calculate(launch)})
		return nil
	}
	for _, v := range axes[0].Values {
		if err := s.expand(chip, axes[0].with(launch, v), axes[1:]); err != nil {
			return err
		}
	}
	return nil
}

// Of returns the points of one chip.
func (s *Study) Of(chip smx.Limits) []Point {
	each := len(s.Points) / len(s.Chips)
	for i, c := range s.Chips {
		if c.Name == chip.Name {
			return s.Points[i*each : (i+1)*each]
		}
	}
	return nil
}

// AllWrong reports that points were simulated and every one of them computes something else than it has to.
func (s *Study) AllWrong() bool {
	for i := range s.Points {
		if s.Points[i].Measured != nil && !s.Points[i].wrong() {
			return false
		}
	}
	return s.Simulated()
}

// FirstWrong says what the first point with a wrong result computes wrong, "" where there is none.
func (s *Study) FirstWrong() string {
	for i := range s.Points {
		if s.Points[i].wrong() {
			return s.Points[i].Measured.Wrong
		}
	}
	return ""
}

// Simulated says whether any point was simulated.
func (s *Study) Simulated() bool {
	for _, p := range s.Points {
		if p.Measured != nil {
			return true
		}
	}
	return false
}
