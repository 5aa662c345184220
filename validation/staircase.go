package validation

import (
	"context"
	"fmt"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim"
)

// Step is the latency at one footprint.
type Step struct {
	Footprint int64   // bytes walked
	Stride    int64   // bytes between two loads
	Cycles    float64 // cycles a load
}

// Plateau is a published latency for footprints up to Reach bytes.
type Plateau struct {
	Reach  int64
	Cycles float64
}

// Plateaus are K80's (Jia et al. 2018, axis of figure 3.12). The last one is for all larger footprints.
var Plateaus = []Plateau{{2 << 20, 160}, {128 << 20, 230}, {2 << 30, 340}, {8 << 30, 500}}

// Staircase measures the latency of dependent loads past L1, for growing footprints of a board's memory. It makes one load in each page of
// the first TLB level, or in each 2 MiB if these loads would exceed L2.
func Staircase(ctx context.Context, config *configs.Config, o Options) ([]Step, error) {
	const page, farPage = 128 << 10, 2 << 20
	var steps []Step
	for footprint := int64(512 << 10); footprint <= 4<<30 && footprint < int64(config.DRAM.Bytes)/2; footprint *= 2 {
		for _, part := range []int64{2, 3} { // also halfway between two powers of two
			size, stride := footprint*part/2, int64(page)
			if size > 64<<20 {
				stride = farPage
			}
			steps = append(steps, Step{Footprint: size / stride * stride, Stride: stride})
		}
	}
	for i := range steps {
		b, err := newBench(config, sim.Options{})
		if err != nil {
			return nil, err
		}
		if steps[i].Cycles, err = chaseGlobal(ctx, b, steps[i].Footprint, steps[i].Stride, "cg"); err != nil {
			return nil, fmt.Errorf("chase through %d KiB: %w", steps[i].Footprint>>10, err)
		}
		if o.Progress != nil {
			o.Progress(Progress{Done: i + 1, Total: len(steps), Row: fmt.Sprintf("chase through %d KiB", steps[i].Footprint>>10)})
		}
	}
	return steps, nil
}
