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

// Architectures are the values of Options.Arch: Kepler's compute capabilities.
var Architectures = []string{"sm_30", "sm_32", "sm_35", "sm_37"}

// Options say how a .cu file is compiled. The zero value means sm_35 at -O3 with exact arithmetic.
type Options struct {
	Arch        string   // one of Architectures; "" is sm_35
	Level       string   // "0" to "3"; "" is "3"
	Defines     []string // NAME or NAME=VALUE
	IncludeDirs []string // searched before our own headers
	// nvcc's -use_fast_math: approximate division, square root and functions, subnormals flushed, any multiply-add fused
	FastMath bool
	// The same options one by one: nvcc's -ftz=true, -prec-div=false and -prec-sqrt=false. FastMath implies all three.
	Flush, FastDivision, FastRoot bool

	Compiler Compiler // AnyCompiler prefers clang

	// Confined is for untrusted code: clang can read our headers and no other file of this machine.
	Confined bool

	Imitated bool   // imitate the C and C++ library as if the machine had none
	Linked   bool   // the device code will be linked with that of other files, as with nvcc's -rdc=true
	Unit     string // names the file within its program; device and host code are compiled separately
	LineInfo bool   // write .loc directives, which results by source line need
	// Variables adds to LineInfo which variables the source has and where they are stored. It changes no instruction.
	Variables bool
	Text      []byte // compiled instead of the file's contents, under the file's name in messages; nil reads the file
	// NoContraction is nvcc's -fmad=false: multiplications and additions fuse only where the program calls fma.
	NoContraction bool
	Standard      string   // as in c++14 or gnu++20; "" is gnu++17; standards before C++14 become C++14
	Registers     int      // nvcc's -maxrregcount, for kernels without launch bounds; 0 leaves it to the compiler
	Flags         []string // further flags for clang in the device pass, as they are
}

// Result is the output of a compilation.
type Result struct {
	PTX      []byte
	Command  []string // the command line, for display; its header folder is deleted afterwards
	Warnings string   // what clang printed although it succeeded
	Read     []string // the files that clang read, without our headers
	Builtin  bool     // the built-in compiler made it
}

// CommandLine is the command, quoted for a shell.
func (r Result) CommandLine() string {
	words := make([]string, len(r.Command))
	for i, word := range r.Command {
		words[i] = command.Quote(word)
	}
	return strings.Join(words, " ")
}

// CompileError is a failed compilation. Its messages are clang's own, with file, line and column.
type CompileError struct {
	Source   string
	Messages string
	Linking  bool // linking failed; Source is the program
	builtin  bool // the messages are the built-in compiler's
}

// Error prints one line that names the file, then clang's messages unchanged, then advice.
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

// checkText rejects a file that is not text: clang would complain about every byte.
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

// checkTextBytes is checkText for contents in memory.
func checkTextBytes(source string, text []byte) error {
	if bytes.IndexByte(text, 0) >= 0 {
		return fmt.Errorf("%s is not UTF-8 text, which CUDA C must be", source)
	}
	return nil
}

