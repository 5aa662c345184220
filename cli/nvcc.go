package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/keplersim/keplersim/runtime"
	"github.com/keplersim/keplersim/runtime/nvcc"
)

// newNVCCCommand replaces nvcc. It parses its flags itself, because they are nvcc's.
func newNVCCCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "nvcc [FLAGS] FILE...",
		Short: "Compile and link CUDA programs with nvcc's command line, for Makefiles and CMake",
		Long: `Compile and link CUDA programs with nvcc's command line, for Makefiles and CMake: by clang, without a toolkit.

What it makes runs by itself: ./program finds keplersim by the variable KEPLERSIM or on PATH, and takes
flags of keplersim run from KEPLERSIM_FLAGS, as in "--config k40 --functional". With
'keplersim run ./program' it reports at the end (docs/programs.md).

The flags are nvcc's. Those that make no difference here are ignored, unknown ones are errors. Of several
architectures the best Kepler one counts.

` + nvcc.Flags(),
		Example: `  keplersim nvcc -O3 -arch=sm_35 -o matmul matmul.cu
  keplersim nvcc -rdc=true -c kernels.cu -I include
  keplersim nvcc kernels.o main.o -o program -lm
  make NVCC="keplersim nvcc"
  make CUDA_PATH="$(keplersim toolkit)"
  cmake -DCMAKE_CUDA_COMPILER="$(keplersim toolkit)/bin/nvcc" .`,
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			return nvcc.Run(cmd.Context(), args, nvcc.Output{Out: cmd.OutOrStdout(), Err: cmd.ErrOrStderr(), Help: cmd.Help})
		},
	}
}

// newToolkitCommand makes a folder that build systems take for a CUDA toolkit.
func newToolkitCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "toolkit [FOLDER]",
		Short: "Make a folder that Makefiles and CMake take for a CUDA toolkit, and print its path",
		Long: `Make a folder that Makefiles and CMake take for a CUDA toolkit, and print its path: bin/nvcc, which is keplersim nvcc, include with
CUDA's headers, and lib64 with the runtime to link to programs. Without FOLDER it is in your cache folder.`,
		Example: `  make CUDA_PATH="$(keplersim toolkit)"
  PATH="$(keplersim toolkit)/bin:$PATH" make
  cmake -DCMAKE_CUDA_COMPILER="$(keplersim toolkit)/bin/nvcc" ..
  keplersim toolkit cuda`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			folder := ""
			if len(args) > 0 {
				folder = args[0]
			}
			made, err := runtime.Toolkit(cmd.Context(), folder)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), made)
			return err
		},
	}
}
