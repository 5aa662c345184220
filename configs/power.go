package configs

import "fmt"

// Boost is how the board's clocks follow its power and its temperature; see sim/boost.
type Boost struct {
	// Governor chooses the core clock between epochs.
	Governor string `yaml:"governor" check:"policy=clock governor"`
	// Sample is the time between two of its decisions, which see the mean power since the last one.
	Sample float64 `yaml:"sample" unit:"us" check:"min=1,max=10000000"`
	// PowerLimit is the power above which it slows the board down. Of a board with two GPUs it is one GPU's.
	PowerLimit float64 `yaml:"power_limit" unit:"W" check:"min=1,max=1000"`
	// PowerLimitMin is the lowest limit that the board can be set to.
	PowerLimitMin float64 `yaml:"power_limit_min" unit:"W" check:"min=1,max=1000"`
	// PowerLimitMax is the highest.
	PowerLimitMax float64 `yaml:"power_limit_max" unit:"W" check:"min=1,max=1000"`
	// Margin is the part of the limit that must be left before the clock is raised.
	Margin float64 `yaml:"margin" unit:"part" check:"min=0,max=0.5"`
	// Target is the temperature that the governor holds by slower clocks, where it does.
	Target float64 `yaml:"target" unit:"C" check:"min=20,max=120"`
	// Slowdown is the temperature from which on the hardware halves the clock.
	Slowdown float64 `yaml:"slowdown" unit:"C" check:"min=20,max=120"`
	// Shutdown is the temperature at which the board switches itself off.
	Shutdown float64 `yaml:"shutdown" unit:"C" check:"min=20,max=120"`
}

// Power is the model of a board's power: what it takes at rest, and what each thing that happens takes.
type Power struct {
	// Voltage is the core voltage by core clock, linear in between; the lowest clock first.
	Voltage []VoltagePoint `yaml:"voltage"`
	// Reference is the voltage at which the energies, the leakage and the clock tree are stated. Energies go with its square.
	Reference float64 `yaml:"reference" unit:"V" check:"min=0.3,max=2"`
	// Board is what fans, regulators and the link take, always.
	Board float64 `yaml:"board" unit:"W" check:"min=0,max=200"`
	// Memory is what the memory and its controllers take at the highest memory clock, without any access; it goes with the clock.
	Memory float64 `yaml:"memory" unit:"W" check:"min=0,max=200"`
	// ClockTree is what the clock takes at the base clock and the reference voltage while all SMXs have warps.
	ClockTree float64 `yaml:"clock_tree" unit:"W" check:"min=0,max=300"`
	// ClockIdle is the part of it that is left where no SMX has any.
	ClockIdle float64 `yaml:"clock_idle" unit:"part" check:"min=0,max=1"`
	// Leakage is what leaks at the reference voltage and LeakageAt.
	Leakage float64 `yaml:"leakage" unit:"W" check:"min=0,max=300"`
	// LeakageAt is the temperature that Leakage is stated for.
	LeakageAt float64 `yaml:"leakage_at" unit:"C" check:"min=0,max=120"`
	// LeakageGrowth is by how much it grows with each degree, as an exponent.
	LeakageGrowth float64 `yaml:"leakage_growth" unit:"per C" check:"min=0,max=0.1"`
	// LeakageVoltage is the power of the voltage that it goes with.
	LeakageVoltage float64 `yaml:"leakage_voltage" unit:"exponent" check:"min=1,max=6"`
	// Energy is what each event takes.
	Energy Energy `yaml:"energy"`
	// Ambient is the temperature of the air that cools the board.
	Ambient float64 `yaml:"ambient" unit:"C" check:"min=0,max=60"`
	// ThermalResistance is by how much the chip is warmer than the air for each watt.
	ThermalResistance float64 `yaml:"thermal_resistance" unit:"C/W" check:"min=0.01,max=10"`
	// HeatCapacity is what warms chip and heat sink by a degree.
	HeatCapacity float64 `yaml:"heat_capacity" unit:"J/C" check:"min=1,max=10000"`
}

// VoltagePoint is the voltage at a clock.
type VoltagePoint struct {
	// Core is the core clock.
	Core int `yaml:"core" unit:"MHz" check:"min=1,max=5000"`
	// Volts is the voltage there.
	Volts float64 `yaml:"volts" unit:"V" check:"min=0.3,max=2"`
}

