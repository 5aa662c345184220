package sim

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"github.com/keplersim/keplersim/code"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/sim/stats"
)

// Call launches a kernel of any loaded module and waits for its end, like kernel<<<grid, block>>>(arguments...) in CUDA C. The name is as
// in C++ (jacobiNaive, or blur<16> if there are several) or the symbol. grid and block are in blocks and threads, and 0 counts as 1. A Go
// number is converted to the parameter's type. Pass addresses as Allocate and Upload return them. For a struct by value pass a Go struct
// with the same members, or its bytes. Use a Launch for everything else, such as dynamic shared memory.
func (g *GPU) Call(kernel string, grid, block [3]int, arguments ...any) (*stats.Launch, error) {
	m, symbol, err := g.find(kernel)
	if err != nil {
		return nil, err
	}
	parameters, err := m.Pack(symbol, arguments...)
	if err != nil {
		return nil, err
	}
	return g.Launch(context.Background(), Launch{Module: m, Kernel: symbol, Grid: grid, Block: block, Parameters: parameters})
}

// find returns the module and symbol of a kernel. A name in several modules is an error.
func (g *GPU) find(name string) (*Module, string, error) {
	if len(g.modules) == 0 {
		return nil, "", fmt.Errorf("no kernel %s: no module is loaded", name)
	}
	var module *Module
	var symbol string
	var failures []error
	for _, m := range g.modules {
		k, err := code.Kernel(m.Kernels(), m.name, name)
		switch {
		case err != nil:
			failures = append(failures, err)
		case module != nil:
			return nil, "", fmt.Errorf("kernel %s is in %s and in %s: name the module in a Launch", name, module.name, m.name)
		default:
			module, symbol = m, k.Name
		}
	}
	if module == nil {
		return nil, "", errors.Join(failures...)
	}
	return module, symbol, nil
}

// Pack returns the bytes of a kernel's parameters for Launch.Parameters. Arguments are as in Call.
func (m *Module) Pack(kernel string, arguments ...any) ([]byte, error) {
	f, err := code.Kernel(m.Kernels(), m.name, kernel)
	if err != nil {
		return nil, err
	}
	title := m.program.Title(f.Name)
	if len(arguments) != len(f.Parameters) {
		return nil, fmt.Errorf(
			"kernel %s takes %d arguments (%s), but %d are given", title, len(f.Parameters), describeParameters(f), len(arguments),
		)
	}
	out := make([]byte, f.ParameterBytes())
	for i := range f.Parameters {
		p := &f.Parameters[i]
		packed, err := packArgument(p, arguments[i])
		if err != nil {
			return nil, fmt.Errorf("kernel %s, argument %d (.%s %s): %w", title, i, p.Type, p.Name, err)
		}
		copy(out[p.Offset:p.Offset+p.Bytes], packed)
	}
	return out, nil
}

func describeParameters(f *isa.Function) string {
	words := make([]string, len(f.Parameters))
	for i, p := range f.Parameters {
		words[i] = fmt.Sprintf(".%s %s", p.Type, p.Name)
	}
	return strings.Join(words, ", ")
}

// Upload allocates device memory and copies data to it: a slice, array or struct of numbers of fixed size, such as []float32. The name
// appears in messages.
func (g *GPU) Upload(name string, data any) (address uint64, err error) {
	bytes, err := binary.Append(nil, binary.LittleEndian, data)
	if err != nil {
		return 0, fmt.Errorf("upload %s: %w", name, err)
	}
	if address, err = g.Allocate(name, uint64(len(bytes))); err != nil {
		return 0, err
	}
	return address, g.Write(address, bytes)
}

// Download copies device memory to a slice of numbers, whose length gives the size, or to the target of a pointer.
func (g *GPU) Download(address uint64, into any) error {
	size := binary.Size(into)
	if size < 0 {
		return fmt.Errorf("download: a %T has no fixed size, as []float32 and *uint64 have", into)
	}
	bytes := make([]byte, size)
	if err := g.Read(address, bytes); err != nil {
		return err
	}
	if _, err := binary.Decode(bytes, binary.LittleEndian, into); err != nil {
		return fmt.Errorf("download: %w", err)
	}
	return nil
}
