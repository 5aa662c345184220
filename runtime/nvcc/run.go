package nvcc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/keplersim/keplersim/internal/command"
	"github.com/keplersim/keplersim/internal/files"
	"github.com/keplersim/keplersim/internal/pattern"
	"github.com/keplersim/keplersim/runtime"
	"github.com/keplersim/keplersim/toolchain"
)

// Output is where a command writes, and the function that prints its help.
type Output struct {
	Out, Err io.Writer
	Help     func() error
}

// Version is the output of nvcc --version; programs search it for the release.
const Version = `nvcc: NVIDIA (R) Cuda compiler driver
(this is keplersim's stand-in for it: clang for host and device, no toolkit)
Cuda compilation tools, release 11.8, V11.8.89
`

// Run executes a command line.
func Run(ctx context.Context, words []string, out Output) error {
	c, err := Parse(words)
	if err != nil {
		return err
	}
	switch c.phase {
	case showVersion:
		_, err := io.WriteString(out.Out, Version)
		return err
	case listArchs, listCodes:
		prefix := map[phase]string{listArchs: "compute_", listCodes: "sm_"}[c.phase]
		for _, arch := range toolchain.Architectures {
			if _, err := fmt.Fprintln(out.Out, prefix+strings.TrimPrefix(arch, "sm_")); err != nil {
				return err
			}
		}
		return nil
	case showHelp:
		return out.Help()
	}
	m := &maker{Command: c, out: out}
	if c.verbose || c.dry {
		if err := m.explain(ctx); err != nil {
			return err
		}
	}
	if len(c.inputs) == 0 {
		return errors.New("nvcc: no input files; keplersim nvcc --help shows examples")
	}
	if c.dry {
		return nil
	}
	if err := m.claim(); err != nil {
		return err
	}
	if m.builder, err = toolchain.NewBuilder(ctx); err != nil {
		return err
	}
	defer m.builder.Close()
	m.builder.Output = out.Out
	return m.make(ctx)
}

// maker executes one command.
type maker struct {
	*Command
	builder *toolchain.Builder
	out     Output
	omp     bool // the machine has clang's OpenMP library
	count   int  // the number of files in the builder's folder
}

// make executes the command's phase. Each output is made in the builder's folder and then moved to its place.
func (m *maker) make(ctx context.Context) error {
	m.omp = m.openMP && m.builder.HasLibrary(ctx, "omp")
	if m.openMP && !m.omp { // -w does not hide it: a program may count on its threads
		fmt.Fprintf(m.out.Err, "keplersim: note: OpenMP runs on one thread, for want of its library: apt-get install libomp-%d-dev\n",
			m.builder.Clang.Version)
	}
	switch m.phase {
	case ptx, machineCode, fatbin:
		return m.each(func(source, target string) error { return m.makePTX(ctx, source, target) })
	case compile:
		return m.each(func(source, target string) error { return m.makeObject(ctx, source, target) })
	case deviceLink:
		return m.deviceLinked(ctx, m.target(deviceLinkName))
	case hostText: // the text that nvcc's host compiler would read, with launches unchanged
		return m.each(func(source, target string) error { return m.text(ctx, source, "-E", target) })
	case preprocess, dependencies, ownDependencies:
		return m.preprocess(ctx)
	}
	objects, err := m.objects(ctx)
	if err != nil {
		return err
	}
	if m.phase == archive {
		return m.library(ctx, objects)
	}
	target := m.target(programName)
	if err := m.program(ctx, objects, target); err != nil || !m.Command.run {
		return err
	}
	program := command.Program(ctx, target, m.arguments...)
	program.Stdin, program.Stdout, program.Stderr = os.Stdin, m.out.Out, m.out.Err
	return program.Run()
}

// The default names of outputs from several files.
const (
	deviceLinkName = "a_dlink.o"
	archiveName    = "a.a"
	programName    = "a.out"
)

// endings are the extensions of outputs from one source.
var endings = map[phase]string{ptx: ".ptx", machineCode: ".cubin", fatbin: ".fatbin", compile: ".o", hostText: ".cu.cpp.ii"}

// targetOf is the path of the output from one source.
func (m *maker) targetOf(source string) string {
	return m.target(strings.TrimSuffix(filepath.Base(source), filepath.Ext(source)) + endings[m.phase])
}

