package cli

import (
	"errors"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/keplersim/keplersim/code"
	"github.com/keplersim/keplersim/code/sources"
	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/decode"
	"github.com/keplersim/keplersim/isa/lower"
	"github.com/keplersim/keplersim/isa/lower/target"
)

// newLowerCommand prints a kernel as it is compiled for a chip.
func newLowerCommand() *cobra.Command {
	var config, kernel, format, after string
	var maxRegisters int
	var overrides, link []string
	var reader *sources.Reader
	command := &cobra.Command{
		Use: "lower FILE",
		Args: func(cmd *cobra.Command, args []string) error {
			if after == "help" && len(args) == 0 {
				return nil
			}
			return linkedArgs(&link)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if after == "help" {
				return listPasses(cmd.OutOrStdout())
			}
			if format != "text" && format != "json" {
				return fmt.Errorf("--format %q: choose one of text, json", format)
			}
			if err := checkCap(maxRegisters); err != nil {
				return err
			}
			if after != "" && format == "json" {
				return errors.New("--after prints text: leave out --format json")
			}
			chip, err := configs.Load(config, overrides)
			if err != nil {
				return err
			}
			program, _, err := linkModules(
				cmd.Context(), reader, append(args[:1:1], linked(link, args)...), chip.ComputeCapability, decode.Options{},
			)
			if err != nil {
				return err
			}
			kernels := program.Kernels()
			if kernel != "" {
				f, err := code.Kernel(kernels, args[0], kernel)
				if err != nil {
					return err
				}
				kernels = []*isa.Function{f}
			}
			if len(kernels) == 0 {
				return errors.New(args[0] + " has no kernel: nothing is declared .entry")
			}
			var unresolved []error
			for _, k := range kernels {
				unresolved = append(unresolved, k.Resolved())
			}
			if err := errors.Join(unresolved...); err != nil {
				return err
			}
			if after != "" {
				return printStages(cmd, program, kernels, code.Options(chip, maxRegisters), after)
			}
			latency := code.Latency(chip)
			var machines []*isa.MachineProgram
			for _, k := range kernels {
				machine, err := code.Lower(cmd.Context(), program, k, chip, maxRegisters)
				if err != nil {
					return err
				}
				machines = append(machines, machine)
			}
			if format == "json" {
				return writeMachines(cmd.OutOrStdout(), chip.Name, machines, latency)
			}
			for n, machine := range machines {
				if n > 0 {
					fmt.Fprintln(cmd.OutOrStdout())
				}
				if err := lower.Print(machine, latency, cmd.OutOrStdout()); err != nil {
					return err
				}
			}
			return nil
		},
	}
	flags := command.Flags()
	flags.StringVar(&config, "config", "gk110", "the chip or board: a name that 'keplersim configs' lists, or a YAML file")
	flags.StringVar(&kernel, "kernel", "", "the kernel to print, where the file has several")
	reader = codeFlags(command, &link)
	flags.IntVar(&maxRegisters, "maxrregcount", 0, "registers that a thread may have; 0 leaves it to the compiler")
	flags.StringArrayVar(&overrides, "set", nil, "override a key of the configuration, as in smx.count=13 (may be repeated)")
	flags.StringVar(&format, "format", "text", "text or json")
	flags.StringVar(&after, "after", "", "print what the kernel is after this pass of lowering; help lists the passes")
	if err := command.RegisterFlagCompletionFunc("after",
		cobra.FixedCompletions(append(lower.PassNames(), "help"), cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err) // the flag is defined above
	}
	return command
}

// listPasses prints the passes of lowering in order.
func listPasses(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for n := range lower.Passes {
		fmt.Fprintf(table, "%s\t%s\n", lower.Passes[n].Name, lower.Passes[n].What)
	}
	return table.Flush()
}

// printStages prints kernels as they are after a pass.
func printStages(cmd *cobra.Command, program *isa.Program, kernels []*isa.Function, options lower.Options, pass string) error {
	if err := lower.CheckPass(pass); err != nil {
		return err
	}
	for n, k := range kernels {
		if n > 0 {
			fmt.Fprintln(cmd.OutOrStdout())
		}
		fmt.Fprintf(cmd.OutOrStdout(), "%s after %s\n", program.Title(k.Name), pass)
		if err := lower.PrintAfter(cmd.Context(), program, k, options, pass, cmd.OutOrStdout()); err != nil {
			return err
		}
	}
	return nil
}

// checkCap checks --maxrregcount.
func checkCap(registers int) error {
	switch {
	case registers < 0:
		return errors.New("--maxrregcount must be 0 or more")
	case registers > 0 && registers < target.MinimumRegisters:
		return fmt.Errorf("--maxrregcount %d: no kernel is compiled for fewer than %d registers; give %d or more, or 0 for no cap",
			registers, target.MinimumRegisters, target.MinimumRegisters)
	}
	return nil
}
