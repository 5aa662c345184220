package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/keplersim/keplersim/sim/stats"
)

func init() {
	RegisterFormat("gpgpusim", "statistics as GPGPU-Sim and Accel-Sim print them, for their scripts", gpgpuSim, nil)
}

// statistic is a line that GPGPU-Sim prints after each kernel. A total accumulates over kernels; scripts take the differences themselves.
type statistic struct {
	line  string // with a verb for the number
	total bool
	timed bool // needs timing
	// The value is of / over; over nil means 1. A total divides the two sums.
	of, over func(*stats.Launch) float64
}

// named returns a metric as a number to add up.
func named(name string) func(*stats.Launch) float64 {
	return func(l *stats.Launch) float64 { return metric(l, name) }
}

func none(*stats.Launch) float64                 { return 0 } // global stores do not look into L1
func threadInstructions(l *stats.Launch) float64 { return float64(l.Total.NotPredicatedOff) }
func launchCycles(l *stats.Launch) float64       { return float64(l.LaunchCycles) }
func warpSlots(l *stats.Launch) float64 {
	return float64(l.Total.ActiveCycles) * float64(l.Chip.WarpsPerSMX) / 100
}
func activeWarps(l *stats.Launch) float64 { return float64(l.Total.ActiveWarpCycles) }
func l2Bytes(l *stats.Launch) float64 {
	return stats.SectorBytes * float64(l.Memory.L2ReadSectors+l.Memory.L2WriteSectors)
}
func nanoseconds(l *stats.Launch) float64 { return 1e3 * l.TimeUS }

// sectorsBy returns a count of L2 for one source of requests.
func sectorsBy(of func(*stats.Memory) *[stats.MemorySources]uint64, source stats.MemorySource) func(*stats.Launch) float64 {
	return func(l *stats.Launch) float64 { return float64(of(&l.Memory)[source]) }
}

func readSectors(m *stats.Memory) *[stats.MemorySources]uint64  { return &m.L2ReadSectorsBy }
func readHits(m *stats.Memory) *[stats.MemorySources]uint64     { return &m.L2ReadSectorHitsBy }
func writeSectors(m *stats.Memory) *[stats.MemorySources]uint64 { return &m.L2WriteSectorsBy }

// statistics are in GPGPU-Sim's order. Those that keplersim does not count are left out: GPGPU-Sim's own stalls, and stores that hit L2,
// because L2 takes every store without a fetch.
var statistics = []statistic{
	{"gpu_sim_cycle = %.0f", false, true, launchCycles, nil},
	{"gpu_sim_insn = %.0f", false, false, threadInstructions, nil},
	{"gpu_ipc = %12.4f", false, true, threadInstructions, launchCycles},
	{"gpu_tot_sim_cycle = %.0f", true, true, launchCycles, nil},
	{"gpu_tot_sim_insn = %.0f", true, false, threadInstructions, nil},
	{"gpu_tot_ipc = %12.4f", true, true, threadInstructions, launchCycles},
	{"gpu_tot_issued_cta = %.0f", true, false, named("sm_cta_launched"), nil},
	{"gpu_occupancy = %.4f%% ", false, true, activeWarps, warpSlots},
	{"gpu_tot_occupancy = %.4f%% ", true, true, activeWarps, warpSlots},
	{"L2_BW  = %12.4f GB/Sec", false, true, l2Bytes, nanoseconds},
	{"L2_BW_total  = %12.4f GB/Sec", true, true, l2Bytes, nanoseconds},
	{"\tTotal_core_cache_stats_breakdown[GLOBAL_ACC_R][HIT] = %.0f", true, true, named("l1_global_load_hit"), nil},
	{"\tTotal_core_cache_stats_breakdown[GLOBAL_ACC_R][MISS] = %.0f", true, true, named("l1_global_load_miss"), nil},
	{"\tTotal_core_cache_stats_breakdown[GLOBAL_ACC_R][TOTAL_ACCESS] = %.0f", true, true,
		func(l *stats.Launch) float64 { return float64(l.Total.L1Global.Accesses) }, nil},
	{"\tTotal_core_cache_stats_breakdown[GLOBAL_ACC_W][HIT] = %.0f", true, true, none, nil},
	{"\tTotal_core_cache_stats_breakdown[GLOBAL_ACC_W][TOTAL_ACCESS] = %.0f", true, true, none, nil},
	{"\tTotal_core_cache_stats_breakdown[LOCAL_ACC_R][HIT] = %.0f", true, true, named("l1_local_load_hit"), nil},
	{"\tTotal_core_cache_stats_breakdown[LOCAL_ACC_R][MISS] = %.0f", true, true, named("l1_local_load_miss"), nil},
	{"gpgpu_n_tot_thrd_icount = %.0f", true, false,
		func(l *stats.Launch) float64 { return stats.WarpSize * float64(l.Total.InstExecuted) }, nil},
	{"gpgpu_n_tot_w_icount = %.0f", true, false, named("inst_executed"), nil},
	{"gpgpu_n_mem_read_local = %.0f", true, false, named("local_load_transactions"), nil},
	{"gpgpu_n_mem_write_local = %.0f", true, false, named("local_store_transactions"), nil},
	{"gpgpu_n_mem_read_global = %.0f", true, false, named("gld_transactions"), nil},
	{"gpgpu_n_mem_write_global = %.0f", true, false, named("gst_transactions"), nil},
	{"gpgpu_n_mem_texture = %.0f", true, false, named("tex_cache_transactions"), nil},
	{"gpgpu_n_shmem_bkconflict = %.0f", true, false,
		func(l *stats.Launch) float64 {
			return metric(l, "shared_load_replay") + metric(l, "shared_store_replay")
		}, nil},
	{"total dram reads = %.0f", true, true, named("dram_read_transactions"), nil},
	{"total dram writes = %.0f", true, true, named("dram_write_transactions"), nil},
	{"\tL2_cache_stats_breakdown[GLOBAL_ACC_R][HIT] = %.0f", true, true, sectorsBy(readHits, stats.SourceGlobal), nil},
	{"\tL2_cache_stats_breakdown[GLOBAL_ACC_R][TOTAL_ACCESS] = %.0f", true, true, sectorsBy(readSectors, stats.SourceGlobal), nil},
	{"\tL2_cache_stats_breakdown[GLOBAL_ACC_W][TOTAL_ACCESS] = %.0f", true, true, sectorsBy(writeSectors, stats.SourceGlobal), nil},
	{"\tL2_cache_stats_breakdown[LOCAL_ACC_R][HIT] = %.0f", true, true, sectorsBy(readHits, stats.SourceLocal), nil},
	{"\tL2_cache_stats_breakdown[LOCAL_ACC_R][TOTAL_ACCESS] = %.0f", true, true, sectorsBy(readSectors, stats.SourceLocal), nil},
	{"\tL2_cache_stats_breakdown[LOCAL_ACC_W][TOTAL_ACCESS] = %.0f", true, true, sectorsBy(writeSectors, stats.SourceLocal), nil},
}

