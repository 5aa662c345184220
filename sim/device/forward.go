package device

import (
	"cmp"
	"container/heap"
	"math"
	"slices"

	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/sampling"
	"github.com/keplersim/keplersim/sim/smx"
)

// forwardBatch is how many warp instructions run without timing before the device looks up: for progress, limits and interruption.
const forwardBatch = 16 << 20

// forward is a way to run: a paused grid goes forward without timing, for as long as it would take at the speed that was measured. Each
// place of a block on an SMX has its share of that speed, and executes blocks one behind the other. They begin in the order of
// time, so that those resident in the end are those that would be, each as far as it would be.
type forward struct {
	device  *Device
	grid    *Grid
	cycles  float64 // how long
	paused  []*smx.Forward
	places  places
	speeds  []speed // of each SMX
	uneven  float64 // how much slower the slowest block of an SMX is than its fastest, as a share, in the mean
	longest float64 // when the last place was given up for want of blocks
	keep    uint64  // blocks that it leaves
}

// speed is how many warp instructions a cycle an SMX executes, and the block that is fastest.
type speed struct{ all, fastest float64 }

// A place comes forward in endSteps at least when no blocks are left, as between two it may get what others leave, and in steps before.
const (
	steps    = 2
	endSteps = 128
)

// place is a place of a block on an SMX.
type place struct {
	smx.Place
	rate   float64 // warp instructions a cycle
	smx    int
	at     float64 // how far it has come, in cycles
	over   bool    // its block has ended: the next one begins when no other place is behind
	number int     // to tell those of one time apart
}

// places is a heap by time.
type places []place

func (p places) Len() int { return len(p) }
func (p places) Less(i, k int) bool {
	return p[i].at < p[k].at || p[i].at == p[k].at && p[i].number < p[k].number
}
func (p places) Swap(i, k int) { p[i], p[k] = p[k], p[i] }
func (p *places) Push(x any)   { *p = append(*p, x.(place)) }
func (p *places) Pop() any {
	last := (*p)[len(*p)-1]
	*p = (*p)[:len(*p)-1]
	return last
}

// newForward begins to go forward by so many cycles. rates are the warp instructions a cycle of each SMX.
func newForward(d *Device, g *Grid, rates []float64, cycles float64) *forward {
	f := &forward{device: d, grid: g, cycles: cycles}
	mean, blocks := 0.0, 0
	for i, s := range d.smxs {
		mean += rates[i]
		blocks += s.Blocks(g.Grid)
	}
	mean /= float64(max(1, blocks))
	for i, s := range d.smxs {
		p := s.BeginForward(d.options.TimeAlone)
		f.paused = append(f.paused, p)
		list := p.Resident(g.Grid)
		rate := rates[i]
		if rate == 0 {
			rate = mean * float64(len(list))
		}
		fastest, slowest := 0.0, math.Inf(1)
		shares, known := parts(d, list)
		for k, part := range shares {
			f.places = append(f.places, place{Place: list[k], rate: rate * part, smx: i, number: len(f.places)})
			fastest, slowest = max(fastest, rate*part), min(slowest, rate*part)
		}
		f.speeds = append(f.speeds, speed{rate, fastest})
		switch {
		case fastest > 0 && known:
			f.uneven += (1 - slowest/fastest) / float64(len(d.smxs))
		case len(list) > 1:
			f.uneven += 1 / float64(len(d.smxs))
		}
	}
	heap.Init(&f.places)
	return f
}

// parts are how the speed of an SMX is divided among the blocks in its places: as it was, since schedulers may prefer some, or equally
// where that is not known of all.
func parts(d *Device, list []smx.Place) (speeds []float64, known bool) {
	speeds, sum := make([]float64, len(list)), 0.0
	for i := range list {
		speed, ok := list[i].Speed(d.now, sampling.WindowLeast/2)
		if speeds[i] = speed; !ok || speed == 0 {
			sum = 0
			break
		}
		sum += speed
	}
	for i := range speeds {
		if speeds[i] /= sum; sum == 0 {
			speeds[i] = 1 / float64(len(list))
		}
	}
	return speeds, sum > 0
}

