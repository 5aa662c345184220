package toolchain

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/keplersim/keplersim/internal/command"
	"github.com/keplersim/keplersim/internal/files"
	"github.com/keplersim/keplersim/internal/pattern"
)

// Architectures are the compute capabilities that Options.Arch takes: Kepler's own.
var Architectures = []string{"sm_30", "sm_32", "sm_35", "sm_37"}

// Options say how a .cu file is compiled. The zero value means sm_35 at -O3 with exact arithmetic.
type Options struct {
	Arch        string   // one of Architectures; "" is sm_35
	Level       string   // "0" to "3"; "" is "3"
	Defines     []string // NAME or NAME=VALUE
	IncludeDirs []string // searched before our own headers
	// nvcc's -use_fast_math: approximate division, square root and functions, subnormals flushed, any multiply-add fused
	FastMath bool
	// The parts of it, as nvcc's -ftz=true, -prec-div=false and -prec-sqrt=false; FastMath has them all.
	Flush, FastDivision, FastRoot bool

	Compiler Compiler // which compiler; AnyCompiler is clang if it is there

	// Confined is for code of strangers: it includes our headers alone, and no other file of this machine is there for clang.
	Confined bool

	Imitated bool   // imitate the C and C++ library as if the machine had none
	Linked   bool   // the device code is linked with that of other files, as nvcc's -rdc=true
	Unit     string // names the file among those of a program, where device and host code are compiled apart
	LineInfo bool   // .loc directives, so that results can be told by source line
	// Variables has the PTX say which variables the source has and where they lie, beside LineInfo. It changes no instruction.
	Variables bool
	Text      []byte // what to compile in place of the file, whose name stands in messages; nil reads the file
	// NoContraction is nvcc's -fmad=false: no multiplication becomes part of an addition, but where the program says fma.
	NoContraction bool
	Standard      string   // as in c++14 or gnu++20; "" is gnu++17, and what is older than C++14 is taken for that
	Registers     int      // nvcc's -maxrregcount, of kernels without launch bounds; 0 leaves it to the compiler
	Flags         []string // further flags for clang in the device pass, as they are
}

// Result is what a compilation gave.
type Result struct {
	PTX      []byte
	Command  []string // the command line used, for display; its header folder is gone afterwards
	Warnings string   // what clang printed although it succeeded
	Read     []string // the files that clang read, without our headers
	Builtin  bool     // the built-in compiler made it
}

// CommandLine is the command as a shell would take it.
func (r Result) CommandLine() string {
	words := make([]string, len(r.Command))
	for i, word := range r.Command {
		words[i] = command.Quote(word)
	}
	return strings.Join(words, " ")
}

// CompileError is a failed compilation: clang's own messages, which carry file, line and column.
type CompileError struct {
	Source   string
	Messages string
	Linking  bool // Source is the program to be made of objects
	builtin  bool // the messages are the built-in compiler's
}

// Error prints clang's messages unchanged under one line that names the file, and then what to do about them.
func (e *CompileError) Error() string {
	what := "compile"
	if e.Linking {
		what = "link"
	}
	if e.builtin {
		return fmt.Sprintf("the built-in compiler could not compile %s:\n%s", e.Source, e.Messages)
	}
	text := fmt.Sprintf("clang could not %s %s:\n%s", what, e.Source, strings.TrimRight(e.Messages, "\n"))
	for _, hint := range hints(e.Messages) {
		text += "\nhint: " + hint
	}
	return text
}

// checkText refuses a file that is no text, of which clang would complain byte for byte.
func checkText(source string) error {
	file, err := os.Open(source)
	if err != nil {
		return fmt.Errorf("compile CUDA C: %w", err)
	}
	defer file.Close()
	begin := make([]byte, 4096)
	n, err := io.ReadFull(file, begin)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("compile CUDA C: %w", err)
	}
	return checkTextBytes(source, begin[:n])
}

// checkTextBytes is checkText of what has been read.
func checkTextBytes(source string, text []byte) error {
	if bytes.IndexByte(text, 0) >= 0 {
		return fmt.Errorf("%s is not UTF-8 text, which CUDA C must be", source)
	}
	return nil
}

// Compile translates the device code of the CUDA C file at source to PTX, with clang or the built-in compiler (Options.Compiler). It
// returns an error wrapping ErrNoClang where clang is needed and not installed, and a *CompileError where the compiler refuses the
// file.
func Compile(ctx context.Context, source string, options Options) (Result, error) {
	input, err := openSource(source, options.Text, options.Confined) // first, as a file that is not there matters more than a missing clang
	if err != nil {
		return Result{}, err
	}
	if runtime.GOOS == "js" || options.Compiler == UseBuiltin { // what follows is left out of a browser's program
		return compileBuiltin(ctx, source, options)
	}
	clang, err := FindClang(ctx)
	if errors.Is(err, ErrNoClang) && options.Compiler == AnyCompiler {
		return compileBuiltin(ctx, source, options)
	}
	if err != nil {
		return Result{}, err
	}
	folder, err := temporaryFolder()
	if err != nil {
		return Result{}, err
	}
	defer folder.Close()
	if err := writeHeaders(folder.Path); err != nil {
		return Result{}, err
	}
	return compileDevice(ctx, clang, folder.Path, source, input, options)
}

