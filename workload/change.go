package workload

import "slices"

// ChangeLaunches returns steps in which other launches stand for theirs, those of repetitions included. change returns what stands for a
// step's launch, which may be the same; the steps themselves stay as they are.
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
