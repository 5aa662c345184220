package toolchain

import (
	"bytes"
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/keplersim/keplersim/internal/command"
	"github.com/keplersim/keplersim/internal/files"
)

// ErrNoLibrary is in the error of building a whole program where the machine has no C and C++ library to compile against.
var ErrNoLibrary = errors.New("no C++ library found")

// Builder compiles the files of a whole program, in a folder of its own: our headers are there, and what is made goes there unless it says
// where.
type Builder struct {
	Clang  Clang
	Dir    string
	Output io.Writer // of clang's standard output: what a preprocessor writes; nil for nowhere
	Read   []string  // the files that compilations have read until now, our headers apart
	done   func()
}

// NewBuilder finds clang and makes the folder; Close removes it. It is an error wrapping ErrNoLibrary when no host code can be compiled.
func NewBuilder(ctx context.Context) (*Builder, error) {
	clang, err := FindClang(ctx)
	if err != nil {
		return nil, err
	}
	if !clang.Library {
		return nil, fmt.Errorf("%w: a whole program needs the headers of C and C++ beside clang; install them with: apt-get install "+
			"libstdc++-12-dev (or g++)", ErrNoLibrary)
	}
	folder, err := temporaryFolder()
	if err != nil {
		return nil, err
	}
	if err := writeHeaders(folder.Path); err != nil {
		folder.Close()
		return nil, err
	}
	return &Builder{Clang: clang, Dir: folder.Path, done: folder.Close}, nil
}

// Close removes the folder.
func (b *Builder) Close() { b.done() }

// HostOptions say how host code is compiled.
type HostOptions struct {
	Options
	Level        string                 // "0" to "3"; "" is "2"
	Extra        []string               // further flags for clang, as they are
	Language     string                 // of a plain file: "c", "c++", or "" for what its name says
	Note         func(ptx []byte) error // of a .cu file: is called with its PTX, where it is not nil
	Dependencies string                 // where a Makefile rule of the headers that were read is written; "" for nowhere
}

// Device compiles the device code of a .cu file to PTX.
func (b *Builder) Device(ctx context.Context, source string, o Options) (Result, error) {
	input, err := openSource(source, o.Text, false)
	if err != nil {
		return Result{}, err
	}
	result, err := compileDevice(ctx, b.Clang, b.Dir, source, input, o)
	b.Read = append(b.Read, result.Read...)
	return result, err
}

// HostObject compiles the host code of a .cu file to an object that carries image, what the device pass made.
func (b *Builder) HostObject(ctx context.Context, source string, image []byte, output string, o HostOptions) error {
	blob := output + ".image"
	if err := os.WriteFile(blob, image, 0o600); err != nil {
		return &Unwritable{fmt.Errorf("device code for the host object: %w", err)}
	}
	defer os.Remove(blob)
	flags := []string{
		"-x", "cuda", "--cuda-host-only", "--cuda-gpu-arch=" + o.arch(), "-Xclang", "-target-sdk-version=11.8",
		"-Xclang", "-fcuda-include-gpubinary", "-Xclang", blob,
	}
	flags = append(flags, o.dialect(b.Clang)...)
	if o.Linked {
		flags = append(flags, "-fgpu-rdc", "-DKEPLERSIM_LINKED_UNIT="+LinkedUnit+o.Unit)
	}
	if o.Unit != "" {
		flags = append(flags, "-Xclang", "-cuid="+o.Unit) // the driver passes it on to the device pass alone
	}
	if o.FastMath {
		flags = append(flags, "-D__USE_FAST_MATH__=1")
	}
	flags = append(flags, o.hostFlags()...)
	flags = append(flags, o.headers(b.Clang, b.Dir)...)
	err := b.compile(ctx, source, append(slices.Clone(flags), "-c", "-o", output))
	if nests(err) {
		err = b.nestedHost(ctx, source, flags, output)
	}
	if err != nil || !o.Linked {
		return err
	}
	return shareRegistration(output)
}

// LinkedUnit begins the name of a symbol that objects of linked device code define, each its own: who names it to the linker gets the
// object also where it lies in an archive and nothing on the host's side calls for it.
const LinkedUnit = "__keplersim_linked_unit_"

