package cli

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/keplersim/keplersim/internal/files"
	"github.com/keplersim/keplersim/isa/fp"
	"github.com/keplersim/keplersim/report/numerics"
)

// newFPCommand explains floating-point results.
func newFPCommand() *cobra.Command {
	command := &cobra.Command{
		Use:  "fp",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	command.AddCommand(newFPEvalCommand(), newFPDotCommand(), newFPAssocCommand(), newFPCompareCommand(), newFPSumCommand())
	for i := range numerics.ElementaryFunctions {
		command.AddCommand(newFPFunctionCommand(&numerics.ElementaryFunctions[i]))
	}
	return command
}

func newFPEvalCommand() *cobra.Command {
	return &cobra.Command{
		Use: "eval 'INSTRUCTION OPERAND...'",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("eval takes an instruction with its operands, in quotes")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			in, err := numerics.ParseInstruction(strings.Join(args, " "))
			if err != nil {
				return err
			}
			return numerics.WriteEvaluation(cmd.OutOrStdout(), in)
		},
	}
}

// typeFlag adds --type, and returns a function that returns the named format.
func typeFlag(command *cobra.Command) func() (*fp.Format, error) {
	name := command.Flags().String("type", "f32", "type of the values: f32 or f64")
	return func() (*fp.Format, error) {
		if f, ok := numerics.Formats[*name]; ok && f != &fp.Half {
			return f, nil
		}
		return nil, fmt.Errorf("--type %s: give f32 or f64", *name)
	}
}

func newFPDotCommand() *cobra.Command {
	command := &cobra.Command{
		Use:  "dot",
		Args: cobra.NoArgs,
	}
	format := typeFlag(command)
	a := command.Flags().StringSlice("a", nil, "first vector")
	b := command.Flags().StringSlice("b", nil, "second vector")
	command.RunE = func(cmd *cobra.Command, _ []string) error {
		f, err := format()
		if err != nil {
			return err
		}
		if *a == nil && *b == nil {
			if f != &fp.Single {
				return errors.New("the built-in vectors are f32: give --a and --b for f64")
			}
			return numerics.WriteDot(cmd.OutOrStdout(), f, numerics.FigureA, numerics.FigureB)
		}
		va, errA := parseValues(f, *a)
		vb, errB := parseValues(f, *b)
		if err := errors.Join(errA, errB); err != nil {
			return err
		}
		return numerics.WriteDot(cmd.OutOrStdout(), f, va, vb)
	}
	return command
}

func parseValues(f *fp.Format, words []string) ([]uint64, error) {
	var values []uint64
	for _, word := range words {
		v, err := numerics.ParseValue(f, strings.TrimSpace(word))
		if err != nil {
			return nil, err
		}
		values = append(values, v)
	}
	return values, nil
}

func newFPAssocCommand() *cobra.Command {
	command := &cobra.Command{
		Use:  "assoc [A B C]",
		Args: cobra.MatchAll(cobra.MaximumNArgs(3), func(_ *cobra.Command, args []string) error { return noneOrAll(args, 3) }),
	}
	format := typeFlag(command)
	command.RunE = func(cmd *cobra.Command, args []string) error {
		f, err := format()
		if err != nil {
			return err
		}
		terms := numerics.FigureTerms
		if len(args) > 0 {
			if terms, err = parseValues(f, args); err != nil {
				return err
			}
		} else if f != &fp.Single {
			return errors.New("the built-in values are f32: give three values for f64")
		}
		return numerics.WriteAssociativity(cmd.OutOrStdout(), f, terms)
	}
	return command
}

func noneOrAll(args []string, count int) error {
	if len(args) != 0 && len(args) != count {
		return fmt.Errorf("give %d values or none, not %d", count, len(args))
	}
	return nil
}

