package host

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/workload"
)

// Inputs returns the files that the job reads, without CUDA C headers: the workload file, code, configurations, contents of buffers and
// expected results. Files that come with the simulator appear by names that are no files.
func (j *Job) Inputs() []string {
	list := slices.Concat(j.options.Link, j.options.Code.Included, j.Config.Files())
	return append(list, InputsOf(j.Workload, int(j.Config.ComputeCapability))...)
}

// InputsOf returns a workload's file and the files it names, for a chip of a compute capability (35 for 3.5).
func InputsOf(w *workload.Workload, capability int) []string {
	list := []string{w.Path}
	for _, name := range w.Names() {
		list = append(list, w.File(name), w.ModuleFor(name, capability))
	}
	return list
}

// FilesOf returns the files that runs of a kernel or workload read, as far as known before a job is opened. These are the file and those
// linked to it, the workload file, the files it names, and configurations with those that they extend.
func FilesOf(path string, link []string, configurations ...string) []string {
	list := append([]string{path}, link...)
	workloadFile, found := path, slices.Contains(workload.Extensions, strings.ToLower(filepath.Ext(path)))
	for i := 0; i < len(list) && !found; i++ {
		workloadFile, found = workload.Beside(list[i])
	}
	if found {
		list = append(list, workloadFile)
		if w, err := workload.Load(workloadFile); err == nil {
			list = append(append(list, InputsOf(w, 35)...), InputsOf(w, 30)...)
			configurations = append(slices.Clone(configurations), w.Config)
		}
	}
	for _, name := range configurations {
		if name == "" {
			continue
		}
		if c, err := configs.Load(name, nil); err == nil {
			list = append(list, c.Files()...)
		}
	}
	return list
}
