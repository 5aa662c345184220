package observe

import "github.com/keplersim/keplersim/sim/engine"

// Join returns an observer that passes each event to several, in order. Those that are nil are left out; of none it returns nil, of one
// that one.
func Join(observers ...Observer) Observer {
	var all joined
	for _, o := range observers {
		if o != nil {
			all = append(all, o)
		}
	}
	switch len(all) {
	case 0:
		return nil
	case 1:
		return all[0]
	}
	return all
}

type joined []Observer

// ForDevice joins what hears a device.
func (j joined) ForDevice(index int) Observer {
	own := make([]Observer, 0, len(j))
	for _, o := range j {
		if several, ok := o.(PerDevice); ok {
			o = several.ForDevice(index)
		}
		own = append(own, o)
	}
	return Join(own...)
}

func (j joined) Issue(e Issue) {
	for _, o := range j {
		o.Issue(e)
	}
}

func (j joined) Stall(e Stall) {
	for _, o := range j {
		o.Stall(e)
	}
}

func (j joined) Access(e Access) {
	for _, o := range j {
		o.Access(e)
	}
}

func (j joined) Request(e Request) {
	for _, o := range j {
		o.Request(e)
	}
}

func (j joined) Replay(e Replay) {
	for _, o := range j {
		o.Replay(e)
	}
}

func (j joined) Lookup(e Lookup) {
	for _, o := range j {
		o.Lookup(e)
	}
}

func (j joined) Answer(e Answer) {
	for _, o := range j {
		o.Answer(e)
	}
}

func (j joined) Flight(e Flight) {
	for _, o := range j {
		o.Flight(e)
	}
}

func (j joined) Burst(e Burst) {
	for _, o := range j {
		o.Burst(e)
	}
}

func (j joined) Barrier(e Barrier) {
	for _, o := range j {
		o.Barrier(e)
	}
}

func (j joined) Block(at engine.Cycle, b *Block, stage Stage) {
	for _, o := range j {
		o.Block(at, b, stage)
	}
}

func (j joined) Grid(at engine.Cycle, g *Grid, stage Stage) {
	for _, o := range j {
		o.Grid(at, g, stage)
	}
}

func (j joined) Command(at engine.Cycle, c *Command, stage Stage) {
	for _, o := range j {
		o.Command(at, c, stage)
	}
}
