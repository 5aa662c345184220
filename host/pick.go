package host

import (
	"fmt"
	"slices"
	"strings"

	"github.com/keplersim/keplersim/code"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/workload"
)

// launchesLike tells whether a workload launches a kernel that name may mean, as far as known before its modules are loaded.
func launchesLike(w *workload.Workload, name string) bool {
	return slices.ContainsFunc(w.Launches(), func(l *workload.Launch) bool {
		return code.Means(name, l.Kernel) || code.Means(l.Kernel, name)
	})
}

// pick chooses the launches to report: those of Options.Kernel, or all. The others still run, as the chosen ones may read their results.
func (j *Job) pick() error {
	if j.options.Kernel == "" {
		return nil
	}
	chosen := map[*workload.Launch]bool{}
	var launched, others []string
	for _, l := range j.Workload.Launches() {
		module := j.modules[l.Module]
		kernel, err := code.Kernel(module.Kernels(), l.Module, l.Kernel)
		if err != nil {
			return err
		}
		title := module.Program().Title(kernel.Name)
		if j.Launches(l, j.options.Kernel) {
			chosen[l] = true
		} else if !slices.Contains(others, title) {
			others = append(others, title)
		}
		if !slices.Contains(launched, title) {
			launched = append(launched, title)
		}
	}
	if len(chosen) == 0 {
		return fmt.Errorf(
			"--kernel %s: %s launches no such kernel; it launches %s", j.options.Kernel, j.Workload.Path, strings.Join(launched, ", "),
		)
	}
	if len(others) > 0 {
		j.note("--kernel %s: %s also ran, but the report leaves that out", j.options.Kernel, strings.Join(others, ", "))
	}
	j.picked = func(l *workload.Launch) bool { return chosen[l] }
	return nil
}

// Launches tells whether a launch runs the kernel with this symbol or C++ name.
func (j *Job) Launches(l *workload.Launch, name string) bool {
	kernel := func(name string) *isa.Function {
		f, err := code.Kernel(j.modules[l.Module].Kernels(), l.Module, name)
		if err != nil {
			return nil
		}
		return f
	}
	launched := kernel(l.Kernel)
	return launched != nil && launched == kernel(name)
}
