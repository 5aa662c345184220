package boost

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/stats"
)

func load(t *testing.T, name string, overrides ...string) *configs.Config {
	t.Helper()
	c, err := configs.Load(name, overrides)
	require.NoError(t, err)
	return c
}

// A GTX 680's voltages as AnandTech read them: 1.062 V at 1,006 MHz, 1.175 V at 1,110, linear between them.
func TestVoltage(t *testing.T) {
	m := NewModel(load(t, "gtx680"))
	for clock, volts := range map[int]float64{1006: 1.062, 1110: 1.175, 324: 0.987, 1200: 1.175, 100: 0.987, 1058: (1.062 + 1.175) / 2} {
		assert.InDelta(t, volts, m.Volts(clock), 1e-9, "%d MHz", clock)
	}
}

// A billion lanes of an operation take as many millijoules as its picojoules, at the reference voltage. 20 % more volts take 44 % more.
// Energy off the chip does not depend on its voltage.
func TestDynamicEnergy(t *testing.T) {
	flat := []string{"power.reference=1.0", "power.voltage=[{core: 500, volts: 1.0}, {core: 1000, volts: 1.2}]",
		"power.energy.fma_fp64=40", "power.energy.dram=125", "power.energy.shared=400"}
	m := NewModel(load(t, "k40", flat...))
	a := stats.Activity{FMAFP64: 1e9, DRAMBytes: 1e9, SharedPasses: 1e9}
	low, high := m.Dynamic(&a, 500), m.Dynamic(&a, 1000)
	assert.InDelta(t, 0.040, low[stats.PowerFP64], 1e-12)
	assert.InDelta(t, 0.400, low[stats.PowerShared], 1e-12)
	assert.InDelta(t, 0.125, low[stats.PowerDRAM], 1e-12)
	assert.InDelta(t, 0.040*1.44, high[stats.PowerFP64], 1e-12)
	assert.InDelta(t, 0.125, high[stats.PowerDRAM], 1e-12)
	assert.InDelta(t, 0.565, low.Sum(), 1e-12)
}

// Each counter belongs to one component: doubling one changes one.
func TestEveryCounterTakesEnergy(t *testing.T) {
	m := NewModel(load(t, "k40"))
	one := stats.Activity{}
	count := 0
	for i := range 17 {
		a := one
		set := []*uint64{&a.Instructions, &a.AddFP32, &a.MulFP32, &a.FMAFP32, &a.Special, &a.AddFP64, &a.MulFP64, &a.FMAFP64, &a.Integer,
			&a.Other,
			&a.Registers, &a.SharedPasses, &a.L1Accesses, &a.L2Sectors, &a.CrossbarBytes, &a.DRAMBytes, &a.Activates}
		*set[i] = 1e9
		parts := m.Dynamic(&a, 745)
		changed := 0
		for _, j := range parts {
			if j > 0 {
				changed++
			}
		}
		assert.Equal(t, 1, changed, "counter %d", i)
		count++
	}
	assert.Equal(t, 17, count)
}

// Chip and heat sink reach the temperature at which they give off what the board takes. The time constant is that of resistance and
// capacity: after one, 63 % of the difference (leakage held constant).
func TestThermalNode(t *testing.T) {
	c := load(t, "k40", "power.leakage=0", "power.ambient=20", "power.thermal_resistance=0.25", "power.heat_capacity=100")
	m := NewModel(c)
	static := m.Static(745, 20)
	const dynamic = 100.0
	rest := 20 + 0.25*(dynamic+static.Sum())
	assert.InDelta(t, rest, m.Rest(745, dynamic), 1e-3)
	_, after := m.heat(25, dynamic, 745, 20) // 0.25 C/W times 100 J/C
	assert.InDelta(t, 20+(rest-20)*(1-math.Exp(-1)), after, 0.05)
	_, settled := m.heat(500, dynamic, 745, 20)
	assert.InDelta(t, rest, settled, 0.01)
}

