package configs

import "fmt"

// Boost is how the board's clocks follow its power and temperature. See sim/boost.
type Boost struct {
	// Governor chooses the core clock between epochs.
	Governor string `yaml:"governor" check:"policy=clock governor"`
	// Sample is the time between the governor's decisions, which use the mean power since the last.
	Sample float64 `yaml:"sample" unit:"us" check:"min=1,max=10000000"`
	// PowerLimit is the power above which the governor slows the board, or one of two GPUs.
	PowerLimit float64 `yaml:"power_limit" unit:"W" check:"min=1,max=1000"`
	// PowerLimitMin is the lowest power limit that can be set.
	PowerLimitMin float64 `yaml:"power_limit_min" unit:"W" check:"min=1,max=1000"`
	// PowerLimitMax is the highest power limit.
	PowerLimitMax float64 `yaml:"power_limit_max" unit:"W" check:"min=1,max=1000"`
	// Margin is the part of the limit that must be free before the clock rises.
	Margin float64 `yaml:"margin" unit:"part" check:"min=0,max=0.5"`
	// Target is the temperature that the governor holds by slower clocks.
	Target float64 `yaml:"target" unit:"C" check:"min=20,max=120"`
	// Slowdown is the temperature at which the hardware halves the clock.
	Slowdown float64 `yaml:"slowdown" unit:"C" check:"min=20,max=120"`
	// Shutdown is the temperature at which the board switches itself off.
	Shutdown float64 `yaml:"shutdown" unit:"C" check:"min=20,max=120"`
}

// Power is a board's power at rest, and the energy of each event.
type Power struct {
	// Voltage is the core voltage by core clock, linear in between; the lowest clock first.
	Voltage []VoltagePoint `yaml:"voltage"`
	// Reference is the voltage at which energies, leakage and clock tree are stated. Energies scale with its square.
	Reference float64 `yaml:"reference" unit:"V" check:"min=0.3,max=2"`
	// Board is the power of fans, regulators and the link, always.
	Board float64 `yaml:"board" unit:"W" check:"min=0,max=200"`
	// Memory is the power of the idle memory at its highest clock; it scales with the clock.
	Memory float64 `yaml:"memory" unit:"W" check:"min=0,max=200"`
	// ClockTree is the clock's power at the base clock.
	ClockTree float64 `yaml:"clock_tree" unit:"W" check:"min=0,max=300"`
	// Leakage is the leakage at the reference voltage and leakage_at.
	Leakage float64 `yaml:"leakage" unit:"W" check:"min=0,max=300"`
	// LeakageAt is the temperature that leakage is stated for.
	LeakageAt float64 `yaml:"leakage_at" unit:"C" check:"min=0,max=120"`
	// LeakageGrowth is its growth with each degree, as an exponent.
	LeakageGrowth float64 `yaml:"leakage_growth" unit:"per C" check:"min=0,max=0.1"`
	// LeakageVoltage is the power of the voltage that it scales with.
	LeakageVoltage float64 `yaml:"leakage_voltage" unit:"exponent" check:"min=1,max=6"`
	// Energy is what each event takes.
	Energy Energy `yaml:"energy"`
	// Ambient is the temperature of the cooling air.
	Ambient float64 `yaml:"ambient" unit:"C" check:"min=0,max=60"`
	// ThermalResistance is how much warmer than the air the chip is, for each watt.
	ThermalResistance float64 `yaml:"thermal_resistance" unit:"C/W" check:"min=0.01,max=10"`
	// HeatCapacity is the heat that warms chip and heat sink by a degree.
	HeatCapacity float64 `yaml:"heat_capacity" unit:"J/C" check:"min=1,max=10000"`
}

// VoltagePoint is the voltage at a clock.
type VoltagePoint struct {
	// Core is the core clock.
	Core int `yaml:"core" unit:"MHz" check:"min=1,max=5000"`
	// Volts is the voltage at that clock.
	Volts float64 `yaml:"volts" unit:"V" check:"min=0.3,max=2"`
}

// Energy is what events take at the reference voltage, in picojoules.
type Energy struct {
	// Instruction is a warp instruction's fetch, decoding, choice and issue, replays counted.
	Instruction float64 `yaml:"instruction" unit:"pJ per warp instruction" check:"min=0,max=100000"`
	// AddFP32 is an f32 addition.
	AddFP32 float64 `yaml:"add_fp32" unit:"pJ per lane" check:"min=0,max=10000"`
	// MulFP32 is an f32 multiplication.
	MulFP32 float64 `yaml:"mul_fp32" unit:"pJ per lane" check:"min=0,max=10000"`
	// FMAFP32 is an f32 multiply-add.
	FMAFP32 float64 `yaml:"fma_fp32" unit:"pJ per lane" check:"min=0,max=10000"`
	// SpecialFP32 is a reciprocal, sine or the like.
	SpecialFP32 float64 `yaml:"special_fp32" unit:"pJ per lane" check:"min=0,max=10000"`
	// AddFP64 is an f64 addition.
	AddFP64 float64 `yaml:"add_fp64" unit:"pJ per lane" check:"min=0,max=10000"`
	// MulFP64 is an f64 multiplication.
	MulFP64 float64 `yaml:"mul_fp64" unit:"pJ per lane" check:"min=0,max=10000"`
	// FMAFP64 is an f64 multiply-add.
	FMAFP64 float64 `yaml:"fma_fp64" unit:"pJ per lane" check:"min=0,max=10000"`
	// Integer is an integer operation: arithmetic, comparison, shift, logic, conversion.
	Integer float64 `yaml:"integer" unit:"pJ per lane" check:"min=0,max=10000"`
	// Other is any other operation: moves, branches, shuffles, addresses.
	Other float64 `yaml:"other" unit:"pJ per lane" check:"min=0,max=10000"`
	// Register is a lane's access to a 32-bit register.
	Register float64 `yaml:"register" unit:"pJ per access" check:"min=0,max=1000"`
	// Shared is a pass over the banks of shared memory.
	Shared float64 `yaml:"shared" unit:"pJ per pass" check:"min=0,max=100000"`
	// L1 is a lookup in L1 or the read-only or texture cache.
	L1 float64 `yaml:"l1" unit:"pJ per access" check:"min=0,max=100000"`
	// L2 is a sector read or written in L2.
	L2 float64 `yaml:"l2" unit:"pJ per sector" check:"min=0,max=100000"`
	// Crossbar is a byte moved between an SMX and L2.
	Crossbar float64 `yaml:"crossbar" unit:"pJ per byte" check:"min=0,max=10000"`
	// DRAM is a byte read or written in DRAM, check bits counted. It does not scale with the core's voltage.
	DRAM float64 `yaml:"dram" unit:"pJ per byte" check:"min=0,max=10000"`
	// Activate is the opening of a row in DRAM.
	Activate float64 `yaml:"activate" unit:"pJ per row" check:"min=0,max=1000000"`
}

// checkPower reports limits that are out of order.
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
