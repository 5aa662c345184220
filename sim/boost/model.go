package boost

import (
	"math"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim/stats"
)

// Parts has joules or watts by component.
type Parts [stats.PowerComponents]float64

// Sum returns the sum of all components.
func (p *Parts) Sum() (sum float64) {
	for _, x := range p {
		sum += x
	}
	return sum
}

// add adds another's parts, times a factor.
func (p *Parts) add(other *Parts, factor float64) {
	for i := range p {
		p[i] += factor * other[i]
	}
}

// Model computes a board's power. Dynamic energy is proportional to the square of the core voltage, the clock tree's also to the clock.
// Leakage grows with a power of the voltage and exponentially with the temperature.
type Model struct {
	config *configs.Config
	memory float64 // watts at rest, at the run's memory clock
}

// NewModel returns the model of a board.
func NewModel(config *configs.Config) *Model {
	highest := config.Clocks.Memory
	for _, p := range config.Clocks.Supported {
		highest = max(highest, p.Memory)
	}
	return &Model{config: config, memory: config.Power.Memory * float64(config.Clocks.Memory) / float64(highest)}
}

// Volts returns the core voltage at a clock: interpolated between points of the table, and constant beyond its ends.
func (m *Model) Volts(megahertz int) float64 {
	points := m.config.Power.Voltage
	last := points[len(points)-1]
	if megahertz >= last.Core {
		return last.Volts
	}
	for i := len(points) - 2; i >= 0; i-- {
		if p := points[i]; megahertz >= p.Core {
			part := float64(megahertz-p.Core) / float64(points[i+1].Core-p.Core)
			return p.Volts + part*(points[i+1].Volts-p.Volts)
		}
	}
	return points[0].Volts
}

// square returns the square of the voltage at a clock, relative to the reference.
func (m *Model) square(megahertz int) float64 {
	v := m.Volts(megahertz) / m.config.Power.Reference
	return v * v
}

// Dynamic returns the energy of an activity at a clock, in joules.
func (m *Model) Dynamic(a *stats.Activity, megahertz int) (joules Parts) {
	e, square := &m.config.Power.Energy, m.square(megahertz)
	core := func(part stats.PowerComponent, counts ...float64) {
		for i := 0; i < len(counts); i += 2 {
			joules[part] += counts[i] * counts[i+1] * square * 1e-12
		}
	}
	core(stats.PowerInstructions, float64(a.Instructions), e.Instruction)
	core(stats.PowerFP32, float64(a.AddFP32), e.AddFP32, float64(a.MulFP32), e.MulFP32, float64(a.FMAFP32), e.FMAFP32, float64(a.Special),
		e.SpecialFP32)
	core(stats.PowerFP64, float64(a.AddFP64), e.AddFP64, float64(a.MulFP64), e.MulFP64, float64(a.FMAFP64), e.FMAFP64)
	core(stats.PowerInteger, float64(a.Integer), e.Integer, float64(a.Other), e.Other)
	core(stats.PowerRegisters, float64(a.Registers), e.Register)
	core(stats.PowerShared, float64(a.SharedPasses), e.Shared)
	core(stats.PowerL1, float64(a.L1Accesses), e.L1)
	core(stats.PowerL2, float64(a.L2Sectors), e.L2)
	core(stats.PowerCrossbar, float64(a.CrossbarBytes), e.Crossbar)
	joules[stats.PowerDRAM] = (float64(a.DRAMBytes)*e.DRAM + float64(a.Activates)*e.Activate) * 1e-12
	return joules
}

// Static returns the other power of the board at a clock and a temperature, in watts.
func (m *Model) Static(megahertz int, temperature float64) (watts Parts) {
	p := &m.config.Power
	watts[stats.PowerBoard], watts[stats.PowerMemory] = p.Board, m.memory
	watts[stats.PowerClockTree] = p.ClockTree * float64(megahertz) / float64(m.config.Clocks.Base) * m.square(megahertz)
	watts[stats.PowerLeakage] = p.Leakage * math.Pow(m.Volts(megahertz)/p.Reference,
		p.LeakageVoltage) * math.Exp(p.LeakageGrowth*(temperature-p.LeakageAt))
	return watts
}

// Rest returns the temperature at which a board settles with some dynamic watts, at a clock. Leakage adds to them.
func (m *Model) Rest(megahertz int, dynamic float64) float64 {
	temperature := m.config.Power.Ambient
	for range 200 { // leakage grows slowly: this converges, or runs away beyond any board's shutdown
		static := m.Static(megahertz, temperature)
		next := m.config.Power.Ambient + m.config.Power.ThermalResistance*(dynamic+static.Sum())
		if math.Abs(next-temperature) < 1e-6 || next > 1000 {
			return next
		}
		temperature = next
	}
	return temperature
}

// heat simulates chip and heat sink for a time at constant dynamic power. It returns the joules that do not depend on activity, and the
// final temperature.
func (m *Model) heat(seconds, dynamic float64, megahertz int, temperature float64) (joules Parts, after float64) {
	const longest = 10e-3 // a step: far shorter than a heat sink's warming
	p := &m.config.Power
	for seconds > 0 {
		step := min(seconds, longest)
		static := m.Static(megahertz, temperature)
		joules.add(&static, step)
		temperature += step * (dynamic + static.Sum() - (temperature-p.Ambient)/p.ThermalResistance) / p.HeatCapacity
		seconds -= step
	}
	return joules, temperature
}