// dependencyFile is the path of the make rule for an object, "" for none.
func (m *maker) dependencyFile(target string) string {
	if !m.depend || m.dependFile != "" {
		return m.dependFile
	}
	return strings.TrimSuffix(target, filepath.Ext(target)) + ".d"
}

// claim checks that no output overwrites an input.
func (m *maker) claim() error {
	var targets []files.Target
	add := func(name, path string) {
		if !slices.Contains(targets, files.Target{Name: name, Path: path}) { // of sources with one name the last wins, as in nvcc
			targets = append(targets, files.Target{Name: name, Path: path})
		}
	}
	if m.keep && (m.phase == compile || m.phase == link || m.phase == archive) {
		for _, source := range slices.DeleteFunc(m.sources(), func(name string) bool { return !m.isCUDA(name) }) {
			add("-keep", m.kept(source))
		}
	}
	switch m.phase {
	case ptx, machineCode, fatbin, compile, hostText:
		for _, source := range m.sources() {
			add("-o", m.targetOf(source))
			if m.phase == compile {
				add("-MF", m.dependencyFile(m.targetOf(source)))
			}
		}
	case deviceLink:
		add("-o", m.target(deviceLinkName))
	case archive:
		add("-o", m.target(archiveName))
	case link:
		add("-o", m.target(programName))
	default:
		if m.output != "" {
			add("-o", m.target(""))
		}
	}
	return files.Claim(slices.Concat(m.inputs, m.Command.link, m.read), targets...)
}

// made returns a new path in the builder's folder.
func (m *maker) made() string {
	m.count++
	return filepath.Join(m.builder.Dir, fmt.Sprintf("made-%d", m.count))
}

// place moves an output to the user's path, unless it would overwrite a file that was read. Only compilation shows which headers were read.
func (m *maker) place(made, target string) error {
	if err := files.Claim(m.builder.Read, files.Target{Name: "the output", Path: target}); err != nil {
		return err
	}
	if err := files.Place(made, target); err != nil {
		return &toolchain.Unwritable{Err: err}
	}
	return nil
}

// sources returns the inputs to compile; the others go to the linker.
func (m *maker) sources() []string {
	return slices.DeleteFunc(slices.Clone(m.inputs), func(name string) bool { return isObject(name) && m.language == "" })
}

// each makes an output from every source, named by -o or after the source. Objects are for the linker: without it, nvcc leaves them alone.
func (m *maker) each(one func(source, target string) error) error {
	sources := m.sources()
	if len(sources) == 0 {
		fmt.Fprintf(m.out.Err, "keplersim: note: nothing to compile: %s is not a source file\n", strings.Join(m.inputs, ", "))
	}
	if len(sources) > 1 && m.output != "" {
		return fmt.Errorf("-o %s: one name for %d files; leave it out, or name one source", m.output, len(sources))
	}
	for _, source := range sources {
		if err := one(source, m.targetOf(source)); err != nil {
			return err
		}
	}
	return nil
}

// target is the path of an output.
func (m *maker) target(name string) string {
	switch {
	case m.output != "" && m.outputFolder != "" && !filepath.IsAbs(m.output):
		return filepath.Join(m.outputFolder, m.output)
	case m.output != "":
		return m.output
	}
	return filepath.Join(m.outputFolder, name)
}

// compilation returns the options for compiling a source.
func (m *maker) compilation(source, target string) toolchain.HostOptions {
	arch, note := m.arch()
	if note != "" && !slices.Contains(m.host, "-w") {
		fmt.Fprintln(m.out.Err, note)
	}
	o := toolchain.HostOptions{
		Options: toolchain.Options{
			Arch: arch, FastMath: m.fast, Flush: m.flush, FastDivision: m.fastDivision, FastRoot: m.fastRoot,
			NoContraction: m.apart, Linked: m.rdc, Unit: unit(source, target), Standard: m.standard, Flags: slices.Clone(m.device),
		},
		Level: m.level, Extra: slices.Clone(m.host),
	}
	for _, folder := range m.includes {
		if info, err := os.Stat(folder); err != nil || !info.IsDir() {
			continue // as other compilers, silent about those that are not there
		}
		if _, err := os.Stat(filepath.Join(folder, "keplersim_cuda.h")); err == nil {
			continue // the toolkit's own, which are found anyway; as a folder of the program's they would be warned about
		}
		o.IncludeDirs = append(o.IncludeDirs, folder)
	}
	if m.language == "c" || m.language == "c++" {
		o.Language = m.language
	}
	if m.omp {
		o.Extra = append(o.Extra, "-fopenmp")
	}
	o.Registers = m.registers
	return o
}

