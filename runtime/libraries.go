package runtime

import (
	"context"
	"embed"
	"path/filepath"
	"slices"
	"strings"

	"github.com/keplersim/keplersim/toolchain"
)

// Libraries of the toolkit that are there as CUDA C of ours, which runs on the simulated device and is timed like any other.
//
//go:embed libraries
var librarySources embed.FS

// librarySource names a library's source by the library's name, as the linker has it.
var librarySource = map[string]string{
	"cublas": "cublas.cu", "cublasLt": "cublaslt.cu", "cufft": "cufft.cu", "curand": "curand.cu", "cusparse": "cusparse.cu",
	"nvrtc": "nvrtc.cu",
}

// LibraryNames returns the libraries that LibraryObject makes.
func LibraryNames() []string {
	var names []string
	for name := range librarySource {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// LibraryNamed returns the library that a word of the linker's asks for, as cublas for -lcublas and -lcublas_static; "" for none of ours.
func LibraryNamed(word string) string {
	name, ok := strings.CutPrefix(word, "-l")
	name = strings.TrimSuffix(name, "_static")
	if _, known := librarySource[name]; !ok || !known {
		return ""
	}
	return name
}

// LibraryObject returns the compiled library of a name, from the cache or compiled now. It is there as long as the builder is.
func LibraryObject(ctx context.Context, b *toolchain.Builder, name string) (string, error) {
	return openCache().libraryObject(ctx, b, name)
}

func (c *cache) libraryObject(ctx context.Context, b *toolchain.Builder, name string) (string, error) {
	return c.own(b, librarySources, "libraries", name, func(folder, made string) error {
		o := toolchain.HostOptions{Options: toolchain.Options{Unit: Unit("library " + name)},
			Extra: []string{"-fPIC", "-fno-exceptions", "-fno-rtti"}} // programs in C link it, without C++'s library
		return CUDAObject(ctx, b, filepath.Join(folder, librarySource[name]), made, o)
	})
}
