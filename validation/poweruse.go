package validation

import (
	"context"

	"github.com/keplersim/keplersim/sim/boost"
	"github.com/keplersim/keplersim/sim/stats"
)

// utilisation is the utilisation of a GK110's units from 0 to 1, as in profilers.
type utilisation struct {
	Add32   float64 `yaml:"add32"`
	Mul32   float64 `yaml:"mul32"`
	FMA32   float64 `yaml:"fma32"`
	Integer float64 `yaml:"integer"`
	Add64   float64 `yaml:"add64"`
	Mul64   float64 `yaml:"mul64"`
	FMA64   float64 `yaml:"fma64"`
	Special float64 `yaml:"special"`
	Control float64 `yaml:"control"` // the peak is a warp instruction a cycle
	Shared  float64 `yaml:"shared"`  // the peak is a pass over the banks a cycle
	L2      float64 `yaml:"l2"`      // the peak is 512 bytes a cycle for the whole chip
	DRAM    float64 `yaml:"dram"`    // the peak is the board's bandwidth
}

// activity is the activity of the SMXs and the memory in a second at a clock, in Hz.
func (u *utilisation) activity(smxs int, clock, bandwidth float64) stats.Activity {
	const warp, cores, doubles, specials = 32, 192, 64, 32
	cycles := float64(smxs) * clock
	one, fused := (u.Add32+u.Mul32+u.Integer)*cores, u.FMA32*cores
	one64, fused64 := (u.Add64+u.Mul64)*doubles, u.FMA64*doubles
	lanes := one + fused + one64 + fused64 + u.Special*specials + (u.Control+u.Shared)*warp
	words := 3*one + 4*fused + 6*one64 + 8*fused64 + 2*(u.Special*specials+u.Shared*warp)
	l2, dram := u.L2*512*clock, u.DRAM*bandwidth
	count := func(x float64) uint64 { return uint64(x * cycles) }
	return stats.Activity{
		Instructions: count(lanes / warp), Registers: count(words),
		AddFP32: count(u.Add32 * cores), MulFP32: count(u.Mul32 * cores), FMAFP32: count(fused), Integer: count(u.Integer * cores),
		AddFP64: count(u.Add64 * doubles), MulFP64: count(u.Mul64 * doubles), FMAFP64: count(fused64), Special: count(u.Special * specials),
		Other: count((u.Control + u.Shared) * warp), SharedPasses: count(u.Shared),
		L2Sectors: uint64(l2 / stats.SectorBytes), CrossbarBytes: uint64(l2 * 1.25), // a header of 8 bytes a sector
		DRAMBytes: uint64(dram),
	}
}

// powerOfUse is a board's power in W after its units have been used like this for Seconds. It simulates nothing: it tests the coefficients.
func powerOfUse(_ context.Context, b *bench, row *Row) (float64, error) {
	c := b.config
	bandwidth := float64(c.Clocks.Memory) * 1e6 * float64(c.DRAM.TransfersPerClock*c.DRAM.Channels*c.DRAM.ChannelBits) / 8
	s, err := boost.Sustain(c, boost.Options{On: true}, row.experiment.Seconds, func(megahertz int) (boost.Profile, error) {
		return boost.Profile{Seconds: 1, Activity: row.experiment.Use.activity(c.SMX.Count, float64(megahertz)*1e6, bandwidth)}, nil
	})
	if err != nil {
		return 0, err
	}
	return s.Settled.Average(), nil
}