// registration begins the name of the function by which an object of linked device code registers itself. clang gives it an end of the
// object's own, which nvcc's device linker defines; we have one function for all.
const registration = "__cudaRegisterLinkedBinary"

// shareRegistration cuts the end off that name in an object's table of names.
func shareRegistration(object string) error {
	text, err := os.ReadFile(object)
	if err != nil {
		return fmt.Errorf("object of linked device code: %w", err)
	}
	file, err := elf.NewFile(bytes.NewReader(text))
	if err != nil {
		return fmt.Errorf("object of linked device code: %w", err)
	}
	names := file.Section(".strtab")
	if names == nil {
		return fmt.Errorf("object of linked device code: %s has no table of names", object)
	}
	table := text[names.Offset : names.Offset+names.FileSize]
	if at := bytes.Index(table, []byte("\x00"+registration+"__nv_")); at >= 0 {
		table[at+1+len(registration)] = 0
	}
	if err := os.WriteFile(object, text, 0o666); err != nil {
		return &Unwritable{fmt.Errorf("object of linked device code: %w", err)}
	}
	return nil
}

// PlainObject compiles a file of C or C++ that has no device code. CUDA's headers are found.
func (b *Builder) PlainObject(ctx context.Context, source, output string, o HostOptions) error {
	flags := []string{"-DKEPLERSIM_MACHINE_LIBRARY"}
	isC := o.Language == "c" || o.Language == "" && filepath.Ext(source) == ".c"
	if isC {
		flags = append(flags, "-x", "c")
		for _, old := range []string{"implicit-function-declaration", "implicit-int", "int-conversion"} {
			flags = append(flags, "-Wno-error="+old) // of which gcc 13 and older warn
		}
	} else {
		flags = append(flags, "-x", "c++", "-std="+defaultStandard, "-Wno-register")
	}
	if o.Standard != "" && isC != strings.Contains(o.Standard, "++") { // of files of both languages it means its own
		flags = append(flags, "-std="+o.Standard)
	}
	flags = append(flags, o.hostFlags()...)
	flags = append(flags, "-isystem", b.Dir, "-isystem", filepath.Join(b.Dir, "cuda"), "-idirafter", filepath.Join(b.Dir, "serial"))
	return b.compile(ctx, source, append(flags, "-c", "-o", output))
}

// hostFlags are those of every host compilation.
func (o HostOptions) hostFlags() []string {
	level := o.Level
	if level == "" {
		level = "2"
	}
	flags := []string{"-O" + level, "-fno-strict-aliasing", "-fwrapv", "-fPIE", "-Wno-unused-command-line-argument", "-Wno-c++11-narrowing"}
	flags = append(flags, o.named()...)
	if o.Dependencies != "" {
		flags = append(flags, "-MD", "-MF", o.Dependencies)
	}
	return append(flags, o.Extra...)
}

// Native compiles a source of ours, which needs no C++ library when it runs.
func (b *Builder) Native(ctx context.Context, source, output string, defines ...string) error {
	arguments := []string{
		"-x", "c++", "-std=gnu++17", "-O2", "-fPIC", "-fno-exceptions", "-fno-rtti", "-I", filepath.Dir(source), "-isystem", b.Dir,
		"-c", "-o", output,
	}
	for _, d := range defines {
		arguments = append(arguments, "-D"+d)
	}
	return b.run(ctx, source, append(arguments, "--", source))
}

// Link makes a program of objects and libraries.
func (b *Builder) Link(ctx context.Context, objects, flags []string, output string) error {
	arguments := []string{"-pie"}
	for _, object := range objects {
		arguments = append(arguments, command.File(object))
	}
	return b.LinkAs(ctx, append(arguments, flags...), output, output)
}

// LinkAs calls the linker with arguments as they are: files and flags in their order. name is what messages call the output.
func (b *Builder) LinkAs(ctx context.Context, arguments []string, output, name string) error {
	all := append([]string{"--driver-mode=g++", "-o", output}, arguments...)
	err := b.run(ctx, name, append(all, "-lpthread"))
	var failed *CompileError
	if errors.As(err, &failed) {
		failed.Linking = true
	}
	return err
}

