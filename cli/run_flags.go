package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/keplersim/keplersim/host"
	"github.com/keplersim/keplersim/report"
	"github.com/keplersim/keplersim/sim"
)

// runHeadings are the headings in the list of flags, by the first flag below each.
var runHeadings = map[string]string{
	"config": "The chip", "kernel": "Code, launch and data", "functional": "How much is timed", "maxrregcount": "Registers, caches, memory",
	"check": "Mistakes in kernels", "ftz": "Arithmetic", "max-cycles": "Bounds", "metrics": "The report", "optimize": "Whole programs",
	"output": "Files and drawings", "serve": "Watch it live", "max-connections": "Streams and processes", "save-at": "Save and resume",
	"cpuprofile": "The simulator itself",
}

// flags adds the flags of the command, in the order of its help.
func (o *runOptions) flags(command *cobra.Command) {
	f := command.Flags()
	f.SortFlags = false
	f.StringVar(&o.config, "config", "",
		"the chip or board, or several with commas between them: names that 'keplersim configs' lists, or YAML files (default: the "+
			"workload file's, else "+host.DefaultConfig+")")
	f.StringArrayVar(&o.overrides, "set", nil, "override a key of the configuration, as in smx.count=13 (may be repeated)")
	f.StringVar(&o.clocks, "clocks", "",
		"clocks of memory and core in MHz, as in 3004,875; max; or base (keplersim clocks lists what the board can be set to)")
	o.power.add(f)
	f.StringVar(&o.kernel, "kernel", "", "the kernel to launch, where the file has several")
	o.code = codeFlags(command, &o.link)
	f.StringVar(&o.grid, "grid", "", "the grid in blocks, as in 64 or 16,16")
	f.StringVar(&o.block, "block", "", "the block in threads, as in 256 or 16,16")
	f.IntVar(&o.shared, "shared", 0, "dynamic shared memory in bytes a block")
	f.StringArrayVar(&o.arguments, "arg", nil, "an argument, in the order of the kernel's parameters (may be repeated)")
	f.StringArrayVar(&o.symbols, "symbol", nil,
		"set a constant or global variable of the module, as in taps=f32[3]:values(1,2,1) (may be repeated)")
	f.StringArrayVar(&o.dumps, "dump", nil, "write a buffer's bytes to a file in the end, as in y=y.bin (may be repeated)")
	f.StringVar(&o.save, "save-workload", "",
		"write the launch that was made up or given by flags to a workload file, to be changed and run")
	f.BoolVar(&o.functional, "functional", false, "compute results alone, without timing, as --detail none does")
	o.program.detail = "auto"
	f.Var(detailValue{o}, "detail",
		"how much is timed (docs/performance.md). The mode all times every launch. The mode sample times windows of long launches, and "+
			"some of many alike. It runs the rest without timing and estimates the cycles, with an interval. The mode time does not run "+
			"the rest: results are incomplete and not checked. The mode none computes results alone. The mode auto is all; whole "+
			"programs time their first 100 million warp instructions, then the first launch of each kernel")
	f.StringVar(&o.sample, "sample", "", "--detail sample; --sample=`time` is --detail time")
	f.Lookup("sample").NoOptDefVal = sampleResults
	f.DurationVar(&o.budget, "budget", 0,
		"host `TIME` for the simulation, as in 60s. Launches are timed whole while they fit, then as --detail sample does. After three "+
			"quarters of it only what an estimate needs is timed. The report says so, with the interval. Launches run one at a time")
	f.IntVar(&o.maxRegisters, "maxrregcount", 0, "registers that a thread may have; 0 leaves it to the compiler")
	f.StringVar(&o.registersOf, "registers-of", "",
		"compile as for this chip or board, so that register counts stay its own whatever the configuration changes")
	f.StringVar(&o.cacheConfig, "cache-config", "none",
		"how shared memory and L1 are split: none (the chip's default), shared, l1, equal, or shared memory's size, as in 32K")
	f.IntVar(&o.bankMode, "bank-mode", 0, "width of shared memory's banks in bytes, 4 or 8 (default: the chip's)")
	f.StringVar(&o.dlcm, "dlcm", "cg",
		"where global loads without a cache operator go, as nvcc's -Xptxas -dlcm: ca (through L1, on chips that can) or cg (to L2)")
	f.StringVar(&o.memory, "memory", memoryStrict,
		"what kernels may access, the `MODE` strict or card. With strict, allocations alone: the first byte past one is an error. With "+
			"card, whole pages of 2 MiB, as real hardware maps memory; the first access outside an allocation is reported")
	f.BoolVar(&o.reuse, "reuse-distance", false, "print a histogram of how many lines L2 serves between two uses of a line; slower")
	checkFlags(f, o)
	f.BoolVar(&o.strict, "strict-target", false, "refuse instructions that no Kepler has, even if keplersim can emulate them")
	f.StringVar(&o.printf, "printf", "", "write what kernels print (vprintf) to a file, not to standard output")
	o.modes.flags(f)
	f.Int64Var(&o.maxCycles, "max-cycles", sim.DefaultMaxCycles,
		"end a launch that runs longer than this many cycles (with --functional: warp instructions); whole programs have no such limit "+
			"unless you give one")
	f.IntVar(&o.threads, "threads", 0,
		"host threads that run the SMXs of a timed run (default: all processors); results do not depend on it. Runs without timing "+
			"(--detail none, and what sample and --budget leave out) take one: their blocks go one after another, so that atomics and "+
			"races have one outcome")
	f.StringSliceVar(&o.metrics, "metrics", nil,
		"report these metrics alone, as nvprof does: names with commas between them, * for anything, all for all (keplersim metrics "+
			"lists them)")
	f.StringVar(&o.format, "format", "text", "the report: "+strings.Join(report.Formats(), ", "))
	f.StringVarP(&o.program.level, "optimize", "O", "", "whole programs: how far host code is optimised, 0 to 3 (default 2)")
	f.StringArrayVarP(&o.program.libraries, "library", "l", nil, "whole programs: link a library, as in -lm (may be repeated)")
	f.StringArrayVarP(&o.program.folders, "library-folder", "L", nil, "whole programs: look for libraries in a folder (may be repeated)")
	f.StringVar(&o.program.time, "time", "",
		"whole programs: which `LAUNCHES` are timed: first:N and every:N of each kernel, kernel=NAME, all, none, with commas between "+
			"them. The others run without timing")
	f.StringVar(&o.program.save, "save-launch", "",
		"whole programs: write a `LAUNCH` with its memory as the workload file of --save-workload: a kernel's name, "+
			"or NAME:3 for its third launch")
	f.StringVar(&o.program.hostTime, "host-time", "zero",
		"whole programs: how the time of host code counts: zero, real as measured, or a factor of it")
	f.BoolVar(&o.program.linked, "rdc", false, "whole programs: link the device code of several .cu files, as nvcc -rdc=true")
	f.IntVar(&o.program.devices, "devices", 0,
		"whole programs: how many devices there are, 1 to 8 (default: as many as the board has, 2 for a K10, K80 or GTX 690)")
	outputFlag(f, &o.output)
	o.views.flags(f)
	o.live.flags(f)
	f.IntVar(&o.connections, "max-connections", 0,
		"hardware queues that streams map to, 1 to 32 (default: CUDA_DEVICE_MAX_CONNECTIONS, else the chip's 8; no more than the chip has)")
	f.BoolVar(&o.mps, "mps", false, "let the processes of a workload share the device, as under the Multi-Process Service")
	o.checkpoint.add(f)
	o.profiles.flags(f)
	f.BoolVarP(&o.verbose, "verbose", "v", false, "log to standard error what is done: files, the compiler's command, buffers, launches")
}
