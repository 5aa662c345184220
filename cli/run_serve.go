package cli

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/keplersim/keplersim/report/live"
	"github.com/keplersim/keplersim/sim"
)

// serveOptions are the flags of keplersim run for the live page.
type serveOptions struct {
	address string
	after   time.Duration
	profile bool
	server  *live.Server // nil without --serve
}

func (o *serveOptions) flags(f *pflag.FlagSet) {
	f.StringVar(&o.address, "serve", "",
		"show the run as it goes at this address, as in :9090: a page and metrics; on loopback unless a host is named (docs/live.md)")
	f.BoolVar(&o.profile, "serve-pprof", false, "with --serve, offer Go's profiles of the simulator itself at /debug/pprof/")
	f.DurationVar(&o.after, "serve-for", 0, "with --serve, go on serving so long after the run, as in 10m; Ctrl-C ends it")
}

// start starts to serve, and prints the address.
func (o *serveOptions) start(cmd *cobra.Command) (err error) {
	switch {
	case o.address == "" && o.after != 0:
		return errors.New("--serve-for says how long to serve: say where with --serve, as in --serve :9090")
	case o.address == "" && o.profile:
		return errors.New("--serve-pprof adds profiles to what --serve shows: say where, as in --serve :9090")
	case o.after < 0:
		return errors.New("--serve-for must be 0 or more")
	case o.address == "":
		return nil
	}
	sampleAllocations(o.profile)
	if o.server, err = live.Listen(o.address, o.profile, cmd.ErrOrStderr()); err != nil {
		return fmt.Errorf("--serve %s: %w", o.address, err)
	}
	fmt.Fprintln(cmd.ErrOrStderr(), "live at", o.server.URL())
	return nil
}

// listen makes a simulation report its progress to the server.
func (o *serveOptions) listen(s *sim.Options) {
	if o.server == nil {
		return
	}
	shown := s.Progress
	s.Progress = func(p sim.Progress) {
		o.server.Progress(p)
		if shown != nil {
			shown(p)
		}
	}
	s.Finished = o.server.Finished
}

func (o *serveOptions) begin(workload, config string) {
	if o.server != nil {
		o.server.Begin(workload, config)
	}
}

func (o *serveOptions) end(err error) {
	if o.server != nil {
		o.server.End(err)
	}
}

// finish serves for the time of --serve-for, and ends.
func (o *serveOptions) finish(cmd *cobra.Command) {
	if o.server == nil {
		return
	}
	if o.after > 0 {
		select {
		case <-cmd.Context().Done():
		case <-time.After(o.after):
		}
	}
	_ = o.server.Close() // nothing depends on it any more
}
