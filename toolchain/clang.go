package toolchain

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"

	"github.com/keplersim/keplersim/internal/command"
	"github.com/keplersim/keplersim/internal/pattern"
)

// OldestClang and NewestClang bound the versions that are tried by name on PATH (clang-22, clang-21, ...).
const (
	OldestClang = 14
	NewestClang = 22
)

// ErrNoClang is wrapped by FindClang's error if no usable clang is on PATH.
var ErrNoClang = errors.New("no clang found")

// Clang is a compiler found on PATH.
type Clang struct {
	Path    string // as found on PATH
	Version int    // major version
	Library bool   // it finds a C and C++ library on this machine
}

// Candidates returns the names to try. Plain clang comes first, so that the user's own choice of clang wins.
func Candidates() []string {
	names := []string{"clang"}
	for version := NewestClang; version >= OldestClang; version-- {
		names = append(names, fmt.Sprintf("clang-%d", version))
	}
	return names
}

// FindClang returns the first clang on PATH that is OldestClang or later and has the NVPTX target. If there is none, the error wraps
// ErrNoClang and says what to install.
func FindClang(ctx context.Context) (Clang, error) {
	var refused []string
	for _, name := range Candidates() {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		clang, err := examine(ctx, path)
		if err == nil {
			return clang, nil
		}
		if ctx.Err() != nil {
			return Clang{}, context.Cause(ctx)
		}
		refused = append(refused, err.Error())
	}
	err := fmt.Errorf("%w: compiling CUDA C needs clang %d or later on PATH; install it with: apt-get install clang-19", ErrNoClang,
		OldestClang)
	if len(refused) > 0 {
		err = fmt.Errorf("%w (not usable: %s)", err, strings.Join(refused, "; "))
	}
	return Clang{}, err
}

// Apple counts versions differently. Its clang is rejected anyway, because it has no NVPTX target.
var versionLine = pattern.Lazy(`clang version (\d+)\.`)

// examined caches usable compilers by path, size and time of change: asking a compiler takes longer than compiling a kernel.
var examined sync.Map

// examine is ask with a cache.
func examine(ctx context.Context, path string) (Clang, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Clang{}, fmt.Errorf("clang: %w", err)
	}
	key := fmt.Sprint(path, info.Size(), info.ModTime())
	if known, ok := examined.Load(key); ok {
		return known.(Clang), nil
	}
	found, err := queryClang(ctx, path)
	if err == nil && ctx.Err() == nil { // an interrupt could look like a missing library
		examined.Store(key, found)
	}
	return found, err
}

// queryClang asks the compiler at path for its version, its targets and its library.
func queryClang(ctx context.Context, path string) (Clang, error) {
	out, err := command.Tool(ctx, path, "--version").Output()
	if err != nil {
		return Clang{}, fmt.Errorf("%s --version: %w", path, err)
	}
	m := versionLine().FindSubmatch(out)
	if m == nil {
		return Clang{}, fmt.Errorf("%s is not clang", path)
	}
	version, err := strconv.Atoi(string(m[1]))
	if err != nil {
		return Clang{}, fmt.Errorf("%s: version %s: %w", path, m[1], err)
	}
	if version < OldestClang {
		return Clang{}, fmt.Errorf("%s is version %d", path, version)
	}
	targets, err := command.Tool(ctx, path, "--print-targets").Output()
	if err != nil {
		return Clang{}, fmt.Errorf("%s --print-targets: %w", path, err)
	}
	if !strings.Contains(string(targets), "nvptx64") {
		return Clang{}, fmt.Errorf("%s was built without the NVPTX target", path)
	}
	library := findsLibrary(ctx, path)
	return Clang{Path: path, Version: version, Library: library}, ctx.Err() // an interrupted call has found nothing
}

// findsLibrary tells whether the compiler finds C and C++ headers.
func findsLibrary(ctx context.Context, path string) bool {
	command := command.Tool(ctx, path, "-x", "c++", "-std=gnu++17", "-fsyntax-only", "-")
	command.Stdin = strings.NewReader(
		"#include <sys/types.h>\n#include <cstddef>\n#if !__has_include(<cmath>) || !__has_include(<stdlib.h>)\n#error\n#endif\n",
	)
	return command.Run() == nil
}
