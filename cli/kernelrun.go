package cli

import (
	"runtime"

	"github.com/spf13/cobra"

	"github.com/keplersim/keplersim/host"
	"github.com/keplersim/keplersim/sim"
)

// kernelRun are the flags of commands that run a kernel to look at it: what to run, on what.
type kernelRun struct{ runOptions }

// newKernelRun gives a command the flags.
func newKernelRun(command *cobra.Command) *kernelRun {
	o := &kernelRun{}
	o.flags(&cobra.Command{}) // what this command has no flag for is as run has it by default
	f := command.Flags()
	f.SortFlags = false
	f.StringVar(&o.config, "config", "",
		"the chip or board: a name that 'keplersim configs' lists, or a YAML file "+
			"(default: the workload file's, else "+host.DefaultConfig+")")
	f.StringVar(&o.clocks, "clocks", "", "run at a pair of the board's clocks, as in 3004,875, max or base")
	f.StringArrayVar(&o.overrides, "set", nil, "override a key of the configuration, as in smx.count=13 (may be repeated)")
	f.StringVar(&o.kernel, "kernel", "", "the kernel to launch, where the file has several; of a workload file the one to look at")
	o.code = codeFlags(command, &o.link)
	f.StringVar(&o.grid, "grid", "", "the grid in blocks, as in 64 or 16,16")
	f.StringVar(&o.block, "block", "", "the block in threads, as in 256 or 16,16")
	f.IntVar(&o.shared, "shared", 0, "dynamic shared memory in bytes a block")
	f.StringArrayVar(&o.arguments, "arg", nil, "an argument, in the order of the kernel's parameters (may be repeated)")
	f.StringArrayVar(&o.symbols, "symbol", nil,
		"set a constant or global variable of the module, as in taps=f32[3]:values(1,2,1) (may be repeated)")
	f.StringVar(&o.cacheConfig, "cache-config", "none",
		"how shared memory and L1 are split: none (the chip's default), shared, l1, equal, or shared memory's size, as in 32K")
	f.IntVar(&o.bankMode, "bank-mode", 0, "width of shared memory's banks in bytes, 4 or 8 (default: the chip's)")
	f.StringVar(&o.dlcm, "dlcm", "cg",
		"where global loads without a cache operator go: ca (through L1, on chips that can) or cg (to L2)")
	f.IntVar(&o.maxRegisters, "maxrregcount", 0, "registers that a thread may have; 0 leaves it to the compiler")
	f.Int64Var(&o.maxCycles, "max-cycles", sim.DefaultMaxCycles, "end a launch that runs longer than so many cycles")
	f.IntVar(&o.threads, "threads", 0, "host threads to simulate with (default: all processors); results do not depend on it")
	return o
}

// open makes a job of what the flags say. change may set options before.
func (o *kernelRun) open(cmd *cobra.Command, path string, change func(*host.Options)) (*host.Job, error) {
	o.format, o.metrics = "text", nil
	if o.threads == 0 {
		o.threads = runtime.GOMAXPROCS(0)
	}
	options, _, err := o.parse()
	if err != nil {
		return nil, err
	}
	options.Code, options.Log = *o.code, newLogger(cmd.ErrOrStderr(), false)
	options.Simulator.Printf = discard{}
	change(&options)
	return host.Open(cmd.Context(), path, options)
}

// discard is where the output of kernels goes that nobody reads.
type discard struct{}

// Write takes everything.
func (discard) Write(p []byte) (int, error) { return len(p), nil }
