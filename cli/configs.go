package cli

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/keplersim/keplersim/configs"
)

// newConfigsCommand lists the chips and boards that come with the simulator, and shows one.
func newConfigsCommand() *cobra.Command {
	command := &cobra.Command{
		Use:  "configs",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			list, err := configs.List()
			if err != nil {
				return err
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "NAME\tCHIP\tCC\tSMX\tCORE MHz\tEXTENDS\tDESCRIPTION")
			for _, e := range list {
				c := e.Config
				fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%d\t%s\t%s\n", e.Name, c.Chip, c.ComputeCapability, c.SMX.Count, c.Clocks.Core, e.Extends,
					c.Description)
			}
			return w.Flush()
		},
	}
	command.AddCommand(newConfigsShowCommand(), newConfigsDiffCommand())
	return command
}

// newConfigsShowCommand prints one configuration, resolved.
func newConfigsShowCommand() *cobra.Command {
	var overrides []string
	command := &cobra.Command{
		Use: "show NAME",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("show takes one configuration, not %d: keplersim configs lists them", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			config, err := configs.Load(args[0], overrides)
			if err != nil {
				return err
			}
			_, err = fmt.Fprint(cmd.OutOrStdout(), config.Resolved())
			return err
		},
	}
	command.Flags().StringArrayVar(&overrides, "set", nil, "override a key, as in smx.count=13 (may be repeated)")
	return command
}
