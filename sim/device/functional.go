package device

// functional runs without timing on one host thread. Device memory changes at once, in the order of execution.
type functional struct{}

func (functional) advance(d *Device) (progress bool) {
	for _, s := range d.smxs {
		progress = s.RunFunctional() || progress
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
