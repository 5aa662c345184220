package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/keplersim/keplersim/code/sources"
	"github.com/keplersim/keplersim/configs"
	report "github.com/keplersim/keplersim/report/occupancy"
	"github.com/keplersim/keplersim/sim/smx/occupancy"
)

// occupancyOptions are the flags of keplersim occupancy.
type occupancyOptions struct {
	file, kernel             string
	link                     []string
	code                     *sources.Reader
	given                    func(flag string) bool // reports whether the user gave a flag
	configs                  string
	overrides                []string
	set                      []string // the overrides that apply
	registers, maxRegisters  int
	registersOf              string
	shared, cache            string
	block                    int
	sweeps                   []string
	format, output, plotFile string
	picture                  string
}

// fermiName is the chip of compute capability 2.0. It has no configuration here.
const fermiName = "fermi"

// newOccupancyCommand says how many blocks fit, what stops the next one, and what would change that.
func newOccupancyCommand() *cobra.Command {
	var o occupancyOptions
	command := &cobra.Command{
		Use:  "occupancy",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, args) },
	}
	o.takeFiles(command)
	f := command.Flags()
	f.StringVar(&o.configs, "config", "gk110", "chips or boards, with commas between them")
	f.StringArrayVar(&o.overrides, "set", nil, "override a key of every configuration, as in smx.blocks=32 (may be repeated)")
	f.IntVar(&o.block, "block", 256, "threads per block")
	f.IntVar(&o.registers, "registers", 32, "registers per thread")
	f.StringVar(&o.shared, "shared", "0", "bytes of shared memory per block; a number may end in K")
	f.StringVar(&o.cache, "cache-config", "none", "cache preference: none, shared, l1 or equal")
	f.StringArrayVar(&o.sweeps, "sweep", nil, "vary block, registers or shared: AXIS=FROM..TO:STEP or AXIS=A,B,C (once or twice)")
	f.StringVar(&o.format, "format", "text", "text, json or csv")
	outputFlag(f, &o.output)
	f.StringVar(&o.plotFile, "plot", "", "write a plot to this file, .svg, .png or .pdf: three curves, or one sweep")
	f.StringVar(&o.picture, "picture", "auto", "draw an SMX with its blocks: auto (on a terminal), always or never")
	return command
}

// run runs the command.
func (o *occupancyOptions) run(cmd *cobra.Command, args []string) error {
	o.given = cmd.Flags().Changed
	if len(args) > 0 {
		o.file, o.link = args[0], linked(o.link, args)
	}
	if err := o.check(); err != nil {
		return err
	}
	study, spills, err := o.study(cmd.Context())
	if err != nil {
		return err
	}
	study.Overrides = o.set
	if err := checkFiles(cmd, o.inputs(), written{"output", o.output}, written{"plot", o.plotFile}); err != nil {
		return err
	}
	return writeReport(cmd, o.output, func(out *reportFile) error {
		if o.plotFile != "" {
			if err := study.WritePlot(o.plotFile); err != nil {
				return runFailure{err}
			}
		}
		return errors.Join(o.write(out, study, spills), cmd.Context().Err())
	})
}

// check returns an error for flags that are wrong or would have no effect.
func (o *occupancyOptions) check() error {
	if !slices.Contains([]string{"text", "json", "csv"}, o.format) {
		return fmt.Errorf("--format %q: choose one of text, json, csv", o.format)
	}
	if !slices.Contains([]string{"auto", "always", "never"}, o.picture) {
		return fmt.Errorf("--picture %q: choose one of auto, always, never", o.picture)
	}
	if err := checkCap(o.maxRegisters); err != nil {
		return err
	}
	if o.plotFile != "" && len(o.sweeps) > 1 {
		return errors.New("--plot draws one launch or one --sweep; --format csv has the points of two")
	}
	for _, flag := range []string{"kernel", "maxrregcount", "registers-of", "define", "include", "use-fast-math", "fmad"} {
		if o.file == "" && o.given(flag) {
			return fmt.Errorf("--%s needs a kernel: give a PTX or .cu file", flag)
		}
	}
	return checkPlots("plot", o.plotFile)
}

