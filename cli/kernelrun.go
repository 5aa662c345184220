package cli

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/keplersim/keplersim/host"
	"github.com/keplersim/keplersim/sim"
)

// kernelRun has the flags of commands that run a kernel to examine it.
type kernelRun struct {
	runOptions
	targets []written // the command's outputs
}

// newKernelRun adds the flags to a command.
func newKernelRun(command *cobra.Command) *kernelRun {
	o := &kernelRun{}
	run := &cobra.Command{}
	o.flags(run) // flags that this command lacks keep the defaults of run
	f := command.Flags()
	f.SortFlags = false
	f.StringVar(&o.config, "config", "",
		"the chip or board: a name that 'keplersim configs' lists, or a YAML file "+
			"(default: the workload file's, else "+host.DefaultConfig+")")
	takeFlags(f, run.Flags(), "clocks", "set")
	f.StringVar(&o.kernel, "kernel", "", "the kernel to launch, where the file has several; of a workload file the one to look at")
	o.code = codeFlags(command, &o.link)
	takeFlags(f, run.Flags(), "grid", "block", "shared", "arg", "symbol", "cache-config", "bank-mode", "dlcm", "maxrregcount")
	f.Int64Var(&o.maxCycles, "max-cycles", sim.DefaultMaxCycles, "end a launch that runs longer than so many cycles")
	takeFlags(f, run.Flags(), "threads")
	return o
}

// open makes a job from the flags. change may change its options before.
func (o *kernelRun) open(cmd *cobra.Command, path string, change func(*host.Options)) (*host.Job, error) {
	options, _, err := o.parse()
	if err != nil {
		return nil, err
	}
	options.Code, options.Log = *o.code, newLogger(cmd.ErrOrStderr(), false)
	options.Simulator.Printf = io.Discard
	change(&options)
	job, err := host.Open(cmd.Context(), path, options)
	if err != nil {
		return nil, err
	}
	return job, checkFiles(cmd, job.Inputs(), o.targets...)
}
