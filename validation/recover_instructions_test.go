package validation

import (
	"context"
	"fmt"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/sim"
)

// Instructions are walked by a loop of straight code: one warp, independent FFMAs. A size of code stands for the operations that fill it
// but for codeSlack bytes, which hold the loop's own operations and the ends of the lines that it shares with what is around it.
const (
	codeStep  = 512 // bytes between two sizes that are told apart
	codeSlack = 256 // bytes
	mostCode  = 64 << 10
	// slowCode is how many times longer operations take, at least, where some of them are fetched from the next level.
	slowCode = 1.03
)

// operationTime returns the cycles of an operation in a loop of so many bytes of code.
func operationTime(ctx context.Context, config *configs.Config, bytes int) (float64, error) {
	b, err := newBench(config, sim.Options{})
	if err != nil {
		return 0, err
	}
	cache := &config.InstructionCache
	// Each group of operations has a control word of the same size.
	count := (bytes - codeSlack) / cache.InstructionBytes * cache.ControlGroup / (cache.ControlGroup + 1)
	k := &loopKernel{target: b.target(), register: "f32", body: "fma.rn.f32 {a}, {a}, {b}, {c};", ways: 1}
	k.machine = func(steps int) rewrite {
		return func(mp *isa.MachineProgram) error { return repeatFMA(mp, steps, bankedSources[1], []int{1}) }
	}
	// The first iterations fill the caches.
	return b.step(ctx, k, span{long: count, few: 2, more: 5, grid: 1, block: 32})
}

// recoverInstructions finds the capacity of a level of the instruction cache: the longest loop whose operations take no longer than those
// of a loop of base bytes, which lies in that level alone.
func recoverInstructions(ctx context.Context, config *configs.Config, base int) (Geometry, error) {
	hit, err := operationTime(ctx, config, base)
	if err != nil {
		return Geometry{}, err
	}
	most := int64(base)
	for most < mostCode {
		most *= 2
	}
	fits, found, err := largest(int64(base), codeStep, most, func(bytes int64) (bool, error) {
		t, err := operationTime(ctx, config, int(bytes))
		return t > slowCode*hit, err
	})
	if err == nil && !found {
		err = fmt.Errorf("no loop of up to %d bytes of code is slower", most)
	}
	return Geometry{Capacity: fits}, err
}
