package host

import (
	"fmt"

	"github.com/keplersim/keplersim/code"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/workload"
)

// checkLaunches checks before the run that every launch names a kernel of its module and has the right arguments.
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

// checkArguments compares a launch's arguments with the kernel's parameters. A number of the right size and the wrong kind gets a note: its
// bits are passed unchanged.
func (j *Job) checkArguments(kernel *isa.Function, l *workload.Launch) error {
	program := j.modules[l.Module].Program()
	title := program.Title(kernel.Name)
	// Arguments that change from round to round are checked for each turn: numbers with their first value, results as zeros of their type.
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

// turns is the number of rounds in which each rotating argument takes all its values.
func turns(arguments []workload.Argument) int {
	most := 1
	for _, a := range arguments {
		a.Each(func(a workload.Argument) { most = max(most, len(a.Rotate)) })
	}
	return most
}

// zeroElement is an element's value before anything runs.
func (j *Job) zeroElement(e workload.Element) (workload.Type, []byte, error) {
	b, _ := j.Workload.Buffer(e.Buffer)
	return b.Type, make([]byte, b.Type.Size()), nil
}

// anywhere resolves names for checking arguments before buffers have addresses. All get the same address, of the right size.
type anywhere struct {
	job   *Job
	bytes int // of an address
}

// BufferAddress fails only for symbols without an address.
func (a anywhere) BufferAddress(name string) (uint64, error) {
	if _, ok := a.job.variables[name]; ok {
		return a.job.BufferAddress(name)
	}
	return a.Handle("", name)
}

// Handle is the same for every texture.
func (a anywhere) Handle(workload.ObjectKind, string) (uint64, error) {
	if a.bytes == 4 {
		return 0, nil
	}
	return 1 << 32, nil
}

// Parameters describes a kernel's parameters for package workload. The element types behind pointers come from the kernel's loads and
// stores.
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
	return kernel.SharedBytes, nil
}
