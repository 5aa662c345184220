package toolchain

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/keplersim/keplersim/internal/files"
	"github.com/keplersim/keplersim/toolchain/ckernel"
)

// Compiler chooses what compiles a .cu file.
type Compiler string

// The compilers. AnyCompiler uses clang if it is installed, else the built-in compiler, which takes kernels in C.
const (
	AnyCompiler Compiler = ""
	UseClang    Compiler = "clang"
	UseBuiltin  Compiler = "builtin"
)

// CheckCompiler returns an error for an unknown compiler.
func CheckCompiler(name Compiler) error {
	if !slices.Contains([]Compiler{AnyCompiler, UseClang, UseBuiltin}, name) {
		return fmt.Errorf("compiler %q: use clang or builtin", name)
	}
	return nil
}

// compileBuiltin compiles a file's kernels without clang.
func compileBuiltin(ctx context.Context, name string, o Options) (Result, error) {
	result := Result{Builtin: true}
	if what := onlyClangHas(o); what != "" {
		return result, fmt.Errorf("%s needs clang, and %s is compiled by the built-in compiler: %w", what, name, ErrNoClang)
	}
	text := o.Text
	if text == nil {
		var err error
		if text, err = files.Read(name, files.MostCode); err != nil {
			return result, fmt.Errorf("compile CUDA C: %w", err)
		}
	}
	if err := checkTextBytes(name, text); err != nil {
		return result, err
	}
	root, err := fs.Sub(headers, "include")
	if err != nil {
		return result, fmt.Errorf("embedded CUDA header: %w", err)
	}
	result.PTX, err = ckernel.Compile(ctx, name, text, ckernel.Options{
		Arch: o.arch(), Defines: o.Defines, NoContraction: o.NoContraction, LineInfo: o.LineInfo, Headers: root,
	})
	if wrong := new(ckernel.Error); errors.As(err, &wrong) {
		return result, &CompileError{Source: name, Messages: wrong.Error(), builtin: true}
	}
	if err != nil {
		return result, fmt.Errorf("compile %s: %w", name, err)
	}
	return result, nil
}

// onlyClangHas names an option in use that the built-in compiler lacks; "" for none.
func onlyClangHas(o Options) string {
	for _, option := range []struct {
		set  bool
		name string
	}{
		{o.FastMath || o.Flush || o.FastDivision || o.FastRoot, "--use-fast-math"}, {len(o.IncludeDirs) > 0, "-I"},
		{o.Standard != "", "--std"}, {o.Linked, "linking device code"}, {o.Variables, "debugging by variables"},
		{len(o.Flags) > 0, strings.Join(o.Flags, " ")},
		{o.Level != "" && o.Level != "3", "-O" + o.Level}, {o.Registers > 0, "a limit on registers"},
	} {
		if option.set {
			return option.name
		}
	}
	return ""
}
