// Package compile writes the PTX that the project keeps next to its CUDA C.
package compile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/keplersim/keplersim/toolchain"
)

// Kept are files of workloads with register counts recorded from ptxas. clang now inlines, unrolls and steps pointers differently, as nvcc
// does, but the records belong to the committed code.
var Kept = []string{"monte-carlo-pi.ptx", "spmv.sm_30.ptx", "spmv.ptx", "needleman-wunsch.ptx", "kmeans.ptx", "compaction.ptx",
	"convolution.ptx", "nbody.ptx", "quicksort.ptx"}

// Targets writes a source's sm_35 code to BASE.ptx, and its sm_30 code to BASE.sm_30.ptx if the instructions differ.
func Targets(ctx context.Context, source, base string, defines ...string) error {
	gk110, err := toolchain.Compile(ctx, source, toolchain.Options{Arch: "sm_35", Defines: defines})
	if err != nil {
		return err
	}
	gk104, err := toolchain.Compile(ctx, source, toolchain.Options{Arch: "sm_30", Defines: defines})
	if err != nil {
		return err
	}
	if err := os.WriteFile(base+".ptx", gk110.PTX, 0o644); err != nil {
		return err
	}
	if bytes.Equal(bytes.ReplaceAll(gk110.PTX, []byte("sm_35"), []byte("sm_30")), gk104.PTX) {
		err = os.Remove(base + ".sm_30.ptx")
		if errors.Is(err, os.ErrNotExist) {
			err = nil
		}
	} else {
		err = os.WriteFile(base+".sm_30.ptx", gk104.PTX, 0o644)
	}
	fmt.Println(base+".ptx", gk110.CommandLine())
	return err
}
