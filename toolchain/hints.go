package toolchain

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/keplersim/keplersim/internal/pattern"
	"github.com/keplersim/keplersim/internal/spelling"
)

// Documentation is the page that lists the names in the CUDA header.
const Documentation = "docs/cuda-c.md"

// advice is what to do about one kind of clang message.
type advice struct {
	message func() *regexp.Regexp // its first group is the missing name, if any
	say     func(name string) string
}

// always is advice that ignores the name.
func always(text string) func(string) string { return func(string) string { return text } }

// advices are tried in this order. Each is given at most once.
var advices = []advice{
	{pattern.Lazy(`fatal error: '([^']+)' file not found`), missingHeader},
	{pattern.Lazy(`(?:unknown type name|use of undeclared identifier) '(curandState(?:MTGP|Mtgp)\w*)'`),
		always("of cuRAND's generators XORWOW (curandState), Philox (curandStatePhilox4_32_10_t), MRG32k3a and Sobol's are there")},
	{pattern.Lazy(`no (?:type|member|template) named '(\w+)' in namespace 'std'`), func(name string) string {
		return fmt.Sprintf("std::%s is not among what keplersim has of the C++ library. Device code seldom needs more than %s lists; "+
			"host code can be put between #ifndef __CUDA_ARCH__ and #endif, as only device code is compiled", name, Documentation)
	}},
	{pattern.Lazy(`(?:use of undeclared identifier|unknown type name|no template named) '(\w+)'`), func(name string) string {
		if strings.HasPrefix(name, "cuda") || strings.HasPrefix(name, "cu") || strings.HasPrefix(name, "__") {
			return fmt.Sprintf("if %s is CUDA's, the header does not know it: %s lists what there is. Host code can be put between "+
				"#ifndef __CUDA_ARCH__ and #endif, as only device code is compiled", name, Documentation)
		}
		return ""
	}},
	{pattern.Lazy(
		`(call to) __host__ function from __(?:device|global)__|(reference to) __host__ (?:function|variable) '[^']+' in __`,
	),
		always("a kernel reaches only what is on the device: declare the function __device__ (or __host__ __device__, or constexpr) to " +
			"call it there")},
}

// libraries maps the beginnings of CUDA header names to the libraries that the headers belong to.
var libraries = map[string]string{
	"thrust/": "Thrust", "cub/": "CUB", "cublasXt": "cuBLASXt", "cufftw": "cuFFTW",
	"cusolver": "cuSOLVER",
	"npp":      "NPP", "cudnn": "cuDNN",
	"mma.h": "tensor cores, which Kepler has not", "cooperative_groups/": "the rest of cooperative groups", "cuda/": "libcu++",
	"omp.h": "OpenMP", "mpi.h": "MPI", "GL/": "OpenGL", "opencv": "OpenCV",
}

// missingHeader explains why a header is missing and what exists instead.
func missingHeader(name string) string {
	for prefix, library := range libraries {
		if strings.HasPrefix(name, prefix) {
			return fmt.Sprintf("%s belongs to %s, which is not part of keplersim: leave its include and what uses it out of device "+
				"compilation (#ifndef __CUDA_ARCH__), or run the PTX that nvcc makes of the file", name, library)
		}
	}
	text := fmt.Sprintf("%s is not beside the file, nor among keplersim's own headers (no toolkit and no system header is looked at)", name)
	end := ". "
	nearest := slices.MinFunc(systemHeaders(), func(a, b string) int { return spelling.Distance(name, a) - spelling.Distance(name, b) })
	if spelling.Distance(name, nearest) <= 2 {
		end = fmt.Sprintf("; did you mean %s? ", nearest)
	}
	return text + end + "The folder of a header of your own is named with -I; " + Documentation + " lists the headers there are"
}

// systemHeaders returns the names of headers that programs can include.
func systemHeaders() []string {
	var names []string
	for _, root := range []string{"include/cuda", "include/system"} {
		err := fs.WalkDir(headers, root, func(file string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				names = append(names, strings.TrimPrefix(file, root+"/"))
			}
			return err
		})
		if err != nil {
			panic(fmt.Sprintf("embedded CUDA header: %v", err)) // the files are embedded in the program
		}
	}
	slices.SortFunc(names, func(a, b string) int { return strings.Compare(path.Base(a), path.Base(b)) })
	return names
}

// hints returns advice for clang's messages, without repetition.
func hints(messages string) []string {
	var out []string
	for _, a := range advices {
		for _, m := range a.message().FindAllStringSubmatch(messages, -1) {
			if text := a.say(m[1]); text != "" && !slices.Contains(out, text) {
				out = append(out, text)
			}
			if len(out) == 3 {
				return out
			}
		}
	}
	return out
}
