package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim/stats"
)

// mostListed is the most launches that the overview lists one by one.
const mostListed = 20

// sums has the text report's sums over all launches.
type sums struct {
	cycles    uint64
	us        float64
	timed     bool    // any launch was timed
	estimated uint64  // launches that were timed only in part
	half      float64 // the sum of half their intervals, in cycles
	took      work
	listed    []*stats.Launch // the first ones
	kernels   []*kernelSum    // in the order of their first launches
}

// kernelSum has the sums over the launches of one kernel.
type kernelSum struct {
	first, longest *stats.Launch // the longest is reported in full
	launches       uint64
	us             float64
	least, most    float64
}

// summed sums over the launches in one pass.
func summed(r *Run) *sums {
	s := &sums{}
	kernels := map[string]*kernelSum{}
	for _, l := range r.All() {
		s.cycles += l.LaunchCycles
		s.us += l.TimeUS
		s.timed = s.timed || !l.Functional
		s.took.add(l)
		if l.Estimate != nil {
			s.estimated++
			s.half += l.Estimate.Half
		}
		if len(s.listed) < mostListed {
			s.listed = append(s.listed, l)
		}
		k := kernels[l.Kernel]
		if k == nil {
			k = &kernelSum{first: l, longest: l, least: l.TimeUS}
			kernels[l.Kernel] = k
			s.kernels = append(s.kernels, k)
		}
		k.add(l)
	}
	return s
}

// add adds a launch.
func (k *kernelSum) add(l *stats.Launch) {
	k.launches++
	k.us += l.TimeUS
	k.least, k.most = min(k.least, l.TimeUS), max(k.most, l.TimeUS)
	if l.Cycles > k.longest.Cycles || l.Functional && l.Total.InstExecuted > k.longest.Total.InstExecuted || l.Interrupted {
		k.longest = l
	}
}

// overview writes a line for each launch.
func (p *printer) overview(r *Run, s *sums) {
	rows := [][]string{{"kernel", "grid", "block", "registers", "instructions"}}
	if s.timed {
		p.line("%s on %s: %s, %s launch cycles, %s", r.Workload, configs.TitleOf(r.Config, r.Overrides), count(uint64(r.Count()))+
			" launches", count(s.cycles), microseconds(s.us))
		rows = [][]string{{"kernel", "grid", "block", "registers", "launch cycles", "time", "ipc", "occupancy"}}
	} else {
		p.line("%s on %s: %s launches, not timed", r.Workload, configs.TitleOf(r.Config, r.Overrides), count(uint64(r.Count())))
	}
	p.estimates(s)
	p.line("")
	p.byKernel(r, s)
	for _, l := range s.listed {
		row := []string{shortName(l), extent(l.Grid), extent(l.Block), fmt.Sprint(l.Registers)}
		if s.timed {
			row = append(row, count(l.LaunchCycles), microseconds(l.TimeUS), significant(metric(l, "ipc")), percent(l.Achieved()))
		} else {
			row = append(row, count(l.Total.InstExecuted))
		}
		rows = append(rows, row)
	}
	if more := r.Count() - len(s.listed); more > 0 {
		rows = append(rows, []string{fmt.Sprintf("and %d more (all of them: --format csv)", more)})
	}
	p.table(rows)
	p.line("")
}

// estimates writes how many launches were not timed completely, and how uncertain the sum of all cycles is. Estimates from the same
// launches have the same error, so their intervals add up.
func (p *printer) estimates(s *sums) {
	if s.estimated > 0 {
		p.wrapped("", fmt.Sprintf("%s of them estimated from launches or blocks that were timed (--sample, --budget): "+
			"± %s cycles (%s) in all", count(s.estimated), count(uint64(s.half)), percent(s.half/float64(max(1, s.cycles)))))
	}
}

// byKernel sums up the launches of each kernel, the longest total first, as nvprof's summary does. It writes nothing if each kernel ran
// once.
func (p *printer) byKernel(r *Run, s *sums) {
	if len(s.kernels) == r.Count() || s.us == 0 {
		return
	}
	kernels := slices.Clone(s.kernels)
	slices.SortStableFunc(kernels, func(a, b *kernelSum) int { return cmp.Compare(b.us, a.us) })
	rows := [][]string{{"kernel", "launches", "of the time", "time", "average", "shortest", "longest"}}
	for _, k := range kernels {
		rows = append(rows, []string{shortName(k.first), count(k.launches), percent(k.us / s.us), microseconds(k.us),
			microseconds(k.us / float64(k.launches)), microseconds(k.least), microseconds(k.most)})
	}
	p.table(rows)
	p.line("")
}
