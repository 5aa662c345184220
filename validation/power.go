package validation

import (
	"context"
	"fmt"
	"sync"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/sim/boost"
	"github.com/keplersim/keplersim/sim/memorymode"
	"github.com/keplersim/keplersim/sim/stats"
)

// powerKernel is a kernel of kernels/power.cu as run for its profile: on blocks for each SMX, with two depths. Their difference leaves out
// the kernel's beginning and end.
type powerKernel struct {
	tile        int // of a product, 0 for other kernels
	element     int // bytes
	short, long uint32
	blocks      int // on each SMX
}

var powerKernels = map[string]powerKernel{
	"sgemm": {tile: 128, element: 4, short: 32, long: 96, blocks: 2},
	"dgemm": {tile: 96, element: 8, short: 32, long: 96, blocks: 2},
	"light": {short: 200, long: 800, blocks: 1},
	"triad": {},
}

// profiles caches profiles by configuration, kernel and clock: rows of one board share them.
var profiles struct {
	sync.Mutex
	known map[string]*profiled
}

// profiled is a kernel's profile, or the error of its simulation. The first request computes it.
type profiled struct {
	once    sync.Once
	profile boost.Profile
	flops   float64 // of the profile
	err     error
}

// profileAt is a kernel's profile at a core clock. Each is simulated once in a run of the program.
func profileAt(ctx context.Context, row *Row, kernel string, megahertz int) *profiled {
	overrides := append(append([]string(nil), row.Overrides...), fmt.Sprintf("clocks.core=%d", megahertz))
	key := fmt.Sprint(row.Config, overrides, kernel)
	profiles.Lock()
	if profiles.known == nil {
		profiles.known = map[string]*profiled{}
	}
	p := profiles.known[key]
	if p == nil {
		p = &profiled{}
		profiles.known[key] = p
	}
	profiles.Unlock()
	p.once.Do(func() { p.err = p.simulate(ctx, row.Config, overrides, kernel) })
	return p
}

// simulate runs the kernel twice and takes the difference.
func (p *profiled) simulate(ctx context.Context, name string, overrides []string, kernel string) error {
	config, err := configs.Load(name, overrides)
	if err != nil {
		return fmt.Errorf("the board of a profile: %w", err)
	}
	var both [2]*stats.Launch
	for i := range both {
		b, err := newBench(config, sim.Options{BankMode: memorymode.BankMode(8)})
		if err != nil {
			return err
		}
		if both[i], err = b.powerLaunch(ctx, kernel, i == 1); err != nil {
			return err
		}
	}
	short, long := boost.ProfileOf(both[0], config), boost.ProfileOf(both[1], config)
	p.profile = boost.Profile{Seconds: long.Seconds - short.Seconds, Activity: long.Activity.Since(&short.Activity)}
	a := &p.profile.Activity
	p.flops = float64(a.AddFP32 + a.MulFP32 + a.AddFP64 + a.MulFP64 + 2*(a.FMAFP32+a.FMAFP64))
	return nil
}

// powerLaunch runs a kernel with its short or long depth.
func (b *bench) powerLaunch(ctx context.Context, kernel string, long bool) (*stats.Launch, error) {
	if kernel == "triad" {
		return b.triadLaunch(ctx, long)
	}
	k := powerKernels[kernel]
	depth := k.short
	if long {
		depth = k.long
	}
	module, err := b.loadFile("power")
	if err != nil {
		return nil, err
	}
	grid, block := [3]int{b.config.SMX.Count, k.blocks}, [3]int{256}
	if k.tile == 0 {
		out, err := b.arrays(4 * 256 * b.config.SMX.Count * k.blocks)
		if err != nil {
			return nil, err
		}
		return b.launch(ctx, module, kernel, grid, block, out, depth)
	}
	side := k.tile * b.config.SMX.Count
	arrays, err := b.arrays(k.element*side*int(depth), k.element*side*int(depth), k.element*side*k.tile*k.blocks)
	if err != nil {
		return nil, err
	}
	return b.launch(ctx, module, kernel, grid, block, arrays, uint32(side), depth)
}

// triadLaunch runs STREAM's triad on few or many elements.
func (b *bench) triadLaunch(ctx context.Context, long bool) (*stats.Launch, error) {
	elements := triadShort
	if long {
		elements = triadLong
	}
	module, err := b.loadFile("triad")
	if err != nil {
		return nil, err
	}
	arrays, err := b.arrays(8*elements, 8*elements, 8*elements)
	if err != nil {
		return nil, err
	}
	return b.launch(ctx, module, "triad", [3]int{elements / triadBlock}, [3]int{triadBlock}, arrays)
}

// idlePower is the idle board's power in W at a Temperature, at the clock that its governor then chooses.
func idlePower(_ context.Context, b *bench, row *Row) (float64, error) {
	m, err := boost.NewMeter(b.config, boost.Options{On: true, Temperature: &row.experiment.Temperature})
	if err != nil {
		return 0, err
	}
	m.Idle(1e9, &stats.Activity{}) // a millisecond, in which the temperature hardly changes
	return m.Power().Average(), nil
}

// sustained repeats a Kernel (sgemm, dgemm, light, triad) for Seconds under the board's governor. It returns a Figure of the last quarter:
// clock (MHz, time-weighted), power (W), temperature (C), or rate (GFLOP/s).
func sustained(ctx context.Context, b *bench, row *Row) (float64, error) {
	e := row.experiment
	rate := 0.0
	s, err := boost.Sustain(b.config, boost.Options{On: true}, e.Seconds, func(megahertz int) (boost.Profile, error) {
		p := profileAt(ctx, row, e.Kernel, megahertz)
		rate = p.flops
		return p.profile, p.err
	})
	if err != nil {
		return 0, err
	}
	switch e.Figure {
	case "clock":
		return s.Settled.MHz, nil
	case "power":
		return s.Settled.Average(), nil
	case "temperature":
		return s.Settled.Temperature, nil
	}
	return s.Runs * rate / 1e9, nil
}

// figures are the figures of sustained.
var figures = []string{"clock", "power", "temperature", "rate"}

// clockGain is the speedup of a Kernel at the second of two Clocks over the first, in percent.
func clockGain(ctx context.Context, _ *bench, row *Row) (float64, error) {
	var seconds [2]float64
	for i, clock := range row.experiment.Clocks {
		p := profileAt(ctx, row, row.experiment.Kernel, clock)
		if p.err != nil {
			return 0, p.err
		}
		seconds[i] = p.profile.Seconds
	}
	return 100 * (seconds[0]/seconds[1] - 1), nil
}
