package host

import (
	"fmt"

	"github.com/keplersim/keplersim/code"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/workload"
)

// checkLaunches makes sure, before anything runs, that every launch names a kernel of its module and gives the
// arguments that the kernel takes.
func (j *Job) checkLaunches() error {
	var failure error
	workload.EachStep(j.Workload.Steps, func(s *workload.Step) {
		if failure == nil && s.Launch != nil {
			failure = j.checkLaunch(s)
		}
	})
	return failure
}

func (j *Job) checkLaunch(s *workload.Step) error {
	l, where := s.Launch, fmt.Sprintf("%s:%d:%d", j.Workload.Path, s.Position.Line, s.Position.Column)
	file := l.Module
	if file == "" {
		file = j.Workload.Module
	}
	kernel, err := code.Kernel(j.modules[l.Module].Kernels(), file, l.Kernel)
	if err != nil {
		return fmt.Errorf("%s: %w", where, err)
	}
	if err := kernel.Resolved(); err != nil {
		return err
	}
	if err := sim.CheckShape(j.Config, l.Grid, l.Block); err != nil {
		return fmt.Errorf("%s: %w", where, err)
	}
	if err := j.checkArguments(kernel, l); err != nil {
		return fmt.Errorf("%s: %w", where, err)
	}
	return nil
}

// checkArguments holds a launch's arguments against the kernel's parameters. Numbers of the right size and the wrong kind are noted:
// their bits are passed as they are.
func (j *Job) checkArguments(kernel *isa.Function, l *workload.Launch) error {
	program := j.modules[l.Module].Program()
	title := program.Title(kernel.Name)
	// Of what changes from round to round, each turn is checked; numbers as they start, and results as zeros of their type.
	var first []workload.Argument
	for round := range turns(l.Args) {
		arguments, err := l.ArgumentsAt(round, j.zeroElement)
		if err == nil {
			_, err = workload.PackArguments(title, Parameters(kernel), arguments, anywhere{j, program.AddressBytes})
		}
		if err != nil {
			return err
		}
		if round == 0 {
			first = arguments
		}
	}
	for i, p := range kernel.Parameters {
		a, kind := first[i], p.Type.Kind()
		if p.Pointer && a.Type != "" && a.Value != (workload.Number{}) {
			j.note("kernel %s, argument %d (%s): the kernel uses it as an address, but %v is a number: a buffer's name, or --arg "+
				"f32[COUNT], gives one", title, i, p.Name, a)
			continue
		}
		if a.Type == "" || a.Type[0] == 'b' {
			continue
		}
		if kind == isa.KindFloat && !a.Type.IsFloat() || a.Type.IsFloat() && (kind == isa.KindSigned || kind == isa.KindUnsigned) {
			j.note("kernel %s, argument %d (%s): the parameter is .%s, but %v is given; its bits are passed as they are", title, i, p.Name,
				p.Type, a)
		}
	}
	return nil
}

// turns returns how many rounds it takes until each argument that takes turns had its own.
func turns(arguments []workload.Argument) int {
	most := 1
	for _, a := range arguments {
		a.Each(func(a workload.Argument) { most = max(most, len(a.Rotate)) })
	}
	return most
}

// zeroElement stands for an element before anything runs.
func (j *Job) zeroElement(e workload.Element) (workload.Type, []byte, error) {
	b, _ := j.Workload.Buffer(e.Buffer)
	return b.Type, make([]byte, b.Type.Size()), nil
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

// StaticShared returns the shared memory that a launch's kernel declares, in bytes a block.
func (j *Job) StaticShared(l *workload.Launch) (int, error) {
	module := j.modules[l.Module]
	kernel, err := code.Kernel(module.Kernels(), l.Module, l.Kernel)
	if err != nil {
		return 0, err
	}
	return kernel.SharedBytes, nil
}
