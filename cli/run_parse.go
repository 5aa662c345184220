package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/host"
	"github.com/keplersim/keplersim/report"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/sim/check/finding"
	"github.com/keplersim/keplersim/sim/memorymode"
	"github.com/keplersim/keplersim/workload"
)

// The values of --sample: what to leave out.
const (
	sampleResults = "results" // leaves out timing, but no result; the default value
	sampleTime    = "time"    // leaves out everything that timing does not need
)

// checkSample returns an error for options that cannot be combined with estimates.
func (o *runOptions) checkSample() error {
	flag := "--sample"
	if o.budget != 0 {
		flag = "--budget"
	}
	switch {
	case o.budget < 0:
		return fmt.Errorf("--budget %s: give a time above 0, as in --budget 60s or --budget 5m", o.budget)
	case o.sample == "" && o.budget == 0:
	case o.sample != "" && o.sample != sampleResults && o.sample != sampleTime:
		return fmt.Errorf("--sample=%s: write --detail sample for every result and an estimate of the time, "+
			"or --detail time for time alone", o.sample)
	case o.sample != "" && o.budget > 0:
		return errors.New("--sample times no more than estimates need, --budget as much as fits: give one of them")
	case o.sample == sampleTime && len(o.dumps) > 0:
		return errors.New("--sample=time leaves results out, and --dump writes them: take --sample")
	case o.sample == sampleTime && o.program.files != nil:
		return errors.New("--sample=time leaves results out, which a whole program goes on with: take --sample")
	case o.functional || o.checks != finding.None:
		return fmt.Errorf("%s estimates time, which --functional and --check leave out: give one of them", flag)
	case o.reuse:
		return fmt.Errorf("--reuse-distance needs every access timed: leave out %s", flag)
	case o.format == "csv":
		return fmt.Errorf("--format csv has no place for how sure an estimate is: take --format json with %s", flag)
	}
	return nil
}

// The values of --memory.
const (
	memoryStrict = "strict"
	memoryCard   = "card"
)

// checkMemory returns an error for unknown values of --memory, and for card together with checks of accesses.
func (o *runOptions) checkMemory() error {
	switch {
	case o.memory != memoryStrict && o.memory != memoryCard && o.memory != "":
		return fmt.Errorf("--memory %s: write strict, for allocations alone, or card, for the pages that they lie on", o.memory)
	case o.memory == memoryCard && o.checks != finding.None:
		return errors.New("--memory card lets accesses outside allocations pass, which --check is to find: give one of them")
	}
	return nil
}

// asCard makes the simulator as lenient as a card, if asked for.
func (o *runOptions) asCard(cmd *cobra.Command, simulator *sim.Options) {
	if o.memory == memoryCard {
		simulator.Card = func(message string) { fmt.Fprintln(cmd.ErrOrStderr(), "keplersim: "+message) }
	}
}

// parse checks the flags and returns a job's options, and the dumps as pairs of buffer and file.
func (o *runOptions) parse() (options host.Options, dumps [][2]string, err error) {
	for _, check := range []func() error{
		o.checkReport, o.parseChecks, o.checkNumbers, o.checkDetail, o.checkSample, o.checkMemory,
	} {
		if err := check(); err != nil {
			return options, nil, err
		}
	}
	if err := o.views.parse(o.untimed(), strings.Contains(o.config, ",")); err != nil {
		return options, nil, err
	}
	if options, err = o.jobOptions(); err != nil {
		return options, nil, err
	}
	if err := o.parseLaunch(&options); err != nil {
		return options, nil, err
	}
	if err := o.checkpoint.parse(o.config, &options); err != nil {
		return options, nil, err
	}
	for _, text := range o.dumps {
		name, file, ok := strings.Cut(text, "=")
		if !ok || name == "" || file == "" {
			return options, nil, fmt.Errorf("--dump %s: write BUFFER=FILE, as in --dump y=y.bin", text)
		}
		dumps = append(dumps, [2]string{name, file})
	}
	return options, dumps, nil
}

// untimed reports whether the run has no timing.
func (o *runOptions) untimed() bool { return o.functional || o.checks != finding.None && !o.timed }

// checkReport checks the flags for the report.
func (o *runOptions) checkReport() (err error) {
	if err := report.CheckFormat(o.format); err != nil {
		return err
	}
	o.metrics, err = chooseMetrics(o.metrics, o.format)
	return err
}

// checkNumbers checks the ranges of numeric flags.
func (o *runOptions) checkNumbers() error {
	for _, n := range []struct {
		flag         string
		value, least int64
	}{{"threads", int64(o.threads), 0}, {"shared", int64(o.shared), 0}, {"max-cycles", int64(o.maxCycles), 1}} {
		if n.value < n.least {
			return fmt.Errorf("--%s %d: it must be %d or more", n.flag, n.value, n.least)
		}
	}
	if o.threads == 0 {
		o.threads = runtime.GOMAXPROCS(0)
	}
	return checkCap(o.maxRegisters)
}

