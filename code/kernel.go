package code

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/keplersim/keplersim/internal/spelling"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/debuginfo"
)

// Kernel returns a kernel by its symbol or by a C++ name that only one kernel has: with or without parameter types, result type, template
// arguments and namespaces. An empty name means the only kernel. file is the module's name in messages.
func Kernel(kernels []*isa.Function, file, name string) (*isa.Function, error) {
	if name == "" && len(kernels) == 1 {
		return kernels[0], nil
	}
	owners := map[string][]*isa.Function{}
	for _, k := range kernels {
		if k.Name == name {
			return k, nil
		}
		for _, name := range Spellings(k.Name) {
			owners[unspaced(name)] = append(owners[unspaced(name)], k)
		}
	}
	// shown is the shortest name that only one kernel has.
	shown := func(k *isa.Function) string {
		for _, spelling := range Spellings(k.Name) {
			if len(owners[unspaced(spelling)]) == 1 {
				return spelling
			}
		}
		return k.Name
	}
	var names, ambiguous []string
	for _, k := range kernels {
		names = append(names, shown(k))
	}
	like := owners[unspaced(name)]
	for _, k := range like {
		ambiguous = append(ambiguous, fmt.Sprintf("%s (%s)", shown(k), k.Name))
	}
	switch {
	case len(like) == 1:
		return like[0], nil
	case len(like) > 1:
		return nil, fmt.Errorf("%s has %d kernels called %q; say which: %s", file, len(like), name, strings.Join(ambiguous, ", "))
	case len(kernels) == 0:
		if IsCUDA(file) {
			return nil, fmt.Errorf("%s has no kernel: no __global__ function with a body (of a template one that is used)", file)
		}
		return nil, fmt.Errorf("%s has no kernel: no .entry with a body", file)
	case name == "":
		return nil, fmt.Errorf("%s has %d kernels; say which with --kernel: %s", file, len(kernels), strings.Join(names, ", "))
	}
	meant := ""
	if best := spelling.Nearest(name, names); best != "" {
		meant = "; did you mean " + best + "?"
	}
	return nil, fmt.Errorf("%s has no kernel %q%s; its kernels are %s", file, name, meant, strings.Join(names, ", "))
}

// Spellings returns the C++ names of a symbol, without repeats, shortest first: image::blur<16>(float*) has blur, blur<16>, image::blur<16>
// and the whole. A template's whole name begins with void.
func Spellings(symbol string) []string {
	signature := debuginfo.Demangle(symbol)
	base := debuginfo.DemangledBase(symbol) // without parameters and result
	outer, arguments := base, ""
	if cut := strings.IndexByte(base, '<'); cut > 0 {
		outer, arguments = base[:cut], base[cut:]
	}
	last := outer[strings.LastIndexByte(outer, ':')+1:]
	var list []string
	for _, name := range []string{last, outer, last + arguments, base, strings.TrimPrefix(signature, "void "), signature} {
		if !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// unspaced makes matmul<16,float> equal to matmul<16, float>.
func unspaced(name string) string { return strings.ReplaceAll(name, " ", "") }

// IsCUDA reports a CUDA C file, by its extension.
func IsCUDA(file string) bool { return strings.EqualFold(filepath.Ext(file), ".cu") }

// Means reports whether a name is one of a symbol's spellings.
func Means(name, symbol string) bool {
	return slices.ContainsFunc(Spellings(symbol), func(spelling string) bool { return unspaced(spelling) == unspaced(name) })
}

// PTXName returns the name of a file's PTX in messages: lines of PTX from CUDA C are not lines of the file.
func PTXName(file string) string {
	if IsCUDA(file) {
		return file + " (its PTX)"
	}
	return file
}
