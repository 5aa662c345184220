package engine

// SubCycle is a time in 1/256 of a core cycle, in which whatever moves bytes at a fixed rate is reserved.
type SubCycle int64

// SubCycleShift is the number of bits behind the cycle.
const SubCycleShift = 8

// SubCycles returns the time at which a core cycle begins.
func SubCycles(c Cycle) SubCycle { return SubCycle(c) << SubCycleShift }

// Up returns the first core cycle that begins at or after the time.
func (f SubCycle) Up() Cycle { return Cycle((f + 1<<SubCycleShift - 1) >> SubCycleShift) }

// Down returns the core cycle that the time lies in.
func (f SubCycle) Down() Cycle { return Cycle(f >> SubCycleShift) }

// Cycles returns a length of time in core cycles.
func (f SubCycle) Cycles() float64 { return float64(f) / (1 << SubCycleShift) }