// jobOptions returns a job's options except the launch.
func (o *runOptions) jobOptions() (options host.Options, err error) {
	power, err := o.power.options()
	if err != nil {
		return options, err
	}
	if power != nil && o.untimed() {
		return options, errors.New("power and boost need a timed run: leave out --functional and --check")
	}
	overrides, err := o.connectionOverride()
	if err != nil {
		return options, err
	}
	loads, err := memorymode.ParseGlobalLoads(o.dlcm)
	if err != nil {
		return options, fmt.Errorf("--dlcm %w", err)
	}
	banks := memorymode.BankDefault
	if o.bankMode != 0 {
		if banks, err = memorymode.ParseBankMode(o.bankMode); err != nil {
			return options, fmt.Errorf("--bank-mode %d: %w", o.bankMode, err)
		}
	}
	var registersOf *configs.Config
	if o.registersOf != "" {
		if registersOf, err = configs.Load(o.registersOf, nil); err != nil {
			return options, fmt.Errorf("--registers-of: %w", err)
		}
	}
	return host.Options{
		Config: o.config, Overrides: overrides, Clocks: o.boardClocks(), Kernel: o.kernel, Link: o.link, Shared: o.shared,
		Simulator: sim.Options{Threads: o.threads, MaxCycles: o.maxCycles, Functional: o.untimed(),
			Check: o.checks, Keep: o.suppressed.Keep, Estimate: o.sample != "" || o.budget > 0, TimeAlone: o.sample == sampleTime,
			Budget:       o.budget,
			MaxRegisters: o.maxRegisters, RegistersOf: registersOf, StrictTarget: o.strict,
			CacheConfig: o.cacheConfig, BankMode: banks, GlobalLoads: loads, ReuseDistance: o.reuse, MPS: o.mps, Power: power},
	}, nil
}

// parseLaunch reads grid, block, arguments and symbols.
func (o *runOptions) parseLaunch(options *host.Options) (err error) {
	if options.Grid, err = parseExtent("grid", o.grid); err != nil {
		return err
	}
	if options.Block, err = parseExtent("block", o.block); err != nil {
		return err
	}
	for _, text := range o.arguments {
		a, err := workload.ParseArg(text)
		if err != nil {
			return err
		}
		options.Arguments = append(options.Arguments, a)
	}
	for _, text := range o.symbols {
		s, err := workload.ParseSymbol(text)
		if err != nil {
			return err
		}
		options.Symbols = append(options.Symbols, s)
	}
	return nil
}

// parseExtent reads 64, 16,16 or 8x8x4; "" is {0, 0, 0}.
func parseExtent(flag, text string) (extent [3]int, err error) {
	if text == "" {
		return extent, nil
	}
	parts := strings.Split(strings.ReplaceAll(text, "x", ","), ",")
	if len(parts) > 3 {
		return extent, fmt.Errorf("--%s %s: give 1 to 3 numbers, as in --%s 16,16", flag, text, flag)
	}
	extent = [3]int{1, 1, 1}
	for i, p := range parts {
		n, err := strconv.Atoi(strings.TrimSpace(p))
		if err != nil || n < 1 {
			return extent, fmt.Errorf("--%s %s: %q must be a whole number of at least 1", flag, text, p)
		}
		extent[i] = n
	}
	return extent, nil
}

// connectionOverride returns the overrides, with the number of hardware queues from the flag or CUDA's environment variable.
func (o *runOptions) connectionOverride() ([]string, error) {
	said, number := "--max-connections", o.connections
	if number == 0 {
		said = "CUDA_DEVICE_MAX_CONNECTIONS"
		value := os.Getenv(said)
		if value == "" {
			return o.overrides, nil
		}
		var err error
		if number, err = strconv.Atoi(value); err != nil {
			return nil, fmt.Errorf("%s is %q: it takes a number from 1 to 32", said, value)
		}
	}
	if number < 1 || number > 32 {
		return nil, fmt.Errorf("%s is %d: it takes a number from 1 to 32", said, number)
	}
	return append([]string{fmt.Sprintf("hyperq.connections=%d", number)}, o.overrides...), nil
}

// checkPaths returns an error, before anything is read, if an output would overwrite the kernel or files that belong to it.
func (o *runOptions) checkPaths(cmd *cobra.Command, path string, dumps [][2]string) error {
	if err := o.checkOutput(path); err != nil {
		return err
	}
	return o.checkWritten(cmd, host.FilesOf(path, o.link), dumps)
}

// checkWritten returns an error if an output would overwrite an input, or two outputs are one file.
func (o *runOptions) checkWritten(cmd *cobra.Command, read []string, dumps [][2]string) error {
	list := append(slices.Concat(o.program.written, o.views.written()), written{"output", o.output}, written{"printf", o.printf},
		written{"save-workload", o.save},
		written{"plot-power", o.power.plot}, written{"cpuprofile", o.profiles.cpu}, written{"memprofile", o.profiles.memory},
		written{"save-to", o.checkpoint.to})
	read = slices.Concat(read, o.views.baselines, []string{o.checkpoint.resume, o.suppressions}, configFiles(o.config, o.registersOf))
	for _, d := range dumps {
		list = append(list, written{"dump " + d[0] + "=", d[1]})
	}
	return checkFiles(cmd, read, list...)
}

// configFiles returns the files of configurations, given as comma-separated lists, with the files that they extend.
func configFiles(lists ...string) (read []string) {
	for _, list := range lists {
		for _, name := range strings.Split(list, ",") {
			if name == "" {
				continue
			}
			if c, err := configs.Load(name, nil); err == nil {
				read = append(read, c.Files()...)
			}
		}
	}
	return read
}

// checkOutput returns an error for a report where the next run would look for the kernel's workload file.
func (o *runOptions) checkOutput(kernel string) error {
	base := strings.TrimSuffix(filepath.Clean(kernel), filepath.Ext(kernel))
	for _, extension := range workload.Extensions {
		if o.output != "" && filepath.Clean(o.output) == base+extension {
			return fmt.Errorf("--output %s: a run of %s takes this file for its workload file; choose another name", o.output, kernel)
		}
	}
	return nil
}
