package cli

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/host"
	"github.com/keplersim/keplersim/internal/spelling"
	"github.com/keplersim/keplersim/runtime"
)

// smiOptions are nvidia-smi's flags.
type smiOptions struct {
	config  string
	set     []string
	devices int
	list    bool
	query   string
	full    bool
	chosen  []int // the devices to show; none for all
	help    bool
	format  string
}

// quantity is a figure of nvidia-smi --query-gpu.
type quantity struct {
	name, unit, meaning string
	value               func(c *configs.Config, device int) string
}

// highestClock returns the highest core clock of the board's list, or its own if it has none.
func highestClock(c *configs.Config) int {
	most := c.Clocks.Core
	for _, p := range c.Clocks.Supported {
		most = max(most, slices.Max(p.Core))
	}
	return most
}

// notAvailable returns nvidia-smi's word for an unknown figure.
func notAvailable(*configs.Config, int) string { return "[N/A]" }

func watts(w float64) string { return fmt.Sprintf("%.2f", w) }

// quantities are those of nvidia-smi's figures that a simulated board has.
var quantities = []quantity{
	{"index", "", "the device's number", func(_ *configs.Config, d int) string { return strconv.Itoa(d) }},
	{"count", "", "how many devices there are", nil},
	{"gpu_name", "", "the product's name", func(c *configs.Config, _ int) string { return runtime.BoardName(c) }},
	{"name", "", "the same", func(c *configs.Config, _ int) string { return runtime.BoardName(c) }},
	{"gpu_uuid", "", "as cudaDeviceProp.uuid has it", func(_ *configs.Config, d int) string { return runtime.UUID(d) }},
	{"uuid", "", "the same", func(_ *configs.Config, d int) string { return runtime.UUID(d) }},
	{"driver_version", "", "of the last driver for Kepler", func(*configs.Config, int) string { return "470.256.02" }},
	{"pci.bus_id", "", "the device's place on the bus", func(_ *configs.Config, d int) string {
		return fmt.Sprintf("00000000:%02X:00.0", 2+d)
	}},
	{"compute_cap", "", "the compute capability", func(c *configs.Config, _ int) string {
		n := int(c.ComputeCapability)
		return fmt.Sprintf("%d.%d", n/10, n%10)
	}},
	{"memory.total", "MiB", "the device's memory", func(c *configs.Config, _ int) string {
		return strconv.Itoa(int(runtime.MemoryBytes(c) >> 20))
	}},
	{"memory.used", "MiB", "of it in use: none between runs", func(*configs.Config, int) string { return "0" }},
	{"memory.free", "MiB", "all of it", func(c *configs.Config, _ int) string { return strconv.Itoa(int(runtime.MemoryBytes(c) >> 20)) }},
	{"utilization.gpu", "%", "how busy the device is: not at all between runs", func(*configs.Config, int) string { return "0" }},
	{"utilization.memory", "%", "the same of its memory", func(*configs.Config, int) string { return "0" }},
	{"temperature.gpu", "", "not simulated", notAvailable},
	{"power.draw", "", "not known between runs", notAvailable},
	{"fan.speed", "", "not simulated", notAvailable},
	{"pstate", "", "the performance state", func(*configs.Config, int) string { return "P0" }},
	{"persistence_mode", "", "whether the driver stays loaded", func(*configs.Config, int) string { return "Enabled" }},
	{"compute_mode", "", "who may use the device", func(*configs.Config, int) string { return "Default" }},
	{"clocks.sm", "MHz", "the core clock", func(c *configs.Config, _ int) string { return strconv.Itoa(c.Clocks.Core) }},
	{"clocks.gr", "MHz", "the same", func(c *configs.Config, _ int) string { return strconv.Itoa(c.Clocks.Core) }},
	{"clocks.mem", "MHz", "the memory clock", func(c *configs.Config, _ int) string { return strconv.Itoa(c.Clocks.Memory) }},
	{"clocks.max.sm", "MHz", "the highest core clock", func(c *configs.Config, _ int) string { return strconv.Itoa(highestClock(c)) }},
	{"clocks.max.mem", "MHz", "the highest memory clock", func(c *configs.Config, _ int) string { return strconv.Itoa(c.Clocks.Memory) }},
	{"power.limit", "W", "the power above which the board slows down", func(c *configs.Config, _ int) string {
		return watts(c.Boost.PowerLimit)
	}},
	{"power.min_limit", "W", "the lowest limit", func(c *configs.Config, _ int) string { return watts(c.Boost.PowerLimitMin) }},
	{"power.max_limit", "W", "the highest limit", func(c *configs.Config, _ int) string { return watts(c.Boost.PowerLimitMax) }},
	{"ecc.mode.current", "", "whether memory has ECC", func(c *configs.Config, _ int) string {
		if c.DRAM.ECC {
			return "Enabled"
		}
		return "Disabled"
	}},
}

