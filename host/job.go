package host

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/keplersim/keplersim/code"
	"github.com/keplersim/keplersim/code/sources"
	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/sim/memorymode"
	"github.com/keplersim/keplersim/workload"
)

// DefaultConfig is the chip if neither the user nor the workload file names one.
const DefaultConfig = "gk110"

// Options are the user's choices for a run. A field's zero value leaves the choice to the workload file or to Job.
type Options struct {
	Config    string          // a configuration's name or path
	Chip      *configs.Config // a configuration already loaded, used instead of Config
	Overrides []string        // of configuration keys, as in smx.count=13
	Clocks    string          // MEMORY,CORE in MHz, max or base; "" keeps the configuration's
	// Kernel chooses one of the code's kernels. All launches of a workload file still run, but the result has only those of this kernel.
	Kernel string
	// Grid, Block, Shared (bytes), Arguments and Symbols describe a launch. If any of them is set, a workload file next to the kernel is
	// ignored.
	Grid, Block [3]int
	Shared      int
	Arguments   []workload.ArgText
	Symbols     []workload.Buffer // variables of the module, with their values
	Link        []string          // further modules to link to the kernel's, besides those in the workload file
	Code        sources.Reader    // reads files of code, with the user's compiler options
	Simulator   sim.Options
	// Save says when and where to save the state of the run, nil for never. Resume is the file of a state to continue from, "" for none.
	// Build is a hash of the running program and Version its name for people: a state can be resumed only by the same build.
	Save           *Save
	Resume         string
	Build, Version string
	// Spill keeps launches' results and the timeline in bounded memory: what exceeds it is in Result.More and Result.Later. It has no
	// effect on runs that save states.
	Spill bool
	// InMemory exchanges states with other runs in this process, nil for none.
	InMemory *InMemory
	// Confined is for untrusted files in a folder: the run reads no file outside this folder.
	Confined bool
	// Loaded, if not nil, is called for each program that is loaded, with its texts.
	Loaded func(*isa.Program, []sim.Source)
	Log    *slog.Logger // nil logs nothing
}

// saves tells whether the run may save its state.
func (o *Options) saves() bool { return o.Save != nil || o.InMemory != nil }

// spills tells whether results are kept in bounded memory.
func (o *Options) spills() bool { return o.Spill && !o.saves() }

// saysLaunch tells whether the user described any part of a launch.
func (o *Options) saysLaunch() bool {
	return o.Grid != [3]int{} || o.Block != [3]int{} || o.Shared != 0 || len(o.Arguments) > 0 || len(o.Symbols) > 0
}

// Job is a workload with its code, loaded on a simulated GPU and ready to run.
type Job struct {
	Config   *configs.Config
	Workload *workload.Workload
	// Notes are lines about made-up values and other things to know before the run.
	Notes []string

	options   Options
	picked    func(*workload.Launch) bool // the launches to include in the results
	gpu       *sim.GPU                    // the first device
	gpus      []*sim.GPU                  // the devices that the workload uses
	others    map[deviceModule]*sim.Module
	modules   map[string]*sim.Module // by the name in the launch; "" is the workload's own
	addresses map[string]uint64      // of buffers
	handles   map[workload.ObjectKind]map[string]uint64
	variables map[string]*variable // by the names of symbols
	quotes    quotes
}

