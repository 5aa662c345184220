package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/host"
)

// clocksOptions are the flags of keplersim clocks.
type clocksOptions struct {
	config    string
	overrides []string
	format    string
	output    string

	kernel      string // the kernel or workload for --study
	sustain     float64
	limit       float64
	temperature float64
	plot        string // a file
}

// newClocksCommand lists the clocks that a board can be set to.
func newClocksCommand() *cobra.Command {
	o := &clocksOptions{}
	command := &cobra.Command{
		Use:  "clocks",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.format != "text" && o.format != "json" {
				return fmt.Errorf("--format %s: choose one of text, json", o.format)
			}
			if o.kernel != "" {
				return o.study(cmd)
			}
			for _, flag := range []string{"sustain", "power-limit", "temperature", "plot"} {
				if cmd.Flags().Changed(flag) {
					return fmt.Errorf("--%s is for --study FILE", flag)
				}
			}
			return o.list(cmd)
		},
	}
	f := command.Flags()
	f.SortFlags = false
	f.StringVar(&o.config, "config", host.DefaultConfig, "the board: a name that 'keplersim configs' lists, or a YAML file")
	f.StringArrayVar(&o.overrides, "set", nil, "override a key of the configuration, as in smx.count=13 (may be repeated)")
	f.StringVar(&o.format, "format", "text", "text or json")
	f.StringVar(&o.kernel, "study", "", "run this kernel or workload at every core clock")
	f.Float64Var(&o.sustain, "sustain", 0, "repeat it for so many seconds under the board's governor, too")
	f.Float64Var(&o.limit, "power-limit", 0, "the board's power limit in watts (default: the board's own)")
	f.Float64Var(&o.temperature, "temperature", 0,
		"the chip's temperature at the start in degrees Celsius (default: that of an idle board)")
	f.StringVar(&o.plot, "plot", "", "draw the study to this file, .svg or .png")
	outputFlag(f, &o.output)
	return command
}

// list prints the board's pairs of clocks.
func (o *clocksOptions) list(cmd *cobra.Command) error {
	config, err := configs.Load(o.config, o.overrides)
	if err != nil {
		return err
	}
	if err := checkFiles(cmd, configFiles(o.config), written{"output", o.output}); err != nil {
		return err
	}
	return writeReport(cmd, o.output, func(out *reportFile) error {
		if o.format == "json" {
			return writeClocksJSON(out, config)
		}
		writeClocks(out, config)
		return nil
	})
}

// writeClocks prints the pairs as nvidia-smi does, the highest first.
func writeClocks(w io.Writer, c *configs.Config) {
	fmt.Fprintf(w, "GPU %s (%s)\n    Supported Clocks\n", c.Name, c.Description)
	for _, p := range c.Clocks.Supported {
		fmt.Fprintf(w, "        Memory                      : %d MHz\n", p.Memory)
		for _, core := range p.Core {
			fmt.Fprintf(w, "            Graphics                : %d MHz\n", core)
		}
	}
}

// jsonClocks are the clocks of a board, in MHz.
type jsonClocks struct {
	Config    string           `json:"config"`
	Core      int              `json:"core_mhz"`
	Memory    int              `json:"memory_mhz"`
	Base      int              `json:"base_core_mhz"`
	Supported []jsonClockPairs `json:"supported"`
}

type jsonClockPairs struct {
	Memory int   `json:"memory_mhz"`
	Core   []int `json:"core_mhz"`
}

func writeClocksJSON(w io.Writer, c *configs.Config) error {
	all := jsonClocks{Config: c.Name, Core: c.Clocks.Core, Memory: c.Clocks.Memory, Base: c.Clocks.Base}
	for _, p := range c.Clocks.Supported {
		all.Supported = append(all.Supported, jsonClockPairs(p))
	}
	return writeJSON(w, all)
}