// makePTX compiles a source's device code: to PTX, machine code or both.
func (m *maker) makePTX(ctx context.Context, source, target string) error {
	o := m.compilation(source, target).Options
	o.LineInfo = true
	content, err := m.devicePTX(ctx, source, o)
	if err != nil {
		return err
	}
	if m.phase == ptx {
		if err := m.note(ctx, source, content, o); err != nil {
			return err
		}
	}
	if m.phase == machineCode || m.phase == fatbin {
		if content, err = m.machineCode(ctx, source, content, o); err != nil {
			return err
		}
	}
	made := m.made()
	if err := os.WriteFile(made, content, 0o666); err != nil {
		return &toolchain.Unwritable{Err: err}
	}
	return m.place(made, target)
}

// unit identifies a compilation within a program, which may have files of one name in several folders.
func unit(source, target string) string {
	for _, name := range []*string{&source, &target} {
		if absolute, err := filepath.Abs(*name); err == nil {
			*name = absolute
		}
	}
	return runtime.Unit(source + "\n" + target)
}

// makeObject compiles one source, and writes its make rule.
func (m *maker) makeObject(ctx context.Context, source, target string) error {
	made, rule := m.made(), ""
	o := m.compilation(source, target)
	if m.depend {
		rule = m.made()
		o.Dependencies = rule
		if !slices.Contains(o.Extra, "-MT") {
			o.Extra = append(o.Extra, "-MT", target)
		}
	}
	if err := m.object(ctx, source, made, o); err != nil {
		return err
	}
	if err := m.place(made, target); err != nil || rule == "" {
		return err
	}
	if err := m.withoutOwn(rule); err != nil {
		return err
	}
	return m.place(rule, m.dependencyFile(target))
}

// withoutOwn removes our headers from a rule for make.
func (m *maker) withoutOwn(rule string) error {
	text, err := os.ReadFile(rule)
	if err != nil {
		return fmt.Errorf("nvcc: rule of the headers: %w", err)
	}
	if err := os.WriteFile(rule, m.builder.WithoutOwn(text), 0o600); err != nil {
		return &toolchain.Unwritable{Err: err}
	}
	return nil
}

// object compiles one source in the builder's folder.
func (m *maker) object(ctx context.Context, source, made string, o toolchain.HostOptions) error {
	if _, err := os.Stat(source); err != nil {
		return fmt.Errorf("nvcc: %w", err)
	}
	switch {
	case m.isCUDA(source):
		if m.keep {
			if err := m.makePTX(ctx, source, m.kept(source)); err != nil {
				return err
			}
		}
		o.Note = func(ptx []byte) error { return m.note(ctx, source, ptx, o.Options) }
		return runtime.CUDAObject(ctx, m.builder, source, made, o)
	case filepath.Ext(source) == ".ptx" || filepath.Ext(source) == ".cubin":
		return fmt.Errorf(
			"%s: device code alone is not linked into a program; load it with cuModuleLoad, or run it with keplersim run", source,
		)
	}
	o.Extra = slices.DeleteFunc(o.Extra, func(word string) bool { return word == "-x" })
	return m.builder.PlainObject(ctx, source, made, o)
}

// deviceLinked returns the output of device linking: an object that refers to all objects of linked device code among the inputs. The
// simulator links the code itself when a program loads it.
func (m *maker) deviceLinked(ctx context.Context, target string) error {
	var text strings.Builder
	for _, name := range m.units(m.Command.link) {
		fmt.Fprintf(&text, "extern const char %[1]s;\nstatic const char *const use%[1]s __attribute__((used)) = &%[1]s;\n", name)
	}
	source := filepath.Join(m.builder.Dir, "dlink.c")
	if err := os.WriteFile(source, []byte("typedef int nothing;\n"+text.String()), 0o600); err != nil {
		return &toolchain.Unwritable{Err: err}
	}
	made := m.made()
	if err := m.builder.PlainObject(ctx, source, made, toolchain.HostOptions{Extra: []string{"-fPIC"}}); err != nil {
		return err
	}
	return m.place(made, target)
}

