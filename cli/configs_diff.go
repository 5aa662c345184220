package cli

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/keplersim/keplersim/configs"
)

// newConfigsDiffCommand compares two configurations.
func newConfigsDiffCommand() *cobra.Command {
	var overrides []string
	var format string
	command := &cobra.Command{
		Use: "diff A B",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return fmt.Errorf("diff takes two configurations, not %d", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			write, ok := diffFormats[format]
			if !ok {
				return fmt.Errorf("--format %q: choose one of text, json", format)
			}
			a, err := configs.Load(args[0], nil)
			if err != nil {
				return err
			}
			b, err := configs.Load(args[1], overrides)
			if err != nil {
				return err
			}
			return write(cmd.OutOrStdout(), a, b)
		},
	}
	command.Flags().StringArrayVar(&overrides, "set", nil, "override a key of B, as in smx.count=13 (may be repeated)")
	command.Flags().StringVar(&format, "format", "text", "text or json")
	return command
}

var diffFormats = map[string]func(io.Writer, *configs.Config, *configs.Config) error{"text": diffText, "json": diffJSON}

// diffText writes a table of the keys that differ.
func diffText(out io.Writer, a, b *configs.Config) error {
	differences, keys := configs.Diff(a, b)
	if len(differences) == 0 {
		_, err := fmt.Fprintf(out, "all %d keys are equal\n", keys)
		return err
	}
	second := b.Name
	if second == a.Name {
		second += " (changed)"
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "KEY\t%s\t%s\tUNIT\n", a.Name, second)
	for _, d := range differences {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", d.Key, orNone(d.A), orNone(d.B), d.Unit)
	}
	fmt.Fprintf(w, "\n%d of %d keys differ\n", len(differences), keys)
	return w.Flush()
}

// orNone returns a value, or a dash if it is empty.
func orNone(value string) string {
	if value == "" {
		return "-"
	}
	return value
}

// diffJSON writes the differences as JSON. Values are texts as in a file, and null if a list is too short to have the key.
func diffJSON(out io.Writer, a, b *configs.Config) error {
	type difference struct {
		Key  string  `json:"key"`
		Unit string  `json:"unit"`
		A    *string `json:"a"`
		B    *string `json:"b"`
	}
	differences, keys := configs.Diff(a, b)
	result := struct {
		A           string       `json:"a"`
		B           string       `json:"b"`
		Keys        int          `json:"keys"`
		Differences []difference `json:"differences"`
	}{a.Name, b.Name, keys, []difference{}}
	given := func(value string) *string {
		if value == "" {
			return nil
		}
		return &value
	}
	for _, d := range differences {
		result.Differences = append(result.Differences, difference{d.Key, d.Unit, given(d.A), given(d.B)})
	}
	return writeJSON(out, result)
}
