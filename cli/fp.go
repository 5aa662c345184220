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
		Use:   "fp",
		Short: "See why a floating-point result is what it is: evaluate PTX arithmetic, functions, sums, dot products; compare buffers",
		Long: `Evaluate floating-point arithmetic as the GPU does, to the bit. Next to it are the exact result and those of other machines: GPUs of
compute capability 1.2 and below, 1.3, and 2.0 and above, x86 with SSE, and x86 with x87.

Values are decimal numbers (rounded to nearest), inf, nan, or bit patterns as 0x3F800000 (PTX's 0f3F800000 is taken too).`,
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
		Use:   "eval 'INSTRUCTION OPERAND...'",
		Short: "Evaluate one instruction: value, bits, fields, the exact result, and which way it was rounded",
		Long: `Evaluate one floating-point or conversion instruction, with any modifiers that PTX has: rounding, .ftz, .sat, .approx.
Prints operands and result as value, bits and sign|exponent|fraction, the exact result, and which way it was rounded.
For add, sub, mul, div, rcp, sqrt, mad and fma in round to nearest it also prints what other machines make of them.`,
		Example: `  keplersim fp eval 'fma.rm.f32 0x3F800001 0x3F800001 0xBF800002'
  keplersim fp eval 'sin.approx.ftz.f32 3.14159'
  keplersim fp eval 'cvt.rzi.sat.s8.f32 -200.5'
  keplersim fp eval 'setp.ltu.f64 nan 1'`,
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
		Use:   "dot",
		Short: "A dot product by the serial, fused and parallel algorithms, beside the exact value",
		Long: `The dot product of two vectors by three algorithms: serial (multiply, then add), fma (fused multiply-add; mad on older
GPUs), and parallel (halves added pairwise), on each machine, beside the exact value. Without vectors, those of NVIDIA's
document "Precision and Performance: Floating Point and IEEE 754 Compliance for NVIDIA GPUs", Figure 5.`,
		Example: "  keplersim fp dot\n  keplersim fp dot --a 1e8,1,-1e8 --b 1,1,1\n  keplersim fp dot --type f64 --a 0.1,0.2 --b 0.3,0.4",
		Args:    cobra.NoArgs,
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
		Use:   "assoc [A B C]",
		Short: "(A+B)+C against A+(B+C), each step in binary",
		Long: `Adds three values in both orders and prints each step in binary, exact and rounded. Without values, those of section 2.2
of NVIDIA's document "Precision and Performance: Floating Point and IEEE 754 Compliance for NVIDIA GPUs".`,
		Example: "  keplersim fp assoc\n  keplersim fp assoc --type f64 0.1 0.2 0.3\n  keplersim fp assoc -- 1e8 -1e8 1",
		Args:    cobra.MatchAll(cobra.MaximumNArgs(3), func(_ *cobra.Command, args []string) error { return noneOrAll(args, 3) }),
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
		Use:   "compare A B",
		Short: "Compare two buffers in units in the last place, with a histogram",
		Long: `Compares two buffers of equal length element by element, in units in the last place. A and B are files of raw
little-endian values, or lists of values with commas. With --within, more than that many ulp, or NaN in one only, exits 1.`,
		Example: `  keplersim fp compare gpu.bin cpu.bin --plot distance.svg
  keplersim fp compare 1.0,2.0 0x3F800001,2.0 --within 1`,
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
		Use:   "sum",
		Short: "How the shape of a reduction changes a sum",
		Long: `Sums the same values as blocks of different numbers of threads would: each thread adds every Nth value serially, then
the partial sums are added in a tree. Prints each sum beside the exact one.`,
		Example: "  keplersim fp sum --threads 4,128\n  keplersim fp sum --threads 32,1024 --data values.bin --type f64 --machine sse",
		Args:    cobra.NoArgs,
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
