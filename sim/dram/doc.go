// Package dram models one channel of device memory: its scheduler, its banks with their rows and command times, refresh, and the check bits
// of error correction.
//
// Time is in ticks of the DRAM command clock. The memory system adds requests to a [Channel]. As early as a precharge and an activate need
// before the data bus is free, it calls [Channel.Decide] for the next one, whose command times are then all known. The channel never looks
// at data, and knows slices, flights and lines only as numbers in requests.
//
// A [Scheduler] chooses the next request, and a [RowPolicy] whether a row stays open after it. Each is one file that registers itself by
// name (scheduler_frfcfs.go, scheduler_fcfs.go, rows_open.go, rows_closed.go).
package dram