// compileDevice is translate, and again for a file whose kernels launch kernels.
func compileDevice(ctx context.Context, clang Clang, dir, name string, input source, options Options) (Result, error) {
	if options.Confined {
		if err := confine(dir); err != nil {
			return Result{}, err
		}
	}
	result, err := translate(ctx, clang, dir, name, input, options)
	if nests(err) {
		return nested(ctx, clang, dir, name, input, options)
	}
	return result, err
}

// translate is one compilation with the headers in a folder, where its output goes for a while.
func translate(ctx context.Context, clang Clang, dir, name string, input source, options Options) (Result, error) {
	output := filepath.Join(dir, "kernel.ptx")
	arguments, err := options.arguments(clang, dir, input, output)
	if err != nil {
		return Result{}, err
	}
	return finish(ctx, clang, name, arguments, input.text, output)
}

// runClang runs clang, and returns what it says; what it writes on standard output goes to out, nil for nowhere.
func runClang(
	ctx context.Context, clang Clang, name string, arguments []string, input []byte, out io.Writer,
) (said string, err error) {
	_, said, err = runMending(ctx, clang, name, arguments, input, out)
	return said, err
}

// attempt is a call of clang: its arguments, and the texts that it reads in place of files.
type attempt struct {
	arguments []string
	texts     map[string][]byte
}

// runMending is runClang, and returns the last attempt.
func runMending(
	ctx context.Context, clang Clang, name string, arguments []string, input []byte, out io.Writer,
) (last attempt, said string, err error) {
	last.arguments = arguments
	said, err = callClang(ctx, clang, name, arguments, input, out)
	var failed *CompileError
	if !errors.As(err, &failed) || slices.Contains(arguments, onlyWithin) {
		return last, said, err
	}
	arguments, older := olderStandard(arguments, failed.Messages)
	flags, texts := repaired(failed.Messages)
	if len(flags) == 0 && len(texts) == 0 && !older {
		return last, said, err
	}
	last = attempt{slices.Concat(flags, arguments), texts}
	said, wrong := last.run(ctx, clang, name, input, out)
	var unwritable *Unwritable
	if errors.As(wrong, &unwritable) {
		return last, said, errors.Join(err, wrong)
	}
	return last, said, wrong
}

// run calls clang.
func (a attempt) run(ctx context.Context, clang Clang, name string, input []byte, out io.Writer) (said string, err error) {
	flags, done, err := overlay(a.texts)
	defer done()
	if err != nil {
		return "", err
	}
	return callClang(ctx, clang, name, slices.Concat(flags, a.arguments), input, out)
}

// callClang is runClang for files as they are.
func callClang(
	ctx context.Context, clang Clang, name string, arguments []string, input []byte, out io.Writer,
) (said string, err error) {
	var messages bytes.Buffer
	call := command.Tool(ctx, clang.Path, arguments...)
	call.Stdin, call.Stdout, call.Stderr = bytes.NewReader(input), out, &messages
	if err = call.Run(); err == nil {
		return messages.String(), nil
	}
	if ctx.Err() != nil {
		return "", fmt.Errorf("compile %s: %w", name, context.Cause(ctx))
	}
	var exit *exec.ExitError
	if noRoom().MatchString(messages.String()) {
		return "", &Unwritable{fmt.Errorf("compile %s: %s", name, strings.TrimSpace(messages.String()))}
	}
	if errors.As(err, &exit) {
		return "", &CompileError{Source: name, Messages: messages.String()}
	}
	return "", fmt.Errorf("run %s: %w", clang.Path, err)
}

// mostCompiled bounds the PTX that clang writes of the user's own code, in bytes: templates make some hundred of megabytes of it.
const mostCompiled = 1 << 30

// finish runs clang and reads what it has written.
func finish(ctx context.Context, clang Clang, name string, arguments []string, input []byte, output string) (result Result, err error) {
	result = Result{Command: append([]string{clang.Path}, arguments...)}
	rule := output + ".d"
	if result.Warnings, err = runUnrolling(ctx, clang, name, slices.Concat(noting(rule), arguments), input); err != nil {
		return result, err
	}
	if result.Read, err = filesRead(rule, filepath.Dir(output)); err != nil {
		return result, err
	}
	most := int64(mostCompiled)
	if slices.Contains(arguments, onlyWithin) {
		most = files.MostCode
	}
	if result.PTX, err = files.Read(output, most); err != nil {
		return result, fmt.Errorf("read what clang made of %s: %w", name, err)
	}
	return result, nil
}