// Open reads the file at path (PTX, CUDA C or a workload file) and prepares the run. Its errors are errors of the input.
func Open(ctx context.Context, path string, o Options) (*Job, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	o.Simulator.NoContraction = o.Simulator.NoContraction || o.Code.Compile.NoContraction
	j := &Job{options: o, modules: map[string]*sim.Module{}, addresses: map[string]uint64{}}
	if err := j.confine(path); err != nil {
		return nil, err
	}
	code, err := j.open(path)
	if err != nil {
		return nil, err
	}
	name := o.Config
	if name == "" && j.Workload != nil {
		name = j.Workload.Config
		if name != "" && j.Workload.Path != "" {
			name = besideWorkload(j.Workload, name)
		}
	}
	if name == "" {
		name = DefaultConfig
	}
	if j.Config = o.Chip; j.Config == nil {
		if j.Config, err = configs.LoadAt(name, o.Overrides, o.Clocks); err != nil {
			if _, plain := configs.Load(name, nil); plain != nil && o.Config == "" && j.Workload != nil && j.Workload.Config != "" {
				err = fmt.Errorf("%s: %w", j.Workload.Path, plain)
			}
			return nil, err
		}
	}
	if k := &j.Config.Clocks; o.Clocks == configs.AutomaticClocks && j.Config.Boosts(o.Overrides) {
		j.note("%s boosts by itself, so it runs at %d MHz (--autoboost off for %d)", j.Config.Name, k.Core, k.Base)
	}
	if o.Simulator.GlobalLoads == memorymode.LoadsThroughL1 && j.Config.L1.GlobalLoads == configs.LoadsNever {
		j.note("--dlcm ca does nothing on %s: its L1 takes no global loads (GK110B and GK210 can)", j.Config.Name)
	}
	l1 := o.Simulator.CacheConfig == string(configs.PreferL1) || slices.ContainsFunc(j.Config.Overrides(), resizesL1)
	if l1 && j.Config.L1.GlobalLoads == configs.LoadsNever {
		j.note("another L1 does nothing for global loads on %s: its L1 holds local memory alone (GK110B and GK210 with --dlcm ca can)",
			j.Config.Name)
	}
	o.Log.Info("configuration", slog.String("name", j.Config.Name), slog.Any("files", j.Config.Files()))
	if of := o.Simulator.RegistersOf; of != nil {
		j.note("kernels are compiled as for %s (--registers-of): their registers are those that they have there", of.Name)
	}
	if err := j.makeDevices(); err != nil {
		return nil, err
	}
	if j.Workload == nil {
		return j, j.inferWorkload(ctx, code)
	}
	return j, j.loadModules(ctx, code)
}

// besideWorkload resolves the name of a configuration in a workload file: a file relative to it, else a built-in configuration.
func besideWorkload(w *workload.Workload, name string) string {
	if path := w.File(name); path != name {
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			return path
		}
	}
	return name
}

// open determines what the file is. It sets the workload if there is one, and returns the file of code that the user named, if it is one.
func (j *Job) open(path string) (code string, err error) {
	if err := j.options.Code.Check(path); err != nil {
		return "", err
	}
	extension := strings.ToLower(filepath.Ext(path))
	switch {
	case slices.Contains(workload.Extensions, extension):
		if j.options.saysLaunch() {
			return "", fmt.Errorf("--grid, --block, --shared, --arg and --symbol say a launch, and so does %s; change the file, or "+
				"name the .ptx file instead", path)
		}
		if text, ok := j.options.Code.PipedText(path); ok {
			j.Workload, err = workload.LoadText(path, text)
		} else {
			j.Workload, err = workload.Load(path)
		}
		return "", err
	case j.options.Code.IsCode(path):
		beside, ok := workload.Beside(path)
		for _, more := range j.options.Link {
			if !ok {
				beside, ok = workload.Beside(more)
			}
		}
		if !ok {
			return path, nil
		}
		if j.options.saysLaunch() {
			j.note("%s is left aside, as the launch is given on the command line", beside)
			return path, nil
		}
		w, err := workload.Load(beside)
		if err != nil {
			return "", err
		}
		if j.options.Kernel != "" && !launchesLike(w, j.options.Kernel) {
			j.note("%s is left aside, as it does not launch %s", beside, j.options.Kernel)
			return path, nil
		}
		j.note("the launches are those of %s; --grid, --block or --arg override them", beside)
		j.Workload = w
		return path, nil
	}
	return "", sources.Unknown(path)
}

// Log is the job's log; never nil.
func (j *Job) Log() *slog.Logger { return j.options.Log }

// resizesL1 tells whether an override changes the size of L1.
func resizesL1(override string) bool {
	key, _, _ := strings.Cut(override, "=")
	return strings.HasPrefix(key, "shared_memory.ca") // carve_outs and cache_config
}

func (j *Job) note(format string, arguments ...any) {
	j.Notes = append(j.Notes, fmt.Sprintf(format, arguments...))
}

// loadModules loads the code of every launch. A file of code that the user named replaces the workload's own module.
func (j *Job) loadModules(ctx context.Context, code string) error {
	w := j.Workload
	paths := map[string]string{}       // of the modules that launches name
	loaded := map[string]*sim.Module{} // by path: launches that name one file share its variables
	smArch := int(j.compiledFor().ComputeCapability)
	for _, l := range w.Launches() {
		if _, loaded := j.modules[l.Module]; loaded {
			continue
		}
		path := w.ModuleFor(l.Module, smArch)
		if l.Module == "" {
			if w.Module == "" && code == "" {
				return fmt.Errorf(
					"%s: the launch of %s names no module, and neither does the workload; add \"module: FILE.ptx\"", w.Path, l.Kernel,
				)
			}
			path = w.ModuleFor(w.Module, smArch)
			if code != "" && filepath.Clean(code) != filepath.Clean(w.File(w.Module)) {
				path = code
			}
		}
		module := loaded[filepath.Clean(path)]
		if module == nil {
			var err error
			if module, err = j.loadModule(ctx, j.gpu, path); err != nil {
				return err
			}
			loaded[filepath.Clean(path)] = module
		}
		j.modules[l.Module], paths[l.Module] = module, path
	}
	if err := j.loadElsewhere(ctx, paths); err != nil {
		return err
	}
	if err := j.bindSymbols(); err != nil {
		return err
	}
	if err := j.checkLaunches(); err != nil {
		return err
	}
	if err := j.pick(); err != nil {
		return err
	}
	return j.checkBindings()
}

