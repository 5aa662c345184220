package cli

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/host"
	report "github.com/keplersim/keplersim/report/occupancy"
	"github.com/keplersim/keplersim/sim/smx/occupancy"
	"github.com/keplersim/keplersim/workload"
)

// reordered is how far a floating-point result may lie from that of the unchanged launch, as a part of it: another block size adds in
// another order. Whole numbers have to be equal.
const reordered = 1e-3

// check says whether a run of the changed workload computed what it has to: what the workload expects, or where it expects nothing what the
// unchanged launch computes.
func (k *studyKernel) check(
	ctx context.Context, chip *configs.Config, launch occupancy.Launch, job *host.Job, result *host.Result,
) (report.Outcome, string) {
	if len(job.Workload.Expect) > 0 {
		return outcome(report.AsExpected, result.Mismatches)
	}
	want, err := k.unchanged.of(chip, func() (map[string][]byte, error) { return k.runUnchanged(ctx, chip, launch) })
	if err != nil {
		return report.NotChecked, "the unchanged launch fails: " + firstLine(err.Error())
	}
	var mismatches []*workload.Mismatch
	for _, b := range job.Workload.Buffers {
		got, err := job.Buffer(b.Name)
		if err != nil {
			return report.NotChecked, firstLine(err.Error())
		}
		tolerances := workload.Expectation{Buffer: b.Name}
		if b.Type.IsFloat() {
			tolerances.Rel = reordered
		}
		m, err := job.Workload.Compare(b.Name, want[b.Name], got, tolerances)
		if err != nil {
			return report.NotChecked, firstLine(err.Error())
		}
		if m != nil {
			mismatches = append(mismatches, m)
		}
	}
	return outcome(report.AsUnchanged, mismatches)
}

// outcome is right where nothing differs, else WrongResult with what does.
func outcome(right report.Outcome, mismatches []*workload.Mismatch) (report.Outcome, string) {
	if len(mismatches) == 0 {
		return right, ""
	}
	parts := make([]string, len(mismatches))
	for i, m := range mismatches {
		parts[i] = m.Buffer + " differs"
		if m.Compared > 0 {
			parts[i] += fmt.Sprintf(" in %d of %d elements", m.Differing, m.Compared)
		}
	}
	return report.WrongResult, strings.Join(parts, ", ")
}

// runUnchanged returns what the buffers hold after the workload as it is written, run without timing.
func (k *studyKernel) runUnchanged(ctx context.Context, chip *configs.Config, launch occupancy.Launch) (map[string][]byte, error) {
	job, err := k.open(ctx, chip, occupancy.Launch{Cache: launch.Cache}, true)
	if err != nil {
		return nil, err
	}
	if _, err := job.Run(ctx); err != nil {
		return nil, err
	}
	contents := map[string][]byte{}
	for _, b := range job.Workload.Buffers {
		if contents[b.Name], err = job.Buffer(b.Name); err != nil {
			return nil, err
		}
	}
	return contents, nil
}

// references are what the unchanged launch computes on each chip, run when it is first asked for. It may be used by several goroutines.
type references struct {
	lock   sync.Mutex
	byChip map[*configs.Config]func() (map[string][]byte, error)
}

// of returns what the unchanged launch computes on a chip; run finds it.
func (r *references) of(chip *configs.Config, run func() (map[string][]byte, error)) (map[string][]byte, error) {
	r.lock.Lock()
	if r.byChip == nil {
		r.byChip = map[*configs.Config]func() (map[string][]byte, error){}
	}
	if r.byChip[chip] == nil {
		r.byChip[chip] = sync.OnceValues(run)
	}
	once := r.byChip[chip]
	r.lock.Unlock()
	return once()
}

// firstLine returns a message up to where it says more.
func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
