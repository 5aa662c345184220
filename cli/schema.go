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
		Use:   "schema [NAME]",
		Short: "Print the JSON schema of a report, a table or another output",
		Long: `Print a schema (JSON Schema 2020-12) of what a command writes as JSON: names, types and units of its members, and which are
always there. Without NAME the schemas are listed. The number in a schema's $id grows when a member is renamed or removed or changes its
meaning; new members may come at any time.`,
		Example: "  keplersim schema\n  keplersim schema report > report.schema.json",
		Args:    cobra.MaximumNArgs(1),
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