// loadModule loads a file of code, linked with the workload's further modules.
func (j *Job) loadModule(ctx context.Context, gpu *sim.GPU, path string) (*sim.Module, error) {
	sources, err := j.readSources(ctx, path)
	if err != nil {
		return nil, err
	}
	module, err := j.load(gpu, sources)
	if err != nil {
		return nil, err
	}
	if gpu == j.gpu {
		j.noteModule(module)
	}
	return module, nil
}

// load loads texts and calls Options.Loaded.
func (j *Job) load(gpu *sim.GPU, sources []sim.Source) (*sim.Module, error) {
	module, err := gpu.Load(sources[0].Name, sources[0].Text, sources[1:]...)
	if err == nil && j.options.Loaded != nil {
		if text := module.Program().Listing; text != "" { // for machine code, people read the listing
			sources = []sim.Source{{Name: sources[0].Name, Text: []byte(text)}}
		}
		j.options.Loaded(module.Program(), sources)
	}
	return module, err
}

// readSources reads a file of code and then the workload's further modules.
func (j *Job) readSources(ctx context.Context, path string) ([]sim.Source, error) {
	text, err := j.readNamed(ctx, path)
	if err != nil {
		return nil, err
	}
	files := slices.Clone(j.options.Link)
	if j.Workload != nil {
		for _, name := range j.Workload.Link {
			files = append(files, j.Workload.File(name))
		}
	}
	sources := []sim.Source{{Name: code.PTXName(path), Text: text}}
	seen := map[string]bool{filepath.Clean(path): true}
	for _, file := range files {
		clean := filepath.Clean(file)
		if seen[clean] {
			continue
		}
		seen[clean] = true
		more, err := j.readNamed(ctx, file)
		if err != nil {
			return nil, err
		}
		sources = append(sources, sim.Source{Name: code.PTXName(file), Text: more})
	}
	return sources, nil
}

// noteModule notes warnings from loading, changes by floating-point flags, and instructions that no Kepler has.
func (j *Job) noteModule(module *sim.Module) {
	program := module.Program()
	for _, n := range module.Notes() {
		j.note("%s%s", place(program, n.Line), n.Message)
	}
	for _, c := range module.Changes() {
		j.note("%s", c)
	}
	for _, e := range program.Emulated {
		j.note("%s%s is no instruction of Kepler; it is carried out as PTX defines it (--strict-target refuses it)", place(program, e.Line),
			e.Name)
	}
}

// place is a PTX line as the start of a message: file:line:column and a colon.
func place(p *isa.Program, line isa.LineIndex) string {
	if line <= 0 || int(line) >= len(p.Lines) {
		return ""
	}
	l := p.Lines[line]
	if int(l.PTXFile) >= len(p.Files) || l.PTXFile < 0 {
		return ""
	}
	return fmt.Sprintf("%s:%d:%d: ", p.Files[l.PTXFile], l.PTXLine, l.PTXColumn)
}

// readCode returns a file's PTX; it compiles CUDA C.
func (j *Job) readCode(ctx context.Context, path string) ([]byte, error) {
	read, err := j.options.Code.PTX(ctx, path, j.compiledFor().ComputeCapability.Target())
	if read.Command != "" {
		j.options.Log.Info("compile", slog.String("command", read.Command))
	}
	if err != nil {
		return nil, err
	}
	if read.Builtin {
		j.note("%s was compiled by the built-in compiler, not by clang", path)
	}
	if read.Warnings != "" {
		j.options.Log.Warn("clang says\n" + read.Warnings)
	}
	return read.Source.Text, nil
}

// compiledFor returns the chip that code is chosen and compiled for.
func (j *Job) compiledFor() *configs.Config {
	if of := j.options.Simulator.RegistersOf; of != nil {
		return of
	}
	return j.Config
}

// WithTiming returns the options with the simulator's timing on or off.
func (o Options) WithTiming(timed bool) Options {
	o.Simulator.Functional = !timed
	return o
}