// study computes the points for the flags. spills, for a kernel from a file, says what registers cost.
func (o *occupancyOptions) study(ctx context.Context) (study *report.Study, spills spillCost, err error) {
	chips, err := loadChips(o.configs, o.overrides)
	if err != nil {
		return nil, nil, err
	}
	shared, err := report.ParseSize(o.shared)
	if err != nil {
		return nil, nil, fmt.Errorf("--shared: %w", err)
	}
	cache, err := occupancy.ParseCacheConfig(o.cache)
	if err != nil {
		return nil, nil, fmt.Errorf("--cache-config: %w", err)
	}
	var axes []report.Axis
	for _, text := range o.sweeps {
		axis, err := report.ParseAxis(text)
		if err != nil {
			return nil, nil, fmt.Errorf("--sweep: %w", err)
		}
		axes = append(axes, axis)
	}
	launch := occupancy.Launch{Threads: o.block, Registers: o.registers, Shared: shared, Cache: cache}
	limits := make([]occupancy.Limits, len(chips))
	for i, c := range chips {
		limits[i] = c.limits
		if c.config != nil {
			o.set = c.config.Overrides()
		}
	}
	if o.file == "" {
		study, err = report.New("", limits, func(occupancy.Limits) occupancy.Launch { return launch }, axes)
		return study, nil, err
	}
	kernel, err := o.lower(ctx, chips)
	if err != nil {
		return nil, nil, err
	}
	study, err = report.New(kernel.name, limits, func(l occupancy.Limits) occupancy.Launch {
		return kernel.launch(o, l.Name, launch)
	}, axes)
	return study, func(chip string, from, to occupancy.Launch) string { return kernel.spills(ctx, o, chip, from, to) }, err
}

// write writes the report in the format asked for.
func (o *occupancyOptions) write(out io.Writer, study *report.Study, spills spillCost) error {
	switch o.format {
	case "json":
		return study.WriteJSON(out)
	case "csv":
		return study.WriteCSV(out)
	}
	if err := study.WriteText(out, spills); err != nil {
		return err
	}
	width, draw := o.drawing(out)
	if !draw || len(study.Axes) > 0 {
		return nil
	}
	for _, p := range study.Points {
		if _, err := fmt.Fprintln(out); err != nil {
			return err
		}
		if err := report.WritePicture(out, p, width); err != nil {
			return err
		}
	}
	return nil
}

// barWidth is the default width of the picture's bars, barFrame the width of the text next to them.
const (
	barWidth = 64
	barFrame = 44
)

// drawing returns whether to draw, and how wide.
func (o *occupancyOptions) drawing(out io.Writer) (width int, draw bool) {
	file, terminal := terminalOf(out)
	if o.picture == "never" || o.picture == "auto" && !terminal {
		return 0, false
	}
	width = barWidth
	if terminal {
		if columns, _, err := term.GetSize(int(file.Fd())); err == nil {
			width = min(max(columns-barFrame, 16), 128)
		}
	}
	return width, true
}

// chip is a chip to study; config is nil for a chip that is known only by its limits.
type chip struct {
	limits occupancy.Limits
	config *configs.Config
}

// loadChips loads the configurations of a comma-separated list.
func loadChips(list string, overrides []string) ([]chip, error) {
	var chips []chip
	seen := map[string]bool{}
	for _, name := range strings.Split(list, ",") {
		c := chip{limits: occupancy.Fermi()}
		if name != fermiName {
			config, err := configs.Load(name, overrides)
			if err != nil {
				return nil, err
			}
			c = chip{occupancy.FromConfig(config), config}
		}
		if seen[c.limits.Name] {
			return nil, fmt.Errorf("--config names %s twice", c.limits.Name)
		}
		seen[c.limits.Name] = true
		chips = append(chips, c)
	}
	return chips, nil
}