// objects returns the linker's arguments, with each source replaced by its object.
func (m *maker) objects(ctx context.Context) ([]string, error) {
	sources := m.sources()
	var files []string
	for i, word := range m.Command.link {
		if !slices.Contains(sources, word) {
			files = append(files, word)
			continue
		}
		object := filepath.Join(m.builder.Dir, fmt.Sprintf("%d.o", i))
		if err := m.object(ctx, word, object, m.compilation(word, object)); err != nil {
			return nil, err
		}
		files = append(files, object)
	}
	return files, nil
}

// notOurs are libraries of the toolkit that need no linking or do not exist here. The linker reports calls of missing functions.
var notOurs = pattern.Lazy(
	`^-l(cudart|cudart_static|cudadevrt|cuda|culibos|cublas\w*|cufft\w*|cusparse\w*|curand\w*|` +
		`cusolver\w*|npp\w*|cudnn\w*|nvidia-ml|nvToolsExt|nvrtc|cutil\w*|shrutil\w*|cupti)$`,
)

// program links a program.
func (m *maker) program(ctx context.Context, files []string, target string) error {
	library, err := runtime.Library(ctx, m.builder)
	if err != nil {
		return err
	}
	arguments := []string{"-pie"}
	if m.shared {
		arguments = []string{"-shared"}
	} else if slices.Contains(files, "-static") {
		arguments = nil
	}
	for _, word := range files {
		if name := runtime.LibraryNamed(word); name != "" {
			if word, err = runtime.LibraryObject(ctx, m.builder, name); err != nil {
				return err
			}
			if slices.Contains(arguments, word) { // an object, unlike a library, must not appear twice
				continue
			}
		}
		if !notOurs().MatchString(word) {
			arguments = append(arguments, word)
		}
	}
	for _, name := range m.units(slices.DeleteFunc(slices.Clone(files), func(word string) bool { return filepath.Ext(word) == ".o" })) {
		arguments = append(arguments, "-Wl,-u,"+name)
	}
	if m.omp {
		arguments = append(arguments, "-fopenmp")
	}
	if m.runtime != "none" {
		arguments = append(arguments, library)
	}
	made := m.made()
	if err := m.builder.LinkAs(ctx, append(arguments, "-lm", "-ldl"), made, target); err != nil {
		return explained(err)
	}
	return m.place(made, target)
}

// missing are hints for undefined functions of the toolkit's libraries, by the beginnings of their names.
var missing = []struct {
	name func() *regexp.Regexp
	hint string
}{
	{pattern.Lazy("undefined reference to `(cublas\\w+)"),
		"belongs to cuBLAS: link with -lcublas; docs/programs.md lists the functions there are"},
	{pattern.Lazy("undefined reference to `(cufft\\w+)"),
		"belongs to cuFFT: link with -lcufft; docs/programs.md lists what is there"},
	{pattern.Lazy("undefined reference to `(cusparse\\w+)"),
		"belongs to cuSPARSE: link with -lcusparse; docs/programs.md lists what is there"},
	{pattern.Lazy("undefined reference to `(curand[A-Z]\\w+)"), "belongs to cuRAND's host side: link with -lcurand; " +
		"docs/programs.md lists what is there"},
	{pattern.Lazy("undefined reference to `(cusolver\\w+)"), "belongs to cuSOLVER, which is not part of keplersim"},
	{pattern.Lazy("undefined reference to `(cuda[A-Z]\\w+|cu[A-Z]\\w+)"),
		"is not among the calls of CUDA that keplersim has (docs/programs.md)"},
	{pattern.Lazy("undefined reference to `(GOMP_\\w+)"),
		"is OpenMP's of gcc: compile that file with -fopenmp by nvcc, and link with -lgomp"},
}

// explained adds advice to a linker's error.
func explained(err error) error {
	var failed *toolchain.CompileError
	if !errors.As(err, &failed) {
		return err
	}
	for _, m := range missing {
		if found := m.name().FindStringSubmatch(failed.Messages); found != nil {
			return fmt.Errorf("%w\nhint: %s %s", err, found[1], m.hint)
		}
	}
	return err
}

