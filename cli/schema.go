package cli

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/keplersim/keplersim/internal/jsonschema"
)

// newSchemaCommand prints the schemas of other commands' JSON output.
func newSchemaCommand() *cobra.Command {
	return &cobra.Command{
		Use:  "schema [NAME]",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, names []string) error {
			if len(names) == 1 {
				text, err := jsonschema.Text(names[0])
				if err == nil {
					_, err = cmd.OutOrStdout().Write(text)
				}
				return err
			}
			t := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			for _, name := range jsonschema.Names() {
				fmt.Fprintf(t, "%s\t%s\n", name, jsonschema.Does(name))
			}
			return t.Flush()
		},
	}
}
