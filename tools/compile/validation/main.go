// Command build makes the .ptx files of the measured kernels from their .cu files. It runs in the validation folder ("make
// validation-kernels") and needs clang.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/keplersim/keplersim/tools/compile"
)

// variants are the defines for each kernel, by name. The define's value is part of the file's name.
var variants = map[string][]string{
	"matMul_gpu":           {""},
	"matMul_gpu_sharedmem": {"8", "16", "32"},
	"matrix_sum_coalesced": {""},
	"matrix_sum_rows":      {""},
	"mix":                  {""},
	"nested":               {""},
	"power":                {""},
	"programs":             {""},
	"samples":              {""},
	"transpose":            {""},
	"vectorAdd":            {""},
}

func main() {
	if err := build(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "build the kernels of validation:", err)
		os.Exit(1)
	}
}

func build(ctx context.Context) error {
	for kernel, tiles := range variants {
		for _, tile := range tiles {
			var defines []string
			base := filepath.Join("kernels", kernel)
			source := base + ".cu"
			if tile != "" {
				defines, base = []string{"TILE=" + tile}, base+"-"+tile
			}
			if err := compile.Targets(ctx, source, base, defines...); err != nil {
				return err
			}
		}
	}
	return nil
}
