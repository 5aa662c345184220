// Package dram models one channel of device memory: its scheduler's sight of waiting requests, its banks with their rows and command times,
// refresh, and the check bits of error correction.
//
// Time is in ticks of the DRAM command clock. The memory system puts requests into a [Channel] and asks it, as early as a precharge and an
// activate need before the data bus comes free, to [Channel.Decide] on the next one; all command times of that request are then known. The
// channel knows nothing of slices, flights or lines beyond the numbers that requests carry, and never looks at a byte of data.
//
// Which request is next is a [Scheduler]'s choice, and whether a row stays open after it a [RowPolicy]'s: each is one file that registers
// itself by name (scheduler_frfcfs.go, scheduler_fcfs.go, rows_open.go, rows_closed.go).
package dram
