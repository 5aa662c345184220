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

// kernels compiles programs in C, each once by either compiler.
type kernels struct {
	inC    bool
	alone  bool // our own compiler compiles all
	text   [2]string
	result [2][]byte
}

// KernelWays are all ways to run a kernel in C.
var KernelWays = append(Ways[:len(Ways):len(Ways)],
	Way{Name: "built-in compiler", options: sim.Options{Functional: true}, builtin: true},
	Way{Name: "built-in compiler, own cubin", options: sim.Options{Functional: true}, builtin: true, cubin: true})

// compile makes PTX of a kernel in C, by our own compiler or by clang, in which each operation rounds by itself.
func compile(ctx context.Context, source string, builtin bool) ([]byte, error) {
	options := toolchain.Options{Compiler: toolchain.UseClang, NoContraction: true, Text: []byte(source)}
	if builtin {
		options.Compiler = toolchain.UseBuiltin
	}
	r, err := toolchain.Compile(ctx, "random.cu", options)
	return r.PTX, err
}

// NewKernelRunner makes a runner of kernels in C, which clang compiles for all ways but those of our own compiler, or that for all.
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
	r.source.inC, r.source.alone = true, builtin
	return r, err
}

// ptx is the PTX of a program, which may be in it already.
func (k *kernels) ptx(ctx context.Context, text string, builtin bool) ([]byte, error) {
	which := 0
	switch {
	case !k.inC:
		return []byte(text), nil
	case builtin || k.alone:
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
