package observe

import "github.com/keplersim/keplersim/sim/engine"

// Join returns an observer that passes each event to several observers, in order. It skips those that are nil. It returns nil for none, and
// a single one as it is.
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

// ForDevice joins the observers of a device.
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

// each passes an event to every observer.
func (j joined) each(tell func(Observer)) {
	for _, o := range j {
		tell(o)
	}
}

func (j joined) Issue(e Issue)     { j.each(func(o Observer) { o.Issue(e) }) }
func (j joined) Stall(e Stall)     { j.each(func(o Observer) { o.Stall(e) }) }
func (j joined) Access(e Access)   { j.each(func(o Observer) { o.Access(e) }) }
func (j joined) Request(e Request) { j.each(func(o Observer) { o.Request(e) }) }
func (j joined) Replay(e Replay)   { j.each(func(o Observer) { o.Replay(e) }) }
func (j joined) Lookup(e Lookup)   { j.each(func(o Observer) { o.Lookup(e) }) }
func (j joined) Answer(e Answer)   { j.each(func(o Observer) { o.Answer(e) }) }
func (j joined) Flight(e Flight)   { j.each(func(o Observer) { o.Flight(e) }) }
func (j joined) Burst(e Burst)     { j.each(func(o Observer) { o.Burst(e) }) }
func (j joined) Barrier(e Barrier) { j.each(func(o Observer) { o.Barrier(e) }) }
func (j joined) Block(at engine.Cycle, b *Block, s Stage) {
	j.each(func(o Observer) { o.Block(at, b, s) })
}
func (j joined) Grid(at engine.Cycle, g *Grid, s Stage) {
	j.each(func(o Observer) { o.Grid(at, g, s) })
}
func (j joined) Command(at engine.Cycle, c *Command, s Stage) {
	j.each(func(o Observer) { o.Command(at, c, s) })
}