// gpgpuSim writes a run's statistics. Scripts read from its last line that the run ended well.
func gpgpuSim(w io.Writer, r *Run) error {
	var b strings.Builder
	fmt.Fprintf(&b, "keplersim: %s on %s; statistics named as by GPGPU-Sim [build %s]\n", r.Workload, r.Config, r.Program)
	for _, note := range r.Notes {
		fmt.Fprintf(&b, "note: %s\n", note)
	}
	sums := make([][2]float64, len(statistics))
	host, instructions, cycles := 0.0, 0.0, 0.0
	for i, l := range r.All() {
		fmt.Fprintf(&b, "\nkernel_name = %s \nkernel_launch_uid = %d \n", l.Kernel, i+1)
		for k := range statistics {
			statistics[k].write(&b, l, &sums[k])
		}
		host, instructions, cycles = host+l.Wall.Seconds(), instructions+threadInstructions(l), cycles+launchCycles(l)
		writeRates(&b, l, host, instructions, cycles)
		if _, err := io.WriteString(w, b.String()); err != nil {
			return fmt.Errorf("write the report: %w", err)
		}
		b.Reset()
	}
	if r.Failure == "" {
		b.WriteString("GPGPU-Sim: *** exit detected ***\n")
	} else {
		fmt.Fprintf(&b, "failed: %s\n", r.Failure)
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// write writes a line for a launch, and adds the launch to the sum.
func (s *statistic) write(b *strings.Builder, l *stats.Launch, sum *[2]float64) {
	if s.timed && l.Functional {
		return
	}
	over := 1.0
	if s.over != nil {
		over = s.over(l)
	}
	if !s.total {
		*sum = [2]float64{}
	}
	sum[0] += s.of(l)
	sum[1] += over
	value := sum[0]
	if s.over != nil && sum[1] != 0 {
		value /= sum[1]
	}
	fmt.Fprintf(b, s.line+"\n", value)
}

// writeRates writes the simulation's speed up to a launch's end, in whole seconds and at least 1, as GPGPU-Sim does.
func writeRates(b *strings.Builder, l *stats.Launch, host, instructions, cycles float64) {
	seconds := max(1, uint64(host))
	fmt.Fprintf(b, "\ngpgpu_simulation_time = %d days, %d hrs, %d min, %d sec (%d sec)\n", seconds/86400, seconds/3600%24, seconds/60%60,
		seconds%60, seconds)
	fmt.Fprintf(b, "gpgpu_simulation_rate = %.0f (inst/sec)\n", instructions/float64(seconds))
	if !l.Functional && cycles > 0 {
		rate := cycles / float64(seconds)
		fmt.Fprintf(b, "gpgpu_simulation_rate = %.0f (cycle/sec)\ngpgpu_silicon_slowdown = %.0fx\n", rate, float64(l.Chip.CoreMHz)*1e6/rate)
	}
}
