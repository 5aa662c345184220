package stats

// CycleCount is one of the three counts of a launch's core clock cycles. Every report, table and verdict that names one means this number.
type CycleCount struct {
	// Name is its name in formats for programs, Title in texts.
	Name, Title string
	Meaning     string
	Of          func(*Launch) uint64
}

// CycleCounts has the counts; each is part of the next.
var CycleCounts = [...]CycleCount{
	{"kernel_cycles", "kernel cycles",
		"From the start of the kernel's first block to the end of its last: the kernel alone. Watch and recordings show these.",
		func(l *Launch) uint64 { return l.KernelCycles }},
	{"launch_cycles", "launch cycles",
		"Kernel cycles plus the device's cycles to start and complete a grid (launch.device_cycles, launch.drain_cycles). The " +
			"launch's time is launch cycles over the core clock.",
		func(l *Launch) uint64 { return l.LaunchCycles }},
	{"elapsed_cycles", "elapsed cycles",
		"Launch cycles plus those that the profiler adds (launch.counter_cycles): nvprof's elapsed_cycles_sm of one SMX. " +
			"Reports, tables and studies for programs also call them `cycles`.",
		func(l *Launch) uint64 { return l.Cycles }},
}

// FindCycleCount returns the count with a name; cycles is elapsed_cycles.
func FindCycleCount(name string) (CycleCount, bool) {
	for _, c := range CycleCounts {
		if c.Name == name || c.Name == "elapsed_cycles" && name == "cycles" {
			return c, true
		}
	}
	return CycleCount{}, false
}
