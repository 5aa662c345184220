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

// forwardBatch is how many warp instructions run without timing before the device checks progress, limits and interruption.
const forwardBatch = 16 << 20

// forward is a runner that advances a paused grid without timing, by the work that it would do in some cycles at its measured speed. Each
// place of a block on an SMX has its share of that speed, and executes blocks one after another. They start in the order of time, so the
// resident blocks in the end, and their progress, are about those of a timed run.
type forward struct {
	device  *Device
	grid    *Grid
	cycles  float64 // how far
	paused  []*smx.Forward
	places  places
	speeds  []speed // for each SMX
	uneven  float64 // mean over SMXs: how much slower the slowest block is than the fastest, as a fraction
	longest float64 // when the last place ran out of blocks
	keep    uint64  // blocks to leave unstarted
}

// speed is the warp instructions a cycle of an SMX, and of its fastest block.
type speed struct{ all, fastest float64 }

// A place advances by at most 1/steps of the cycles at once. Without further blocks it is 1/endSteps, because places that become empty
// leave their speed to the others.
const (
	steps    = 2
	endSteps = 128
)

// place is a place of a block on an SMX.
type place struct {
	smx.Place
	rate   float64 // warp instructions a cycle
	smx    int
	at     float64 // its time, in cycles
	over   bool    // its block has ended; the next begins when no other place is behind
	number int     // breaks ties
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

// newForward begins to advance by some cycles. rates are the warp instructions a cycle of each SMX.
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

// parts divides the speed of an SMX among the blocks in its places: as measured, since schedulers may prefer some, or equally if not all
// were measured.
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
		case math.IsInf(f.cycles, 1): // to the end
			step = max(sampling.WindowMost, p.at/endSteps)
		case left == 0:
			step = f.cycles / endSteps
		case left <= f.keep+2*uint64(len(f.places)) && f.keep > 0: // finer steps before the blocks to keep
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
			case work < most: // its warps wait for others
				p.at = f.cycles
			}
		}
		if len(f.places) > 0 {
			heap.Fix(&f.places, 0)
		}
	}
	return true
}

// follow starts the next block in the place of one that has ended.
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

// age moves up by one the blocks of an SMX that are slower than one that has ended. The new block becomes the slowest. Schedulers prefer
// the oldest, so speeds belong to ages, not places.
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

// share divides the speed of an empty place among the others of its SMX. None gets faster than the fastest was.
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

// Done reports that the cycles are over, or that no block is left.
func (f *forward) Done() bool { return len(f.places) == 0 || f.places[0].at >= f.cycles }

// Uneven implements sampling.Forward.
func (f *forward) Uneven() float64 { return f.uneven }

// End resumes timing, later by the cycles that the places advanced.
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
