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
}

// Study has the points of one question: for each chip in turn, in the order of the axes.
type Study struct {
	// Kernel is the kernel's name, empty if the user gave numbers.
	Kernel string
	// Overrides are overrides of the chips' configurations, each KEY=VALUE.
	Overrides []string
	// Chips are the chips, in the order given.
	Chips []smx.Limits
	// Launch is the launch that the axes vary.
	Launch map[string]smx.Launch // by chip, because registers may differ
	// Axes are the numbers that vary: none, one or two.
	Axes []Axis
	// Points are sorted by chip, then by the first axis, then by the second.
	Points []Point
}

// maxPoints bounds a sweep: each point takes 352 bytes.
const maxPoints = 1_000_000

// New computes all points of a study. launch returns the launch for a chip, because lowering may give each chip another number of
// registers. The error for an impossible launch names the limit that it breaks.
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

// expand adds the points of one chip for the remaining axes.
func (s *Study) expand(chip smx.Limits, launch smx.Launch, axes []Axis) error {
	if len(axes) == 0 {
		if err := chip.Check(launch); err != nil {
			return err
		}
		s.Points = append(s.Points, Point{Limits: chip, Launch: launch, Result: chip.Calculate(launch)})
		return nil
	}
	for _, v := range axes[0].Values {
		if err := s.expand(chip, axes[0].apply(launch, v), axes[1:]); err != nil {
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