func TestLeakageGrowsWithTemperatureAndVoltage(t *testing.T) {
	m := NewModel(load(t, "k40", "power.leakage_growth=0.02", "power.leakage_voltage=3"))
	at := func(clock int, temperature float64) float64 {
		s := m.Static(clock, temperature)
		return s[stats.PowerLeakage]
	}
	assert.InDelta(t, math.Exp(0.02*30), at(745, 80)/at(745, 50), 1e-9)
	assert.InDelta(t, math.Pow(m.Volts(875)/m.Volts(745), 3), at(875, 50)/at(745, 50), 1e-9)
}

func TestLimitsAndTemperatures(t *testing.T) {
	k40 := load(t, "k40")
	for _, watts := range []float64{149.9, 235.1, -1, math.Inf(1)} {
		_, err := NewMeter(k40, Options{On: true, Limit: watts})
		var refused *LimitError
		require.ErrorAs(t, err, &refused)
		assert.Contains(t, err.Error(), "150 to 235 W")
	}
	for _, celsius := range []float64{95, 1000, -21, math.NaN()} {
		_, err := NewMeter(k40, Options{Temperature: &celsius})
		var refused *TemperatureError
		require.ErrorAs(t, err, &refused)
	}
	_, err := NewMeter(load(t, "k40", "boost.governor=application"), Options{On: true, Limit: 150})
	require.NoError(t, err)
}

// A board that becomes too hot fails, after its hardware has halved the clock in vain.
func TestShutdown(t *testing.T) {
	c := load(t, "k40", "power.thermal_resistance=2")
	hot := 80.0
	m, err := NewMeter(c, Options{On: true, Temperature: &hot})
	require.NoError(t, err)
	work := stats.Activity{}
	slowed := false
	for now := engine.Picosecond(0); now < 600e12; now += 1e11 {
		work.FMAFP32 += 1e11
		if err = m.Advance(now, &work); err != nil {
			break
		}
		slowed = slowed || m.Clock() == 324 || m.Clock() <= 745/2
	}
	var off *Shutdown
	require.ErrorAs(t, err, &off)
	assert.True(t, slowed)
	assert.GreaterOrEqual(t, off.Celsius, 95.0)
}

// The governors' decisions: each step is a power and a temperature, and the resulting clock.
func TestGovernors(t *testing.T) {
	type step struct {
		watts, celsius float64
		clock          int
		reasons        stats.ThrottleReason
	}
	const (
		app, power, thermal, hardware = stats.ThrottleApplicationClocks, stats.ThrottlePowerCap, stats.ThrottleThermal,
			stats.ThrottleHardware
	)
	for name, test := range map[string]struct {
		board, set string
		o          Options
		start      int
		steps      []step
	}{
		"fixed": {"k40", "boost.governor=fixed", Options{On: true}, 745, []step{{300, 50, 745, app}, {300, 91, 372, hardware}, {100,
			80, 745, app}}},
		"application": {"k40", "clocks.core=875", Options{On: true}, 875, []step{{230, 50, 875, app}, {236, 50, 810, power}, {236, 50, 745,
			power}, {230, 50, 745, power}, {200, 50, 810, power}, {200, 50, 875, power}, {200, 50, 875, app}}},
		"lower limit": {"k40", "clocks.core=745", Options{On: true, Limit: 160}, 745, []step{{170, 50, 666, power}, {170, 50, 666, power},
			{150, 50, 745, power}}},
		"autoboost": {"k80", "clocks.core=562", Options{On: true}, 875, []step{{100, 50, 875, 0}, {150, 50, 862, power}, {150, 50, 849,
			power}, {146, 50, 849, power}, {140, 50, 862, power}, {140, 86, 849, thermal}}},
		"no autoboost": {"k80", "clocks.core=562", Options{On: true, NoAutoboost: true}, 562, []step{{100, 50, 562, app}}},
		"boost1": {"gtx680", "clocks.core=1006", Options{On: true}, 1110, []step{{100, 50, 1110, 0}, {200, 50, 1097, power}, {200, 50,
			1084, power}, {100, 50, 1097, power}, {100, 75, 1097, thermal}, {100, 60, 1110, power}}},
		"boost1 holds its base": {"gtx680", "clocks.core=1006", Options{On: true, Limit: 130}, 1110, []step{{200, 50, 1097, power}, {200,
			50, 1084, power}, {200, 50, 1071, power}, {200, 50, 1058, power},
			{200, 50, 1045, power}, {200, 50, 1032, power}, {200, 50, 1019, power}, {200, 50, 1006, power}, {200, 50, 1006, power}}},
		"boost2": {"titan", "clocks.core=837", Options{On: true}, 993, []step{{200, 70, 993, 0}, {200, 80, 993, 0}, {200, 81, 941, thermal},
			{200, 81, 889, thermal}, {200, 79, 837, thermal}, {200, 77, 993, 0},
			{200, 81, 941, thermal}, {200, 81, 889, thermal}, {200, 75, 837, thermal}, {200, 70, 837, thermal}}},
		"off": {"k80", "clocks.core=705", Options{}, 705, []step{{500, 50, 705, app}}},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := newControl(load(t, test.board, test.set), &test.o)
			require.NoError(t, err)
			assert.Equal(t, test.start, c.state.Clock)
			for i, s := range test.steps {
				clock, reasons := c.decide(s.watts, s.celsius)
				assert.Equal(t, s.clock, clock, "step %d", i)
				assert.Equal(t, s.reasons.Names(), reasons.Names(), "step %d", i)
			}
		})
	}
}