// Compile translates the device code of the CUDA C file at source to PTX, with clang or the built-in compiler (Options.Compiler). The error
// wraps ErrNoClang if clang is needed and not installed; it is a *CompileError if the compiler rejects the file.
func Compile(ctx context.Context, source string, options Options) (Result, error) {
	input, err := openSource(source, options.Text, options.Confined) // before looking for clang: a missing file is the more useful error
	if err != nil {
		return Result{}, err
	}
	if runtime.GOOS == "js" || options.Compiler == UseBuiltin { // a browser's program leaves out the code below
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

// compileDevice calls translate. If kernels launch kernels, clang rejects the file, and it is compiled by nested.
func compileDevice(ctx context.Context, clang Clang, dir, name string, input source, options Options) (Result, error) {
	if options.Confined {
		if err := confine(dir); err != nil {
			return Result{}, err
		}
	}
	result, err := translate(ctx, clang, dir, name, input, options)
	if failedOnNestedLaunch(err) {
		return nested(ctx, clang, dir, name, input, options)
	}
	return result, err
}

// translate compiles once, with the headers in dir, where clang also writes its output.
func translate(ctx context.Context, clang Clang, dir, name string, input source, options Options) (Result, error) {
	output := filepath.Join(dir, "kernel.ptx")
	arguments, err := options.arguments(clang, dir, input, output)
	if err != nil {
		return Result{}, err
	}
	return finish(ctx, clang, name, arguments, input.text, output)
}

// runClang runs clang and returns its messages. Its standard output goes to out, or nowhere if out is nil.
func runClang(
	ctx context.Context, clang Clang, name string, arguments []string, input []byte, out io.Writer,
) (said string, err error) {
	_, said, err = runWithRepairs(ctx, clang, name, arguments, input, out)
	return said, err
}

// attempt is a call of clang: its arguments, and texts that replace files.
type attempt struct {
	arguments []string
	texts     map[string][]byte
}

// runWithRepairs runs clang, and once more with repairs if it complains about something nvcc accepts. It also returns the last attempt.
func runWithRepairs(
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

// callClang runs clang once, without repairs.
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

// mostCompiled bounds the PTX that clang writes for the user's own code, in bytes. Templates can produce some hundred megabytes.
const mostCompiled = 1 << 30

// finish runs clang and reads its output.
func finish(ctx context.Context, clang Clang, name string, arguments []string, input []byte, output string) (result Result, err error) {
	result = Result{Command: append([]string{clang.Path}, arguments...)}
	rule := output + ".d"
	if result.Warnings, err = runUnrolling(ctx, clang, name, slices.Concat(dependencyFlags(rule), arguments), input); err != nil {
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

// lenient returns the flags with which this clang gives undefined C++ the meaning that nvcc gives it. In
//
//	int base;
//	if (lane == 0) base = atomicAdd(counter, many);
//	base = __shfl(base, 0);
//
// the other lanes pass on a variable that was never set. clang would conclude that there are no other lanes and drop the test. So small
// variables start as 0, which costs nothing where they are set. The flags also let programs read floats as integers through a pointer.
func (c Clang) lenient() []string {
	switch {
	case c.Version >= 18: // the first version that can exclude arrays
		return []string{"-fno-strict-aliasing", "-ftrivial-auto-var-init=zero", "-ftrivial-auto-var-init-max-size=8"}
	case c.Version >= 15: // slightly worse code than with the flags above
		return []string{"-fno-strict-aliasing", "-Xclang", "-no-enable-noundef-analysis"}
	}
	return []string{"-fno-strict-aliasing"} // this version does not assume that arguments are set
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
		// As nvcc: a product whose only use in its block is an addition becomes fma, across statements and inlined functions. Other
		// products carry no rounding, and ptxas decides. clang's -ffp-contract=fast would also fuse products of several uses, and on would
		// also fuse subtractions. Library functions that need each rounding say .rn.
		"-ffp-contract=off", "-mllvm", contract(!o.NoContraction),
		"-mllvm", inlineThreshold,
		"-mllvm", unrollThreshold, "-mllvm", partialThreshold, "-mllvm", partialTurns,
		"-mllvm", fewestInstructions,
		// Files may be whole programs; warnings about their host code do not matter here.
		"-Wno-unused-command-line-argument",
	}
	arguments = append(arguments, o.dialect(clang)...)
	arguments = append(arguments, clang.lenient()...)
	if o.FastMath {
		// nvcc's -use_fast_math means -ftz=true, -prec-div=false, -prec-sqrt=false, -fmad=true and, by the macro, the fast forms of
		// functions. clang's -ffast-math differs: it reorders sums and assumes that there are no NaNs.
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
	case o.Variables: // when optimising, clang omits variables for a GPU without this flag, which is meant for ptxas
		arguments = append(arguments, "-g", "--cuda-noopt-device-debug", "-fdebug-compilation-dir=.")
	case o.LineInfo:
		// Files keep the names that the caller gives, so that a report is the same in every folder.
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

// nvcc inlines every function of a file, whatever its size, except __noinline__ and recursive ones. clang's limit on a GPU is 2,750 of its
// units. A call that stays takes addresses of its caller's variables, which then stay in local memory. In KTT's convolution, that kept all
// the sums in memory, where nvcc has them in registers.
const inlineThreshold = "-inline-threshold=10000"

// Our unrolling limits follow nvcc's. It fully unrolls larger loops than clang, whose limit is 300 instructions. It unrolls the others
// fourfold if their body has up to about 75 instructions, where clang takes bodies of 9 to 37, and eight iterations. Instruction counts of
// cards show this. A loop of 16 iterations in KTT's matrix product (about 500 instructions unrolled) and one of 64 in its n-body (1,500 to
// 2,000) are straight code. A loop of 64 iterations of 70 instructions is unrolled fourfold.
const (
	unrollThreshold  = "-unroll-threshold=2000"
	partialThreshold = "-unroll-partial-threshold=300"
	partialTurns     = "-unroll-max-count=4"
)

// nvcc steps a pointer for each array in a loop, and a counter. By default clang steps one offset for all arrays of shared memory and adds
// their bases. Cards counted 25.3 operations an iteration of KTT's n-body over four such arrays; so has this way, the default 21.2.
const fewestInstructions = "-lsr-insns-cost=1"

// arch is the architecture to compile for.
func (o Options) arch() string {
	if o.Arch == "" {
		return "sm_35"
	}
	return o.Arch
}

// named returns the flags for the user's macros and include folders.
func (o Options) named() (flags []string) {
	for _, define := range o.Defines {
		flags = append(flags, "-D"+define)
	}
	for _, include := range o.IncludeDirs {
		flags = append(flags, "-I"+command.File(include))
	}
	return flags
}

// dialect returns the flags for the language: C++17 with nvcc's extensions, and no toolkit. Without the machine's library, only our headers
// are found.
func (o Options) dialect(clang Clang) []string {
	if o.imitated(clang) {
		return []string{"-std=c++17", "-nocudainc", "-nocudalib", "-nostdinc", "-nostdinc++"}
	}
	valueless := "-Wno-error=return-type" // nvcc only warns of `return;` without a value
	if clang.Version >= 19 {
		valueless = "-Wno-error=return-mismatch"
	}
	return []string{
		"-std=" + o.standard(), "-nocudainc", "-nocudalib", "-Wno-register", "-Wno-c++11-narrowing", valueless,
		"-DKEPLERSIM_MACHINE_LIBRARY",
	}
}

// defaultStandard is the language standard of programs that name none.
const defaultStandard = "gnu++17"

// standard is the language standard, at least C++14, which our headers need.
func (o Options) standard() string {
	switch year := strings.TrimPrefix(strings.TrimPrefix(o.Standard, "gnu++"), "c++"); year {
	case "98", "03", "0x", "11", "1y", "14":
		return "gnu++14"
	case "20", "2a", "23", "2b":
		return "gnu++" + year
	}
	return defaultStandard
}

// headers returns the flags for finding our headers and for reading the first of them.
func (o Options) headers(clang Clang, dir string) []string {
	flags := []string{"-isystem", dir, "-isystem", filepath.Join(dir, "cuda")}
	if o.imitated(clang) {
		flags = append(flags, "-isystem", filepath.Join(dir, "system"))
	} else {
		flags = append(flags, "-idirafter", filepath.Join(dir, "serial"))
	}
	return append(flags, "-include", "keplersim_cuda.h")
}

// imitated tells whether the C and C++ library is our imitation, which has the parts that kernels use.
func (o Options) imitated(clang Clang) bool { return o.Imitated || o.Confined || !clang.Library }

// contract is the flag of clang's back end that lets multiplications and additions fuse, or not: then all say .rn.
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

// noRoom matches clang's messages when it cannot write its output.
var noRoom = pattern.Lazy(
	`(?m)^error: (unable to open output file|error (opening|writing)|unable to make temporary file)|` +
		`fatal error: error in backend: IO failure|No space left on device`,
)

// Unwritable means that the files of a compilation cannot be written to this machine. The input is not at fault.
type Unwritable struct{ Err error }

// Error is the cause.
func (e *Unwritable) Error() string { return e.Err.Error() }

// Unwrap is the cause.
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
