package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/keplersim/keplersim/report/glossary"
)

// glossaryColumns is the width of the glossary's text.
const glossaryColumns = 100

// newGlossaryCommand explains the words of the reports.
func newGlossaryCommand() *cobra.Command {
	return &cobra.Command{
		Use: "glossary [TERM...]",
		RunE: func(cmd *cobra.Command, words []string) error {
			if len(words) == 0 {
				return glossary.WriteList(cmd.OutOrStdout(), glossaryColumns)
			}
			found, err := glossary.Find(strings.Join(words, " "))
			if err != nil {
				return err
			}
			return glossary.Write(cmd.OutOrStdout(), found, glossaryColumns)
		},
	}
}
