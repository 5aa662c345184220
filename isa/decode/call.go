package decode

import (
	"slices"
	"strings"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/ptx"
)

// assertFail is the system call that ends a kernel with a message.
const assertFail = "__assertfail"

// systemCalls are the functions that the simulator itself implements: CUDA's system calls and device runtime.
var systemCalls = []string{
	"vprintf", "malloc", "free", assertFail,
	"cudaGetParameterBuffer", "cudaGetParameterBufferV2", "cudaLaunchDevice", "cudaLaunchDeviceV2", "cudaDeviceSynchronize",
	"cudaStreamCreateWithFlags", "cudaStreamDestroy", "cudaMalloc", "cudaFree", "cudaGetLastError", "cudaPeekAtLastError",
	"cudaMemcpyAsync", "cudaGetErrorString", "cudaEventCreateWithFlags", "cudaEventRecord", "cudaEventDestroy", "cudaStreamWaitEvent",
	"cudaFuncGetAttributes", "cudaDeviceGetAttribute", "cudaGetDevice", "cudaGetDeviceCount", "cudaMemsetAsync",
	"cudaMemcpy2DAsync", "cudaMemset2DAsync", "cudaMemcpy3DAsync", "cudaMemset3DAsync",
	"cudaRuntimeGetVersion", "cudaDeviceGetLimit", "cudaDeviceGetCacheConfig",
	"cudaGetErrorName", "cudaOccupancyMaxActiveBlocksPerMultiprocessor", "cudaLaunchDevice_ptsz", "cudaLaunchDeviceV2_ptsz",
	"cudaMemcpyAsync_ptsz", "cudaMemcpy2DAsync_ptsz", "cudaMemsetAsync_ptsz", "cudaMemset2DAsync_ptsz",
	"cudaMemcpy3DAsync_ptsz", "cudaMemset3DAsync_ptsz", "cudaEventRecord_ptsz",
	"cudaStreamWaitEvent_ptsz", configureLaunch,
}

// IsSystemCall reports that the simulator implements a function itself.
func IsSystemCall(name string) bool { return slices.Contains(systemCalls, name) }

// call parses `call (results), callee, (arguments), prototype;`. All but the callee are optional.
func (d *functionDecoder) call(i *isa.Instruction, s *ptx.Instruction) {
	before := len(d.linker.errors)
	i.Call = &isa.Call{Function: -1, Target: -1}
	rest := s.Operands
	var results, arguments []ptx.Operand
	if len(rest) > 0 && rest[0].Kind == ptx.OperandList {
		results, rest = d.components(rest[0].Elements), rest[1:]
	}
	if len(rest) == 0 || rest[0].Kind != ptx.OperandName {
		d.errorf(s.Pos, "`call` takes a function, for instance `call (result), function, (argument);`")
		return
	}
	callee := &rest[0]
	rest = rest[1:]
	if len(rest) > 0 && rest[0].Kind == ptx.OperandList {
		arguments, rest = d.components(rest[0].Elements), rest[1:]
	}
	prototype := d.callee(i, callee, rest)
	if prototype == nil {
		return
	}
	if len(prototype.Returns) != len(results) {
		d.errorf(callee.Pos, "`%s` returns %d values and the call takes %d", callee.FullName(), len(prototype.Returns), len(results))
		return
	}
	variadic := len(prototype.Parameters) > 0 && prototype.Parameters[len(prototype.Parameters)-1].Count == 0
	if len(prototype.Parameters) != len(arguments) && (!variadic || len(arguments) < len(prototype.Parameters)-1) {
		d.errorf(callee.Pos, "`%s` takes %d arguments and the call passes %d", callee.FullName(), len(prototype.Parameters), len(arguments))
		return
	}
	for k := range results {
		i.Call.Returns = append(i.Call.Returns, d.callResult(i, &results[k], &prototype.Returns[k]))
	}
	for k := range arguments {
		parameter := isa.Parameter{Type: isa.B64}
		if k < len(prototype.Parameters) {
			parameter = prototype.Parameters[k]
		}
		i.Call.Arguments = append(i.Call.Arguments, d.callArgument(i, &arguments[k], &parameter))
	}
	if len(d.linker.errors) == before {
		d.emit(i)
		if prototype.NoReturn && !i.Guard.Present {
			d.emit(&isa.Instruction{Op: isa.OpTrap, Line: i.Line})
		}
	}
}

// components lists arguments or results; each element of a vector is an argument.
func (d *functionDecoder) components(list []ptx.Operand) []ptx.Operand {
	var out []ptx.Operand
	for i := range list {
		out = append(out, d.elements(&list[i])...)
	}
	return out
}

