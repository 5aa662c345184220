// Command build makes the .ptx files of the measured kernels from their .cu files, for cc 3.0 and 3.5. It runs in the
// validation folder ("make validation-kernels") and needs clang.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/keplersim/keplersim/toolchain"
)

// variants are the defines that a kernel is compiled with, by name; the define's value is part of the file's name.
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
			for _, arch := range []string{"sm_30", "sm_35"} {
				options, name := toolchain.Options{Arch: arch}, kernel
				if tile != "" {
					options.Defines, name = []string{"TILE=" + tile}, kernel+"-"+tile
				}
				result, err := toolchain.Compile(ctx, filepath.Join("kernels", kernel+".cu"), options)
				if err != nil {
					return err
				}
				if err := os.WriteFile(filepath.Join("kernels", name+"."+arch+".ptx"), result.PTX, 0o644); err != nil {
					return fmt.Errorf("write the PTX: %w", err)
				}
			}
		}
	}
	return nil
}
