package stats

// CycleCount is one of the three counts of a launch's core clock cycles. Every report, table and verdict that names one means this number.
type CycleCount struct {
	// Name is what formats for programs call it, Title what texts do.
	Name, Title string
	Meaning     string
	Of          func(*Launch) uint64
}

// CycleCounts are the counts, each part of the next.
var CycleCounts = [...]CycleCount{
	{"kernel_cycles", "kernel cycles",
		"From the start of the kernel's first block to the end of its last: what the kernel itself takes, and what Watch and " +
			"recordings show.",
		func(l *Launch) uint64 { return l.KernelCycles }},
	{"launch_cycles", "launch cycles",
		"Kernel cycles and what the device takes to start and to complete a grid (launch.device_cycles, launch.drain_cycles): the " +
			"launch's time is these over the core clock.",
		func(l *Launch) uint64 { return l.LaunchCycles }},
	{"elapsed_cycles", "elapsed cycles",
		"What nvprof shows as elapsed_cycles_sm of one SMX: launch cycles and those that the profiler adds (launch.counter_cycles). " +
			"Reports, tables and studies for programs call them `cycles`, too.",
		func(l *Launch) uint64 { return l.Cycles }},
}

// FindCycleCount returns the count of that name; cycles is elapsed_cycles.
func FindCycleCount(name string) (CycleCount, bool) {
	for _, c := range CycleCounts {
		if c.Name == name || c.Name == "elapsed_cycles" && name == "cycles" {
			return c, true
		}
	}
	return CycleCount{}, false
}
