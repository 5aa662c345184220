package host

import "github.com/keplersim/keplersim/workload"

// Inputs returns the files that the job has read or will read, without headers of CUDA C: the workload file, code, configurations,
// contents of buffers and expected results. What comes with the simulator is named as well, by names that are no files.
func (j *Job) Inputs() []string {
	list := append([]string{}, j.options.Link...)
	list = append(list, j.Config.Files()...)
	return append(list, InputsOf(j.Workload, int(j.Config.ComputeCapability))...)
}

// InputsOf returns a workload's file and the files that it names, for a chip of a compute capability (35 for 3.5).
func InputsOf(w *workload.Workload, capability int) []string {
	list := []string{w.Path}
	add := func(name string) {
		if name != "" {
			list = append(list, w.File(name), w.ModuleFor(name, capability))
		}
	}
	add(w.Module)
	for _, name := range w.Link {
		add(name)
	}
	for _, l := range w.Launches() {
		add(l.Module)
	}
	for _, b := range w.Buffers {
		add(b.Init.File)
	}
	for _, e := range w.Expect {
		add(e.File)
	}
	return list
}
