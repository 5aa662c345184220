package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/keplersim/keplersim/internal/files"
	"github.com/keplersim/keplersim/internal/version"
	"github.com/keplersim/keplersim/isa/machinecode"
	"github.com/keplersim/keplersim/toolchain"
)

// machine is the machine that the doctor examines. Tests use made-up ones.
type machine struct {
	build      version.Build
	lookPath   func(string) (string, error)
	clang      func(context.Context) (toolchain.Clang, error)
	runsCode   bool // the processor can run the machine code that kernels are compiled to
	threads    int  // the simulator's threads
	processors int
	memory     func() (total, available uint64) // bytes; 0 if unknown
	cache      func() (string, error)
	folder     func(string) (folderState, error)
}

// folderState describes a folder.
type folderState struct {
	Path     string // the folder, or the nearest existing one above it
	Owner    string // "" if the system has no owners
	Ours     bool   // this user owns it
	Writable bool   // files can be made in it
	Open     bool   // other users may write to it
	Free     uint64 // bytes that this user may still write; 0 if unknown
}

// remark is the doctor's remark about one thing.
type remark struct {
	Name    string `json:"name"`
	State   string `json:"state"` // ok, limited or missing
	Found   string `json:"found"`
	Purpose string `json:"purpose"`
	Advice  string `json:"advice,omitempty"` // a command, or a sentence
}

const (
	stateOK      = "ok"
	stateLimited = "limited"
	stateMissing = "missing"
)

// diagnosis is the doctor's report.
type diagnosis struct {
	Build    version.Build `json:"keplersim"`
	Findings []remark      `json:"findings"`
}

// doctorChecks make the remarks, in the order of the report.
var doctorChecks = []func(*machine, context.Context) remark{
	(*machine).clangFinding, (*machine).binutilsFinding, (*machine).codeFinding, (*machine).threadsFinding, (*machine).memoryFinding,
	(*machine).cacheFinding, (*machine).browserFinding, (*machine).slurmFinding,
}

// install returns the command that installs packages of Debian and Ubuntu, or a sentence on other systems.
func (m *machine) install(packages, otherwise string) string {
	if _, err := m.lookPath("apt-get"); err == nil {
		return "apt-get install " + packages
	}
	return "install " + otherwise
}

func (m *machine) clangFinding(ctx context.Context) remark {
	f := remark{Name: "clang", State: stateOK, Purpose: "CUDA C: keplersim run FILE.cu, whole programs, keplersim nvcc. PTX needs " +
		"no compiler."}
	clang, err := m.clang(ctx)
	switch {
	case err != nil:
		f.State, f.Found = stateMissing, "none that can be used"
		if _, refused, ok := strings.Cut(err.Error(), "(not usable: "); ok {
			f.Found += ": " + strings.TrimSuffix(refused, ")")
		}
		f.Advice = m.install("clang-19 g++", fmt.Sprintf("clang %d or newer with the NVPTX target", toolchain.OldestClang))
	case !clang.Library:
		f.State, f.Found = stateLimited, fmt.Sprintf("version %d at %s, without a C++ library: kernels compile, host code does not",
			clang.Version, clang.Path)
		f.Advice = m.install("g++", "a C++ library with its headers")
	default:
		f.Found = fmt.Sprintf("version %d at %s, with a C++ library", clang.Version, clang.Path)
	}
	return f
}

func (m *machine) binutilsFinding(context.Context) remark {
	f := remark{Name: "binutils", State: stateOK, Purpose: "Whole programs: ld links them, ar makes the libraries of keplersim " +
		"nvcc -lib and keplersim toolkit."}
	var found, missing []string
	for _, tool := range []string{"ld", "ar"} {
		if path, err := m.lookPath(tool); err == nil {
			found = append(found, path)
		} else {
			missing = append(missing, tool)
		}
	}
	f.Found = strings.Join(found, ", ")
	if len(missing) > 0 {
		f.State, f.Found = stateMissing, "no "+strings.Join(missing, ", no ")
		f.Advice = m.install("binutils", "binutils")
	}
	return f
}

func (m *machine) codeFinding(context.Context) remark {
	f := remark{Name: "processor", State: stateOK, Found: m.build.Arch + " with AVX2, FMA, BMI1 and POPCNT",
		Purpose: "Machine code made of kernels: functional runs (--functional, --sample) are about four times as fast."}
	if !m.runsCode {
		f.State, f.Found = stateLimited, m.build.Arch+": kernels are interpreted, with the same results"
		f.Advice = "use an x86-64 processor with AVX2, and leave KEPLERSIM_INTERPRET unset"
	}
	return f
}

func (m *machine) threadsFinding(context.Context) remark {
	f := remark{Name: "threads", State: stateOK, Found: fmt.Sprintf("%d of %d processors", m.threads, m.processors),
		Purpose: "Timed runs simulate multiprocessors in parallel; two threads are about 1.7 times as fast as one. Results do not " +
			"depend on it."}
	if m.threads < m.processors {
		f.State, f.Advice = stateLimited, "unset GOMAXPROCS, or raise the limit of the container"
	}
	return f
}

// leastMemory is the memory of a typical workload and its compiler, with some room, in bytes.
const leastMemory = 1 << 30

