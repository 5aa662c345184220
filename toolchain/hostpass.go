package toolchain

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// ErrNoLibrary is in the error of building a whole program where the machine has no C and C++ library to compile against.
var ErrNoLibrary = errors.New("no C++ library found")

// Builder compiles the files of a whole program, in a folder of its own: our headers are there, and what is made goes there unless it says where.
type Builder struct {
	Clang Clang
	Dir   string
	done  func()
}

// NewBuilder finds clang and makes the folder; Close removes it. It is an error wrapping ErrNoLibrary when no host code can be compiled.
func NewBuilder(ctx context.Context) (*Builder, error) {
	clang, err := FindClang(ctx)
	if err != nil {
		return nil, err
	}
	if !clang.Library {
		return nil, fmt.Errorf("%w: a whole program needs the headers of C and C++ beside clang; install them with: apt-get install libstdc++-12-dev (or g++)", ErrNoLibrary)
	}
	dir, done, err := temporaryFolder()
	if err != nil {
		return nil, err
	}
	if err := writeHeaders(dir); err != nil {
		done()
		return nil, err
	}
	return &Builder{Clang: clang, Dir: dir, done: done}, nil
}

// Close removes the folder.
func (b *Builder) Close() { b.done() }

// HostOptions say how host code is compiled.
type HostOptions struct {
	Options
	Level        string   // "0" to "3"; "" is "2"
	Standard     string   // as in c++14; "" is clang's for CUDA, C++17
	Extra        []string // further flags for clang, as they are
	Dependencies string   // where a Makefile rule of the headers that were read is written; "" for nowhere
}

// Device compiles the device code of a .cu file to PTX.
func (b *Builder) Device(ctx context.Context, source string, o Options) (Result, error) {
	input, err := openSource(source, o.Text)
	if err != nil {
		return Result{}, err
	}
	return translate(ctx, b.Clang, b.Dir, source, input, o)
}

// HostObject compiles the host code of a .cu file to an object that carries image, what the device pass made.
func (b *Builder) HostObject(ctx context.Context, source string, image []byte, output string, o HostOptions) error {
	blob := output + ".image"
	if err := os.WriteFile(blob, image, 0o600); err != nil {
		return &Unwritable{fmt.Errorf("device code for the host object: %w", err)}
	}
	defer os.Remove(blob)
	arch := o.Arch
	if arch == "" {
		arch = "sm_35"
	}
	flags := []string{
		"-x", "cuda", "--cuda-host-only", "--cuda-gpu-arch=" + arch, "-Xclang", "-target-sdk-version=10.2",
		"-Xclang", "-fcuda-include-gpubinary", "-Xclang", blob,
	}
	flags = append(flags, o.dialect(b.Clang)...)
	if o.Unit != "" {
		flags = append(flags, "-cuid="+o.Unit)
	}
	if o.FastMath {
		flags = append(flags, "-D__USE_FAST_MATH__=1")
	}
	flags = append(flags, o.hostFlags(b.Clang)...)
	flags = append(flags, o.headers(b.Clang, b.Dir)...)
	return b.run(ctx, source, append(flags, "-c", "-o", output, "--", safePath(source)))
}

// PlainObject compiles a file of C or C++ that has no device code. CUDA's headers are found.
func (b *Builder) PlainObject(ctx context.Context, source, output string, o HostOptions) error {
	flags := []string{"-DKEPLERSIM_MACHINE_LIBRARY"}
	if filepath.Ext(source) != ".c" {
		flags = append(flags, "-x", "c++", "-std=gnu++17", "-Wno-register")
	}
	flags = append(flags, o.hostFlags(b.Clang)...)
	flags = append(flags, "-isystem", b.Dir, "-isystem", filepath.Join(b.Dir, "cuda"), "-idirafter", filepath.Join(b.Dir, "serial"))
	return b.run(ctx, source, append(flags, "-c", "-o", output, "--", safePath(source)))
}

// hostFlags are those of every host compilation.
func (o HostOptions) hostFlags(clang Clang) []string {
	level := o.Level
	if level == "" {
		level = "2"
	}
	flags := []string{"-O" + level, "-fno-strict-aliasing", "-fwrapv", "-fPIE", "-Wno-unused-command-line-argument", "-Wno-c++11-narrowing"}
	if o.Standard != "" {
		flags = append(flags, "-std="+o.Standard)
	}
	for _, define := range o.Defines {
		flags = append(flags, "-D"+define)
	}
	for _, include := range o.IncludeDirs {
		flags = append(flags, "-I"+safePath(include))
	}
	if o.Dependencies != "" {
		flags = append(flags, "-MD", "-MF", o.Dependencies)
	}
	return append(flags, o.Extra...)
}

// Native compiles a source of ours, which needs no C++ library when it runs.
func (b *Builder) Native(ctx context.Context, source, output string) error {
	return b.run(ctx, source, []string{
		"-x", "c++", "-std=gnu++17", "-O2", "-fPIC", "-fno-exceptions", "-fno-rtti", "-I", filepath.Dir(source), "-isystem", b.Dir,
		"-c", "-o", output, "--", source,
	})
}

// Link makes a program of objects and libraries.
func (b *Builder) Link(ctx context.Context, objects, flags []string, output string) error {
	arguments := []string{"--driver-mode=g++", "-pie", "-o", output}
	for _, object := range objects {
		arguments = append(arguments, safePath(object))
	}
	arguments = append(arguments, flags...)
	return b.run(ctx, output, append(arguments, "-lpthread"))
}

// run is one call of clang's, whose messages are the error of one that fails.
func (b *Builder) run(ctx context.Context, source string, arguments []string) error {
	var messages bytes.Buffer
	command := exec.CommandContext(ctx, b.Clang.Path, arguments...)
	command.Stderr = &messages
	err := command.Run()
	if err == nil {
		return nil
	}
	var exit *exec.ExitError
	switch {
	case noRoom.MatchString(messages.String()):
		return &Unwritable{fmt.Errorf("compile %s: %s", source, strings.TrimSpace(messages.String()))}
	case errors.As(err, &exit) && ctx.Err() == nil:
		return &CompileError{Source: source, Messages: messages.String(), Command: append([]string{b.Clang.Path}, arguments...)}
	}
	return fmt.Errorf("run %s: %w", b.Clang.Path, err)
}

// HeaderHash tells one state of our headers from another.
func HeaderHash() string {
	h := sha256.New()
	err := fs.WalkDir(headers, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := headers.ReadFile(path)
		fmt.Fprintf(h, "%s %d\n%s", path, len(text), text)
		return err
	})
	if err != nil {
		panic(err) // embedded files can be read
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}
