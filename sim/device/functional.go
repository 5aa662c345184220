package device

// functional runs without timing, on one host thread: device memory changes at once, in the order of execution.
type functional struct{}

func (functional) advance(d *Device) (progress bool) {
	for _, s := range d.smxs {
		progress = s.RunFunctional() || progress
	}
	return progress
}

func (functional) quiet(*Device) bool { return true }
