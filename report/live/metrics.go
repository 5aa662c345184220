package live

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/keplersim/keplersim/sim/stats"
)

// metrics are what Prometheus reads. Counters grow when a launch ends; gauges tell of the launch under way, or of the last.
type metrics struct {
	info            *prometheus.GaugeVec
	running         prometheus.Gauge
	instructionsNow prometheus.Gauge
	blocks          *prometheus.GaugeVec

	launches, instructions, cycles, seconds, host *prometheus.CounterVec
	stalled, l2, dram                             *prometheus.CounterVec
	occupancy, ipc                                *prometheus.GaugeVec
}

// newMetrics makes the metrics and registers them, with those of the process and of Go.
func newMetrics(r *prometheus.Registry) metrics {
	gauge := func(name, help string) prometheus.Gauge {
		return prometheus.NewGauge(prometheus.GaugeOpts{Namespace: "keplersim", Name: name, Help: help})
	}
	gauges := func(name, help string, labels ...string) *prometheus.GaugeVec {
		return prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: "keplersim", Name: name, Help: help}, labels)
	}
	counters := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "keplersim", Name: name, Help: help}, labels)
	}
	m := metrics{
		info:            gauges("run_info", "What runs: always 1.", "workload", "config"),
		running:         gauge("running", "1 while the run goes on, 0 when it is over."),
		instructionsNow: gauge("launch_warp_instructions", "Warp instructions that the launch under way has issued."),
		blocks:          gauges("launch_blocks", "Blocks of the launch under way, by state: done, running, waiting.", "state"),
		launches:        counters("launches_total", "Kernel launches that have ended.", "kernel"),
		instructions:    counters("warp_instructions_total", "Warp instructions of launches that have ended.", "kernel"),
		cycles:          counters("core_cycles_total", "Simulated core clock cycles of launches that have ended.", "kernel"),
		seconds:         counters("simulated_seconds_total", "Simulated time of launches that have ended.", "kernel"),
		host:            counters("host_seconds_total", "Time of the host that simulating the launches took.", "kernel"),
		stalled: counters("stalled_warp_cycles_total",
			"Cycles in which warps were resident and did not issue, by reason.", "reason"),
		l2: counters("l2_bytes_total",
			"Bytes that went to and from L2, by what was asked: read, write, atomic.", "operation"),
		dram: counters("dram_bytes_total", "Bytes that went to and from DRAM: read, write.", "operation"),
		occupancy: gauges("launch_achieved_occupancy_ratio",
			"Achieved occupancy of the kernel's last launch, 0 to 1.", "kernel"),
		ipc: gauges("launch_instructions_per_cycle",
			"Warp instructions a cycle and SMX of the kernel's last launch.", "kernel"),
	}
	r.MustRegister(m.info, m.running, m.instructionsNow, m.blocks, m.launches, m.instructions, m.cycles, m.seconds, m.host,
		m.stalled, m.l2, m.dram,
		m.occupancy, m.ipc, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// launch adds a launch that has ended.
func (m *metrics) launch(l *stats.Launch) {
	kernel := l.DisplayName()
	m.launches.WithLabelValues(kernel).Inc()
	m.instructions.WithLabelValues(kernel).Add(float64(l.Total.InstExecuted))
	m.cycles.WithLabelValues(kernel).Add(float64(l.Cycles))
	m.seconds.WithLabelValues(kernel).Add(l.TimeUS / 1e6)
	m.host.WithLabelValues(kernel).Add(l.Wall.Seconds())
	for reason := range stats.StallCount {
		if n := l.Total.Stalls[reason]; n > 0 {
			m.stalled.WithLabelValues(reason.String()).Add(float64(n))
		}
	}
	memory := &l.Memory
	m.l2.WithLabelValues("read").Add(stats.SectorBytes * float64(memory.L2ReadSectors))
	m.l2.WithLabelValues("write").Add(stats.SectorBytes * float64(memory.L2WriteSectors))
	m.l2.WithLabelValues("atomic").Add(stats.SectorBytes * float64(memory.L2AtomicSectors))
	m.dram.WithLabelValues("read").Add(stats.SectorBytes * float64(memory.DRAMReadSectors))
	m.dram.WithLabelValues("write").Add(stats.SectorBytes * float64(memory.DRAMWriteSectors))
	m.occupancy.WithLabelValues(kernel).Set(metric(l, "achieved_occupancy"))
	m.ipc.WithLabelValues(kernel).Set(metric(l, "ipc"))
}
