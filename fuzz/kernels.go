package fuzz

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/keplersim/keplersim/fuzz/randomc"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/toolchain"
)

// kernels compiles C programs, each once by each compiler.
type kernels struct {
	inC         bool
	builtinOnly bool // our own compiler compiles for all ways
	text        [2]string
	result      [2][]byte
}

// KernelWays are all ways to run a C kernel.
var KernelWays = append(Ways[:len(Ways):len(Ways)],
	Way{Name: "built-in compiler", options: sim.Options{Functional: true}, builtin: true},
	Way{Name: "built-in compiler, own cubin", options: sim.Options{Functional: true}, builtin: true, cubin: true})

// compile compiles a C kernel to PTX with our own compiler or clang. Each operation is rounded by itself.
func compile(ctx context.Context, source string, builtin bool) ([]byte, error) {
	options := toolchain.Options{Compiler: toolchain.UseClang, NoContraction: true, Text: []byte(source)}
	if builtin {
		options.Compiler = toolchain.UseBuiltin
	}
	r, err := toolchain.Compile(ctx, "random.cu", options)
	return r.PTX, err
}

// NewKernelRunner makes a runner for C kernels. By default clang compiles, except for our compiler's own ways; with builtin, ours does.
func NewKernelRunner(config string, builtin bool) (*Runner, error) {
	random := rand.New(rand.NewPCG(7, 0))
	var in, floats []byte
	for range randomc.Words {
		in = binary.LittleEndian.AppendUint32(in, random.Uint32())
		floats = binary.LittleEndian.AppendUint32(floats, math.Float32bits(8*random.Float32()-4))
	}
	l := &launch{"k0", randomc.Blocks, [][]byte{in, floats}, 3 * randomc.Words, 3, func(word int) string {
		return fmt.Sprintf("%s[%d]", [...]string{"out", "fout", "counts"}[word/randomc.Words], word%randomc.Words)
	}}
	ways := KernelWays
	if builtin {
		ways = Ways
	}
	r, err := newRunner(config, l, ways)
	r.source.inC, r.source.builtinOnly = true, builtin
	return r, err
}

// ptx is the PTX of a program, which may itself be PTX.
func (k *kernels) ptx(ctx context.Context, text string, builtin bool) ([]byte, error) {
	which := 0
	switch {
	case !k.inC:
		return []byte(text), nil
	case builtin || k.builtinOnly:
		which = 1
	}
	if k.text[which] != text {
		result, err := compile(ctx, text, which == 1)
		if err != nil {
			return nil, err
		}
		k.text[which], k.result[which] = text, bytes.Clone(result)
	}
	return k.result[which], nil
}