// Energy is what events take at the reference voltage, in picojoules.
type Energy struct {
	// Instruction is one warp instruction's fetch, decoding, choice and way through the SMX, replays counted.
	Instruction float64 `yaml:"instruction" unit:"pJ per warp instruction" check:"min=0,max=100000"`
	// AddFP32 is an addition in f32.
	AddFP32 float64 `yaml:"add_fp32" unit:"pJ per lane" check:"min=0,max=10000"`
	// MulFP32 is a multiplication in f32.
	MulFP32 float64 `yaml:"mul_fp32" unit:"pJ per lane" check:"min=0,max=10000"`
	// FMAFP32 is a multiply-add in f32.
	FMAFP32 float64 `yaml:"fma_fp32" unit:"pJ per lane" check:"min=0,max=10000"`
	// SpecialFP32 is a reciprocal, sine or the like.
	SpecialFP32 float64 `yaml:"special_fp32" unit:"pJ per lane" check:"min=0,max=10000"`
	// AddFP64 is an addition in f64.
	AddFP64 float64 `yaml:"add_fp64" unit:"pJ per lane" check:"min=0,max=10000"`
	// MulFP64 is a multiplication in f64.
	MulFP64 float64 `yaml:"mul_fp64" unit:"pJ per lane" check:"min=0,max=10000"`
	// FMAFP64 is a multiply-add in f64.
	FMAFP64 float64 `yaml:"fma_fp64" unit:"pJ per lane" check:"min=0,max=10000"`
	// Integer is an integer operation: arithmetic, comparison, shift, logic, conversion.
	Integer float64 `yaml:"integer" unit:"pJ per lane" check:"min=0,max=10000"`
	// Other is any other operation: moves, branches, shuffles, the addresses of accesses.
	Other float64 `yaml:"other" unit:"pJ per lane" check:"min=0,max=10000"`
	// Register is an access of one lane to a 32-bit register.
	Register float64 `yaml:"register" unit:"pJ per access" check:"min=0,max=1000"`
	// Shared is a pass over the banks of shared memory.
	Shared float64 `yaml:"shared" unit:"pJ per pass" check:"min=0,max=100000"`
	// L1 is a line looked up in L1, or in the read-only or texture cache.
	L1 float64 `yaml:"l1" unit:"pJ per access" check:"min=0,max=100000"`
	// L2 is a sector read or written in L2.
	L2 float64 `yaml:"l2" unit:"pJ per sector" check:"min=0,max=100000"`
	// Crossbar is a byte's way between an SMX and L2.
	Crossbar float64 `yaml:"crossbar" unit:"pJ per byte" check:"min=0,max=10000"`
	// DRAM is a byte read or written in device memory, check bits counted. It does not go with the core's voltage.
	DRAM float64 `yaml:"dram" unit:"pJ per byte" check:"min=0,max=10000"`
	// Activate is the opening of a row there.
	Activate float64 `yaml:"activate" unit:"pJ per row" check:"min=0,max=1000000"`
}

// checkPower finds limits out of order.
func (d *decoder) checkPower(c *Config) {
	b := &c.Boost
	d.require(b.PowerLimitMin <= b.PowerLimit, "boost.power_limit", "%s is less than boost.power_limit_min, %s", plain(b.PowerLimit),
		plain(b.PowerLimitMin))
	d.require(b.PowerLimit <= b.PowerLimitMax, "boost.power_limit", "%s is more than boost.power_limit_max, %s", plain(b.PowerLimit),
		plain(b.PowerLimitMax))
	d.require(b.Target <= b.Slowdown, "boost.target", "%s is more than boost.slowdown, %s", plain(b.Target), plain(b.Slowdown))
	d.require(b.Slowdown < b.Shutdown, "boost.slowdown", "%s is not less than boost.shutdown, %s", plain(b.Slowdown), plain(b.Shutdown))
	for i, p := range c.Power.Voltage[1:] {
		last := c.Power.Voltage[i]
		d.require(p.Core > last.Core && p.Volts >= last.Volts, fmt.Sprintf("power.voltage[%d].core", i+1),
			"%d MHz at %s V do not follow %d MHz at %s V: clocks rise, and voltages do not fall",
			p.Core, plain(p.Volts), last.Core, plain(last.Volts))
	}
}
