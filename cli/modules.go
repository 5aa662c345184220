package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/keplersim/keplersim/arch"
	"github.com/keplersim/keplersim/code"
	"github.com/keplersim/keplersim/code/sources"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/decode"
	"github.com/keplersim/keplersim/isa/ptx"
	"github.com/keplersim/keplersim/toolchain"
	"github.com/keplersim/keplersim/workload"
)

// linkHelp is the part of a command's help about --link.
const linkHelp = `
--link takes further PTX or .cu files that are linked to FILE: what one declares .extern, another defines .visible. It may
be repeated; files after it are linked as well.

A file called - is what is piped to the command: PTX, CUDA C or a workload file, recognised by its contents.`

// codeFlags adds the flags for modules to link and for compiling CUDA C. It returns the reader of all code files, which has the flags'
// values and standard input once the command runs.
func codeFlags(command *cobra.Command, link *[]string) *sources.Reader {
	f := command.Flags()
	f.StringArrayVar(link, "link", nil, "a module to link to FILE (may be repeated, and further files may follow)")
	reader := &sources.Reader{}
	o := &reader.Compile
	f.StringArrayVarP(&o.Defines, "define", "D", nil, "define a macro in .cu files, as in BLOCK=16 (may be repeated)")
	f.StringArrayVarP(&o.IncludeDirs, "include", "I", nil, "search a folder for headers of .cu files (may be repeated)")
	f.StringVar(&o.Standard, "std", "", "compile .cu files as this version of C++: c++14, c++17 (the default) or c++20")
	f.BoolVar(&o.FastMath, "use-fast-math", false,
		"compile .cu files as nvcc's -use_fast_math: approximate division, roots, expf, sinf and so on; subnormals flushed to zero")
	f.StringVar((*string)(&o.Compiler), "compiler", "", "compile .cu files with clang, or with builtin, which takes kernels in C "+
		"and needs no installation (default clang if it is installed)")
	fmad := f.Bool("fmad", true, "let multiplications and additions that leave their rounding open become fused multiply-adds, "+
		"as nvcc and ptxas do; --fmad=false keeps them apart")
	command.PreRunE = func(cmd *cobra.Command, args []string) error {
		if err := toolchain.CheckUserOptions(*o); err != nil {
			return err
		}
		o.NoContraction = !*fmad
		if f := cmd.Flags().Lookup("check"); f != nil && f.Changed {
			o.Defines = append(o.Defines, "__KEPLERSIM_CHECK__")
		}
		var err error
		reader.Piped, err = takePiped(cmd, args, *link)
		return err
	}
	return reader
}

// kernelFile is a kernel in a code file.
type kernelFile struct {
	reader *sources.Reader
	path   string
	link   []string
	kernel string // "" is the file's only kernel
}

// linkedArgs checks the arguments of a command that takes one file, or several with --link.
func linkedArgs(link *[]string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) == 1, len(args) > 1 && len(*link) > 0:
			return nil
		case len(args) > 1:
			return fmt.Errorf("%s takes one file, not %d; to link several modules into one program write --link: keplersim %s %s --link %s",
				cmd.Name(), len(args), cmd.Name(), args[0], strings.Join(args[1:], " "))
		}
		return fmt.Errorf("%s takes one file; keplersim %s --help shows examples", cmd.Name(), cmd.Name())
	}
}

// linked returns the modules to link to a command's first argument, each once.
func linked(link, args []string) []string {
	var list []string
	seen := map[string]bool{filepath.Clean(args[0]): true}
	for _, path := range append(append([]string(nil), link...), args[1:]...) {
		if clean := filepath.Clean(path); !seen[clean] {
			seen[clean] = true
			list = append(list, path)
		}
	}
	return list
}

// checkCode returns an error if a file cannot be read as code.
func checkCode(reader *sources.Reader, path string) error {
	if err := reader.Check(path); err != nil {
		return err
	}
	if slices.Contains(workload.Extensions, strings.ToLower(filepath.Ext(path))) {
		return fmt.Errorf("%s is a workload file; name the .ptx or .cu file that it runs", path)
	}
	return nil
}

// readModule returns the PTX of a code file, and compiles CUDA C.
func readModule(ctx context.Context, reader *sources.Reader, path string, capability arch.Capability) (code.Source, error) {
	if err := checkCode(reader, path); err != nil {
		return code.Source{}, err
	}
	read, err := reader.PTX(ctx, path, capability.Target())
	return read.Source, err
}

// linkModules reads and links files for a compute capability. It reports every file that cannot be read.
func linkModules(
	ctx context.Context, reader *sources.Reader, paths []string, capability arch.Capability, o decode.Options,
) (*isa.Program, []*ptx.File, error) {
	var texts []code.Source
	var failures []error
	for _, path := range paths {
		text, err := readModule(ctx, reader, path, capability)
		if err != nil {
			failures = append(failures, err)
			continue
		}
		texts = append(texts, text)
	}
	if len(failures) > 0 { // errors in the other files are reported too
		_, err := code.Parse(texts)
		return nil, nil, errors.Join(append(failures, err)...)
	}
	o.ComputeCapability, o.NoContraction = capability, reader.Compile.NoContraction
	return code.Link(texts, o)
}
