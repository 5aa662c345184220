package nvcc

import (
	"errors"
	"fmt"
	"strings"

	"github.com/keplersim/keplersim/internal/spelling"
)

// kind says what values an option takes.
type kind uint8

const (
	flag   kind = iota // none
	single             // one; the last one wins
	list               // several, separated by commas
)

// option is one of nvcc's options: its long name without --, and its short names without -.
type option struct {
	long  string
	short []string
	kind  kind
	take  func(c *Command, value string) error
}

// letters are short options that a value may follow without a space, as in -Iinclude.
const letters = "IDULlOoxt"

// phaseOf sets the last step of the work.
func phaseOf(p phase) func(*Command, string) error {
	return func(c *Command, _ string) error {
		c.phase = p
		return nil
	}
}

// into stores the value in a field.
func into(field func(*Command) *string) func(*Command, string) error {
	return func(c *Command, value string) error {
		*field(c) = value
		return nil
	}
}

// appended adds the value to a field.
func appended(field func(*Command) *[]string) func(*Command, string) error {
	return func(c *Command, value string) error {
		*field(c) = append(*field(c), value)
		return nil
	}
}

// set sets a field to true, or to the option's value.
func set(field func(*Command) *bool) func(*Command, string) error {
	return func(c *Command, value string) error {
		switch value {
		case "", "true":
			*field(c) = true
		case "false":
			*field(c) = false
		default:
			return fmt.Errorf("%q is neither true nor false", value)
		}
		return nil
	}
}

// passed passes the option to clang for host code, and for device code too if device is set.
func passed(before string, device bool) func(*Command, string) error {
	return func(c *Command, value string) error {
		words := []string{before + value}
		if strings.HasSuffix(before, " ") {
			words = []string{strings.TrimSpace(before), value}
		}
		c.host = append(c.host, words...)
		if device {
			c.device = append(c.device, words...)
		}
		return nil
	}
}

// nothing ignores an option: its value makes no difference here.
func nothing(*Command, string) error { return nil }

func refused(why string) func(*Command, string) error {
	return func(*Command, string) error { return errors.New(why) }
}

// options are nvcc's options, as nvcc --help lists them.
var options []option

