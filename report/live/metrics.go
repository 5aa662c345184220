package live

import (
	"bytes"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/keplersim/keplersim/internal/cputime"
	"github.com/keplersim/keplersim/sim/stats"
)

// family is one metric with its values by label.
type family struct {
	name, kind, help string
	values           map[string]float64 // by labels, as in {kernel="saxpy"}; "" for none
}

// label returns labels in the text format (https://prometheus.io/docs/instrumenting/exposition_formats).
func label(namesAndValues ...string) string {
	var parts []string
	for i := 0; i+1 < len(namesAndValues); i += 2 {
		parts = append(parts, namesAndValues[i]+`="`+escapeLabel.Replace(namesAndValues[i+1])+`"`)
	}
	return "{" + strings.Join(parts, ",") + "}"
}

var escapeLabel = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

func (f *family) set(labels string, v float64) { f.values[labels] = v }

func (f *family) add(labels string, v float64) { f.values[labels] += v }

// metrics are the metrics for Prometheus. Counters grow when a launch ends; gauges describe the running launch, or the last one.
type metrics struct {
	all                                           []*family
	info, running, instructionsNow, blocks        *family
	launches, instructions, cycles, seconds, host *family
	stalled, l2, dram                             *family
	occupancy, ipc                                *family
	goroutines, heap, processor, started          *family
}

func newMetrics() *metrics {
	m := &metrics{}
	for _, f := range []struct {
		at               **family
		name, kind, help string
	}{
		{&m.info, "keplersim_run_info", "gauge", "What runs: always 1."},
		{&m.running, "keplersim_running", "gauge", "1 while the run goes on, 0 when it is over."},
		{&m.instructionsNow, "keplersim_launch_warp_instructions", "gauge", "Warp instructions issued by the launch that runs."},
		{&m.blocks, "keplersim_launch_blocks", "gauge", "Blocks of the launch that runs, by state: done, running, waiting."},
		{&m.launches, "keplersim_launches_total", "counter", "Kernel launches that have ended."},
		{&m.instructions, "keplersim_warp_instructions_total", "counter", "Warp instructions of launches that have ended."},
		{&m.cycles, "keplersim_core_cycles_total", "counter", "Simulated core clock cycles of launches that have ended."},
		{&m.seconds, "keplersim_simulated_seconds_total", "counter", "Simulated time of launches that have ended."},
		{&m.host, "keplersim_host_seconds_total", "counter", "Time that the host took to simulate the launches."},
		{&m.stalled, "keplersim_stalled_warp_cycles_total", "counter", "Cycles in which resident warps did not issue, by reason."},
		{&m.l2, "keplersim_l2_bytes_total", "counter", "Bytes to and from L2, by operation: read, write, atomic."},
		{&m.dram, "keplersim_dram_bytes_total", "counter", "Bytes to and from DRAM: read, write."},
		{&m.occupancy, "keplersim_launch_achieved_occupancy_ratio", "gauge", "Achieved occupancy of the kernel's last launch, 0 to 1."},
		{&m.ipc, "keplersim_launch_instructions_per_cycle", "gauge", "Warp instructions per cycle and SMX of the kernel's last launch."},
		{&m.goroutines, "go_goroutines", "gauge", "Goroutines of the simulator."},
		{&m.heap, "go_memstats_heap_alloc_bytes", "gauge", "Bytes of heap that the simulator uses."},
		{&m.processor, "process_cpu_seconds_total", "counter", "Processor time that the simulator has used."},
		{&m.started, "process_start_time_seconds", "gauge", "When the simulator began to serve, in seconds since 1970."},
	} {
		*f.at = &family{f.name, f.kind, f.help, map[string]float64{}}
		m.all = append(m.all, *f.at)
	}
	m.started.set("", float64(time.Now().UnixMilli())/1e3)
	m.running.set("", 0)
	m.instructionsNow.set("", 0)
	return m
}

// launch adds a launch that has ended.
func (m *metrics) launch(l *stats.Launch) {
	kernel := label("kernel", l.DisplayName())
	m.launches.add(kernel, 1)
	m.instructions.add(kernel, float64(l.Total.InstExecuted))
	m.cycles.add(kernel, float64(l.Cycles))
	m.seconds.add(kernel, l.TimeUS/1e6)
	m.host.add(kernel, l.Wall.Seconds())
	for reason := range stats.StallCount {
		if n := l.Total.Stalls[reason]; n > 0 {
			m.stalled.add(label("reason", reason.String()), float64(n))
		}
	}
	memory := &l.Memory
	for _, moved := range []struct {
		at        *family
		operation string
		sectors   uint64
	}{
		{m.l2, "read", memory.L2ReadSectors}, {m.l2, "write", memory.L2WriteSectors}, {m.l2, "atomic", memory.L2AtomicSectors},
		{m.dram, "read", memory.DRAMReadSectors}, {m.dram, "write", memory.DRAMWriteSectors},
	} {
		moved.at.add(label("operation", moved.operation), stats.SectorBytes*float64(moved.sectors))
	}
	m.occupancy.set(kernel, metric(l, "achieved_occupancy"))
	m.ipc.set(kernel, metric(l, "ipc"))
}

// text returns all metrics that have values, in Prometheus's text format.
func (m *metrics) text() []byte {
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	m.goroutines.set("", float64(runtime.NumGoroutine()))
	m.heap.set("", float64(memory.HeapAlloc))
	m.processor.set("", cputime.Used().Seconds())
	var out bytes.Buffer
	for _, f := range m.all {
		if len(f.values) == 0 {
			continue
		}
		fmt.Fprintf(&out, "# HELP %s %s\n# TYPE %s %s\n", f.name, f.help, f.name, f.kind)
		for _, labels := range slices.Sorted(maps.Keys(f.values)) {
			fmt.Fprintf(&out, "%s%s %v\n", f.name, labels, f.values[labels])
		}
	}
	return out.Bytes()
}
