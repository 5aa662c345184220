package cli

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/keplersim/keplersim/lab/engine"
)

// newLessonCommand is for authors of lessons.
func newLessonCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:  "lesson",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	limits := engine.Limits{Time: time.Minute, Code: 1 << 20, Memory: 1 << 30}
	check := &cobra.Command{
		Use:  "check FILE...",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, names []string) error {
			wrong := 0
			for _, name := range names {
				l, err := lessonOf(name)
				if err != nil {
					return err
				}
				findings, err := l.Inspect(cmd.Context(), limits)
				if err != nil {
					return runFailure{err}
				}
				for _, f := range findings {
					kind := "error"
					if f.Advice {
						kind = "advice"
					} else {
						wrong++
					}
					fmt.Fprintf(cmd.OutOrStdout(), "%s:%d: %s: %s\n", name, max(1, f.Line), kind, f.Text)
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%s: %d cells, %d exercises and %d scenes were run\n", name, len(l.Cells),
					len(l.Exercises), len(l.Scenes))
			}
			if wrong > 0 {
				return runFailure{errors.New("the lesson has mistakes")}
			}
			return nil
		},
	}
	check.Flags().DurationVar(&limits.Time, "time", time.Minute, "of the host's time that one run may take")
	cmd.AddCommand(check)
	return cmd
}
