package cli

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/keplersim/keplersim/arch"
	"github.com/keplersim/keplersim/internal/files"
	"github.com/keplersim/keplersim/isa/cubin"
	"github.com/keplersim/keplersim/isa/sass"
)

// newDisasmCommand prints machine code.
func newDisasmCommand() *cobra.Command {
	var ptx, operations bool
	command := &cobra.Command{
		Use:  "disasm [FILE]",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case operations && len(args) == 0:
				for _, e := range sass.Encodings() {
					if err := e.WriteOperations(cmd.OutOrStdout()); err != nil {
						return err
					}
				}
				return nil
			case operations:
				return errors.New("--operations lists what is known, and reads no file")
			case len(args) == 0:
				return errors.New("give a cubin, a fatbin, an executable or an object file")
			}
			data, err := files.Read(args[0], cubin.MostBytes)
			if err != nil {
				return err
			}
			if !cubin.IsMachineCode(data) {
				return fmt.Errorf("%s is no cubin, fatbin, executable or object file", args[0])
			}
			images, err := cubin.Images(data)
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			if ptx {
				return printPTX(cmd.OutOrStdout(), args[0], images)
			}
			return disassemble(cmd.OutOrStdout(), args[0], images)
		},
	}
	command.Flags().BoolVar(&operations, "operations", false, "list the operations that are known, and read no file")
	command.Flags().BoolVar(&ptx, "ptx", false, "print the PTX that the file holds")
	return command
}

// printPTX prints each PTX image of a file.
func printPTX(w io.Writer, name string, images []cubin.Image) error {
	found := false
	for _, image := range images {
		if image.PTX == nil {
			continue
		}
		found = true
		if _, err := fmt.Fprintf(w, "%s\n", image.PTX); err != nil {
			return err
		}
	}
	if !found {
		return fmt.Errorf("%s holds no PTX", name)
	}
	return nil
}

// disassemble prints the machine code of each image that has some.
func disassemble(w io.Writer, name string, images []cubin.Image) error {
	found := false
	for _, image := range images {
		if image.ELF == nil {
			continue
		}
		found = true
		m, err := cubin.Parse(image.ELF)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		fmt.Fprintf(w, "\nFatbin elf code:\n================\narch = sm_%d\n\n\tcode for sm_%d\n", m.Architecture, m.Architecture)
		encoding := sass.Of(m.Architecture)
		if encoding == nil {
			fmt.Fprintf(w, "\t\t(operations of %s alone are known)\n", arch.Encoded())
			continue
		}
		for _, f := range m.Functions {
			fmt.Fprintf(w, "\t\tFunction : %s\n", f.Name)
			if err := encoding.Print(w, f.Code); err != nil {
				return err
			}
			fmt.Fprintf(w, "\t\t.....%.*s\n\n", len(f.Name), "................................................................")
		}
	}
	if !found {
		return fmt.Errorf("%s holds no machine code; --ptx prints its PTX", name)
	}
	return nil
}
