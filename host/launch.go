package host

import (
	"fmt"

	"github.com/keplersim/keplersim/code"
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
		kernel, err := code.Kernel(j.modules[l.Module].Kernels(), file, l.Kernel)
		if err != nil {
			return fmt.Errorf("%s: %w", where, err)
		}
		if err := kernel.Resolved(); err != nil {
			return err
		}
		if err := j.checkArguments(kernel, l); err != nil {
			return fmt.Errorf("%s: %w", where, err)
		}
	}
	return nil
}

// checkArguments holds a launch's arguments against the kernel's parameters. Numbers of the right size and the wrong kind are noted:
// their bits are passed as they are.
func (j *Job) checkArguments(kernel *isa.Function, l *workload.Launch) error {
	program := j.modules[l.Module].Program()
	title := program.Title(kernel.Name)
	if _, err := workload.PackArguments(title, Parameters(kernel), l.Args, anywhere{j, program.AddressBytes}); err != nil {
		return err
	}
	for i, p := range kernel.Parameters {
		a, kind := l.Args[i], p.Type.Kind()
		if p.Pointer && a.Type != "" && a.Value != (workload.Number{}) {
			j.note("kernel %s, argument %d (%s): the kernel uses it as an address, but %v is a number: a buffer's name, or --arg f32[COUNT], gives one", title, i, p.Name, a)
			continue
		}
		if a.Type == "" || a.Type[0] == 'b' {
			continue
		}
		if kind == isa.KindFloat && !a.Type.IsFloat() || a.Type.IsFloat() && (kind == isa.KindSigned || kind == isa.KindUnsigned) {
			j.note("kernel %s, argument %d (%s): the parameter is .%s, but %v is given; its bits are passed as they are", title, i, p.Name, p.Type, a)
		}
	}
	return nil
}

// anywhere resolves names before buffers have addresses, to check arguments: to one address, as large as addresses are.
type anywhere struct {
	job   *Job
	bytes int // of an address
}

// BufferAddress fails for symbols alone, which have their addresses or have none.
func (a anywhere) BufferAddress(name string) (uint64, error) {
	if _, ok := a.job.variables[name]; ok {
		return a.job.BufferAddress(name)
	}
	return a.Handle("", name)
}

// Handle gives every texture the same.
func (a anywhere) Handle(workload.ObjectKind, string) (uint64, error) {
	if a.bytes == 4 {
		return 0, nil
	}
	return 1 << 32, nil
}

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
	module := j.modules[l.Module]
	kernel, err := code.Kernel(module.Kernels(), l.Module, l.Kernel)
	if err != nil {
		return 0, err
	}
	machine, err := module.Lower(kernel.Name)
	if err != nil {
		return 0, err
	}
	return machine.SharedBytes, nil
}
