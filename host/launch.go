package host

import (
	"fmt"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/workload"
)

// checkLaunches makes sure, before anything runs, that every launch names a kernel of its module and gives the
// arguments that the kernel takes.
func (j *Job) checkLaunches() error {
	for _, s := range j.Workload.Steps {
		if s.Launch == nil {
			continue
		}
		l := s.Launch
		file := l.Module
		if file == "" {
			file = j.Workload.Module
		}
		where := fmt.Sprintf("%s:%d:%d", j.Workload.Path, s.Position.Line, s.Position.Column)
		kernel, err := ChooseKernel(j.modules[l.Module].Kernels(), file, l.Kernel)
		if err != nil {
			return fmt.Errorf("%s: %w", where, err)
		}
		if _, err := workload.PackArguments(l.Kernel, Parameters(kernel), l.Args, anywhere{}); err != nil {
			return fmt.Errorf("%s: %w", where, err)
		}
	}
	return nil
}

// anywhere resolves every name, to check arguments before buffers have addresses.
type anywhere struct{}

func (anywhere) BufferAddress(string) (uint64, error)               { return 0, nil }
func (anywhere) Handle(workload.ObjectKind, string) (uint64, error) { return 0, nil }

// Parameters describes a kernel's parameters as package workload wants them, with the element types behind pointers
// as far as the kernel's loads and stores show them.
func Parameters(kernel *isa.Function) []workload.ParamInfo {
	list := make([]workload.ParamInfo, len(kernel.Parameters))
	for i, p := range kernel.Parameters {
		list[i] = workload.ParamInfo{Name: p.Name, Size: p.Bytes, Align: p.Align, Type: p.Type.String(), IsPointer: p.Pointer}
		if p.Pointee != isa.TypeNone {
			list[i].PointeeType, list[i].PointeeSize = p.Pointee.String(), p.Pointee.Bytes()
		}
	}
	return list
}

// StaticShared is the shared memory that a launch's kernel declares, in bytes a block.
func (j *Job) StaticShared(l *workload.Launch) (int, error) {
	machine, err := j.modules[l.Module].Lower(l.Kernel)
	if err != nil {
		return 0, err
	}
	return machine.SharedBytes, nil
}