// newSMICommand describes the boards as nvidia-smi does.
func newSMICommand() *cobra.Command {
	o := &smiOptions{}
	command := &cobra.Command{
		Use:  "smi",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.print(cmd.OutOrStdout()) },
	}
	f := command.Flags()
	f.SortFlags = false
	f.StringVar(&o.config, "config", host.DefaultConfig, "the chip or board: a name that 'keplersim configs' lists, or a YAML file")
	f.StringArrayVar(&o.set, "set", nil, "override a key of the configuration, as in clocks.core=875 (may be repeated)")
	f.IntVar(&o.devices, "devices", 1, "how many devices there are, 1 to 8")
	f.BoolVarP(&o.list, "list-gpus", "L", false, "list the devices, a line each")
	f.BoolVarP(&o.full, "query", "q", false, "print all figures of each device")
	f.IntSliceVarP(&o.chosen, "id", "i", nil, "describe the devices of these `NUMBERS` alone, with commas between them")
	f.StringVar(&o.query, "query-gpu", "", "print these `FIGURES` of each device, with commas between them")
	f.BoolVar(&o.help, "help-query-gpu", false, "list the figures there are")
	f.StringVar(&o.format, "format", "csv", "of --query-gpu: csv, and with commas noheader and nounits")
	return command
}

func (o *smiOptions) print(out io.Writer) error {
	if o.devices < 1 || o.devices > 8 {
		return fmt.Errorf("--devices %d: there can be 1 to 8", o.devices)
	}
	for _, d := range o.chosen {
		if d < 0 || d >= o.devices {
			return fmt.Errorf("-i %d: there is no such device (--devices %d)", d, o.devices)
		}
	}
	board, err := configs.Load(o.config, o.set)
	if err != nil {
		return err
	}
	switch {
	case o.help:
		t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		for _, q := range quantities {
			fmt.Fprintf(t, "%s\t%s\t%s\n", q.name, q.unit, q.meaning)
		}
		return t.Flush()
	case o.list:
		for _, d := range o.numbers() {
			fmt.Fprintf(out, "GPU %d: %s (UUID: %s)\n", d, runtime.BoardName(board), runtime.UUID(d))
		}
		return nil
	case o.query != "":
		return o.figures(out, board)
	case o.full:
		return o.all(out, board)
	}
	return o.table(out, board)
}

// numbers returns the numbers of the devices to show.
func (o *smiOptions) numbers() []int {
	if len(o.chosen) > 0 {
		return o.chosen
	}
	var all []int
	for d := range o.devices {
		all = append(all, d)
	}
	return all
}

// all prints each figure of each device on its own line, as -q does.
func (o *smiOptions) all(out io.Writer, board *configs.Config) error {
	fmt.Fprintf(out, "%-28s: %d\n", "Attached GPUs", o.devices)
	for _, d := range o.numbers() {
		fmt.Fprintf(out, "GPU %d\n", d)
		for _, q := range quantities {
			if q.value != nil {
				fmt.Fprintf(out, "    %-24s: %s\n", q.name, strings.TrimSpace(q.value(board, d)+" "+q.unit))
			}
		}
	}
	return nil
}

// figures prints comma-separated values.
func (o *smiOptions) figures(out io.Writer, board *configs.Config) error {
	header, units := true, true
	for word := range strings.SplitSeq(o.format, ",") {
		switch word {
		case "csv":
		case "noheader":
			header = false
		case "nounits":
			units = false
		default:
			return fmt.Errorf("--format %s: csv, and with commas noheader and nounits", o.format)
		}
	}
	var chosen []quantity
	var head, names []string
	for _, q := range quantities {
		names = append(names, q.name)
	}
	for name := range strings.SplitSeq(o.query, ",") {
		at := slices.Index(names, strings.TrimSpace(name))
		if at < 0 {
			near := ""
			if n := spelling.Nearest(name, names); n != "" {
				near = fmt.Sprintf("; did you mean %s?", n)
			}
			return fmt.Errorf("--query-gpu: there is no figure %q%s (keplersim smi --help-query-gpu lists them)", name, near)
		}
		q := quantities[at]
		chosen = append(chosen, q)
		if q.unit != "" {
			name += " [" + q.unit + "]"
		}
		head = append(head, name)
	}
	if header {
		fmt.Fprintln(out, strings.Join(head, ", "))
	}
	for _, d := range o.numbers() {
		var line []string
		for _, q := range chosen {
			value := strconv.Itoa(o.devices) // the value of count
			if q.value != nil {
				value = q.value(board, d)
			}
			if units && q.unit != "" {
				value += " " + q.unit
			}
			line = append(line, value)
		}
		fmt.Fprintln(out, strings.Join(line, ", "))
	}
	return nil
}

// table prints a line for each device.
func (o *smiOptions) table(out io.Writer, board *configs.Config) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	names := []string{"index", "name", "pci.bus_id", "memory.total", "clocks.sm", "clocks.mem", "power.limit", "ecc.mode.current",
		"compute_cap"}
	fmt.Fprintln(t, "GPU\tName\tBus-Id\tMemory\tCore\tMemory clock\tPower limit\tECC\tCompute capability")
	for _, d := range o.numbers() {
		var line []string
		for _, name := range names {
			at := slices.IndexFunc(quantities, func(q quantity) bool { return q.name == name })
			q := quantities[at]
			line = append(line, strings.TrimSpace(q.value(board, d)+" "+q.unit))
		}
		fmt.Fprintln(t, strings.Join(line, "\t"))
	}
	return t.Flush()
}
