package runtime

import (
	"context"
	"embed"
	"path/filepath"
	"slices"
	"strings"

	"github.com/keplersim/keplersim/toolchain"
)

// The toolkit's libraries that exist as CUDA C of ours. Their kernels run on the simulated device and are timed like any other.
//
//go:embed libraries
var librarySources embed.FS

// librarySource maps a library's linker name to its source.
var librarySource = map[string]string{
	"cublas": "cublas.cu", "cublasLt": "cublaslt.cu", "cufft": "cufft.cu", "curand": "curand.cu", "cusparse": "cusparse.cu",
	"nvrtc": "nvrtc.cu",
}

// LibraryNames returns the libraries that LibraryObject can make.
func LibraryNames() []string {
	var names []string
	for name := range librarySource {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// LibraryNamed returns our library for a linker argument, as cublas for -lcublas and -lcublas_static; "" if there is none.
func LibraryNamed(word string) string {
	name, ok := strings.CutPrefix(word, "-l")
	name = strings.TrimSuffix(name, "_static")
	if _, known := librarySource[name]; !ok || !known {
		return ""
	}
	return name
}

// LibraryObject returns the path of a compiled library, from the cache or compiled now. The file exists as long as the builder.
func LibraryObject(ctx context.Context, b *toolchain.Builder, name string) (string, error) {
	return openCache().libraryObject(ctx, b, name)
}

func (c *cache) libraryObject(ctx context.Context, b *toolchain.Builder, name string) (string, error) {
	return c.own(b, librarySources, "libraries", name, func(folder, made string) error {
		o := toolchain.HostOptions{Options: toolchain.Options{Unit: Unit("library " + name)},
			Extra: []string{"-fPIC", "-fno-exceptions", "-fno-rtti"}} // C programs link it, without the C++ library
		return CUDAObject(ctx, b, filepath.Join(folder, librarySource[name]), made, o)
	})
}