// advance implements runner.
func (f *forward) advance(d *Device) bool {
	for left := float64(forwardBatch); left > 0 && len(f.places) > 0 && f.places[0].at < f.cycles && firstFault(d.smxs) == nil; {
		p, step := &f.places[0], f.cycles/steps
		switch left := f.grid.dispatch.Left(); {
		case math.IsInf(f.cycles, 1): // to the end, wherever it is
			step = max(sampling.WindowMost, p.at/endSteps)
		case left == 0:
			step = f.cycles / endSteps
		case left <= f.keep+2*uint64(len(f.places)) && f.keep > 0: // so that all have come about as far when there are as few as it keeps
			step = min(step, sampling.WindowMost)
		}
		last := f.cycles-p.at <= step
		most := math.Ceil(min(p.rate*min(f.cycles-p.at, step), left))
		if p.over {
			f.follow(p)
		} else {
			executed, ended := p.Run(uint64(most), last)
			work := float64(executed)
			left -= work
			p.at += work / p.rate
			switch {
			case ended && p.at < f.cycles:
				p.over = true
			case ended:
				f.follow(p)
			case work < most: // it waits for others
				p.at = f.cycles
			}
		}
		if len(f.places) > 0 {
			heap.Fix(&f.places, 0)
		}
	}
	return true
}

// follow gives the place of a block that has ended to the next.
func (f *forward) follow(p *place) {
	number, ok := f.grid.dispatch.Take()
	if !ok {
		f.longest = max(f.longest, p.at)
		left := p.smx
		heap.Pop(&f.places)
		f.share(left)
		return
	}
	p.Start(f.grid.Grid, number)
	p.over = false
	f.age(p)
	if f.grid.dispatch.Left() == f.keep && f.keep > 0 {
		f.cycles = min(f.cycles, p.at)
	}
}

// age has the blocks of an SMX that are slower than one that has ended move up by one, and the new one be the slowest: schedulers
// prefer the oldest, so that speeds belong to ages and not to places.
func (f *forward) age(p *place) {
	var slower []*place
	for i := range f.places {
		if o := &f.places[i]; o.smx == p.smx && o.rate < p.rate {
			slower = append(slower, o)
		}
	}
	slices.SortFunc(slower, func(a, b *place) int { return cmp.Or(cmp.Compare(b.rate, a.rate), cmp.Compare(a.number, b.number)) })
	for _, o := range slower {
		o.rate, p.rate = p.rate, o.rate
	}
}

// share gives what a place leaves to the others of its SMX: none gets faster than the fastest was.
func (f *forward) share(smx int) {
	sum := 0.0
	for i := range f.places {
		if f.places[i].smx == smx {
			sum += f.places[i].rate
		}
	}
	for i := range f.places {
		if p := &f.places[i]; p.smx == smx {
			p.rate = min(p.rate*f.speeds[smx].all/sum, f.speeds[smx].fastest)
		}
	}
}

// Done reports that the time is over, or that nothing is left.
func (f *forward) Done() bool { return len(f.places) == 0 || f.places[0].at >= f.cycles }

// Uneven implements sampling.Forward.
func (f *forward) Uneven() float64 { return f.uneven }

// End goes on with timing, as many cycles later as the places came forward.
func (f *forward) End() {
	took := f.cycles
	if len(f.places) == 0 {
		took = f.longest
	}
	f.device.now += engine.Cycle(math.Round(took))
	for i := range f.places {
		f.places[i].Settle()
	}
	for _, p := range f.paused {
		p.EndForward(f.device.now)
	}
}

// quiet implements runner.
func (f *forward) quiet(*Device) bool { return f.Done() }