func init() {
	options = []option{
		// The last step.
		{"compile", []string{"c"}, flag, phaseOf(compile)},
		{"device-c", []string{"dc"}, flag, func(c *Command, _ string) error { c.phase, c.rdc = compile, true; return nil }},
		{"device-w", []string{"dw"}, flag, func(c *Command, _ string) error { c.phase, c.rdc = compile, false; return nil }},
		{"device-link", []string{"dlink"}, flag, phaseOf(deviceLink)},
		{"link", []string{"link"}, flag, phaseOf(link)},
		{"lib", []string{"lib"}, flag, phaseOf(archive)},
		{"ptx", []string{"ptx"}, flag, phaseOf(ptx)},
		{"cubin", []string{"cubin"}, flag, phaseOf(machineCode)},
		{"fatbin", []string{"fatbin"}, flag, phaseOf(fatbin)},
		{"preprocess", []string{"E"}, flag, phaseOf(preprocess)},
		{"generate-dependencies", []string{"M"}, flag, phaseOf(dependencies)},
		{"generate-nonsystem-dependencies", []string{"MM"}, flag, phaseOf(ownDependencies)},
		{"generate-dependencies-with-compile", []string{"MD"}, flag, set(func(c *Command) *bool { return &c.depend })},
		{"generate-nonsystem-dependencies-with-compile", []string{"MMD"}, flag, set(func(c *Command) *bool { return &c.depend })},
		{"generate-dependency-targets", []string{"MP"}, flag, appendHost("-MP")},
		{"dependency-output", []string{"MF"}, single, into(func(c *Command) *string { return &c.dependFile })},
		{"dependency-target-name", []string{"MT"}, single, passed("-MT ", false)},
		{"run", []string{"run"}, flag, set(func(c *Command) *bool { return &c.run })},
		{"run-args", []string{"run-args"}, list, appended(func(c *Command) *[]string { return &c.arguments })},
		{"cuda", []string{"cuda"}, flag, phaseOf(hostText)},
		// Files.
		{"output-file", []string{"o"}, single, into(func(c *Command) *string { return &c.output })},
		{"output-directory", []string{"odir"}, single, into(func(c *Command) *string { return &c.outputFolder })},
		{"pre-include", []string{"include"}, list, func(c *Command, value string) error {
			c.read = append(c.read, value)
			return passed("-include ", true)(c, value)
		}},
		{"include-path", []string{"I"}, list, appended(func(c *Command) *[]string { return &c.includes })},
		{"system-include", []string{"isystem"}, list, appended(func(c *Command) *[]string { return &c.includes })},
		{"define-macro", []string{"D"}, list, passed("-D", true)},
		{"undefine-macro", []string{"U"}, list, passed("-U", true)},
		{"library", []string{"l"}, list, appendLink("-l")},
		{"library-path", []string{"L"}, list, appendLink("-L")},
		{"linker-options", []string{"Xlinker"}, list, appendLink("-Xlinker ")},
		{"archive-options", []string{"Xarchive"}, list, nothing},
		{"x", []string{"x"}, single, into(func(c *Command) *string { return &c.language })},
		{"shared", []string{"shared"}, flag, set(func(c *Command) *bool { return &c.shared })},
		{"static", []string{"static"}, flag, appendLink("-static")},
		{"cudart", []string{"cudart"}, single, into(func(c *Command) *string { return &c.runtime })},
		{"cudadevrt", []string{"cudadevrt"}, single, nothing},
		// The device.
		{"gpu-architecture", []string{"arch"}, single, takeArch},
		{"list-gpu-arch", []string{"arch-ls"}, flag, phaseOf(listArchs)},
		{"list-gpu-code", []string{"code-ls"}, flag, phaseOf(listCodes)},
		{"gpu-code", []string{"code"}, list, takeArch},
		{"generate-code", []string{"gencode"}, single, takeArch},
		{"relocatable-device-code", []string{"rdc"}, single, set(func(c *Command) *bool { return &c.rdc })},
		{"maxrregcount", []string{"maxrregcount"}, single, takeRegisters},
		{"use_fast_math", []string{"use_fast_math"}, flag, set(func(c *Command) *bool { return &c.fast })},
		{"ftz", []string{"ftz"}, single, set(func(c *Command) *bool { return &c.flush })},
		{"prec-div", []string{"prec-div"}, single, unset(func(c *Command) *bool { return &c.fastDivision })},
		{"prec-sqrt", []string{"prec-sqrt"}, single, unset(func(c *Command) *bool { return &c.fastRoot })},
		{"fmad", []string{"fmad"}, single, unset(func(c *Command) *bool { return &c.apart })},
		{"default-stream", []string{"default-stream"}, single, takeDefaultStream},
		{"generate-line-info", []string{"lineinfo"}, flag, nothing},
		{"device-debug", []string{"G"}, flag, nothing},
		{"ptxas-options", []string{"Xptxas"}, list, takePtxas},
		{"nvlink-options", []string{"Xnvlink"}, list, nothing},
		{"extra-device-vectorization", []string{"extra-device-vectorization"}, flag, nothing},
		{"restrict", []string{"restrict"}, flag, nothing},
		{"expt-extended-lambda", []string{"expt-extended-lambda", "extended-lambda"}, flag, nothing},
		{"extended-lambda", nil, flag, nothing},
		{"expt-relaxed-constexpr", []string{"expt-relaxed-constexpr"}, flag, nothing},
		{"resource-usage", []string{"res-usage"}, flag, set(func(c *Command) *bool { return &c.usage })},
		{"source-in-ptx", []string{"src-in-ptx"}, flag, nothing},
		{"extensible-whole-program", []string{"ewp"}, flag, nothing},
		{"dlink-time-opt", []string{"dlto"}, flag, nothing},
		{"dopt", []string{"dopt"}, single, nothing},
		{"ftemplate-depth", []string{"ftemplate-depth"}, single, passed("-ftemplate-depth=", true)},
		// The host.
		{"compiler-options", []string{"Xcompiler"}, list, takeCompiler},
		{"optimize", []string{"O"}, single, into(func(c *Command) *string { return &c.level })},
		{"debug", []string{"g"}, flag, appendHost("-g")},
		{"profile", []string{"pg"}, flag, nothing},
		{"std", []string{"std"}, single, into(func(c *Command) *string { return &c.standard })},
		{"no-host-device-initializer-list", nil, flag, nothing},
		{"no-host-device-move-forward", nil, flag, nothing},
		{"machine", []string{"m"}, single, takeMachine},
		{"m64", []string{"m64"}, flag, nothing},
		{"m32", []string{"m32"}, flag, refused("programs of 32 bits are not built; leave -m32 out")},
		{"compiler-bindir", []string{"ccbin"}, single, nothing},
		{"allow-unsupported-compiler", []string{"allow-unsupported-compiler"}, flag, nothing},
		{"forward-unknown-to-host-compiler", []string{"forward-unknown-to-host-compiler"}, flag, set(func(c *Command) *bool {
			return &c.forward
		})},
		{"forward-unknown-to-host-linker", []string{"forward-unknown-to-host-linker"}, flag, nothing},
		{"forward-unknown-opts", []string{"forward-unknown-opts"}, flag, set(func(c *Command) *bool { return &c.forward })},
		// Messages and nvcc's own files.
		{"disable-warnings", []string{"w"}, flag, appendHost("-w")},
		{"Werror", []string{"Werror"}, list, nothing},
		{"Wno-deprecated-gpu-targets", []string{"Wno-deprecated-gpu-targets"}, flag, nothing},
		{"Wno-deprecated-declarations", []string{"Wno-deprecated-declarations"}, flag, nothing},
		{"Wreorder", []string{"Wreorder"}, flag, nothing},
		{"Wext-lambda-captures-this", []string{"Wext-lambda-captures-this"}, flag, nothing},
		{"Wdefault-stream-launch", []string{"Wdefault-stream-launch"}, flag, nothing},
		{"Wmissing-launch-bounds", []string{"Wmissing-launch-bounds"}, flag, nothing},
		{"display-error-number", []string{"err-no"}, flag, nothing},
		{"diag-suppress", []string{"diag-suppress"}, list, nothing},
		{"diag-error", []string{"diag-error"}, list, nothing},
		{"diag-warn", []string{"diag-warn"}, list, nothing},
		{"Xcudafe", []string{"Xcudafe"}, list, nothing},
		{"verbose", []string{"v"}, flag, set(func(c *Command) *bool { return &c.verbose })},
		{"dryrun", []string{"dryrun"}, flag, set(func(c *Command) *bool { return &c.dry })},
		{"keep", []string{"keep"}, flag, set(func(c *Command) *bool { return &c.keep })},
		{"keep-dir", []string{"keep-dir"}, single, into(func(c *Command) *string { return &c.keepFolder })},
		{"save-temps", []string{"save-temps"}, flag, set(func(c *Command) *bool { return &c.keep })},
		{"clean-targets", []string{"clean"}, flag, nothing},
		{"time", []string{"time"}, single, nothing},
		{"threads", []string{"t"}, single, nothing},
		{"objdir-as-tempdir", []string{"objtemp"}, flag, nothing},
		{"options-file", []string{"optf"}, list, nothing}, // parse reads them in order
		{"version", []string{"V"}, flag, phaseOf(showVersion)},
		{"help", []string{"h"}, flag, phaseOf(showHelp)},
	}
}

