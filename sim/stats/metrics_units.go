package stats

import (
	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/isa"
)

// PipelineCycles returns how long pipelines were busy, in core cycles summed over SMXs. Result rates has the time by the first class that
// shares a rate, units by execution unit, with all its lanes at once.
func (l *Launch) PipelineCycles() (rates [isa.ClassCount]float64, units [configs.ExecutionUnits]float64) {
	for class, n := range l.Total.ByClass {
		rate := &l.Chip.Classes[class]
		if n == 0 || rate.ResultsPerClock == 0 || l.Chip.Units[rate.Unit] == 0 {
			continue
		}
		rates[rate.Shares] += WarpSize * float64(n) / float64(rate.ResultsPerClock)
		units[rate.Unit] += WarpSize * float64(n) / float64(l.Chip.Units[rate.Unit])
	}
	return rates, units
}

// unitMetrics returns nvprof's utilization levels of function units. A unit with operations of several rates is at its peak when any of
// them is.
func unitMetrics() []Definition {
	unit := func(name, what string, further func(*Launch) float64, list ...configs.ExecutionUnit) Definition {
		return Definition{Name: name, Kind: Metric, Unit: Level, Meaning: "Utilization of " + what +
			": 0 idle, 10 at the peak rate.", Value: func(l *Launch) float64 {
			return level(perSMX(l, max(further(l), mostTaken(l, list))))
		}}
	}
	return timed(
		unit("alu_fu_utilization", "the busiest integer or floating-point unit", none,
			configs.UnitCore, configs.UnitFP64, configs.UnitSFU),
		unit("cf_fu_utilization", "the control-flow units", none, configs.UnitBranch),
		unit("ldst_fu_utilization", "the load/store unit for global, local, shared and constant memory and shuffles",
			loadStoreTaken, configs.UnitLoadStore),
		unit("l1_shared_utilization", "L1 and shared memory for passes over the banks and line lookups", func(l *Launch) float64 {
			t := &l.Total
			return float64(t.SharedLoad.Transactions + t.SharedStore.Transactions + t.SharedAtomics.Transactions + t.L1Local.Accesses +
				t.L1Global.Accesses)
		}),
	)
}

// loadStoreTaken returns how long the load/store unit's queue was booked, in cycles summed over SMXs.
func loadStoreTaken(l *Launch) (sum float64) {
	for _, cycles := range l.Total.LoadStoreCycles {
		sum += cycles
	}
	return sum
}

// mostTaken returns how long the busiest rate or unit among some was busy, in cycles summed over SMXs.
func mostTaken(l *Launch, list []configs.ExecutionUnit) (most float64) {
	rates, units := l.PipelineCycles()
	for _, unit := range list {
		most = max(most, units[unit])
		for class, cycles := range rates {
			if l.Chip.Classes[class].Unit == unit {
				most = max(most, cycles)
			}
		}
	}
	return most
}

// perSMX returns cycles summed over SMXs as a fraction of the launch's time.
func perSMX(l *Launch, cycles float64) float64 {
	return ratio(cycles, float64(l.Chip.SMXs)*l.TimeUS*float64(l.Chip.CoreMHz))
}
