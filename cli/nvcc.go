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
		Use:                "nvcc [FLAGS] FILE...",
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			return nvcc.Run(cmd.Context(), args, nvcc.Output{Out: cmd.OutOrStdout(), Err: cmd.ErrOrStderr(), Help: cmd.Help})
		},
	}
}

// newToolkitCommand makes a folder that build systems take for a CUDA toolkit.
func newToolkitCommand() *cobra.Command {
	return &cobra.Command{
		Use:  "toolkit [FOLDER]",
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