func newFPCompareCommand() *cobra.Command {
	command := &cobra.Command{
		Use: "compare A B",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return fmt.Errorf("compare takes two buffers, not %d", len(args))
			}
			return nil
		},
	}
	format := typeFlag(command)
	picture := command.Flags().String("plot", "", "also draw the histogram to this file: .svg, .png or .pdf")
	within := command.Flags().Int64("within", -1, "fail if any element is farther than this many ulp (-1: never)")
	command.RunE = func(cmd *cobra.Command, args []string) error {
		f, err := format()
		if err != nil {
			return err
		}
		if err := checkPlots("plot", *picture); err != nil {
			return err
		}
		if err := checkFiles(cmd, args, written{"plot", *picture}); err != nil {
			return err
		}
		a, errA := readBuffer(f, args[0])
		b, errB := readBuffer(f, args[1])
		if err := errors.Join(errA, errB); err != nil {
			return err
		}
		c, err := numerics.Compare(f, a, b)
		if err != nil {
			return err
		}
		if err := c.Write(cmd.OutOrStdout()); err != nil {
			return err
		}
		if *picture != "" {
			if err := c.Plot(*picture); err != nil {
				return runFailure{err}
			}
		}
		if *within >= 0 && (c.Most > uint64(*within) || c.NaNs > 0) {
			return runFailure{fmt.Errorf("farther apart than %d ulp", *within)}
		}
		return nil
	}
	return command
}

// readBuffer reads a file of raw little-endian values, or a comma-separated list of values.
func readBuffer(f *fp.Format, source string) ([]uint64, error) {
	data, err := files.Read(source, 8*mostValues)
	if tooLarge := new(files.TooLarge); errors.As(err, &tooLarge) {
		return nil, err
	}
	if err != nil {
		values, parseErr := parseValues(f, strings.Split(source, ","))
		if parseErr != nil {
			return nil, fmt.Errorf("%s is neither a file that can be read nor a list of values: %w", source, err)
		}
		return values, nil
	}
	width := 4
	if f == &fp.Double {
		width = 8
	}
	if len(data)%width != 0 {
		return nil, fmt.Errorf("%s has %d bytes, which is no whole number of %s values", source, len(data), f.Name)
	}
	values := make([]uint64, len(data)/width)
	for i := range values {
		if width == 4 {
			values[i] = uint64(binary.LittleEndian.Uint32(data[4*i:]))
		} else {
			values[i] = binary.LittleEndian.Uint64(data[8*i:])
		}
	}
	return values, nil
}

// mostValues bounds the values that fp sum makes up, and its threads, so that it takes seconds at most.
const mostValues = 10_000_000

func newFPSumCommand() *cobra.Command {
	command := &cobra.Command{
		Use:  "sum",
		Args: cobra.NoArgs,
	}
	format := typeFlag(command)
	threads := command.Flags().IntSlice("threads", []int{4, 128}, "numbers of threads")
	data := command.Flags().String(
		"data", "", "file of raw little-endian values, or a list with commas (default: --count values in [0, 1))",
	)
	count := command.Flags().Int("count", 100000, "how many values to make up")
	seed := command.Flags().Uint64("seed", 1, "which values to make up")
	machine := command.Flags().String("machine", "cc2.0", "whose arithmetic: cc2.0, cc1.3, cc1.2, sse or x87")
	command.RunE = func(cmd *cobra.Command, _ []string) error {
		f, err := format()
		if err != nil {
			return err
		}
		m, err := numerics.MachineByName(*machine)
		if err != nil {
			return err
		}
		if *count < 0 || *count > mostValues {
			return fmt.Errorf("--count %d: give a number from 0 to %d", *count, mostValues)
		}
		for _, n := range *threads {
			if n < 1 || n > mostValues {
				return fmt.Errorf("--threads %d: give numbers from 1 to %d", n, mostValues)
			}
		}
		values := numerics.Sample(f, *count, *seed)
		if *data != "" {
			if values, err = readBuffer(f, *data); err != nil {
				return err
			}
		}
		return numerics.WriteSums(cmd.OutOrStdout(), m, f, values, *threads)
	}
	return command
}