// lenient are the flags by which this clang takes programs as nvcc does, where C++ leaves undefined what they mean. In
//
//	int base;
//	if (lane == 0) base = atomicAdd(counter, many);
//	base = __shfl(base, 0);
//
// the other lanes pass on a variable that was never set, from which clang would conclude that there are none, and drop the
// test. So small variables start as 0, which costs nothing where they are set. And floats may be read as integers through
// a pointer.
func (c Clang) lenient() []string {
	switch {
	case c.Version >= 18: // the first that can leave arrays out
		return []string{"-fno-strict-aliasing", "-ftrivial-auto-var-init=zero", "-ftrivial-auto-var-init-max-size=8"}
	case c.Version >= 15: // code is a little worse than with the above
		return []string{"-fno-strict-aliasing", "-Xclang", "-no-enable-noundef-analysis"}
	}
	return []string{"-fno-strict-aliasing"} // takes no argument for set
}

// arguments is clang's command line without the program's name.
func (o Options) arguments(clang Clang, headerDir string, source source, output string) ([]string, error) {
	arch, level := o.arch(), o.Level
	if level == "" {
		level = "3"
	}
	if !slices.Contains(Architectures, arch) {
		return nil, fmt.Errorf("architecture %q is not one of Kepler's: %s", arch, strings.Join(Architectures, ", "))
	}
	if !slices.Contains([]string{"0", "1", "2", "3"}, level) {
		return nil, fmt.Errorf("optimisation level %q is not 0, 1, 2 or 3", level)
	}
	arguments := []string{
		"-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=" + arch, "-S", "-O" + level,
		// As nvcc: a product that is added and has no other use in its block becomes fma, across statements and inlined functions;
		// others are written without a rounding, and ptxas decides. With -ffp-contract=fast clang would fuse products of several
		// uses, too, which nvcc leaves to ptxas; with on, it would also fuse what is subtracted. Library functions that need each
		// rounding say .rn.
		"-ffp-contract=off", "-mllvm", contract(!o.NoContraction),
		"-mllvm", inlineThreshold,
		"-mllvm", unrollThreshold, "-mllvm", partialThreshold, "-mllvm", partialTurns,
		"-mllvm", fewestInstructions,
		// Whole programs are welcome; what clang thinks of their host part is not.
		"-Wno-unused-command-line-argument",
	}
	arguments = append(arguments, o.dialect(clang)...)
	arguments = append(arguments, clang.lenient()...)
	if o.FastMath {
		// What nvcc's -use_fast_math means: -ftz=true, -prec-div=false, -prec-sqrt=false and -fmad=true, and by the macro the fast
		// forms of functions. Not clang's -ffast-math, which reorders sums and takes it that there are no NaNs.
		arguments = append(arguments, "-D__USE_FAST_MATH__=1")
	}
	if o.FastMath || o.Flush {
		arguments = append(arguments, "-fgpu-flush-denormals-to-zero")
	}
	if o.FastMath || o.FastDivision {
		arguments = append(arguments, "-mllvm", "-nvptx-prec-divf32=0")
	}
	if o.FastMath || o.FastRoot {
		arguments = append(arguments, "-mllvm", "-nvptx-prec-sqrtf32=0")
	}
	if o.Linked {
		arguments = append(arguments, "-fgpu-rdc")
	}
	if o.Unit != "" {
		arguments = append(arguments, "-cuid="+o.Unit)
	}
	switch {
	case o.Variables: // clang leaves them out for a GPU where it optimises, but for this flag, which is for ptxas
		arguments = append(arguments, "-g", "--cuda-noopt-device-debug", "-fdebug-compilation-dir=.")
	case o.LineInfo:
		// Files are named as the caller names them, so that a report is the same in every folder.
		arguments = append(arguments, "-gline-tables-only", "-fdebug-compilation-dir=.")
	}
	if err := CheckUserOptions(o); err != nil {
		return nil, err
	}
	arguments = append(arguments, o.named()...)
	arguments = append(arguments, source.flags...)
	arguments = append(arguments, o.Flags...)
	arguments = append(arguments, o.headers(clang, headerDir)...)
	if o.Confined {
		arguments = append(arguments, onlyWithin, filepath.Join(headerDir, overlayName))
	}
	return append(arguments, "-o", output, "--", source.argument), nil
}

// nvcc inlines the functions of a file wherever they are called, whatever their size, but for those that say __noinline__ or call
// themselves; clang's limit is 2,750 of its units on a GPU. A function that is left out takes addresses of its caller's variables,
// which then stay in local memory: of KTT's convolution, whose sums nvcc has in registers, all did.
const inlineThreshold = "-inline-threshold=10000"