// Preprocess runs clang's preprocessor over a .cu or plain file with flags that say what it writes and where: first -E, -M or -MM. With -E
// the files that it reads are noted.
func (b *Builder) Preprocess(ctx context.Context, source string, cuda bool, o HostOptions, flags []string) error {
	arguments := []string{"-DKEPLERSIM_MACHINE_LIBRARY", "-x", "c++", "-isystem", b.Dir, "-isystem", filepath.Join(b.Dir, "cuda")}
	if cuda {
		arguments = append([]string{"-x", "cuda", "--cuda-host-only", "--cuda-gpu-arch=sm_35"}, o.dialect(b.Clang)...)
		arguments = append(arguments, o.headers(b.Clang, b.Dir)...)
	}
	arguments = append(append(arguments, o.hostFlags()...), flags...)
	if flags[0] != "-E" {
		return b.compileOnly(ctx, source, arguments)
	}
	return b.compile(ctx, source, arguments)
}

// HasLibrary tells whether the linker finds a library by name, as in omp for libomp.so.
func (b *Builder) HasLibrary(ctx context.Context, name string) bool {
	for _, file := range []string{"lib" + name + ".so", "lib" + name + ".a"} {
		out, err := command.Tool(ctx, b.Clang.Path, "-print-file-name="+file).Output()
		if err == nil && filepath.IsAbs(strings.TrimSpace(string(out))) {
			return true
		}
	}
	return false
}

// compile is one call of clang's on a user's file, of which it notes what is read.
func (b *Builder) compile(ctx context.Context, name string, flags []string) error {
	rule := filepath.Join(b.Dir, "read.d")
	flags = slices.Concat(noting(rule), flags)
	for i, flag := range flags[1:] {
		if flags[i] == "-MF" { // the last one counts
			rule = flag
		}
	}
	if err := b.compileOnly(ctx, name, flags); err != nil {
		return err
	}
	read, err := filesRead(rule, b.Dir)
	b.Read = append(b.Read, read...)
	return err
}

// compileOnly is compile that notes nothing.
func (b *Builder) compileOnly(ctx context.Context, name string, flags []string) error {
	input := source{argument: command.File(name)}
	if strings.HasPrefix(filepath.Base(name), "@") {
		var err error
		if input, err = openSource(name, nil, false); err != nil {
			return err
		}
	}
	_, err := runClang(ctx, b.Clang, name, slices.Concat(flags, input.flags, []string{"--", input.argument}), input.text, b.Output)
	return err
}

// run is one call of clang's, whose messages are the error of one that fails.
func (b *Builder) run(ctx context.Context, source string, arguments []string) error {
	_, err := runClang(ctx, b.Clang, source, arguments, nil, b.Output)
	return err
}

// HeaderHash tells one state of our headers from another.
func HeaderHash() string { return files.Hash(headers)[:16] }

// WriteInclude writes our headers as the include folder of a toolkit has them, for host compilers of the user's own.
func WriteInclude(folder string) error {
	for _, root := range []string{"include", "include/cuda"} {
		list, err := fs.ReadDir(headers, root)
		if err != nil {
			panic(err) // embedded files can be read
		}
		for _, e := range list {
			from := root + "/" + e.Name()
			if from == "include/cuda" || from == "include/system" || from == "include/serial" {
				continue
			}
			if err := writeTree(from, filepath.Join(folder, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeTree writes an embedded file or folder, over what is there.
func writeTree(from, to string) error {
	return fs.WalkDir(headers, from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		target := filepath.Join(to, strings.TrimPrefix(path, from))
		if d.IsDir() {
			if err := os.MkdirAll(target, 0o777); err != nil {
				return &Unwritable{fmt.Errorf("write the CUDA header: %w", err)}
			}
			return nil
		}
		text, err := headers.ReadFile(path)
		if err != nil {
			return fmt.Errorf("embedded CUDA header: %w", err)
		}
		if err := files.Put(target, 0o644, text); err != nil {
			return &Unwritable{fmt.Errorf("write the CUDA header: %w", err)}
		}
		return nil
	})
}