// callee returns the signature of the called function, or of an indirect call's prototype, and fills in the callee.
func (d *functionDecoder) callee(i *isa.Instruction, o *ptx.Operand, rest []ptx.Operand) *isa.Prototype {
	r, ok := d.scope.find(o.FullName())
	switch {
	case ok && r.kind == referenceFunction:
		f := d.program.Functions[r.index]
		if f.Kernel && d.launches() {
			r.index = d.launchOf(r.index)
			f = d.program.Functions[r.index]
		}
		if f.Kernel {
			d.errorf(o.Pos, "`%s` is a kernel; only device functions (.func) can be called", f.Name)
			return nil
		}
		if !f.Defined && !IsSystemCall(f.Name) && !strings.HasPrefix(f.Name, isa.LaunchPrefix) {
			d.unresolved = append(d.unresolved, isa.Unresolved{Name: f.Name, Function: true, Line: i.Line,
				Err: d.file.Diagnostic(o.Pos, "`%s` is declared but not defined: link the module that defines it as well", f.Name)})
		}
		i.Call.Function = r.index
		return &isa.Prototype{Returns: f.Returns, Parameters: f.Parameters, NoReturn: f.NoReturn}
	case ok && r.kind == referenceRegister:
		i.Call.Target = int32(len(i.Src))
		i.Src = append(i.Src, d.registerOperand(o, isa.Register(r.index), isa.TypeNone, i))
		if len(rest) != 1 {
			d.errorf(o.Pos, "an indirect call takes the label of a .callprototype or .calltargets list last")
			return nil
		}
		return d.prototype(i, &rest[0])
	}
	var names []string
	for _, f := range d.program.Functions {
		names = append(names, f.Name)
	}
	d.errorf(o.Pos, "no function `%s` is declared%s", o.FullName(), suggestion(o.FullName(), names))
	return nil
}

// configureLaunch is called by our translation of a launch in device code, before it calls the kernel; package toolchain makes both.
const configureLaunch = "__keplersim_configure_launch"

// launches reports that calls of kernels are launches in this program.
func (d *functionDecoder) launches() bool {
	return slices.ContainsFunc(d.program.Functions, func(f *isa.Function) bool { return f.Name == configureLaunch })
}

// launchOf returns the system call that launches a kernel: a function with the kernel's parameters, created by the first such call.
func (d *functionDecoder) launchOf(kernel int32) int32 {
	f := d.program.Functions[kernel]
	name := isa.LaunchPrefix + f.Name
	if i := slices.IndexFunc(d.program.Functions, func(o *isa.Function) bool { return o.Name == name }); i >= 0 {
		return int32(i)
	}
	d.program.Functions = append(d.program.Functions, &isa.Function{Name: name, Line: f.Line, Parameters: f.Parameters})
	d.bodies = append(d.bodies, nil)
	return int32(len(d.program.Functions) - 1)
}

// prototype returns the signature of an indirect call.
func (d *functionDecoder) prototype(i *isa.Instruction, o *ptx.Operand) *isa.Prototype {
	list := d.scope.list(o.FullName())
	if list == nil || !list.calls {
		d.errorf(o.Pos, "no .callprototype or .calltargets list `%s` is in reach", o.FullName())
		return nil
	}
	i.Call.Prototype = list.prototype
	if list.prototype != nil {
		return list.prototype
	}
	if len(list.names) > 0 {
		if r, ok := d.scope.find(list.names[0].Text); ok && r.kind == referenceFunction {
			f := d.program.Functions[r.index]
			i.Call.Prototype = &isa.Prototype{Returns: f.Returns, Parameters: f.Parameters}
			return i.Call.Prototype
		}
	}
	d.errorf(o.Pos, "`%s` names no function", o.FullName())
	return nil
}

// callVariable returns the .param variable of an argument or result, -1 for other operands.
func (d *functionDecoder) callVariable(o *ptx.Operand) int32 {
	if o.Kind != ptx.OperandName {
		return -1
	}
	if r, ok := d.scope.find(o.FullName()); ok && r.kind == referenceVariable && d.f.Variables[r.index].Space == isa.SpaceParam {
		return r.index
	}
	return -1
}

func (d *functionDecoder) callResult(i *isa.Instruction, o *ptx.Operand, p *isa.Parameter) isa.CallArgument {
	if v := d.callVariable(o); v >= 0 {
		if d.f.Variables[v].Bytes < p.Bytes {
			d.errorf(o.Pos, "`%s` has %d bytes and the result has %d", o.FullName(), d.f.Variables[v].Bytes, p.Bytes)
		}
		return isa.CallArgument{Variable: v, Operand: -1}
	}
	i.Dst = append(i.Dst, d.destination(o, p.Type, i))
	return isa.CallArgument{Variable: -1, Operand: int32(len(i.Dst) - 1)}
}

func (d *functionDecoder) callArgument(i *isa.Instruction, o *ptx.Operand, p *isa.Parameter) isa.CallArgument {
	if v := d.callVariable(o); v >= 0 {
		if d.f.Variables[v].Bytes < p.Bytes {
			d.errorf(o.Pos, "`%s` has %d bytes and the parameter has %d", o.FullName(), d.f.Variables[v].Bytes, p.Bytes)
		}
		return isa.CallArgument{Variable: v, Operand: -1}
	}
	i.Src = append(i.Src, d.source(o, p.Type, i))
	return isa.CallArgument{Variable: -1, Operand: int32(len(i.Src) - 1)}
}
