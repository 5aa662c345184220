package device

// functional runs without timing on one host thread. Device memory changes at once, in the order of execution.
type functional struct{}

// advance lets resident blocks go on, then starts further ones, one on each SMX in turn: in the order of their numbers, as a card starts
// them. A block that writes over what an earlier one reads finds it read.
func (functional) advance(d *Device) (progress bool) {
	for _, s := range d.smxs {
		progress = s.RunFunctional() || progress
	}
	for started := true; started; progress = started || progress {
		started = false
		for _, s := range d.smxs {
			started = s.RunNext() || started
		}
	}
	return progress
}

func (functional) quiet(*Device) bool { return true }

// SetFunctional chooses between runs with and without timing. Call it while nothing runs.
func (d *Device) SetFunctional(on bool) {
	d.options.Functional, d.engine = on, timed{}
	if on {
		d.engine = functional{}
	}
}