// library puts objects into an archive.
func (m *maker) library(ctx context.Context, objects []string) error {
	made, target := m.made(), m.target(archiveName)
	if there, err := os.ReadFile(target); err == nil { // keep its members
		if err := os.WriteFile(made, there, 0o600); err != nil {
			return &toolchain.Unwritable{Err: err}
		}
	}
	arguments := []string{"rcs", made}
	for _, word := range objects {
		if !strings.HasPrefix(word, "-") {
			arguments = append(arguments, word)
		}
	}
	if text, err := command.Tool(ctx, "ar", arguments...).CombinedOutput(); err != nil {
		return fmt.Errorf("ar rcs %s: %w\n%s", strings.Join(append([]string{target}, arguments[2:]...), " "), err, text)
	}
	return m.place(made, target)
}

// preprocess writes the host pass's text, or a make rule of its includes.
func (m *maker) preprocess(ctx context.Context) error {
	word := map[phase]string{preprocess: "-E", dependencies: "-M", ownDependencies: "-MM"}[m.phase]
	for _, source := range m.sources() {
		target := ""
		if m.output != "" {
			target = m.target("")
		}
		if err := m.text(ctx, source, word, target); err != nil {
			return err
		}
	}
	return nil
}

// text runs the preprocessor over one source; a target of "" is standard output.
func (m *maker) text(ctx context.Context, source, flag, target string) error {
	o := m.compilation(source, target)
	if target == "" && flag == "-E" {
		return m.builder.Preprocess(ctx, source, m.isCUDA(source), o, []string{flag})
	}
	made := m.made()
	for _, flag := range slices.Compact([]string{"-E", flag}) { // the -E pass lets the builder record the files read
		if err := m.builder.Preprocess(ctx, source, m.isCUDA(source), o, []string{flag, "-o", made}); err != nil {
			return err
		}
	}
	if flag != "-E" {
		if err := m.withoutOwn(made); err != nil {
			return err
		}
	}
	if target == "" {
		text, err := os.ReadFile(made)
		if err == nil {
			_, err = m.out.Out.Write(text)
		}
		return err
	}
	return m.place(made, target)
}

// explain prints the parts of nvcc -v that CMake and others read: where the toolkit is, and how to link a program.
func (m *maker) explain(ctx context.Context) error {
	top, err := runtime.Toolkit(ctx, "")
	if err != nil {
		_, err = fmt.Fprintln(m.out.Err, "keplersim: note: no folder of the toolkit is shown:", err)
		return err
	}
	linker := "g++"
	if _, err := exec.LookPath(linker); err != nil {
		linker = "clang++"
	}
	arch, _ := m.arch()
	object := "a.o"
	if len(m.inputs) > 0 {
		object = filepath.Base(m.inputs[0]) + ".o"
	}
	_, err = fmt.Fprintf(m.out.Err, `#$ _SPACE_= 
#$ _CUDART_=cudart
#$ TOP=%[1]s
#$ NVVMIR_LIBRARY_DIR=%[1]s/nvvm/libdevice
#$ PATH=%[1]s/bin:%[5]s
#$ INCLUDES="-I%[1]s/include"
#$ LIBRARIES=  "-L%[1]s/lib64"
#$ cicc -arch compute_%[2]s %[3]s
#$ %[4]s -m64 -o %[6]q -Wl,--start-group %[3]q "-L%[1]s/lib64" -lcudadevrt -lcudart_static -lrt -lpthread -ldl -Wl,--end-group
`, top, strings.TrimPrefix(arch, "sm_"), object, linker, os.Getenv("PATH"), m.target("a.out"))
	return err
}

// Flags lists the flags, several a line, for the help.
func Flags() string {
	const columns = 98
	lines := []string{" "}
	for _, o := range options {
		names := "--" + o.long
		for _, short := range o.short {
			if short != o.long {
				names += ", -" + short
			}
		}
		flag := " " + names + map[kind]string{single: " VALUE", list: " VALUE,..."}[o.kind] + ";"
		if last := len(lines) - 1; len(lines[last])+len(flag) <= columns {
			lines[last] += flag
		} else {
			lines = append(lines, " "+flag)
		}
	}
	return strings.TrimSuffix(strings.Join(lines, "\n"), ";")
}
