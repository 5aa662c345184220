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
		Use:   "glossary [TERM...]",
		Short: "Explain a word of the reports or of the field",
		Long: `Explain words: those of the reports and of the field, stall reasons, metrics and configuration keys. Several words are one
term; a plural or a hyphen makes no difference. Without TERM the terms are listed.`,
		Example: "  keplersim glossary\n  keplersim glossary bank conflict\n  keplersim glossary memory_throttle",
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
