package cli

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/host"
	"github.com/keplersim/keplersim/report"
	"github.com/keplersim/keplersim/report/draw"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/sim/boost"
	"github.com/keplersim/keplersim/sim/stats"
)

// study runs a kernel or a workload at every core clock of the board, and writes the time and energy of each.
func (o *clocksOptions) study(cmd *cobra.Command) error {
	config, err := configs.Load(o.config, o.overrides)
	if err != nil {
		return err
	}
	if o.sustain < 0 {
		return errors.New("--sustain is seconds, 0 at least")
	}
	power := &boost.Options{Limit: o.limit}
	if cmd.Flags().Changed("temperature") {
		power.Temperature = &o.temperature
	}
	governed := *power
	governed.On = true
	if _, err := boost.NewMeter(config, governed); err != nil {
		return err
	}
	if err := checkPlots("plot", o.plot); err != nil {
		return err
	}
	if err := o.checkOutputs(cmd, host.FilesOf(o.kernel, nil, o.config)); err != nil {
		return err
	}
	s := &report.ClockStudy{Config: config.Title(), MemoryMHz: config.Clocks.Memory}
	err = writeReport(cmd, o.output, func(out *reportFile) error {
		if err := o.measure(cmd, config, s, power); err != nil {
			return err
		}
		if o.format == "json" {
			return writeJSON(out, s)
		}
		return report.WriteClocks(out, s)
	})
	if err != nil || o.plot == "" {
		return err
	}
	return draw.Clocks(o.plot, s)
}

// checkOutputs checks that no output overwrites a file that is read.
func (o *clocksOptions) checkOutputs(cmd *cobra.Command, read []string) error {
	return checkFiles(cmd, read, written{"output", o.output}, written{"plot", o.plot})
}

// measure runs the kernel at every core clock and, if asked for, under the board's governor.
func (o *clocksOptions) measure(cmd *cobra.Command, config *configs.Config, s *report.ClockStudy, power *boost.Options) error {
	for _, clock := range config.Clocks.CoreClocks(config.Clocks.Memory) {
		_, result, err := o.runAt(cmd, s, clock, power)
		if err != nil {
			return err
		}
		s.Points = append(s.Points, report.ClockPointOf(clock, result.Launches, result.Power[0]))
	}
	s.FindBest()
	if o.sustain > 0 {
		return o.repeat(cmd, config, s, *power)
	}
	return nil
}

// runAt runs the kernel at a fixed core clock.
func (o *clocksOptions) runAt(cmd *cobra.Command, s *report.ClockStudy, clock int, power *boost.Options) (*host.Job, *host.Result, error) {
	job, err := host.Open(cmd.Context(), o.kernel, host.Options{
		Config: o.config, Overrides: append(append([]string(nil), o.overrides...), fmt.Sprintf("clocks.core=%d", clock)),
		Simulator: sim.Options{Threads: runtime.GOMAXPROCS(0), Power: power},
	})
	if err == nil {
		err = o.checkOutputs(cmd, job.Inputs())
	}
	if err != nil {
		return nil, nil, err
	}
	s.Workload = job.Workload.Name
	result, err := job.Run(cmd.Context())
	if err != nil {
		return nil, nil, runFailure{fmt.Errorf("at %d MHz: %w", clock, err)}
	}
	if len(result.Launches) == 0 {
		return nil, nil, fmt.Errorf("%s launches no kernel", o.kernel)
	}
	return job, result, nil
}

// repeat simulates the board repeating the kernel under its governor.
func (o *clocksOptions) repeat(cmd *cobra.Command, config *configs.Config, s *report.ClockStudy, power boost.Options) error {
	power.On = true
	sustained, err := boost.Sustain(config, power, o.sustain, func(clock int) (boost.Profile, error) {
		job, result, err := o.runAt(cmd, s, clock, &boost.Options{})
		if err != nil {
			return boost.Profile{}, err
		}
		return profileOf(result.Launches, job.Config), nil
	})
	if off := new(boost.Shutdown); errors.As(err, &off) {
		return runFailure{err}
	}
	if err != nil {
		return err
	}
	s.Sustain(o.sustain, sustained.Runs, sustained.Settled)
	return nil
}

// profileOf returns the activity of launches that run one after another.
func profileOf(launches []*stats.Launch, config *configs.Config) (all boost.Profile) {
	for _, l := range launches {
		p := boost.ProfileOf(l, config)
		all.Seconds += p.Seconds
		all.Activity.Add(&p.Activity)
	}
	return all
}