func (m *machine) memoryFinding(context.Context) remark {
	f := remark{Name: "memory", State: stateOK,
		Purpose: "The buffers of a run, as large as on the card, and about 100 MB for the simulator."}
	total, available := m.memory()
	if total == 0 {
		f.Found = "this system does not say"
		return f
	}
	f.Found = fmt.Sprintf("%s available of %s", gigabytes(available), gigabytes(total))
	if available < leastMemory {
		f.State, f.Advice = stateLimited, "end other programs, or use smaller inputs"
	}
	return f
}

func gigabytes(bytes uint64) string { return fmt.Sprintf("%.1f GB", float64(bytes)/1e9) }

// leastDisk is the space for compiled programs and results of studies in ordinary use, in bytes.
const leastDisk = 500e6

func (m *machine) cacheFinding(context.Context) remark {
	f := remark{Name: "cache", State: stateOK, Purpose: "Compiled programs and results of studies, kept so that nothing is done twice."}
	path, err := m.cache()
	if err != nil {
		f.State, f.Found, f.Advice = stateMissing, err.Error(), "set HOME, or XDG_CACHE_HOME to a folder of yours"
		return f
	}
	state, err := m.folder(path)
	if err != nil {
		f.State, f.Found, f.Advice = stateMissing, err.Error(), "set XDG_CACHE_HOME to a folder of yours"
		return f
	}
	f.Found = path
	if state.Path != path {
		f.Found += " (made when needed, in " + state.Path + ")"
	}
	if state.Owner != "" {
		f.Found += ", owner " + state.Owner
	}
	if state.Free > 0 {
		f.Found += ", " + gigabytes(state.Free) + " free"
	}
	switch {
	case state.Owner != "" && !state.Ours, !state.Writable:
		f.State, f.Advice = stateLimited, "set XDG_CACHE_HOME to a folder that you own and can write to"
	case state.Open:
		f.State, f.Advice = stateLimited, "other users can write to it: chmod go-w "+state.Path
	case state.Free > 0 && state.Free < leastDisk:
		f.State, f.Advice = stateLimited, "free some space, or set XDG_CACHE_HOME to a folder on another disk"
	}
	return f
}

// browsers are commands that open a page, by system; the first is tried first.
var browsers = map[string][]string{"darwin": {"open"}, "windows": {"rundll32"},
	"": {"xdg-open", "chromium", "google-chrome", "firefox"}}

func (m *machine) browserFinding(context.Context) remark {
	f := remark{Name: "browser", State: stateOK, Purpose: "keplersim lab, pages of run --report and of run --serve. Any browser on " +
		"any machine shows them."}
	commands := browsers[m.build.OS]
	if commands == nil {
		commands = browsers[""]
	}
	for _, name := range commands {
		if path, err := m.lookPath(name); err == nil {
			f.Found = path
			return f
		}
	}
	f.State, f.Found, f.Advice = stateMissing, "none on PATH", m.install("chromium", "any browser")
	return f
}

func (m *machine) slurmFinding(context.Context) remark {
	f := remark{Name: "Slurm", State: stateOK, Purpose: "keplersim sweep --slurm: a study's points as one job array on a cluster."}
	path, err := m.lookPath("sbatch")
	if f.Found = path; err != nil {
		f.State, f.Found = stateMissing, "no sbatch on PATH; studies run on this machine alone"
		f.Advice = "on a cluster, load its Slurm module; elsewhere " + m.install("slurm-client", "Slurm's commands")
	}
	return f
}

func (d *diagnosis) text(w io.Writer) error {
	var out strings.Builder
	fmt.Fprintf(&out, "keplersim %s\n", d.Build)
	for _, f := range d.Findings {
		fmt.Fprintf(&out, "\n%-8s %-10s %s\n%20s%s\n", f.State, f.Name, f.Found, "", f.Purpose)
		if f.Advice != "" {
			fmt.Fprintf(&out, "%20s-> %s\n", "", f.Advice)
		}
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// thisMachine returns the machine that the program runs on.
func thisMachine() *machine {
	return &machine{build: thisBuild(), lookPath: exec.LookPath, clang: toolchain.FindClang, runsCode: machinecode.Supported(),
		threads: runtime.GOMAXPROCS(0), processors: runtime.NumCPU(), memory: systemMemory,
		cache: files.UserCache,
		folder: func(path string) (folderState, error) {
			for {
				info, err := os.Stat(path)
				if err == nil {
					return stateOf(path, info), nil
				}
				if parent := filepath.Dir(path); errors.Is(err, os.ErrNotExist) && parent != path {
					path = parent
					continue
				}
				return folderState{}, err
			}
		}}
}

func newDoctorCommand() *cobra.Command { return doctorCommand(thisMachine) }

// doctorCommand makes the command for a machine.
func doctorCommand(here func() *machine) *cobra.Command {
	var format string
	command := &cobra.Command{
		Use:  "doctor",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if format != "text" && format != "json" {
				return fmt.Errorf("--format %s: choose one of text, json", format)
			}
			m := here()
			d := diagnosis{Build: m.build}
			for _, check := range doctorChecks {
				d.Findings = append(d.Findings, check(m, cmd.Context()))
			}
			if format == "json" {
				return writeJSON(cmd.OutOrStdout(), d)
			}
			return d.text(cmd.OutOrStdout())
		},
	}
	command.Flags().StringVar(&format, "format", "text", "text or json")
	return command
}
