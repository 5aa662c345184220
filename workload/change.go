package workload

import "slices"

// ChangeLaunches returns steps with replaced launches, also within repetitions. change returns the replacement of a step's launch, which
// may be the launch itself. It does not modify the given steps.
func ChangeLaunches(steps []Step, change func(*Step) (*Launch, error)) ([]Step, error) {
	changed := slices.Clone(steps)
	for i := range changed {
		s := &changed[i]
		var err error
		switch {
		case s.Repeat != nil:
			repeat := *s.Repeat
			repeat.Steps, err = ChangeLaunches(repeat.Steps, change)
			s.Repeat = &repeat
		case s.Launch != nil:
			s.Launch, err = change(s)
		}
		if err != nil {
			return nil, err
		}
	}
	return changed, nil
}