// Energy, time and cycles of a meter are the sums of its samples, however many of these merge.
func TestSamplesAddUp(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 9))
	m, err := NewMeter(load(t, "k80", "boost.sample=40"), Options{On: true})
	require.NoError(t, err)
	var total stats.Activity
	now := engine.Picosecond(0)
	for range 20000 {
		now += engine.Picosecond(random.IntN(4_000_000))
		if random.IntN(50) == 0 {
			m.Idle(now, &total)
			continue
		}
		total.FMAFP64 += uint64(random.IntN(3_000_000))
		total.Instructions += uint64(random.IntN(100_000))
		require.NoError(t, m.Advance(now, &total))
	}
	p := m.Power()
	var joules, seconds, cycles float64
	last := 0.0
	for i := range p.Samples {
		s := &p.Samples[i]
		require.Equal(t, last, s.Start)
		last = s.End
		joules += s.Total() * (s.End - s.Start) * 1e-6
		seconds += (s.End - s.Start) * 1e-6
		cycles += s.MHz * (s.End - s.Start)
	}
	assert.LessOrEqual(t, len(p.Samples), mostSamples)
	assert.Greater(t, len(p.Samples), mostSamples/4)
	assert.InEpsilon(t, p.Energy(), joules, 1e-9)
	assert.InEpsilon(t, p.Seconds, seconds, 1e-9)
	assert.InEpsilon(t, p.MHz*p.Seconds*1e6, cycles, 1e-9)
	assert.Less(t, p.Lowest, p.Highest)
}

// A repeated kernel settles where its power meets the limit, and its board at the temperature for that power.
func TestSustainSettles(t *testing.T) {
	c := load(t, "k80")
	// A kernel that takes 110 W at 875 MHz and its voltage; its time is inverse to the clock.
	volts := NewModel(c).Volts(875) / c.Power.Reference
	count := uint64(110 * 1e-3 / (c.Power.Energy.FMAFP64 * 1e-12 * volts * volts))
	profile := func(clock int) (Profile, error) {
		return Profile{Seconds: 1e-3 * 875 / float64(clock), Activity: stats.Activity{FMAFP64: count}}, nil
	}
	s, err := Sustain(c, Options{On: true}, 600, profile)
	require.NoError(t, err)
	assert.InDelta(t, c.Boost.PowerLimit, s.Settled.Average(), 0.05*c.Boost.PowerLimit)
	assert.Less(t, s.Settled.MHz, 875.0)
	assert.Greater(t, s.Settled.MHz, 562.0)
	assert.InDelta(t, s.Settled.MHz*1e6/875_000, s.Runs, 0.01*s.Runs)
	want := c.Power.Ambient + c.Power.ThermalResistance*s.Settled.Average()
	assert.InDelta(t, want, s.Power.Temperature, 1)
	assert.Equal(t, 875, s.Clocks[0])
	off, err := Sustain(c, Options{}, 5, profile)
	require.NoError(t, err)
	assert.Equal(t, []int{562}, off.Clocks)
	assert.InDelta(t, 562, off.Power.MHz, 1e-6)
}
