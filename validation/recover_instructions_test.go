package validation

import (
	"context"
	"fmt"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/sim"
)

// A loop of straight code walks instructions: one warp, independent FFMAs. A size of code means the operations that fill it except
// codeSlack bytes. These hold the loop's own operations and the ends of lines shared with surrounding code.
const (
	codeStep  = 512 // bytes between two sizes that the search distinguishes
	codeSlack = 256 // bytes
	mostCode  = 64 << 10
	// slowCode is the least slowdown of operations if some are fetched from the next level.
	slowCode = 1.03
)

// operationTime is the time of an operation in a loop with this many bytes of code, in cycles.
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
	return b.step(ctx, k, span{long: count, fewIterations: 2, moreIterations: 5, grid: 1, block: 32})
}

// recoverInstructions finds the capacity of a level of the instruction cache: the longest loop whose operations are as fast as those of a
// loop of base bytes, which fits this level.
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
