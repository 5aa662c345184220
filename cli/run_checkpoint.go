package cli

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/keplersim/keplersim/host"
)

// checkpointFlags are the flags of checkpoints: when and where to save a run's state, and the state to resume from.
type checkpointFlags struct{ at, to, resume string }

func (c *checkpointFlags) add(f *pflag.FlagSet) {
	f.StringVar(&c.at, "save-at", "",
		"save the whole state of the run, once, at this cycle of the device, or as in 3:5000 at the 5000th of the third launch, and run on")
	f.StringVar(&c.to, "save-to", "", "the file of --save-at")
	f.StringVar(&c.resume, "resume", "",
		"go on from the state in this file, which --save-at wrote; all else on the command line is as it was then (docs/research.md)")
}

// parse sets a job's options from the flags.
func (c *checkpointFlags) parse(config string, options *host.Options) error {
	switch {
	case c.at == "" && c.to == "" && c.resume == "":
		return nil
	case c.at == "" && c.to != "":
		return fmt.Errorf("--save-to %s: say with --save-at at which cycle", c.to)
	case c.at != "" && c.to == "":
		return fmt.Errorf("--save-at %s: name the file with --save-to, as in --save-to run.ckpt", c.at)
	case strings.Contains(config, ","):
		return fmt.Errorf("--config %s has several boards, and a checkpoint is of a run on one; name one", config)
	}
	build, err := ownHash()
	if err != nil {
		return err
	}
	options.Build, options.Version, options.Resume = hex.EncodeToString(build), ownVersion(), c.resume
	if c.at == "" {
		return nil
	}
	launch, cycle, ofLaunch := strings.Cut(c.at, ":")
	s := &host.Save{To: c.to}
	if !ofLaunch {
		launch, cycle = "1", launch
	}
	n, badLaunch := strconv.Atoi(launch)
	if s.Cycle, err = strconv.ParseInt(cycle, 10, 64); err != nil || badLaunch != nil || s.Cycle < 0 || n < 1 {
		return fmt.Errorf("--save-at %s: give a cycle as in 5000, or a launch and its cycle as in 3:5000", c.at)
	}
	if ofLaunch {
		s.Launch = n
	}
	options.Save = s
	return nil
}

// print prints to standard error which checkpoints were read and written, so that the report is the same without them. The error says that
// a run ended before its checkpoint.
func (c *checkpointFlags) print(cmd *cobra.Command, result *host.Result, runErr error) error {
	if r := result.Resumed; r != nil {
		fmt.Fprintf(cmd.ErrOrStderr(), "resumed from %s: cycle %d, %s\n", r.File, r.Cycle, progressOf(r))
	}
	if s := result.Saved; s != nil {
		asked := ""
		if s.Requested != strconv.FormatInt(s.Cycle, 10) {
			asked = fmt.Sprintf(" (the first that can be saved from %s on)", s.Requested)
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "saved %s: cycle %d%s, %s\n", s.File, s.Cycle, asked, progressOf(s))
		return nil
	}
	if result.SaveError != nil {
		return runFailure{fmt.Errorf("--save-at %s: nothing was saved: %w", c.at, result.SaveError)}
	}
	if c.at == "" || runErr != nil {
		return nil
	}
	return runFailure{fmt.Errorf("--save-at %s: nothing was saved: the run ended at cycle %d, after %d launches", c.at, result.Cycle,
		len(result.Launches))}
}

// progressOf returns a run's progress at a checkpoint.
func progressOf(s *host.Saved) string {
	running := "no kernel running"
	if len(s.Kernels) > 0 {
		running = strings.Join(s.Kernels, ", ") + " running"
	}
	ended := fmt.Sprintf("%d launches ended", s.Launches)
	if s.Launches == 1 {
		ended = "1 launch ended"
	}
	return ended + ", " + running
}

// errProgramState is the error for checkpoints of whole programs.
var errProgramState = errors.New("--save-at and --resume keep the state of simulated devices, not of a host program, which runs " +
	"on this machine: save a launch with --save-launch, and give them with its workload file")