// nvcc unrolls loops of a known number of turns up to a larger size than clang, whose limit is 300 instructions, and others fourfold up
// to a body of about 75, where clang's limit is a body of 9 to 37, and eight turns. That follows from the instructions that cards
// counted: a loop of 16 turns in KTT's matrix product (about 500 instructions unrolled) and one of 64 in its n-body (between 1,500 and
// 2,000) are straight code, one of 64 turns of 70 instructions is unrolled fourfold.
const (
	unrollThreshold  = "-unroll-threshold=2000"
	partialThreshold = "-unroll-partial-threshold=300"
	partialTurns     = "-unroll-max-count=4"
)

// nvcc steps a pointer for each array that a loop goes along, and counts turns besides; clang steps one offset for all arrays of shared
// memory, to which it adds where they begin, unless it is told to count instructions. Cards counted 25.3 operations a turn of KTT's n-body
// over four such arrays, which this way has too; the other has 21.2.
const fewestInstructions = "-lsr-insns-cost=1"

// arch is the architecture that code is compiled for.
func (o Options) arch() string {
	if o.Arch == "" {
		return "sm_35"
	}
	return o.Arch
}

// named are the flags of what the user defines and of where files are included from.
func (o Options) named() (flags []string) {
	for _, define := range o.Defines {
		flags = append(flags, "-D"+define)
	}
	for _, include := range o.IncludeDirs {
		flags = append(flags, "-I"+command.File(include))
	}
	return flags
}

// dialect is the language: C++17 with what nvcc takes beside it, and no toolkit. Without the machine's library there are no headers but
// ours.
func (o Options) dialect(clang Clang) []string {
	if o.imitated(clang) {
		return []string{"-std=c++17", "-nocudainc", "-nocudalib", "-nostdinc", "-nostdinc++"}
	}
	return []string{
		"-std=" + o.standard(), "-nocudainc", "-nocudalib", "-Wno-register", "-Wno-c++11-narrowing", "-DKEPLERSIM_MACHINE_LIBRARY",
	}
}

// defaultStandard is what a program is compiled as that does not say.
const defaultStandard = "gnu++17"

// standard is C++14 or later, which our headers need.
func (o Options) standard() string {
	switch year := strings.TrimPrefix(strings.TrimPrefix(o.Standard, "gnu++"), "c++"); year {
	case "98", "03", "0x", "11", "1y", "14":
		return "gnu++14"
	case "20", "2a", "23", "2b":
		return "gnu++" + year
	}
	return defaultStandard
}

// headers are the flags by which our headers are found, and the first of them is read.
func (o Options) headers(clang Clang, dir string) []string {
	flags := []string{"-isystem", dir, "-isystem", filepath.Join(dir, "cuda")}
	if o.imitated(clang) {
		flags = append(flags, "-isystem", filepath.Join(dir, "system"))
	} else {
		flags = append(flags, "-idirafter", filepath.Join(dir, "serial"))
	}
	return append(flags, "-include", "keplersim_cuda.h")
}

// imitated tells whether the C and C++ library is our imitation, which has what kernels use of it.
func (o Options) imitated(clang Clang) bool { return o.Imitated || o.Confined || !clang.Library }

// contract is the flag of clang's back end that says whether multiplications and additions may fuse. Where they may not, all say .rn.
func contract(may bool) string {
	if may {
		return "-nvptx-fma-level=1"
	}
	return "-nvptx-fma-level=0"
}

// temporaryFolder makes a folder to compile in.
func temporaryFolder() (*files.Folder, error) {
	folder, err := files.Temporary("keplersim-cuda-")
	if err != nil {
		return nil, &Unwritable{fmt.Errorf("folder for the CUDA header: %w", err)}
	}
	return folder, nil
}

// noRoom is clang's message where it cannot write its output.
var noRoom = pattern.Lazy(
	`(?m)^error: (unable to open output file|error (opening|writing)|unable to make temporary file)|` +
		`fatal error: error in backend: IO failure|No space left on device`,
)

// Unwritable is the error of a machine on which the files of a compilation cannot be written: no mistake of the input.
type Unwritable struct{ Err error }

// Error is the reason.
func (e *Unwritable) Error() string { return e.Err.Error() }

// Unwrap is the reason.
func (e *Unwritable) Unwrap() error { return e.Err }

// writeHeaders copies the embedded include folder into dir.
func writeHeaders(dir string) error {
	root, err := fs.Sub(headers, "include")
	if err != nil {
		return fmt.Errorf("embedded CUDA header: %w", err)
	}
	if err := os.CopyFS(dir, root); err != nil {
		return &Unwritable{fmt.Errorf("write the CUDA header: %w", err)}
	}
	return nil
}
