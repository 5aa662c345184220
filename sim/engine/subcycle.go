package engine

// SubCycle is a time in 1/256 of a core cycle. Links and other parts with a fixed byte rate are booked in it.
type SubCycle int64

// SubCycleShift is the number of fractional bits.
const SubCycleShift = 8

// SubCycles returns the time at which a core cycle begins.
func SubCycles(c Cycle) SubCycle { return SubCycle(c) << SubCycleShift }

// Up returns the first core cycle that begins at or after the time.
func (f SubCycle) Up() Cycle { return Cycle((f + 1<<SubCycleShift - 1) >> SubCycleShift) }

// Down returns the core cycle that contains the time.
func (f SubCycle) Down() Cycle { return Cycle(f >> SubCycleShift) }

// Cycles returns a length of time in core cycles.
func (f SubCycle) Cycles() float64 { return float64(f) / (1 << SubCycleShift) }
