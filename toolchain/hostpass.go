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

// ErrNoLibrary is in the error of building a whole program on a machine without a C and C++ library to compile against.
var ErrNoLibrary = errors.New("no C++ library found")

// Builder compiles the files of a whole program in a temporary folder, which holds our headers and any output that has no name of its own.
type Builder struct {
	Clang  Clang
	Dir    string
	Output io.Writer // of clang's standard output, as the preprocessor writes it; nil for nowhere
	Read   []string  // the files that compilations have read so far, without our headers
	done   func()
}

// NewBuilder finds clang and makes the folder; Close removes it. The error wraps ErrNoLibrary if no host code can be compiled.
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
	Language     string                 // of a plain file: "c", "c++", or "" for the language of its name
	Note         func(ptx []byte) error // called with the PTX of a .cu file, if not nil
	Dependencies string                 // where to write a Makefile rule of the headers read; "" for nowhere
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

// HostObject compiles the host code of a .cu file to an object that contains image, the result of the device pass.
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
		flags = append(flags, "-Xclang", "-cuid="+o.Unit) // the driver passes it only to the device pass
	}
	if o.FastMath {
		flags = append(flags, "-D__USE_FAST_MATH__=1")
	}
	flags = append(flags, o.hostFlags()...)
	flags = append(flags, o.headers(b.Clang, b.Dir)...)
	err := b.compile(ctx, source, append(slices.Clone(flags), "-c", "-o", output))
	if failedOnNestedLaunch(err) {
		err = b.nestedHost(ctx, source, flags, output)
	}
	if err != nil || !o.Linked {
		return err
	}
	return shareRegistration(output)
}

// LinkedUnit begins the symbol by which an object of linked device code is named; each object has its own. Naming it to the linker pulls
// the object out of an archive, even if no host code refers to it.
const LinkedUnit = "__keplersim_linked_unit_"

// registration begins the name of the function by which an object of linked device code registers itself. clang appends a suffix for each
// object, and nvcc's device linker defines each function. We have one function for all.
const registration = "__cudaRegisterLinkedBinary"

// shareRegistration cuts the suffix off that name in an object's string table.
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

// PlainObject compiles a file of C or C++ without device code. It finds CUDA's headers.
func (b *Builder) PlainObject(ctx context.Context, source, output string, o HostOptions) error {
	flags := []string{"-DKEPLERSIM_MACHINE_LIBRARY"}
	isC := o.Language == "c" || o.Language == "" && filepath.Ext(source) == ".c"
	if isC {
		flags = append(flags, "-x", "c")
		for _, old := range []string{"implicit-function-declaration", "implicit-int", "int-conversion"} {
			flags = append(flags, "-Wno-error="+old) // gcc 13 and older only warn about these
		}
	} else {
		flags = append(flags, "-x", "c++", "-std="+defaultStandard, "-Wno-register")
	}
	if o.Standard != "" && isC != strings.Contains(o.Standard, "++") { // in a build of C and C++ files, it applies to one language
		flags = append(flags, "-std="+o.Standard)
	}
	flags = append(flags, o.hostFlags()...)
	flags = append(flags, "-isystem", b.Dir, "-isystem", filepath.Join(b.Dir, "cuda"), "-idirafter", filepath.Join(b.Dir, "serial"))
	return b.compile(ctx, source, append(flags, "-c", "-o", output))
}

// hostFlags are the flags of every host compilation.
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

// Native compiles a source of ours so that it needs no C++ library at run time.
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

// Link makes a program from objects and libraries.
func (b *Builder) Link(ctx context.Context, objects, flags []string, output string) error {
	arguments := []string{"-pie"}
	for _, object := range objects {
		arguments = append(arguments, command.File(object))
	}
	return b.LinkAs(ctx, append(arguments, flags...), output, output)
}

// LinkAs calls the linker with these files and flags, in their order. Messages call the output name.
func (b *Builder) LinkAs(ctx context.Context, arguments []string, output, name string) error {
	all := append([]string{"--driver-mode=g++", "-o", output}, arguments...)
	err := b.run(ctx, name, append(all, "-lpthread"))
	var failed *CompileError
	if errors.As(err, &failed) {
		failed.Linking = true
	}
	return err
}

// Preprocess runs clang's preprocessor over a .cu or plain file. The flags say what it writes and where: -E, -M or -MM comes first. With -E
// it records the files read.
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

// compile runs clang once on a user's file and records the files read.
func (b *Builder) compile(ctx context.Context, name string, flags []string) error {
	rule := filepath.Join(b.Dir, "read.d")
	flags = slices.Concat(dependencyFlags(rule), flags)
	for i, flag := range flags[1:] {
		if flags[i] == "-MF" { // the last -MF wins
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

// compileOnly is compile without recording.
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

// run calls clang. If it fails, the error holds its messages.
func (b *Builder) run(ctx context.Context, source string, arguments []string) error {
	_, err := runClang(ctx, b.Clang, source, arguments, nil, b.Output)
	return err
}

// HeaderHash identifies the version of our headers.
func HeaderHash() string { return files.Hash(headers)[:16] }

// WriteInclude writes our headers in the layout of a toolkit's include folder, for the user's own host compilers.
func WriteInclude(folder string) error {
	for _, root := range []string{"include", "include/cuda"} {
		list, err := fs.ReadDir(headers, root)
		if err != nil {
			panic(err) // embedded files are always readable
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

// writeTree writes an embedded file or folder, overwriting existing files.
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