func appendHost(word string) func(*Command, string) error {
	return func(c *Command, _ string) error {
		c.host = append(c.host, word)
		return nil
	}
}

// appendLink adds a flag for the linker, in its place among the files.
func appendLink(before string) func(*Command, string) error {
	return func(c *Command, value string) error {
		if word, apart := strings.CutSuffix(before, " "); apart {
			c.link = append(c.link, word, value)
			return nil
		}
		c.link = append(c.link, before+value)
		return nil
	}
}

// unset is set with the opposite value.
func unset(field func(*Command) *bool) func(*Command, string) error {
	return func(c *Command, value string) error {
		if err := set(field)(c, value); err != nil {
			return err
		}
		*field(c) = !*field(c)
		return nil
	}
}

// lookUp finds an option by its word on the command line, with the value in the same word, if any.
func lookUp(word string) (o *option, value string, has bool) {
	name, value, has := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(word, "-"), "-"), "=")
	long := strings.HasPrefix(word, "--")
	for i := range options {
		o := &options[i]
		if name == o.long && (long || len(name) > 1) {
			return o, value, has
		}
		for _, short := range o.short {
			if name == short && (!long || len(name) > 1) {
				return o, value, has
			}
		}
	}
	if long || len(word) < 3 || !strings.Contains(letters, word[1:2]) {
		return nil, "", false
	}
	for i := range options {
		for _, short := range options[i].short {
			if short == word[1:2] {
				return &options[i], word[2:], true
			}
		}
	}
	return nil, "", false
}

// unknown suggests an option for an unknown word.
func unknown(word string) error {
	name, _, _ := strings.Cut(strings.TrimLeft(word, "-"), "=")
	var names []string
	for _, o := range options {
		names = append(append(names, o.long), o.short...)
	}
	if near := spelling.Nearest(name, names); near != "" {
		dashes := "-"
		for _, o := range options {
			if o.long == near {
				dashes = "--"
			}
		}
		return fmt.Errorf(
			"nvcc has no flag %s; did you mean %s%s? A flag of the host compiler is handed on by -Xcompiler %s", word, dashes, near, word,
		)
	}
	return fmt.Errorf("nvcc has no flag %s; one of the host compiler is handed on by -Xcompiler %s, one of the linker by -Xlinker %s", word,
		word, word)
}
